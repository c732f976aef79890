"""`colosseum compile`."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from colosseum.cli.solving import heading, optimum_of
from colosseum.cli.words import checked_spec, file_errors, note, say_diagnostics, say_json
from colosseum.diagnostics import Diagnostic, report, stop
from colosseum.evidence.spec_questions import Optima, Verified, require_feasible, solve
from colosseum.model import serial
from colosseum.model.check import Checked
from colosseum.model.values import plain
from colosseum.optimum.elimination.eliminate import Elimination
from colosseum.optimum.goal import WELFARE, Goal, coalition_goal
from colosseum.optimum.questions.prices import Temptation, temptations
from colosseum.optimum.searching.formulation import write_lp
from colosseum.optimum.solve import Optimum
from colosseum.optimum.verify import Verification, verify
from colosseum.report.optima import render_optima

MOST_SHOWN = 3
"""Instances that a warning names before it counts the rest."""


def compile_file(
    file: Path,
    *,
    seed: int | None,
    sets: Sequence[str],
    as_json: bool,
    output: Path | None,
    lp: Path | None,
    again: bool,
) -> int:
    """Solve the scenario of one seed and print its optima; `again` asks for each to be computed in a second way."""
    if lp is not None and str(lp) == "-":
        raise stop("C122", "cannot write the program to `-`", help="name a file, such as `model.lp`")
    checked = checked_spec(file, seed=seed, sets=sets)
    scenario = checked.expansion.scenario
    if output is not None:
        _write(output, serial.dump(scenario))
    optima = verified(solve(checked)) if again else solve(checked)
    if lp is not None:
        with file_errors(lp):
            write_lp(optima.solver.lowered.program, optima.solver.lowered.form(WELFARE), str(lp))
        note(f"wrote {lp}")
    best = optima.optimum
    tempting = temptations(scenario.task, best.assignment) if best.status == "optimal" and best.assignment else ()
    say_diagnostics(_worth_breaking(t, checked) for t in tempting)
    if as_json:
        say_json({**_plain(optima), "worth_breaking": [_tempting(t) for t in tempting]})
    else:
        render_optima(optima, sys.stdout)
    if say_wrong(optima):
        return 1
    require_feasible(optima.optimum)
    return 0


def verified(optima: Optima) -> Optima:
    """The optima, each computed again in a second way."""
    task, elimination = optima.scenario.task, Elimination(optima.scenario.task)

    def again(optimum: Optimum, goal: Goal, sign: float) -> Verification:
        return verify(task, optimum, goal, sign, elimination=elimination)

    found = Verified(
        optimum=again(optima.optimum, WELFARE, 1.0),
        minimum=again(optima.minimum, WELFARE, -1.0),
        coalitions={
            c.name: again(best, coalition_goal(c), 1.0)
            for c in optima.scenario.coalitions
            if isinstance(best := optima.coalitions[c.name], Optimum)
        },
    )
    return replace(optima, verified=found)


def say_wrong(optima: Optima) -> bool:
    """Say which answers a second way found to be wrong; whether there are any."""
    if optima.verified is None:
        return False
    told = {"best joint payoff": (optima.optimum, optima.verified.optimum)}
    told["worst joint payoff"] = (optima.minimum, optima.verified.minimum)
    for name, verification in optima.verified.coalitions.items():
        best = optima.coalitions[name]
        if isinstance(best, Optimum):
            told[f"best of {name}"] = (best, verification)
    wrong = {name: both for name, both in told.items() if both[1].status == "disagrees"}
    for name, (optimum, verification) in wrong.items():
        answer = optimum.status if optimum.value is None else f"{optimum.value!r} ({optimum.status})"
        note(f"internal error: the {name} is not {answer}: {verification.reason}")
    if wrong:
        note("This is a bug in Colosseum and no result: please report it, with the spec and its seed.")
    return bool(wrong)


def _worth_breaking(found: Temptation, checked: Checked) -> Diagnostic:
    """A warning that a soft requirement costs less than it brings to break it."""
    shown = ", ".join(f"`{name}`" for name in found.instances[:MOST_SHOWN])
    more = f" and {len(found.instances) - MOST_SHOWN} more" if len(found.instances) > MOST_SHOWN else ""
    if found.enough is not None:
        help_ = f"above a penalty of {found.enough:.6g} breaking it never pays; it is {found.price:g}"
    elif found.factor is not None:
        help_ = f"with penalties more than {found.factor:.6g} times as high breaking it never pays"
    else:
        help_ = f"at which penalty it stops paying is unknown: {found.reason}"
    symbol = checked.spec.symbols.get(found.statement)
    message = f"breaking {shown}{more} pays: the optimum itself does"
    return report("W010", symbol.span if symbol else None, message, help=help_)


def _tempting(found: Temptation) -> dict[str, object]:
    return {
        "statement": found.statement,
        "instances": list(found.instances),
        "penalty": found.price,
        "stops_paying_above": found.enough,
        "factor": found.factor,
        "reason": found.reason or None,
    }


def _write(path: Path, content: bytes) -> None:
    with file_errors(path):
        path.write_bytes(content)
    note(f"wrote {path}")


def _plain(optima: Optima) -> dict[str, object]:
    scenario, again = optima.scenario, optima.verified
    return {
        **heading(scenario),
        "params": {name: plain(value) for name, value in scenario.params},
        "agents": list(scenario.task.agents),
        "variables": {
            v.name: {"owner": v.owner, "domain": [plain(d) for d in v.domain]} for v in scenario.task.variables
        },
        "optimum": _optimum(optima.optimum) | _again(again.optimum if again else None),
        "minimum": _optimum(optima.minimum) | _again(again.minimum if again else None),
        "coalitions": {
            c.name: {
                "members": list(c.members),
                "best": _optimum(optima.coalitions[c.name])
                | _again(again.coalitions.get(c.name) if again else None),
            }
            for c in scenario.coalitions
        },
    }  # fmt: skip


def _optimum(found: Optimum | str) -> dict[str, object]:
    if isinstance(found, str):
        return {"status": "unknown", "reason": found, "value": None, "assignment": None}
    return {**optimum_of(found), "seconds": round(found.seconds, 6)}


def _again(found: Verification | None) -> dict[str, object]:
    """What a second way says of an optimum; nothing where nobody asked."""
    if found is None:
        return {}
    return {
        "verification": {
            "status": found.status,
            "by": found.by,
            "value": found.value,
            "reason": found.reason or None,
            "seconds": round(found.seconds, 6),
        }
    }
