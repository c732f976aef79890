"""What agents are sent, as blocks. In: Prompts; out: texts, or where two arms differ, word by word."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from colosseum.campaign.openings import ArmOpenings, Change, Prompts, Stretch
from colosseum.diagnostics import counted
from colosseum.report.document import Block, Heading, Listing, Paragraph

MARKS = {"same": ("", ""), "deleted": ("[-", "-]"), "inserted": ("{+", "+}")}
"""What stands around words that one arm has alone."""
NO_MODEL = ("sim/", "python:")
"""How the names of players begin that are sent no words."""


def prompt_blocks(found: Prompts) -> Iterator[Block]:
    """Everything as text; a paragraph that an earlier agent was sent is shown once."""
    parts = [found.scenario, f"experiment {found.experiment}" if found.experiment else "", found.point,
             f"seed {found.seed}", f"first turn of {found.phase}"]  # fmt: skip
    yield Paragraph(", ".join(filter(None, parts)), "title")
    others = {each.player: None for arm in found.arms for each in arm.agents if each.player.startswith(NO_MODEL)}
    if others:
        yield Paragraph(f"{', '.join(others)}: no model, so this is what a model in its place would be sent")
    for compared in found.compared:
        yield Heading(f"arm {compared.arm} against {compared.against}")
        yield from _changed(compared.texts)
    for sent in () if found.compared else found.arms:
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


def _changed(texts: Sequence[Change]) -> Iterator[Block]:
    """What differs, agents with the same differences together, and a line for those with none."""
    groups: dict[tuple[tuple[str, tuple[Stretch, ...]], ...], list[str]] = {}
    for agent in dict.fromkeys(change.agent for change in texts):
        own = [c for c in texts if c.agent == agent and any(each.kind != "same" for each in c.words)]
        groups.setdefault(tuple((c.part, _cut(c.words)) for c in own), []).append(agent)
    for parts, alike in groups.items():
        for part, words in parts:
            yield Listing(f"{', '.join(alike)}: {part}", "".join(each.text.join(MARKS[each.kind]) for each in words))
        if not parts:
            yield Paragraph(f"{', '.join(alike)}: no word differs")


def _cut(words: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """The changed words with the lines that they stand in; other lines are counted."""
    found = []
    for stretch in words:
        lines = stretch.text.split("\n")
        alike = f"[… {counted(len(lines) - 2, 'line')} alike]"
        hidden = stretch.kind == "same" and len(lines) > 3
        found.append(Stretch("same", "\n".join((lines[0], alike, lines[-1]))) if hidden else stretch)
    return tuple(found)
