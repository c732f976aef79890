"""`colosseum merge`."""

import gc
import sys
from collections.abc import Sequence
from pathlib import Path

from colosseum.api.reading import read_campaign
from colosseum.campaign.folder import Damaged
from colosseum.campaign.merging import Merged, Unlike, merge
from colosseum.campaign.runs import run_words
from colosseum.cli.words import say_json, wants_color
from colosseum.diagnostics import counted, stop
from colosseum.report.page import page_on, say


def merge_folders(paths: Sequence[Path], out: Path, *, as_json: bool) -> int:
    """Join folders; exit 1 where one was changed, or where two have different results of one trial."""
    gc.enable()
    for path in paths:
        read_campaign(path)
    try:
        merged = merge(paths, out)
    except Unlike as unlike:
        raise stop("C123", str(unlike), help="runs of different configurations do not belong into one report") from None
    except Damaged as damaged:
        raise stop("C123", str(damaged)) from None
    except OSError as error:
        raise stop("C122", f"cannot merge into {out}: {error.filename or out}: {error.strerror}") from None
    if as_json:
        say_json(_plain(merged))
    else:
        with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
            for line in _words(merged, out):
                say(console, line)
    return 1 if merged.faults or merged.conflicts else 0


def _plain(merged: Merged) -> dict[str, object]:
    return {
        "schema": 1,
        "new": merged.new,
        "better": merged.better,
        "kept": merged.kept,
        "begun": merged.begun,
        "missing": merged.missing,
        "faults": [{"folder": str(path), "file": f.file, "words": f.words} for path, f in merged.faults],
        "conflicts": [
            {"run": c.listed.trial, "arm": c.listed.arm, "point": c.listed.point, "seed": c.listed.seed,
             "repeat": c.listed.repeat, "folders": [str(path) for path in c.folders]}
            for c in merged.conflicts
        ],
    }  # fmt: skip


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
