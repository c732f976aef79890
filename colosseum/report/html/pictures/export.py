"""Pictures as files. In: pictures and a folder; out: SVG that needs no page, PNG, and tables as CSV, Markdown, LaTeX.

A folder has all files of a call or none of them; what else is in it stays.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from colosseum.report.html.pictures.picture import WIDTH, Picture, style_sheet
from colosseum.report.html.pictures.tabular import csv_of, latex_of, markdown_of

ZOOM: Final = 3
"""Pixels of a PNG by one of the view box: 300 and more an inch at the width of a column."""
PAPER: Final = "#ffffff"
FAMILIES: Final = (
    "DejaVu Sans", "Arial", "Helvetica", "Segoe UI", "Liberation Sans", "Noto Sans", "Roboto", "Ubuntu", "FreeSans",
)  # fmt: skip
"""Fonts that are tried first for the words of a PNG."""
_PAGE: Final = "/* on a page */"
"""Where the part of the style sheet begins that only pages need."""
_PROPERTY: Final = re.compile(r"(--picture-[\w-]+): (#[0-9a-f]{6});")
_LINK: Final = re.compile(r"<a [^>]*>|</a>")


class NoFigures(Exception):  # noqa: N818 - what is wrong, in words
    """Pictures cannot be made into PNG; `help` is what to do."""

    def __init__(self, message: str, help_: str) -> None:
        super().__init__(message)
        self.help = help_


def write_figures(pictures: Sequence[Picture], folder: Path) -> int:
    """Write five files of each picture, by its name, and say how many. Raises NoFigures and OSError, nothing written.

    The folder is made where there is none; of equal names in it the new ones replace the old.
    """
    check_figures()
    files = {name: content for picture in pictures for name, content in _files(picture).items()}
    fresh = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    staged = folder / f".{os.getpid()}.part"
    try:
        staged.mkdir()
        for name, content in files.items():
            (staged / name).write_bytes(content)
        for name in files:
            os.replace(staged / name, folder / name)
    except OSError:
        shutil.rmtree(folder if fresh else staged, ignore_errors=True)
        raise
    staged.rmdir()
    return len(files)


def check_figures() -> None:
    """Raises NoFigures where PNG cannot be made: without the extra, or without any font that has letters."""
    if _family() is None:
        raise NoFigures("PNG files need a font with letters, and none is installed", "install one, such as DejaVu Sans")


@cache
def _family() -> str | None:
    """The first family that draws letters: `sans-serif` may stand for no font at all, or for one of signs only."""
    return next((family for family in (*FAMILIES, *_installed()) if has_letters(family)), None)


def has_letters(family: str) -> bool:
    """Whether a family of the system draws letters, each in its own way."""
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20">{}</svg>'
    text = '<text y="15" font-family="sans-serif">{}</text>'
    return len({rasterise(svg.format(text.format(word)), family=family) for word in ("", "W", "i", "Fig")}) == 4


def _installed() -> list[str]:
    """The families that the system lists as able to write English, where it can be asked."""
    try:
        listed = subprocess.run(("fc-list", ":lang=en", "family"), capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return sorted({line.partition(",")[0] for line in listed.stdout.splitlines()})


def _files(picture: Picture) -> dict[str, bytes]:
    svg = standalone(picture)
    contents = {
        "svg": svg.encode(),
        "png": rasterise(svg, family=_family()),
        "csv": csv_of(picture.table),
        "md": markdown_of(picture.table).encode(),
        "tex": latex_of(picture.table, picture.title).encode(),
    }
    return {f"{picture.name}.{ending}": content for ending, content in contents.items()}


def standalone(picture: Picture) -> str:
    """SVG with its own style, light on white paper, without links: there is no page that they lead to."""
    paper = f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    style = f"<style>\n{_literal_style()}</style>\n{paper}"
    return _LINK.sub("", picture.svg).replace("</desc>", f"</desc>\n{style}", 1)


def _literal_style() -> str:
    """The light rules, each colour in the place of its property: not all that draw SVG know properties."""
    light, _, _ = style_sheet().partition(_PAGE)
    colours = dict(_PROPERTY.findall(light))
    rules = light[light.index("}") + 1 :].lstrip()
    return re.sub(r"var\((--picture-[\w-]+)\)", lambda found: colours[found[1]], rules)


def rasterise(svg: str, *, family: str | None = None) -> bytes:
    """A PNG of ZOOM times the view box, its sans-serif words in `family`. Raises NoFigures without the extra."""
    try:
        import resvg_py
    except ImportError:
        raise NoFigures("PNG files need resvg-py, which is missing", "`pip install 'colosseum[figures]'`") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=ZOOM * WIDTH, sans_serif_family=family))
