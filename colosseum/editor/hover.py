"""What a name is, for a reader. In: an occurrence in an analysis; out: Markdown with its values at the seed."""

from collections.abc import Iterator

from colosseum.editor.analysis import Analysis
from colosseum.editor.occurrences import Occurrence
from colosseum.model.draws import DRAWS
from colosseum.model.realise import Realiser
from colosseum.model.settings import READERS, Settings
from colosseum.model.spec import Symbol
from colosseum.model.values import Elements, Fault, instance_name, text

MOST_SHOWN = 12
"""Values of one name, and lines of a declaration."""


def hover_text(analysis: Analysis, occurrence: Occurrence) -> str:
    """Markdown; empty where nothing is known."""
    kind, _, name = occurrence.meaning
    declared, symbol = analysis.declaration(occurrence.meaning), analysis.symbol(occurrence.meaning)
    if symbol is not None:
        kind = f"private {symbol.kind}" if symbol.private else symbol.kind
        shown = symbol.statement.span.text
    elif declared is not None:
        kind = kind or "element"
        shown = declared.source.line(declared.line).strip()
    else:
        shown = DRAWS.get(name, "") if kind == "function" else _default(name) if kind == "setting" else ""
    if not kind:
        return ""
    lines = "\n".join(shown.split("\n")[:MOST_SHOWN])
    words = f"**{kind}** `{name}`" + (f"\n\n```colo\n{lines}\n```" if shown else "")
    return words + (_values(symbol, analysis.facts) if symbol else "")


def _default(name: str) -> str:
    """The default of a setting of runs, as far as there is one."""
    value = getattr(Settings(), READERS[name][0]) if name in READERS and name != "model" else None
    return "" if value is None else f"{name} {'off' if value is False else value}"


def _values(symbol: Symbol, facts: Realiser) -> str:
    """The values of a declared name at the seed of the facts."""
    try:
        lines = [line for line, _ in zip(_shown(symbol, facts), range(MOST_SHOWN + 1), strict=False)]
    except Fault:
        return f"\n\nits values at seed {facts.seed} are not known: the spec has an error"
    lines[MOST_SHOWN:] = ["…"] * (len(lines) > MOST_SHOWN)
    return "\n".join(["", "", f"at seed {facts.seed}:", "", "```text", *lines, "```"]) if lines else ""


def _shown(symbol: Symbol, facts: Realiser) -> Iterator[str]:
    """A line for each value."""
    name = symbol.name
    match symbol.kind:
        case "param":
            yield text(facts.param(name))
        case "set" | "coalition" | "channel":
            members = facts.members(name)
            yield f"{len(members.items)}: {text(Elements(members.items[:MOST_SHOWN]))}" + (
                ", …" if len(members.items) > MOST_SHOWN else ""
            )
        case "table":
            yield from (f"{instance_name(name, key)} = {text(v)}" for key, v in facts.table(name).entries.items())
        case "variable":
            for key, domain in facts.decided(name).domains.items():
                yield f"{instance_name(name, key)}: {text(Elements(domain[:MOST_SHOWN]))}"
        case _:
            return
