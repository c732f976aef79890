"""The users' reference as tests read it. In: grammar/README.md; out: its examples, its tables, and what it says.

A block ```` ```colo ```` is a whole spec when it begins with `colosseum`; else it follows the lines of the last block
`colo first` above it. `colo error C041` must fail with that code alone, `colo warning W001` must warn so;
`colo game.colo` and `csv cost.csv` are also files beside the blocks that follow.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from colosseum.diagnostics import Source, render_text
from colosseum.language import parse, shipped, syntax
from colosseum.model import evaluate
from colosseum.model.check import Checked, check
from colosseum.model.values import text
from colosseum.model.world import Environment

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "grammar" / "README.md").read_text(encoding="utf-8")
HEAD = "colosseum 1\nscenario example\n"
PIECE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block that is a spec, and where it stands."""

    line: int
    code: str
    """As the page shows it."""
    spec: str
    """Made whole."""
    files: tuple[tuple[str, str], ...]
    """The files beside it: those that blocks above it show."""
    expected: tuple[str, str] | None
    """(error or warning, its code)."""

    def check(self, folder: Path) -> tuple[Checked | None, list[str]]:
        """The spec, and every code that is reported on it."""
        shared = ((f"lib/{p.name}", p.read_text(encoding="utf-8")) for p in (shipped("specs") / "lib").iterdir())
        for name, content in (*shared, *self.files, ("block.colo", self.spec)):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        found, diagnostics = check(folder / "block.colo")
        wrong = [d.code for d in diagnostics if d.code.startswith("C")]
        if self.expected is None:
            assert not wrong, render_text(diagnostics)
        return found, [d.code for d in diagnostics]


def blocks() -> Iterator[Block]:
    preamble, files = "", list[tuple[str, str]]()
    for piece in PIECE.finditer(PAGE):
        language, _, rest = piece["info"].partition(" ")
        if language == "colo":
            kind, _, code = rest.partition(" ")
            preamble = "" if kind == "first" else preamble
            whole = piece["code"] if piece["code"].startswith("colosseum") else HEAD + preamble + piece["code"]
            line = PAGE.count("\n", 0, piece.start()) + 1
            yield Block(line, piece["code"], whole, tuple(files), (kind, code) if code else None)
        if rest == "first":
            preamble = piece["code"]
        if rest.endswith((".colo", ".csv")):
            files.append((rest, piece["code"]))


BLOCKS = list(blocks())
GOOD = [b for b in BLOCKS if b.expected is None or b.expected[0] == "warning"]


def plain_text() -> str:
    """The page without its blocks, and without its draws, which a test of their own reads."""
    return re.sub(r"^## Draws\n.*?(?=^## )", "", PIECE.sub("", PAGE), flags=re.DOTALL | re.MULTILINE)


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its header."""
    section = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert section, heading
    lines = re.findall(r"(?:^\|.*\n)+", section[1], re.MULTILINE)[0].splitlines()
    return [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in lines[2:]]


def words(cell: str) -> list[str]:
    """The first word of each piece of code in a cell."""
    return re.findall(r"`(\$?\w[\w/]*)", cell)


def expression(written: str) -> syntax.Expr:
    file, diagnostics = parse(Source("page", f"{HEAD}param probe = {written}\n"))
    assert not diagnostics, render_text(diagnostics)
    (probe,) = file.statements
    assert isinstance(probe, syntax.Param)
    return probe.value


def value(written: str, checked: Checked) -> str:
    found = evaluate.value(expression(written), Environment(checked.expansion.world))
    return text(found)
