"""`colosseum scan`."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track

from colosseum.cli.solving import heading, require_feasible, solving
from colosseum.cli.words import checked_spec, say_json, stop
from colosseum.diagnostics import closest
from colosseum.model.scenario import Coalition, Scenario
from colosseum.optimum.questions.exposure import Measure, Scan, scan
from colosseum.optimum.solve import Solver
from colosseum.report.scan import render_scan

BY: dict[str, Measure] = {"worst": "worst_harm", "selfish": "selfish_harm", "temptation": "temptation"}
"""What `--by` may name."""


def scan_file(
    file: Path, *, size: int, by: str, top: int, seed: int | None, sets: Sequence[str], as_json: bool
) -> int:  # fmt: skip
    """Rank all coalitions of a size by what they could do at the optimum of one seed."""
    if by not in BY:
        raise stop("C122", f"nothing is ranked by `{by}`", help=closest(by, BY) or f"rank by {', '.join(BY)}")
    checked = checked_spec(file, seed=seed, sets=sets)
    scenario = checked.expansion.scenario
    agents = len(scenario.task.agents)
    if not 1 <= size < agents:
        most = f"from 1 to {agents - 1}, since somebody must be left out" if agents > 1 else "none, with one agent only"
        raise stop("C122", f"`--size {size}` does not fit {agents} agents", help=f"sizes that do: {most}")
    with solving(checked):
        found = scan(Solver(scenario.task), scenario, size=size, by=BY[by], watch=_watched)
    require_feasible(found.optimum)
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
