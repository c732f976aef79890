"""What came of a merge, as a page. In: Merged; out: lines."""

from collections.abc import Iterator
from pathlib import Path

from colosseum.campaign.listing import run_words
from colosseum.campaign.merging import Merged
from colosseum.diagnostics import counted
from colosseum.report.document import Block, Paragraph


def merged_blocks(merged: Merged, out: Path) -> Iterator[Block]:
    """What is in the new folder, or why nothing is."""
    yield from map(Paragraph, _words(merged, out))


def _words(merged: Merged, out: Path) -> list[str]:
    lines = [f"{path / fault.file}: {fault.words}" for path, fault in merged.faults]
    lines += [f"{run_words(c.listed)}: {c.folders[0]} and {c.folders[1]} have different results of it"
              for c in merged.conflicts]  # fmt: skip
    if lines:
        return [*lines, "nothing was merged"]
    parts = [f"{counted(merged.new + merged.better + merged.kept, 'run')} in {out}, {merged.new} of them new"]
    parts += [f"{merged.better} complete in place of failed ones"] if merged.better else []
    parts += [f"{counted(merged.missing, 'run')} without a result"] if merged.missing else []
    parts += [f"the calls of {merged.begun} of them came along"] if merged.begun else []
    return [", ".join(parts), f"`colosseum report {out}` shows what they come to"]
