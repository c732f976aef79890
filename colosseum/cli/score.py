"""`colosseum score`."""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from colosseum.cli.words import checked_spec, say_json
from colosseum.diagnostics import ColosseumError, Diagnostic, Source, Span, report, stop
from colosseum.evidence.metrics import Measured
from colosseum.evidence.spec_questions import chosen_coalition, decided, measured
from colosseum.model.scenario import Scenario, Task
from colosseum.model.values import Value, text
from colosseum.report.scores import render_scores


def score_file(
    file: Path,
    assignment: Path,
    *,
    seed: int | None,
    sets: Sequence[str],
    coalition: str | None,
    members: str | None,
    order: str | None,
    as_json: bool,
) -> int:
    """Score the assignment of a file and print its figures."""
    checked = checked_spec(file, seed=seed, sets=sets)
    scenario = checked.expansion.scenario
    realised, undecided = read_assignment(assignment, scenario)
    chosen = chosen_coalition(scenario, coalition, members)
    found = measured(checked, realised, chosen, order)
    if as_json:
        say_json(_plain(found, scenario.task, undecided))
    else:
        filled = {name: realised[name] for name in undecided}
        render_scores(found, scenario, chosen, filled, sys.stdout)
    return 0


def read_assignment(path: Path, scenario: Scenario) -> tuple[dict[str, Value], list[str]]:
    """The complete assignment of a JSON file, and the variables it leaves out. Raises ColosseumError."""
    source = _source(path)
    given, wrong = _entries(source, help_=f"as in {_example(scenario.task)}")
    found, undecided, more = decided(given, scenario, lambda name: _place(source, name))
    if wrong := [*wrong, *more]:
        raise ColosseumError(*wrong)
    return found, undecided


def _source(path: Path) -> Source:
    """The text of an assignment. Raises ColosseumError."""
    try:
        return Source(str(path), path.read_text(encoding="utf-8-sig"), path)
    except OSError as error:
        raise stop("C120", f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise stop("C120", f"{path} is not JSON: it is not UTF-8 text", help="save it as UTF-8") from None


def _example(task: Task) -> str:
    """An assignment of one variable, as JSON."""
    first = task.variables[0]
    chosen = first.domain[0]
    return json.dumps({first.name: chosen if isinstance(chosen, int) else text(chosen)}, ensure_ascii=False)


def _entries(source: Source, *, help_: str) -> tuple[dict[str, object], list[Diagnostic]]:
    """What the file gives each name, and the names it gives twice. Raises ColosseumError."""
    doubled: dict[str, None] = {}

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        counted = Counter(name for name, _ in pairs)
        doubled.update(dict.fromkeys(name for name, times in counted.items() if times > 1))
        return dict(pairs)

    try:
        given = json.loads(source.text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        span = Span(source, error.pos, error.pos + 1)
        message = f"{source.name} is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise ColosseumError(report("C120", span, message, help=help_)) from None
    except (ValueError, RecursionError):
        raise stop("C120", f"{source.name} is not JSON: it has too many brackets or digits", help=help_) from None
    if not isinstance(given, dict):
        raise stop("C120", f"{source.name} is not a JSON object", help=help_)
    twice = [report("C121", _place(source, n), f"`{n}` is given twice", help="leave one out") for n in doubled]
    return given, twice


def _place(source: Source, name: str) -> Span | None:
    """Where an assignment names a variable, if it writes the name plainly."""
    words = json.dumps(name, ensure_ascii=False)
    start = source.text.find(words)
    return Span(source, start, start + len(words)) if start >= 0 else None


def _plain(measured: Measured, task: Task, undecided: Sequence[str]) -> dict[str, object]:
    scalars = {**measured.scalars, **measured.closer}
    figures: Mapping[str, object] = {name: figure.value for name, figure in scalars.items()}
    reasons = {name: figure.reason for name, figure in scalars.items() if figure.reason}
    by_agent = {"best_response_regret": measured.best_response_regret, "sequential_regret": measured.sequential_regret}
    reasons |= {f"{n}[{a}]": f.reason for n, found in by_agent.items() for a, f in found.items() if f.reason}
    return {
        "schema": 1,
        "value": measured.score.value,
        "payoff": measured.score.payoff,
        "violations": measured.score.violations,
        "broken": list(measured.score.broken),
        "metrics": {
            **figures,
            **{name: {a: f.value for a, f in found.items()} for name, found in by_agent.items()},
            "decided": {a: sum(v.name not in undecided for v in task.owned[a]) for a in task.agents},
            "infeasible": not measured.score.feasible,
        },
        "reasons": reasons,
        "undecided": list(undecided),
    }
