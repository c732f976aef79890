"""What agents are sent, as blocks. In: Prompts; out: texts, or where two arms differ, word by word."""

from collections.abc import Iterator
from itertools import groupby

from colosseum.campaign.openings import MARKS, ArmOpenings, Prompts, marked
from colosseum.report.document import Block, Heading, Listing, Paragraph

NO_MODEL = ("sim/", "python:")  # how the names of players begin that are sent no words


def prompt_blocks(found: Prompts) -> Iterator[Block]:
    """Everything as text; a paragraph that an earlier agent was sent is shown once."""
    parts = [found.scenario, f"experiment {found.experiment}" if found.experiment else "", found.point,
             f"seed {found.seed}", f"first turn of {found.phase}"]  # fmt: skip
    yield Paragraph(", ".join(filter(None, parts)), "title")
    others = {each.player: None for arm in found.arms for each in arm.agents if each.player.startswith(NO_MODEL)}
    if others:
        yield Paragraph(f"{', '.join(others)}: no model, so this is what a model in its place would be sent")
    for other in found.arms[1:] if found.against else ():
        yield Heading(f"arm {other.arm} against {found.against}")
        yield from _changed(found.arms[0], other)
    for sent in () if found.against else found.arms:
        yield from _told(sent)


def _told(sent: ArmOpenings) -> Iterator[Block]:
    known: dict[tuple[str, str], str] = {}
    for each in sent.agents:
        for part, text in each.parts.items():
            yield Heading(f"{sent.arm}, {each.agent}: {part}")
            yield Listing("", _once(text, each.agent, part, known))


def _once(text: str, agent: str, part: str, known: dict[tuple[str, str], str]) -> str:
    """The text, with a line in place of paragraphs in a row that are known from one agent."""
    between, shown = "\n" if part == "tools" else "\n\n", list[str]()
    for paragraph in text.split(between):
        first = known.setdefault((part, paragraph), agent)
        shown.append(paragraph if first == agent else f"[as {first}]")
    return between.join(words for words, _ in groupby(shown))


def _changed(before: ArmOpenings, after: ArmOpenings) -> Iterator[Block]:
    """The lines in which something differs, agents with the same ones together, and a line for those with none."""
    ours, theirs = ({each.agent: each.parts for each in arm.agents} for arm in (before, after))
    alike: dict[tuple[str, str], list[str]] = {}
    for agent in (every := {**ours, **theirs}):
        was, now = ours.get(agent, {}), theirs.get(agent, {})
        for part in {**was, **now}:
            lines = marked(was.get(part, ""), now.get(part, "")).split("\n")
            if told := "\n".join(line for line in lines if any(left in line for left, _ in MARKS)):
                alike.setdefault((part, told), []).append(agent)
    yield from (Listing(f"{', '.join(agents)}: {part}", text) for (part, text), agents in alike.items())
    if same := [agent for agent in every if not any(agent in agents for agents in alike.values())]:
        yield Paragraph(f"{', '.join(same)}: no word differs")
