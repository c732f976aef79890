"""What agents are sent, as blocks. In: Prompts; out: texts, or where two arms differ, word by word."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from colosseum.campaign.openings import ArmOpenings, Change, Prompts
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
    """The lines in which something differs, agents with the same ones together, and a line for those with none."""
    alike: dict[tuple[str, str], list[str]] = {}
    for each in texts:
        marked = ("\n".join(line and line.join(MARKS[s.kind]) for line in s.text.split("\n")) for s in each.words)
        lines = [line for line in "".join(marked).split("\n") if "[-" in line or "{+" in line]
        if lines:
            alike.setdefault((each.part, "\n".join(lines)), []).append(each.agent)
    yield from (Listing(f"{', '.join(agents)}: {part}", text) for (part, text), agents in alike.items())
    told = {agent for agents in alike.values() for agent in agents}
    if same := [agent for agent in dict.fromkeys(each.agent for each in texts) if agent not in told]:
        yield Paragraph(f"{', '.join(same)}: no word differs")
