"""`colosseum scan`."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track

from colosseum.cli.solving import heading
from colosseum.cli.words import checked_spec, say_json
from colosseum.evidence.spec_questions import scanned
from colosseum.model.scenario import Coalition, Scenario
from colosseum.optimum.questions.exposure import Scan
from colosseum.report.scan import render_scan


def scan_file(
    file: Path, *, size: int, by: str, top: int, seed: int | None, sets: Sequence[str], as_json: bool
) -> int:  # fmt: skip
    """Rank all coalitions of a size by what they could do at the optimum of one seed."""
    checked = checked_spec(file, seed=seed, sets=sets)
    scenario, found = checked.expansion.scenario, scanned(checked, size, by, _watched)
    if as_json:
        say_json(_plain(scenario, found, top))
    else:
        render_scan(scenario, found, sys.stdout, top=top)
    return 0


def _watched(coalitions: Sequence[Coalition]) -> Iterable[Coalition]:
    """The coalitions, with a bar on a terminal that says how many are done."""
    terminal = Console(file=sys.stderr)
    return track(coalitions, "coalitions", console=terminal, transient=True, disable=not sys.stderr.isatty())


def _plain(scenario: Scenario, found: Scan, top: int) -> dict[str, object]:
    return {
        **heading(scenario),
        "size": found.size,
        "by": found.by,
        "optimum": {"status": found.optimum.status, "value": found.optimum.value},
        "coalitions": found.total,
        "sampled": found.sampled,
        "ranking": [
            {
                "rank": rank,
                "members": list(exposure.coalition.members),
                "coalition": exposure.coalition.name or None,
                "worst_harm": exposure.worst_harm,
                "selfish_harm": exposure.selfish_harm,
                "temptation": exposure.temptation,
                "reasons": exposure.reasons,
            }
            for rank, exposure in zip(found.ranks, found.ranking, strict=True)
        ],
        "top": top,
        "most_often": found.most_often(top),
        "reason": found.reason or None,
    }
