"""`colosseum report --table`, `--html` and `--figures`. In: a folder's findings; out: files of its runs and figures.

What makes pages is imported where one is made: a report on the terminal does without.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from colosseum.campaign.folder import Folder, replace_file
from colosseum.diagnostics import counted, file_errors, stop
from colosseum.evidence.findings import Findings, in_words
from colosseum.report import tables
from colosseum.report.tables import figure_table

if TYPE_CHECKING:
    from colosseum.report.html.page import Content

PAGES: Final = ("--html", "--out")
"""Options of `report` and `judge label` that name a page; all others name a table."""


def check_file(option: str, path: Path | None) -> None:
    """Refuse what could not be written in the end, before anything is computed. Raises ColosseumError."""
    if path is None:
        return
    if option == "--figures":
        with file_errors(path):
            if path.exists() and not path.is_dir():
                raise stop("C122", f"cannot write to {path}: it is no folder")
        return
    endings = (".html",) if option in PAGES else tuple(tables.ENDINGS)
    if path.suffix.lower() not in endings:
        raise stop("C122", f"`{option} {path}` does not end in {' or '.join(endings)}")
    with file_errors(path):
        if path.is_dir() or not path.absolute().parent.is_dir():
            why = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
            raise stop("C122", f"cannot write {path}: {why}")


def write_table(folder: Path, findings: Findings, path: Path) -> str:
    """Write the runs that have ended; says what was written. Raises ColosseumError."""
    with in_words(folder):
        table = figure_table("runs", findings, Folder(folder))
    table.write(path)
    return f"{counted(len(table.rows), 'run')} in {path}"


def read_content(
    folder: Path, findings: Findings, *, thoughts: bool, published: bool = False, calls: bool = False
) -> "Content":
    """All that a page shows, with what models thought or without, with the published plane or without.

    Raises ColosseumError.
    """
    from colosseum.report.html.gather import gather

    with in_words(folder):
        return gather(folder, findings, thoughts=thoughts, published=published, calls=calls)


def write_html(content: "Content", path: Path) -> str:
    """Write the page: whole, or not at all. Raises ColosseumError."""
    from colosseum.report.html.page import render

    with file_errors(path):
        replace_file(path, render(content).encode("utf-8", "replace"))
    return f"{counted(len(content.index['runs']), 'run')} in {path}"


def write_figures(content: "Content", folder: Path) -> Iterator[str]:
    """Write every chart as PDF, SVG and PNG, and its numbers as CSV. Raises ColosseumError."""
    from colosseum.report.paper import write_files

    with file_errors(folder):
        number, missing = write_files(content.figures, folder)
    yield f"{len(content.figures)} charts and tables in {folder}, {counted(number, 'file')}"
    yield from (f"not written: {words}" for words in missing)
    yield from (f"no chart of {name}: {why}" for name, why in content.without)
