"""Codes and figures explained on the terminal. In: a page and what is said about its wrong example, or a figure; out:
words on a console.

Reads the same without colour and in a pipe; no line is longer than the console is wide.
"""

import re
import shlex
from collections.abc import Iterable, Iterator
from itertools import groupby

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from colosseum.diagnostics.codes import Code
from colosseum.diagnostics.page import Example, Page
from colosseum.evidence.registry import NOTATION, OF, REGISTRY, UNITS, FigureEntry
from colosseum.report.page import list_facts

WIDEST_PROSE = 96
INDENT = "  "
EXCERPT = re.compile(r" *\d* \|")
"""A line of a diagnostic that shows a text: it is cut at the margin, not between words."""
LEAD = re.compile(r" *([CW]\d{3}  |= help: )?")
"""What stands before the words of a line; further lines of the same words begin below the first."""


def show_page(page: Page, said: str, console: Console) -> None:
    """The title, what the mistake is, the wrong example, what is said about it, the right example."""
    tone = "yellow" if page.code.code.startswith("W") else "red"
    _say(Text.assemble((page.code.code, f"bold {tone}"), (f"  {page.code.title}", "bold")), console)
    for paragraph in page.meaning.split("\n\n"):
        console.print()
        _say(_prose(paragraph), console, width=min(console.width, WIDEST_PROSE))
    _heading("Wrong", "red", console)
    _show_example(page.wrong, console)
    _heading("What Colosseum says", "cyan", console)
    _say(Text.from_ansi(said.rstrip()), console, indent=INDENT)
    _heading("Right", "green", console)
    _show_example(page.right, console)


def show_figure(entry: FigureEntry, console: Console) -> None:
    """What a figure means, how it is computed, and where that comes from."""
    _say(Text.assemble((entry.label, "bold"), f": {entry.meaning}."), console)
    console.print()
    facts = [
        ("formula", entry.formula),
        ("unit", UNITS[entry.unit]),
        ("direction", entry.direction),
        ("one value for", OF[entry.section]),
        ("source", entry.source.replace("paper", "arXiv 2602.15198")),
        ("in JSON", entry.name),
    ]
    list_facts(console, [(word, meaning) for word, meaning in facts if meaning])
    console.print()
    _say(Text(f"Signs: {NOTATION}."), console)


def list_all(codes: Iterable[Code], console: Console) -> None:
    """Every code with its title, group by group, and every figure with its meaning."""
    for group, members in groupby(codes, key=lambda c: c.group):
        console.print(Text(f"{group[0].upper()}{group[1:]}", style="bold"))
        for code in members:
            _say(Text.assemble(INDENT, (code.code, "cyan"), INDENT, _prose(code.title)), console)
        console.print()
    console.print(Text("Figures", style="bold"))
    list_facts(console, [(entry.name, entry.meaning) for entry in REGISTRY.values()])
    console.print()
    _say(
        _prose("`colosseum explain CODE` shows a wrong and a right example, `colosseum explain FIGURE` a formula."),
        console,
    )


def _heading(words: str, tone: str, console: Console) -> None:
    console.print()
    console.print(Text(words, style=f"bold {tone}"))
    console.print()


def _show_example(example: Example, console: Console) -> None:
    """The files, each with its name where there are several, then the commands."""
    for number, file in enumerate(example.files):
        if number:
            console.print()
        if len(example.files) > 1:
            console.print(Text(f"{INDENT}{file.name}:", style="dim"))
        code = Syntax("", file.language, theme="ansi_dark", background_color="default").highlight(file.text)
        code.rstrip()
        for line in code.split("\n", allow_blank=True):
            _cut(line, console)
    for number, arguments in enumerate(example.commands):
        if not number:
            console.print()
        _cut(Text(f"$ {shlex.join(('colosseum', *arguments))}", style="bold"), console)


def _prose(words: str) -> Text:
    """Words with what stands in back-quotes set off; the quotes stay, for those who see no colour."""
    text = Text(words)
    text.highlight_regex(r"`[^`]+`", "cyan")
    return text


def _say(text: Text, console: Console, *, indent: str = "", width: int | None = None) -> None:
    """Lines wrapped between words; excerpts of a text are cut instead."""
    for line in text.split("\n", allow_blank=True):
        if EXCERPT.match(line.plain):
            _cut(line, console)
            continue
        lead = LEAD.match(line.plain)
        first = lead.end() if lead else 0
        for number, part in enumerate(line[first:].wrap(console, (width or console.width) - len(indent) - first)):
            part.rstrip()
            before = Text(" " * first) if number else line[:first]
            console.print(Text(indent if part.plain else "") + before + part, soft_wrap=True)


def _cut(line: Text, console: Console) -> None:
    """A line of code, indented, cut where the console ends."""
    for part in _pieces(line, console.width - len(INDENT)):
        part.rstrip()
        console.print(Text(INDENT if part.plain else "") + part, soft_wrap=True)


def _pieces(line: Text, width: int) -> Iterator[Text]:
    yield from line.divide(range(width, len(line), width))
