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
SPEC = "spec.colo"
"""The name of a file whose fence does not name it."""
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


class PageError(ValueError):
    """A page that is not written as the top of this module says: a mistake of ours."""


@cache
def read_page(code: str) -> Page:
    """The page of a known code. Raises KeyError for others, PageError for a page that cannot be read."""
    return page(CODES[code], (FOLDER / f"{code}.md").read_text(encoding="utf-8"))


def page(code: Code, text: str) -> Page:
    """A page from its Markdown. Raises PageError."""
    meaning, *parts = re.split(r"^## (Wrong|Right)\n", text, flags=re.MULTILINE)
    if parts[::2] != ["Wrong", "Right"]:
        raise PageError(f"{code.code}: the parts are `## Wrong` and `## Right`, not {parts[::2]}")
    paragraphs = [" ".join(p.split()) for p in meaning.split("\n\n") if p.strip()]
    if not paragraphs:
        raise PageError(f"{code.code}: nothing says what the mistake is")
    return Page(code, "\n\n".join(paragraphs), _example(code, parts[1]), _example(code, parts[3]))


def _example(code: Code, text: str) -> Example:
    files: list[ExampleFile] = []
    commands: tuple[tuple[str, ...], ...] = ()
    for match in FENCE.finditer(text):
        if match["opening"] == "sh":
            commands += tuple(_command(code, line) for line in match["text"].splitlines())
        else:
            files.append(_file(code, match["opening"], match["text"]))
    if FENCE.sub("", text).strip():
        raise PageError(f"{code.code}: words outside of fences: {FENCE.sub('', text).strip()!r}")
    if not files or len({f.name for f in files}) < len(files):
        raise PageError(f"{code.code}: an example has files, each with a name of its own")
    return Example(tuple(files), commands)


def _command(code: Code, line: str) -> tuple[str, ...]:
    program, *arguments = shlex.split(line) or [""]
    if program != "colosseum":
        raise PageError(f"{code.code}: the command is not `colosseum …`")
    return tuple(arguments)


def _file(code: Code, opening: str, text: str) -> ExampleFile:
    language, *details = opening.split()
    given = dict(word.partition("=")[::2] for word in details)
    if not given.keys() <= {"name", "encoding"} or "" in given.values():
        raise PageError(f"{code.code}: a fence says `name=…` or `encoding=…`, not `{opening}`")
    return ExampleFile(given.get("name", SPEC), language, text, given.get("encoding", "utf-8"))
