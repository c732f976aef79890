"""What `colosseum prompts` shows. In: a checked spec and what is asked for; out: Prompts, and the words of a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from colosseum.campaign.openings import PHASES, SCHEMA, ArmOpenings, Change, Prompts, Stretch, compare, openings_of
from colosseum.diagnostics import Diagnostic, closest, counted, report
from colosseum.model.check import Checked
from colosseum.model.experiment import Arm, Conditions, Design
from colosseum.players.models.request import Endpoint
from colosseum.players.view import Phase
from colosseum.run.team import UnknownPlayer
from colosseum.run.trial import Block, Expansions, Trials

Kind: TypeAlias = Literal["heading", "label", "text", "deleted", "inserted"]
Piece: TypeAlias = tuple[Kind, str]
"""What words are, and the words, with all their line breaks; a heading is a line without one."""
MARKS: dict[str, tuple[Kind, str, str]] = {
    "same": ("text", "", ""), "deleted": ("deleted", "[-", "-]"), "inserted": ("inserted", "{+", "+}"),
}  # fmt: skip
"""What stands around words that one arm has alone."""
NO_MODEL = ("sim/", "python:")
"""How the names of players begin that are sent no words."""
SHORT = 60
"""Characters of a paragraph that is shown again for every agent."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Which prompts are meant; None stands for the first, or for all agents."""

    arm: str | None = None
    against: str | None = None
    """The arm to compare with: the arm asked for or, where none is, all others."""
    agent: str | None = None
    point: str | None = None
    """The whole name of a sweep point."""
    seed: int | None = None
    phase: str = "planning"
    text_tools: bool = False
    """Tools are described in the messages, as for models that call them there."""


def prompts(checked: Checked, design: Design | None, asked: Asked) -> tuple[Prompts | None, list[Diagnostic]]:
    """What agents are sent at their first turn, or why there is nothing to show; no model is asked.

    `design` is one of the spec's; without one there is an arm `baseline` in which nothing is changed.
    """
    design = design or Design("", "", ("baseline",), (Arm("baseline", "", Conditions()),), (checked.seed,), 1)
    agents = checked.expansion.scenario.task.agents
    wrong = [
        *(_unknown("arm", arm, design.arms) for arm in (asked.arm, asked.against) if arm and arm not in design.arms),
        *([_unknown("agent", asked.agent, agents)] if asked.agent and asked.agent not in agents else []),
        *([_unknown("phase", asked.phase, PHASES)] if asked.phase not in PHASES else []),
    ]
    names = _arms(design, asked)
    if not names:
        wrong.append(report("C122", None, f"there is no other arm to compare `{asked.against}` with"))
    phase = next((phase for phase in PHASES if phase == asked.phase), None)
    if wrong or phase is None:
        return None, wrong
    point = design.cells[0].point if asked.point is None else asked.point
    seed = design.seeds[0] if asked.seed is None else asked.seed
    cells = {cell.name: cell for cell in design.cells if cell.point == point}
    trials = Trials(Expansions(checked.spec, checked.params), lambda given: given, lambda model, _: Endpoint(model))
    try:
        made, diagnostics = trials.of(Block(point, seed, 1, tuple(cells[name] for name in names)))
    except UnknownPlayer as unknown:
        return None, [report("C120", None, str(unknown), help=unknown.help)]
    if diagnostics:
        return None, diagnostics
    chosen = (asked.agent,) if asked.agent else ()
    sent = tuple(openings_of(trial, phase, text_tools=asked.text_tools, agents=chosen) for trial in made)
    if not any(each.agents for each in sent):
        return None, [_no_turn(phase, asked.agent)]
    compared = tuple(compare(sent[0], each) for each in sent[1:])
    return Prompts(SCHEMA, checked.expansion.scenario.name, design.name, point, seed, 1, phase, sent, compared), []


def _unknown(what: str, name: str, known: Sequence[str]) -> Diagnostic:
    help_ = closest(name, known) or f"{what}s: {', '.join(known)}"
    return report("C122", None, f"there is no {what} `{name}`", help=help_)


def _arms(design: Design, asked: Asked) -> tuple[str, ...]:
    """The arms to show, the one compared with first; nothing where it has nobody to be compared with."""
    if asked.against is None:
        return (asked.arm or design.arms[0],)
    others = [arm for arm in ((asked.arm,) if asked.arm else design.arms) if arm != asked.against]
    return (asked.against, *others) if others else ()


def _no_turn(phase: Phase, agent: str | None) -> Diagnostic:
    who = f"`{agent}` has no turn" if agent else "nobody has a turn"
    help_ = "planning takes `rounds`, a survey claims, and an execution turn a variable of the agent's own"
    return report("C122", None, f"{who} in the phase `{phase}`", help=help_)


# ---- words for a page ----------------------------------------------------------------------------------------------


def page(found: Prompts) -> Iterator[Piece]:
    """Everything as text; a paragraph that an earlier agent was sent is shown once."""
    parts = [found.scenario, f"experiment {found.experiment}" if found.experiment else "", found.point,
             f"seed {found.seed}", f"first turn of {found.phase}"]  # fmt: skip
    yield "label", ", ".join(filter(None, parts)) + "\n"
    others = {each.player: None for arm in found.arms for each in arm.agents if each.player.startswith(NO_MODEL)}
    if others:
        yield "label", f"{', '.join(others)}: no model, so this is what a model in its place would be sent\n"
    for compared in found.compared:
        yield "heading", f"arm {compared.arm} against {compared.against}"
        yield from _changed(compared.texts)
    for sent in () if found.compared else found.arms:
        yield from _told(sent)


def _told(sent: ArmOpenings) -> Iterator[Piece]:
    known: dict[tuple[str, str], str] = {}
    for each in sent.agents:
        for part, text in each.parts.items():
            yield "heading", f"{sent.arm}, {each.agent}: {part}"
            yield "text", _once(text, each.agent, part, known) + "\n"


def _once(text: str, agent: str, part: str, known: dict[tuple[str, str], str]) -> str:
    """The text, with a line in place of paragraphs in a row that are known from one agent."""
    between = "\n" if part == "tools" else "\n\n"
    source, skipped, shown = "", 0, list[str]()
    for paragraph in [*text.split(between), None]:
        again = known.setdefault((part, paragraph), agent) if paragraph is not None else agent
        again = "" if again == agent or len(paragraph or "") <= SHORT else again
        if source and again != source:
            shown.append(f"[as {source}: {counted(skipped, 'line')}]")
            source, skipped = "", 0
        if again:
            source, skipped = again, skipped + (paragraph or "").count("\n") + 1
        elif paragraph is not None:
            shown.append(paragraph)
    return between.join(shown)


def _changed(texts: Sequence[Change]) -> Iterator[Piece]:
    """What differs, agents with the same differences together, and a line for those with none."""
    groups: dict[tuple[tuple[str, tuple[Stretch, ...]], ...], list[str]] = {}
    for agent in dict.fromkeys(change.agent for change in texts):
        own = [c for c in texts if c.agent == agent and any(each.kind != "same" for each in c.words)]
        groups.setdefault(tuple((c.part, _cut(c.words)) for c in own), []).append(agent)
    for parts, alike in groups.items():
        for part, words in parts:
            yield "label", f"{', '.join(alike)}: {part}\n"
            for each in words:
                kind, before, after = MARKS[each.kind]
                yield kind, f"{before}{each.text}{after}"
            yield "text", "\n"
        if not parts:
            yield "label", f"{', '.join(alike)}: no word differs\n"


def _cut(words: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """The changed words with the lines that they stand in; other lines are counted."""
    found = []
    for number, stretch in enumerate(words):
        lines = stretch.text.split("\n")
        head, tail = (1 if number else 0), (1 if number < len(words) - 1 else 0)
        hidden = len(lines) - head - tail
        if stretch.kind != "same" or hidden < 2:
            found.append(stretch)
            continue
        alike = f"[… {counted(hidden, 'line')} alike]"
        found.append(Stretch("same", "\n".join([*lines[:head], alike, *lines[len(lines) - tail :]])))
    return tuple(found)
