"""Warnings about what agents are not told. In: a spec and its expansion; out: rewards and rules that they cannot read.

A reward or requirement reaches an agent by `{{ payoffs }}`, or by texts in which every table, param and constant of it
stands; one that is meant to be hidden says `undisclosed`.
"""

import re
from collections.abc import Iterator, Set

from colosseum.diagnostics import Diagnostic, report
from colosseum.language import syntax
from colosseum.model.payoff_sheet import PAYOFFS, Sheets, Statement
from colosseum.model.prompts import template_names
from colosseum.model.scenario import Prompt, Task
from colosseum.model.spec import Declared, walk

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)")
MOST_NAMED = 3
"""Agents or tables that a warning names before it counts the rest."""


def not_disclosed(spec: Declared, prompts: tuple[Prompt, ...], sheets: Sheets) -> Iterator[Diagnostic]:
    """A warning for each statement that some who decide about it are not told, and for sheets that are too long."""
    asking = {p.name: [template_names(t.value) for v in p.variants for t in (v.text, *v.paraphrases)]
              for p in spec.of(syntax.Prompt)}  # fmt: skip
    texts: dict[str, list[str]] = {agent: [] for agent in sheets.task.agents}
    read: dict[str, set[str]] = {agent: set() for agent in sheets.task.agents}
    for prompt in prompts:
        for agent, text in (told for v in prompt.variants for wording in v.wordings for told in wording):
            texts[agent].append(text)
            read[agent].update(*asking[prompt.name])
    said = {
        agent: {float(number) for text in found for number in NUMBER.findall(text)} for agent, found in texts.items()
    }
    deciders = _deciders(sheets.task)
    for statement in sheets.told if prompts else ():
        facts, constants = _parts(statement, sheets)
        left = [
            agent for agent in sheets.task.agents if agent in deciders.get(statement.name, ())
            and not (PAYOFFS in read[agent] and sheets.asked)
            and not (texts[agent] and facts <= read[agent] and constants <= said[agent])
        ]  # fmt: skip
        if left:
            message = f"`{statement.name}` depends on {some(left)}, and no prompt tells them about it"
            help_ = "put `{{ payoffs }}` into their prompt, or end the statement with `undisclosed` if it is meant"
            yield report("W012", statement.name_span, message, help=help_)
    if sheets.left_out:
        first = next(p for p in spec.of(syntax.Prompt) if any(PAYOFFS in names for names in asking[p.name]))
        message = f"the payoff sheet is too long: it leaves out some of {some(list(sheets.left_out))}"
        yield report("W013", first.name_span, message, help="the formulas and the reader's own rows are in it")


def _parts(statement: Statement, sheets: Sheets) -> tuple[Set[str], set[float]]:
    """The tables and params of a statement, and its numbers but for 0."""
    world, mentioned = sheets.world, sheets.closure([statement]).keys()
    derived = [world.spec.symbols[name].statement for name in mentioned & world.spec.derived]
    numbers = (node.value for part in (statement, *derived) for node in walk(part) if isinstance(node, syntax.Number))
    facts = mentioned & {*world.tables, *world.params} - world.spec.derived
    return facts, {float(number) for number in numbers if number}


def _deciders(task: Task) -> dict[str, set[str]]:
    """By statement, the owners of the decisions in the scope of its instances, credit included."""
    found: dict[str, set[str]] = {}
    for statement, scope in (*((p.statement, p.scope) for p in task.payoffs),
                             *((r.statement, r.condition.scope) for r in task.hard)):  # fmt: skip
        found.setdefault(statement, set()).update(task.variable[name].owner for name in scope)
    return found


def some(names: list[str]) -> str:
    """`A`, `B` and 3 more."""
    first = ", ".join(f"`{name}`" for name in names[:MOST_NAMED])
    return f"{first} and {len(names) - MOST_NAMED} more" if names[MOST_NAMED:] else first
