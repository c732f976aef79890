"""`colosseum prompts`. In: a spec, an arm and a phase; out: what each agent is sent there, or two arms word by word."""

import sys
from dataclasses import replace
from pathlib import Path

from rich.text import Text

from colosseum.campaign.openings import adapter
from colosseum.campaign.part import Part, matching, read_design
from colosseum.campaign.shown_prompts import Asked, page, prompts
from colosseum.cli.words import checked_spec, say_json, wants_color
from colosseum.diagnostics import ColosseumError
from colosseum.model.sweeps import factors
from colosseum.report.page import page_on, printable, say_heading

STYLES = {"label": "bold", "deleted": "red strike", "inserted": "bold green"}


def show_prompts(file: Path, experiment: str | None, sets: list[str], asked: Asked, *, as_json: bool) -> int:
    """Print what is sent; a sweep point may be named by some of its values. Raises ColosseumError."""
    checked = checked_spec(file, seed=asked.seed, sets=sets)
    design = read_design(checked, Part(experiment), file=str(file)) if checked.designs or experiment else None
    if asked.point is not None:
        points = {cell.point: factors(cell.point) for cell in design.cells} if design else {}
        asked = replace(asked, point=matching(asked.point, points)[0])
    found, wrong = prompts(checked, design, asked)
    if found is None:
        raise ColosseumError(*wrong)
    if as_json:
        say_json(adapter().dump_python(found, mode="json"))
        return 0
    with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
        for kind, words in page(found):
            if kind == "heading":
                say_heading(console, words)
            else:
                clean = "\n".join(printable(line, console.encoding) for line in words.split("\n"))
                console.print(Text(clean, STYLES.get(kind, "")), soft_wrap=True, end="")
    return 0
