"""An import as a page. In: what became of each run; out: counts, a table of runs, why some were refused, what lacks."""

from collections import Counter
from collections.abc import Iterator

from colosseum.diagnostics import counted
from colosseum.imports.imported_run import ImportFile
from colosseum.report.cells import described
from colosseum.report.document import Amount, Block, Definitions, Paragraph

MOST_SHOWN = 40


def imported_blocks(found: ImportFile) -> Iterator[Block]:
    """What was found; the first MOST_SHOWN runs in a table."""
    became = Counter(run.became for run in found.runs)
    words = ", ".join(f"{number} {state}" for state, number in became.items()) or "no runs"
    title = "Nothing was written" if found.dry_run else f"Imported into {found.out}"
    yield Paragraph(f"{title}: {words}", "title")
    rows = (
        (run.source, run.became, run.arm, *(None if n is None else Amount(n) for n in (run.seed, run.repeat)),
         run.model, *map(Amount, (run.posts, run.decisions, run.fills)))
        for run in found.runs
    )  # fmt: skip
    yield described("imported", rows, most=MOST_SHOWN)
    lacking = Counter(each for run in found.runs if run.became != "refused" for each in run.missing)
    if lacking:
        yield Definitions(tuple((name, counted(n, "run")) for name, n in lacking.most_common()), "Not in the source")
    if refused := Counter(run.reason for run in found.runs if run.became == "refused"):
        yield Definitions(tuple((counted(n, "run"), reason) for reason, n in refused.most_common()), "Refused")
