"""Pages that explain codes. In: a code; out: its Page, read from `pages/CODE.md`.

A page is Markdown of three parts, each of which tests read and run:

* two or three sentences in the user's words: what the mistake is, and why the language has the rule;
* `## Wrong`: a small spec in a fence that opens with ```` ```colo ````. `colosseum check` gives this code as its first
  error (for `W…`: as its first warning) and no error of another code;
* `## Right`: the same spec, mended: nothing is said about it.

The spec is written to `spec.colo`. Further files stand in fences of their own that name them, as in
```` ```csv name=costs.csv ```` or ```` ```colo name=lib/team.colo ````; `encoding=latin-1` writes one so.
A code that another command gives shows that command in a fence ```` ```sh ````, in both examples:
`colosseum compile spec.colo`; of several lines the last one counts. `tests/test_diagnostics_pages.py` says the rest.
"""

import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from colosseum.diagnostics.codes import CODES, Code

FOLDER = Path(__file__).with_name("pages")
SPEC = "spec.colo"  # the name of a file whose fence does not name it
FENCE = re.compile(r"^```(?P<opening>[^\n`]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class ExampleFile:
    """One file of an example."""

    name: str
    language: str
    """What it is written in: `colo`, `csv`, `json`."""
    text: str
    encoding: str = "utf-8"

    @property
    def content(self) -> bytes:
        """The bytes to write."""
        return self.text.encode(self.encoding)


@dataclass(frozen=True, slots=True)
class Example:
    """A small spec, the files it needs and the commands that read it."""

    files: tuple[ExampleFile, ...]
    commands: tuple[tuple[str, ...], ...] = ()
    """What follows `colosseum` on the command line, one command after the other; none: the spec is checked."""


@dataclass(frozen=True, slots=True)
class Page:
    """One code, explained."""

    code: Code
    meaning: str
    """Paragraphs of Markdown, each on one line, a blank line between them."""
    wrong: Example
    right: Example


@cache
def read_page(code: str) -> Page:
    """The page of a known code. Raises KeyError for others."""
    text = (FOLDER / f"{code}.md").read_text(encoding="utf-8")
    meaning, _, wrong, _, right = re.split(r"^## (Wrong|Right)\n", text, flags=re.MULTILINE)
    paragraphs = [" ".join(p.split()) for p in meaning.split("\n\n") if p.strip()]
    return Page(CODES[code], "\n\n".join(paragraphs), _example(wrong), _example(right))


def _example(text: str) -> Example:
    files: list[ExampleFile] = []
    commands: tuple[tuple[str, ...], ...] = ()
    for match in FENCE.finditer(text):
        language, *details = match["opening"].split()
        if language == "sh":
            commands += tuple(tuple(shlex.split(line)[1:]) for line in match["text"].splitlines())
        else:
            given = dict(word.partition("=")[::2] for word in details)
            files.append(ExampleFile(given.get("name", SPEC), language, match["text"], given.get("encoding", "utf-8")))
    return Example(tuple(files), commands)
