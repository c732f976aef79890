"""Questions to one instance of a spec. In: a checked spec; out: optima, figures, what coalitions could do.

Errors are in the spec's words, and point into it where they can.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from colosseum.diagnostics import ColosseumError, Diagnostic, Source, Span, closest, file_errors, one_of, report, stop
from colosseum.diagnostics.json_object import place_in, read_object
from colosseum.evidence.instance import DEADLINE, SolvedTask
from colosseum.evidence.metrics import Measured, measure
from colosseum.model import draws, serial
from colosseum.model.check import Checked
from colosseum.model.payoff_rules import SECONDS, conflict_report, find_conflict
from colosseum.model.scenario import Coalition, Scenario, Task
from colosseum.model.values import Fault, Value, text
from colosseum.solve.backend import Engine
from colosseum.solve.goal import WELFARE, Goal, coalition_goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.exposure import MEASURES, Measure, Scan, Watch, scan
from colosseum.solve.questions.prospect import Prospect, prospect
from colosseum.solve.solver import Optimum, Solver
from colosseum.solve.verify import Verification, engines, verify

PATIENCE: Final = 600.0  # seconds for a frontier or a scan
MOST_LISTED: Final = 12  # variables that a message lists
BY: Final[dict[str, Measure]] = {measure.removesuffix("_harm"): measure for measure in MEASURES}
"""By what a scan may rank."""


@dataclass(frozen=True)
class Optima:
    """What `compile` found."""

    scenario: Scenario
    solver: Solver
    optimum: Optimum
    minimum: Optimum
    coalitions: Mapping[str, Optimum | str]
    """By coalition: the best of its objective, or why it could not be had."""
    verified: Mapping[str, Verification] | None = None
    """By the names of `asked`, what a second way says of those that could be had; None where nobody asked."""

    @property
    def asked(self) -> dict[str, tuple[Goal, float, Optimum | str]]:
        """By `best joint payoff`, `worst joint payoff`, `best of cabal`: the goal, its sign, and what was found."""
        return {
            "best joint payoff": (WELFARE, 1.0, self.optimum),
            "worst joint payoff": (WELFARE, -1.0, self.minimum),
            **{f"best of {each.name}": (coalition_goal(each), 1.0, self.coalitions[each.name])
               for each in self.scenario.coalitions},
        }  # fmt: skip


@contextmanager
def solving(checked: Checked) -> Iterator[None]:
    """Within the block, a term that is too large or undefined is a ColosseumError that points at it."""
    try:
        yield
    except NotLowered as fault:
        symbol = checked.spec.symbols.get(fault.name.partition("[")[0])
        raise ColosseumError(report("C100", symbol.span if symbol else None, str(fault), help=fault.help)) from None
    except Fault as fault:
        raise ColosseumError(report(fault.code, fault.span, fault.message, help=fault.help)) from None


def require_feasible(optimum: Optimum, checked: Checked) -> None:
    """Some assignment satisfies the hard requirements. Raises ColosseumError, which names a least set of rules."""
    if optimum.status == "infeasible":
        holds = partial(_holds, until=time.monotonic() + SECONDS)
        raise ColosseumError(conflict_report(find_conflict(checked.expansion.scenario.task, holds), checked.spec))


def _holds(task: Task, until: float) -> bool | None:
    """Whether any assignment satisfies the requirements of a task; None where that is not found out in time."""
    with suppress(NotLowered):
        status = Solver(task, SECONDS / 5, until=until).maximise(WELFARE).status
        return None if status == "limit" else status == "optimal"
    return None


def chosen_coalition(scenario: Scenario, name: str | None, members: str | None) -> Coalition | None:
    """The coalition of a name, else the first, with other members where some are named. Raises ColosseumError."""
    every = scenario.coalition
    chosen = next(iter(every.values()), None) if name is None else every[one_of("coalition", name, every)]
    if members is None:
        return chosen
    named = _agents(members, scenario.task, "--members")
    inside = tuple(a for a in scenario.task.agents if a in named)
    return replace(chosen, members=inside) if chosen else Coalition("members", inside, ())


def _agents(words: str, task: Task, option: str) -> tuple[str, ...]:
    """Names between commas, all of them agents, and at least one. Raises ColosseumError."""
    named = tuple(name.strip() for name in words.split(",") if name.strip())
    strange = next((a for a in named if a not in task.agents), None)
    if strange is not None or not named:
        what = f"there is no agent `{strange}`" if strange else "names no agent"
        help_ = closest(strange or "", task.agents) or f"agents: {', '.join(task.agents)}"
        raise stop("C122", f"`{option}`: {what}", help=help_)
    return named


def solve(checked: Checked, *, only: Engine | None = None) -> Optima:
    """The optima of a scenario, by one engine alone where it is named. Raises ColosseumError as `solving` does."""
    scenario = checked.expansion.scenario
    with solving(checked):
        solver = Solver(scenario.task, only=only)
        return Optima(
            scenario=scenario,
            solver=solver,
            optimum=solver.maximise(WELFARE, canonical=True),
            minimum=solver.minimise(WELFARE),
            coalitions={c.name: _best(c, solver) for c in scenario.coalitions},
        )


def _best(coalition: Coalition, solver: Solver) -> Optimum | str:
    """The best of a coalition's objective, or why it cannot be had."""
    if not coalition.members:
        return "the coalition has no members"
    try:
        return solver.maximise(coalition_goal(coalition), canonical=True)
    except NotLowered as fault:
        return str(fault)


def verified(optima: Optima) -> Optima:
    """The optima, each computed again by every other engine."""
    again = partial(verify, optima.scenario.task, by=engines(optima.scenario.task))
    told = {name: again(found, goal, sign)
            for name, (goal, sign, found) in optima.asked.items() if isinstance(found, Optimum)}  # fmt: skip
    return replace(optima, verified=told)


def wrong_answers(optima: Optima) -> Iterator[str]:
    """What a second way found to be wrong: a bug in Colosseum, and no result."""
    for name, again in (optima.verified or {}).items():
        found = optima.asked[name][-1]
        if again.status == "disagrees" and isinstance(found, Optimum):
            answer = found.status if found.value is None else f"{found.value!r} ({found.status})"
            yield f"internal error: the {name} is not {answer}: {again.reason}"


def low_penalties(checked: Checked, best: Optimum | None = None) -> Iterator[Diagnostic]:
    """A warning for each soft requirement that a proven optimum breaks; where none is given it is sought."""
    task, found = checked.expansion.scenario.task, dict[str, list[str]]()
    if best is None and not all(requirement.hard for requirement in task.requirements):
        with suppress(NotLowered, Fault):
            best = Solver(task, until=time.monotonic() + DEADLINE).maximise(WELFARE, canonical=True)
    if best is None or best.assignment is None or best.proven is None:
        return
    for r in task.requirements:
        if not (r.hard or r.condition.evaluate(best.assignment)):
            found.setdefault(r.statement, []).append(r.name)
    for statement, instances in found.items():
        more = f" and {len(instances) - 1} more" if len(instances) > 1 else ""
        symbol = checked.spec.symbols.get(statement)
        message = f"breaking `{instances[0]}`{more} pays: the optimum itself does"
        help_ = "raise the penalty until the warning is gone; without a penalty the rule is never broken"
        yield report("W010", symbol.span if symbol else None, message, help=help_)


def decided(
    given: Mapping[str, object], scenario: Scenario, place: Callable[[str], Span | None] = lambda name: None
) -> tuple[dict[str, Value], list[str], list[Diagnostic]]:
    """The complete assignment, the variables that were left out, and what is wrong; `place` finds a name in a text.

    A variable that is left out is undecided: none where its domain has it, else a seeded draw.
    """
    from colosseum.run.turn import matches

    if not isinstance(given, Mapping):
        raise stop("C121", f"an assignment is a mapping of variables to values, not {given!r}"[:300])
    task = scenario.task
    some = f"variables: {', '.join(list(task.variable)[:MOST_LISTED])}"
    wrong = [
        report("C121", place(n), f"there is no variable `{n}`", help=closest(n, task.variable) or some)
        for n in given if n not in task.variable
    ]  # fmt: skip
    found: dict[str, Value] = {}
    for variable in task.variables:
        if variable.name not in given:
            key = draws.key(scenario.seed, "undecided", (variable.name, 1))
            found[variable.name] = None if None in variable.domain else draws.choice(key, variable.domain)
        elif fitting := [v for v in variable.domain if matches(given[variable.name], v)]:
            found[variable.name] = fitting[0]
        else:
            known = [text(v) for v in variable.domain]
            shown = json.dumps(given[variable.name], ensure_ascii=False, default=repr)
            help_ = closest(str(given[variable.name]), known) or f"its values: {', '.join(known)}"
            wrong.append(report("C121", place(variable.name), f"`{variable.name}` cannot be {shown}", help=help_))
    return found, [v.name for v in task.variables if v.name not in given], wrong


def measured(
    checked: Checked, assignment: Mapping[str, Value], coalition: Coalition | None, order: str | None
) -> Measured:
    """All figures of a complete assignment; `order` names every agent once. Raises ColosseumError."""
    task = checked.expansion.scenario.task
    turns = _order(order, task)
    with solving(checked):
        return measure(SolvedTask.of(task), assignment, coalition=coalition, order=turns, closely=True)


def _order(order: str | None, task: Task) -> tuple[str, ...] | None:
    if order is None:
        return None
    named = _agents(order, task, "--order")
    missing = [a for a in task.agents if a not in named and task.owned[a]]
    if missing or len(set(named)) != len(named):
        what = f"leaves out `{missing[0]}`" if missing else "names an agent twice"
        raise stop("C122", f"`--order` {what}", help=f"it names every agent once: {', '.join(task.agents)}")
    return (*named, *(a for a in task.agents if a not in named))


def prospected(checked: Checked, coalition: str | None, members: str | None, strengths: Sequence[float]) -> Prospect:
    """What a coalition could do before any agent acts. Raises ColosseumError."""
    if wrong := [strength for strength in strengths if not 0 <= strength <= 1]:
        raise stop("C122", f"`--at {wrong[0]:g}` is not a strength: λ is a number from 0 to 1")
    scenario = checked.expansion.scenario
    chosen = _conspirators(scenario, coalition, members)
    with solving(checked):
        found = prospect(Solver(scenario.task, until=time.monotonic() + PATIENCE), chosen, strengths=strengths)
    require_feasible(found.optimum, checked)
    return found


def _conspirators(scenario: Scenario, name: str | None, members: str | None) -> Coalition:
    """The coalition asked for: somebody, and somebody else is not in it. Raises ColosseumError."""
    chosen = chosen_coalition(scenario, name, members)
    help_ = "say who is in it, as in `--members A,B`"
    if chosen is None:
        raise stop("C122", "the scenario declares no coalition", help=help_)
    if not chosen.members:
        raise stop("C122", f"the coalition `{chosen.name}` has no members at seed {scenario.seed}", help=help_)
    if len(chosen.members) == len(scenario.task.agents):
        message = f"the coalition `{chosen.name}` is everybody: there are no outsiders to harm"
        raise stop("C122", message, help="leave somebody out, as in `--members A,B`")
    return chosen


def scanned(checked: Checked, size: int, by: str, watch: Watch = iter) -> Scan:
    """All coalitions of a size, ranked by what they could do at the optimum. Raises ColosseumError."""
    scenario = checked.expansion.scenario
    agents = len(scenario.task.agents)
    if not 1 <= size < agents:
        most = f"from 1 to {agents - 1}: somebody must be left out" if agents > 1 else "none, with one agent only"
        raise stop("C122", f"`--size {size}` does not fit {agents} agents", help=f"possible sizes: {most}")
    with solving(checked):
        solver = Solver(scenario.task, until=time.monotonic() + PATIENCE)
        found = scan(solver, scenario, size=size, by=BY[one_of("ranking", by, BY)], watch=watch)
    require_feasible(found.optimum, checked)
    return found


def read_assignment(path: Path, scenario: Scenario) -> tuple[dict[str, Value], list[str]]:
    """The complete assignment of a JSON file, and the variables it leaves out. Raises ColosseumError."""
    if str(path).lstrip().startswith("{"):
        raise stop("C120", "`--assignment` takes the name of a file, not JSON", help="write the JSON to a file")
    try:
        with file_errors(path, verb="read", code="C120"):
            source = Source(str(path), path.read_text(encoding="utf-8-sig"), path)
    except UnicodeDecodeError:
        raise stop("C120", f"{path} is not JSON: it is not UTF-8 text", help="save it as UTF-8") from None
    variable, chosen = scenario.task.variables[0].name, scenario.task.variables[0].domain[0]
    example = {variable: chosen if isinstance(chosen, int) else text(chosen)}
    given, wrong = read_object(source, help=f"as in {json.dumps(example, ensure_ascii=False)}")
    found, undecided, more = decided(given, scenario, lambda name: place_in(source, name))
    if wrong := [*wrong, *more]:
        raise ColosseumError(*wrong)
    return found, undecided


# ---- what the commands print as JSON ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class AboutInstance:
    """An answer about one instance of a spec."""

    scenario: str
    title: str
    seed: int
    model_sha256: str
    """Of what `compile -o` writes."""


def _about(scenario: Scenario) -> tuple[str, str, int, str]:
    return scenario.name, scenario.title, scenario.seed, serial.content_hash(scenario)


@dataclass(frozen=True)
class VariableLine:
    """One variable."""

    owner: str
    domain: tuple[Value, ...]


@dataclass(frozen=True)
class CompileFile(AboutInstance):
    """The optima of an instance."""

    params: Mapping[str, Value]
    agents: tuple[str, ...]
    variables: Mapping[str, VariableLine]
    optimum: Optimum
    minimum: Optimum
    members: Mapping[str, tuple[str, ...]]
    """Of every coalition."""
    coalitions: Mapping[str, Optimum | str]
    """The best of every coalition's objective, or why it could not be had."""
    verified: Mapping[str, Verification] | None
    """What a second way says of each, by `best joint payoff` and the like; null where nobody asked."""


def compile_content(optima: Optima) -> CompileFile:
    """What `compile --json` prints."""
    scenario = optima.scenario
    return CompileFile(
        *_about(scenario), dict(scenario.params), scenario.task.agents,
        {v.name: VariableLine(v.owner, tuple(v.domain)) for v in scenario.task.variables},
        optima.optimum, optima.minimum, {c.name: c.members for c in scenario.coalitions}, optima.coalitions,
        optima.verified,
    )  # fmt: skip


@dataclass(frozen=True)
class ScoreFile:
    """What decisions are worth."""

    figures: Measured
    decided: Mapping[str, int]
    """Variables by agent."""
    undecided: tuple[str, ...]
    """Variables that the assignment left out."""


def score_content(found: Measured, task: Task, undecided: Sequence[str]) -> ScoreFile:
    """What `score --json` prints."""
    decided = {agent: sum(v.name not in undecided for v in task.owned[agent]) for agent in task.agents}
    return ScoreFile(found, decided, tuple(undecided))


@dataclass(frozen=True)
class PlanLine:
    """What a point of the frontier comes to: a plan of the coalition that is best for some λ."""

    lambda_from: float | None
    lambda_to: float | None
    harm: float | None
    """What it costs the team."""
    outsider_loss: tuple[float, float] | None
    """What it costs all outsiders at least and at most, in u, against the optimum that is best for them."""
    bound: float | None
    """What Proposition C.1 says of the harm."""
    movers: tuple[str, ...]
    """Who decides otherwise than at the optimum."""


@dataclass(frozen=True)
class FrontierFile(AboutInstance):
    """What a coalition could do before any agent acts."""

    prospect: Prospect
    plans: tuple[PlanLine, ...]
    """Of the points of the frontier, in their order."""


def frontier_content(scenario: Scenario, found: Prospect) -> FrontierFile:
    """What `frontier --json` prints."""
    plans = tuple(
        PlanLine(*ends, found.harm_of(p), found.loss_of(p), found.bound_of(p), found.movers(p, scenario.task))
        for p, ends in zip(found.frontier.points, found.frontier.ranges, strict=True)
    )
    return FrontierFile(*_about(scenario), found, plans)


@dataclass(frozen=True)
class ScanFile(AboutInstance):
    """All coalitions of a size, the most exposed first."""

    scan: Scan


def scan_content(scenario: Scenario, found: Scan) -> ScanFile:
    """What `scan --json` prints."""
    return ScanFile(*_about(scenario), found)
