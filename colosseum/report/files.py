"""`colosseum report --table`, `--html` and `--figures`. In: a folder's findings; out: files of its runs and figures."""

from collections.abc import Iterator
from pathlib import Path

from colosseum.campaign.folder import Folder, Plan, as_bytes, replace_file
from colosseum.diagnostics import counted, file_errors, stop
from colosseum.evidence.findings import Findings, in_words
from colosseum.evidence.judges import draw_questions
from colosseum.report import tables
from colosseum.report.published import document
from colosseum.report.tables import figure_table


def check_file(option: str, path: Path | None) -> None:
    """Refuse a path that cannot be written, before anything is computed. Raises ColosseumError."""
    if path is None:
        return
    endings = {"--html": (".html",), "--out": (".html",), "--figures": ()}.get(option, tuple(tables.ENDINGS))
    if endings and path.suffix.lower() not in endings:
        raise stop("C122", f"`{option} {path}` does not end in {' or '.join(endings)}")
    with file_errors(path):
        if path.exists() and path.is_dir() == bool(endings):
            raise stop("C122", f"cannot write to {path}: it is {'a' if endings else 'no'} folder")
        if endings and not path.absolute().parent.is_dir():
            raise stop("C122", f"cannot write {path}: there is no folder {path.parent}")


def keep_report(folder: Path, findings: Findings) -> None:
    """Keep all findings of a folder there, as `replay` compares them. Raises OSError."""
    content = as_bytes(document("report", findings.report))
    Folder(folder).keep(Folder(folder).report, content, *folder.glob("spent*.log"))


def write_rating_page(folder: Path, plan: Plan, out: Path, *, runs: int) -> str:
    """Write the page of questions for raters; says what is in it. Raises ColosseumError."""
    from colosseum.report.html.page import rating_page

    check_file("--out", out)
    with in_words(folder):
        draw, questions = draw_questions(folder, plan, runs=runs)
    if not questions:
        raise stop("C123", f"{folder} holds no complete run in which something was said and a coalition can be judged")
    with file_errors(out):
        replace_file(out, rating_page(draw, questions).encode("utf-8", "replace"))
    return f"{counted(len(questions), 'question')} about {draw.runs} of {counted(draw.of, 'run')} in {out}"


def write_report(
    folder: Path, findings: Findings, *, table: Path | None = None, html: Path | None = None,
    figures: Path | None = None, thoughts: bool = False, published: bool = False, calls: bool = False,
) -> Iterator[str]:  # fmt: skip
    """Write the runs as a table, the page, and charts with their numbers; says what was written. Raises ColosseumError.

    The page has what models thought, the published plane, and requests and replies on request.
    """
    if table is not None:
        with in_words(folder):
            runs = figure_table("runs", findings, Folder(folder))
        runs.write(table)
        yield f"{counted(len(runs.rows), 'run')} in {table}"
    if html is None and figures is None:
        return
    from colosseum.report.html.content import gather
    from colosseum.report.html.page import render

    with in_words(folder):
        content = gather(folder, findings, thoughts=thoughts, published=published, calls=calls)
    if html is not None:
        with file_errors(html):
            replace_file(html, render(content).encode("utf-8", "replace"))
        yield f"{counted(len(content.index['runs']), 'run')} in {html}"
    if figures is not None:
        from colosseum.report.paper import write_files

        with file_errors(figures):
            number, missing = write_files(content.figures, figures)
        yield f"{len(content.figures)} charts and tables in {figures}, {counted(number, 'file')}"
        yield from (f"not written: {words}" for words in missing)
        yield from (f"no chart of {name}: {why}" for name, why in content.without)
