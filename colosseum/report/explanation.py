"""Codes and figures explained. In: a page and what is said about its wrong example, or a figure; out: blocks."""

import shlex
from collections.abc import Iterable, Iterator
from itertools import groupby

from colosseum.diagnostics.codes import Code
from colosseum.diagnostics.page import Example, Page
from colosseum.evidence.figures import NOTATION, OF, REGISTRY, UNITS, FigureEntry
from colosseum.report.document import Block, Definitions, Heading, Listing, Paragraph
from colosseum.report.words import MEANINGS


def code_blocks(page: Page, said: str) -> Iterator[Block]:
    """The title, what the mistake is, the wrong example, what is said about it, the right example."""
    yield Paragraph(f"{page.code.code}  {page.code.title}", "warning" if page.code.code.startswith("W") else "bad")
    for paragraph in page.meaning.split("\n\n"):
        yield Paragraph("")
        yield Paragraph(paragraph)
    yield from (Heading("Wrong"), *_example(page.wrong))
    yield from (Heading("What Colosseum says"), Listing("", said.rstrip()))
    yield from (Heading("Right"), *_example(page.right))


def _example(example: Example) -> Iterator[Block]:
    """The files, each with its name where there are several, then the commands."""
    for file in example.files:
        yield Listing(f"{file.name}:" if len(example.files) > 1 else "", file.text.rstrip())
    if example.commands:
        commands = (f"$ {shlex.join(('colosseum', *arguments))}" for arguments in example.commands)
        yield Listing("", "\n" + "\n".join(commands))


def figure_blocks(entry: FigureEntry) -> Iterator[Block]:
    """What a figure means, how it is computed, and where that comes from."""
    yield Paragraph(entry.label, "title")
    yield Paragraph(f"{entry.meaning}.")
    facts = (
        ("formula", entry.formula), ("unit", UNITS[entry.unit]), ("direction", entry.direction),
        ("one value for", OF[entry.section]), ("source", entry.source.replace("paper", "arXiv 2602.15198")),
        ("in JSON", entry.name),
    )  # fmt: skip
    yield Definitions(tuple((word, meaning) for word, meaning in facts if meaning))
    yield Paragraph(f"Signs: {NOTATION}.")


def word_blocks(word: str) -> Iterator[Block]:
    """What a report says by a word."""
    yield Paragraph(word, "title")
    yield Paragraph(f"{MEANINGS[word][0].upper()}{MEANINGS[word][1:]}.")
    yield Paragraph("`colosseum guide statistics` tells how calls, verdicts and readings are reached.")


def list_blocks(codes: Iterable[Code]) -> Iterator[Block]:
    """Every code with its title, group by group, and every figure with its meaning."""
    for group, members in groupby(codes, key=lambda code: code.group):
        yield Definitions(tuple((code.code, code.title) for code in members), f"{group[0].upper()}{group[1:]}")
    yield Definitions(tuple((entry.name, entry.meaning) for entry in REGISTRY.values()), "Figures")
    yield Definitions(tuple(MEANINGS.items()), "Words of reports")
    yield Paragraph("")
    yield Paragraph("`colosseum explain CODE` shows a wrong and a right example, `colosseum explain FIGURE` a formula.")
