"""The commands that ask one instance of a spec. In: a file and options; out: the answer, printed."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from colosseum.cli import words
from colosseum.cli.words import checked_spec, note, say_diagnostics
from colosseum.diagnostics import file_errors, stop
from colosseum.model.scenario import Coalition
from colosseum.model.values import Value


def compile_file(
    file: Path, *, seed: int | None, params: Mapping[str, Value], as_json: bool, output: Path | None, lp: Path | None,
    again: bool,
) -> int:  # fmt: skip
    """Prove the optima; `again` computes each in a second way. Exit 1 where two ways disagree."""
    from colosseum.evidence.answers import compile_content
    from colosseum.evidence.spec_questions import (
        require_feasible,
        solve,
        tempting,
        verified,
        worth_breaking,
        wrong_answers,
    )
    from colosseum.model import serial
    from colosseum.optimum.goal import WELFARE
    from colosseum.optimum.searching.formulation import write_lp
    from colosseum.report.optima import optima_blocks

    if lp is not None and str(lp) == "-":
        raise stop("C122", "cannot write the program to `-`", help="name a file, such as `model.lp`")
    checked = checked_spec(file, seed=seed, params=params)
    if output is not None:
        with file_errors(output):
            output.write_bytes(serial.dump(checked.expansion.scenario))
        note(f"wrote {output}")
    optima = verified(solve(checked)) if again else solve(checked)
    if lp is not None:
        with file_errors(lp):
            write_lp(optima.solver.lowered.program, optima.solver.lowered.form(WELFARE), str(lp))
        note(f"wrote {lp}")
    broken = tempting(optima)
    say_diagnostics(worth_breaking(each, checked) for each in broken)
    words.output(lambda: optima_blocks(optima), "compile", compile_content(optima, broken), as_json)
    if wrong := list(wrong_answers(optima)):
        note("\n".join([*wrong, "This is a bug in Colosseum: please report it, with the spec and its seed."]))
        return 1
    require_feasible(optima.optimum)
    return 0


def score_file(
    file: Path, assignment: Path, *, seed: int | None, params: Mapping[str, Value], coalition: str | None,
    members: str | None, order: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Score the assignment of a file."""
    from colosseum.evidence.answers import score_content
    from colosseum.evidence.spec_questions import chosen_coalition, measured, read_assignment
    from colosseum.report.scores import score_blocks

    checked = checked_spec(file, seed=seed, params=params)
    scenario = checked.expansion.scenario
    realised, undecided = read_assignment(assignment, scenario)
    chosen = chosen_coalition(scenario, coalition, members)
    found = measured(checked, realised, chosen, order)
    filled = {name: realised[name] for name in undecided}
    words.output(
        lambda: score_blocks(found, scenario, chosen, filled),
        "score", score_content(found, scenario.task, undecided), as_json,
    )  # fmt: skip
    return 0


def frontier_file(
    file: Path, *, seed: int | None, params: Mapping[str, Value], coalition: str | None, members: str | None,
    strengths: Sequence[float], as_json: bool,
) -> int:  # fmt: skip
    """Show what a coalition could do before any agent acts."""
    from colosseum.evidence.answers import frontier_content
    from colosseum.evidence.spec_questions import prospected
    from colosseum.report.frontier import frontier_blocks

    checked = checked_spec(file, seed=seed, params=params)
    scenario, found = checked.expansion.scenario, prospected(checked, coalition, members, strengths)
    words.output(lambda: frontier_blocks(scenario, found), "frontier", frontier_content(scenario, found), as_json)
    return 0


def scan_file(
    file: Path, *, size: int, by: str, top: int, seed: int | None, params: Mapping[str, Value], as_json: bool
) -> int:  # fmt: skip
    """Rank all coalitions of a size by what they could do at the optimum."""
    from colosseum.evidence.answers import scan_content
    from colosseum.evidence.spec_questions import scanned
    from colosseum.report.scan import scan_blocks

    checked = checked_spec(file, seed=seed, params=params)
    scenario, found = checked.expansion.scenario, scanned(checked, size, by, _watched)
    words.output(lambda: scan_blocks(scenario, found, top=top), "scan", scan_content(scenario, found, top), as_json)
    return 0


def _watched(coalitions: Sequence[Coalition]) -> Iterable[Coalition]:
    """The coalitions, with a bar on a terminal that says how many are done."""
    from rich.console import Console
    from rich.progress import track

    terminal = Console(file=sys.stderr)
    return track(coalitions, "coalitions", console=terminal, transient=True, disable=not sys.stderr.isatty())
