"""What agents are sent, as a page. In: Prompts; out: texts on a console, or where two arms differ, word by word."""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from rich.console import Console
from rich.text import Text

from colosseum.campaign.openings import ArmOpenings, Change, Prompts, Stretch
from colosseum.diagnostics import counted
from colosseum.report.page import printable, say_heading

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
STYLES = {"label": "bold", "deleted": "red strike", "inserted": "bold green"}


def show_prompts(found: Prompts, console: Console) -> None:
    """Print the page."""
    for kind, words in _pieces(found):
        if kind == "heading":
            say_heading(console, words)
        else:
            clean = "\n".join(printable(line, console.encoding) for line in words.split("\n"))
            console.print(Text(clean, STYLES.get(kind, "")), soft_wrap=True, end="")


def _pieces(found: Prompts) -> Iterator[Piece]:
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
