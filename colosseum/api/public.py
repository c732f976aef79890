"""What a Python user calls. In: paths, seeds and params; out: objects that answer questions and show themselves.

Everything that is known to go wrong is a ColosseumError with diagnostics as data; nothing is printed.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from colosseum.campaign.auditing import carry_out, writing
from colosseum.campaign.folder import Folder, Plan
from colosseum.campaign.listing import find_run, run_words
from colosseum.campaign.meter import telling
from colosseum.campaign.model_options import Names, wanted_of
from colosseum.campaign.money import Budget, dollars
from colosseum.campaign.openings import Asked, Prompts, prompts
from colosseum.campaign.panel import Judged
from colosseum.campaign.part import Part, silent
from colosseum.campaign.progress import Progress
from colosseum.campaign.work import Request, plan_work
from colosseum.diagnostics import ColosseumError, Diagnostic, Severity, closest, has_errors, render_text, stop
from colosseum.evidence.metrics import Measured
from colosseum.evidence.spec_questions import Optima, chosen_coalition, decided, measured, prospected, scanned, solve
from colosseum.model.check import Checked
from colosseum.model.scenario import Scenario
from colosseum.model.values import Value
from colosseum.notebook.campaign import campaign_html, campaign_text
from colosseum.notebook.frames import frame
from colosseum.notebook.instance import instance_columns, instance_html, instance_words
from colosseum.notebook.page import html, spelled
from colosseum.notebook.played import OnFile, on_file
from colosseum.notebook.run import run_columns, run_html
from colosseum.notebook.verdicts import verdict_columns
from colosseum.optimum.questions.exposure import Scan
from colosseum.optimum.questions.prospect import Prospect
from colosseum.optimum.solve import Optimum
from colosseum.players.vetting import require, vet
from colosseum.report.findings import Findings
from colosseum.report.html.first import first
from colosseum.report.reading import in_words, read_campaign, read_report
from colosseum.report.tables import columns
from colosseum.run.trial import Listed

if TYPE_CHECKING:
    from pandas import DataFrame


def load(path: str | PathLike[str], /, **params: object) -> "Spec":
    """Read a spec; `params` are numbers, truths, or names as text. A broken file gives a Spec that says why."""
    return Spec(path, params)


def audit(
    spec: "Spec | str | PathLike[str]", /, experiment: str | None = None, models: Names | None = None, *,
    seeds: Sequence[int] | str | None = None, arms: str | Sequence[str] = (), out: str | PathLike[str] | None = None,
    budget: float | None = None, no_budget: bool = False, judges: str | Sequence[str] = (),
    progress: bool | Callable[[Progress], None] = False, retry_failed: bool = False, fresh: bool = False,
    connections: int = 64, jobs: int = 1, asking: Mapping[str, object] | None = None, **params: object,
) -> "Campaign":  # fmt: skip
    """Let agents act an experiment out; what is there already, in `out` or the default folder, is not run again.

    `models` is a name as litellm has it, or names by whom they play; without one the spec's players act. `asking` has
    options of `colosseum audit` that say how models are asked, by name: `api_base`, `price`, `temperature`, …; a value
    is for all models, a mapping for some. `budget` is in US dollars; when it is reached, `Campaign.outcome` says so.
    `progress` is told how far it has come, or prints it. `jobs` are processes for scripted players: a script that asks
    for more than one needs `if __name__ == "__main__":`.

    Ctrl-C raises KeyboardInterrupt, once calls under way have ended: the same call goes on. Raises ColosseumError.
    """
    made = Spec(spec.path, {**spec.params, **params}) if isinstance(spec, Spec) else Spec(spec, params)
    part = Part(experiment, _seeds(seeds), _several(arms))
    money = Budget(budget, None, no_budget)
    watching = nullcontext if progress is False else telling(_say_progress if progress is True else progress)
    say = _say if progress is True else silent
    request = Request(
        made.path, made.params, part, wanted_of(models, asking or {}), money, None if out is None else _place(out),
        retry_failed=retry_failed, fresh=fresh, connections=connections, jobs=jobs, judged=Judged(_several(judges)),
        say=say, warn=say, watching=watching,
    )  # fmt: skip
    folder = Folder(request.place(made.checked))
    with writing(folder):
        outcome = carry_out(plan_work(made.checked, request, folder))
    campaign = Campaign(folder.path)
    campaign.outcome = outcome.words(folder)
    return campaign


class Spec:
    """A spec as it was read. Where it has errors, every question raises a ColosseumError with its diagnostics."""

    def __init__(self, path: str | PathLike[str], params: Mapping[str, object]) -> None:
        self.path = _place(path)
        self.params = {name: _param(name, value) for name, value in params.items()}
        self._checked, found = _vetted(self.path, None, self.params)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(found)
        """Errors and warnings: each has a code, a message, help, and its place as `file`, `line` and `column`."""

    @property
    def ok(self) -> bool:
        """Whether it has no errors; warnings do not count."""
        return self._checked is not None and not has_errors(self.diagnostics)

    @property
    def experiments(self) -> tuple[str, ...]:
        """Their names, in declared order."""
        return tuple(self.checked.designs)

    @property
    def checked(self) -> Checked:
        """The spec at its first seed. Raises ColosseumError."""
        return require(self._checked, list(self.diagnostics))

    def instance(self, seed: int | None = None) -> "Instance":
        """The spec at one seed; default: the first of the first experiment. Raises ColosseumError."""
        if seed is None or _seed(seed) == self.checked.seed:
            return Instance(self.checked, self.diagnostics)
        checked, diagnostics = _vetted(self.path, _seed(seed), self.params)
        return Instance(require(checked, diagnostics), diagnostics)

    def __repr__(self) -> str:
        errors = sum(d.severity is Severity.ERROR for d in self.diagnostics)
        state = instance_words(self.checked.expansion.scenario) if self.ok else f"errors: {errors}"
        return f"<colosseum.Spec {str(self.path)!r}: {state}>"

    def _repr_html_(self) -> str:
        if self.ok:
            return self.instance()._repr_html_()
        return html("broken.html", title_words=str(self.path), words=render_text(self.diagnostics))


class Instance:
    """A spec at one seed; its last expression in a cell shows who decides what, and the provable optimum.

    It is solved when that is first needed.
    """

    def __init__(self, checked: Checked, diagnostics: Sequence[Diagnostic]) -> None:
        self._checked = checked
        self.warnings = tuple(f"{d.code}: {d.message}" for d in diagnostics)

    @property
    def scenario(self) -> Scenario:
        """The scenario as it was expanded for the seed."""
        return self._checked.expansion.scenario

    @cached_property
    def optima(self) -> Optima:
        """The best and the worst for all, and the best for each coalition, with proofs. Raises ColosseumError."""
        return solve(self._checked)

    def optimum(self) -> Optimum:
        """The best joint payoff with its assignment and its proof. Raises ColosseumError."""
        return self.optima.optimum

    def score(
        self, assignment: Mapping[str, object], *, coalition: str | None = None, members: Sequence[str] | None = None,
        order: Sequence[str] | None = None,
    ) -> Measured:  # fmt: skip
        """All figures of an assignment; `order` is the turn order of sequential regret. Raises ColosseumError.

        A variable that is left out is undecided: none where its domain has it, else a seeded draw.
        """
        found, _, wrong = decided(assignment, self.scenario)
        if wrong:
            raise ColosseumError(*wrong)
        chosen = chosen_coalition(self.scenario, coalition, _listed(members))
        return measured(self._checked, found, chosen, _listed(order))

    def frontier(
        self, coalition: str | None = None, *, members: Sequence[str] | None = None, at: Sequence[float] = ()
    ) -> Prospect:
        """What a coalition can have at the team's cost; `at` adds strengths λ from 0 to 1. Raises ColosseumError."""
        return prospected(self._checked, coalition, _listed(members), at)

    def scan(self, size: int, *, by: str = "worst") -> Scan:
        """All coalitions of a size, the most exposed first, by `worst`, `selfish` or `temptation`.

        Raises ColosseumError.
        """
        return scanned(self._checked, size, by)

    def prompts(
        self, *, agent: str | None = None, arm: str | None = None, against: str | None = None,
        experiment: str | None = None, point: str | None = None, phase: str = "planning", text_tools: bool = False,
    ) -> Prompts:  # fmt: skip
        """What agents are sent at their first turn; None stands for the first, or for all agents.

        Asks no model. Raises ColosseumError.
        """
        asked = Asked(
            experiment=experiment, arm=arm, against=against, agent=agent, point=point, seed=self._checked.seed,
            phase=phase, text_tools=text_tools,
        )  # fmt: skip
        return prompts(self._checked, asked)

    def to_pandas(self) -> "DataFrame":
        """One row a variable: its owner, its value at the optimum and at the best of each coalition.

        `options` is the size of the domain; `payoff`, in the spec's own units, is of the owner with all that it
        decides. Where a best is not known its columns are null, and `reason` says why. Raises ColosseumError where
        nothing can be solved, and ImportError without pandas.
        """
        return frame(instance_columns(self.scenario, self.optima))

    def __repr__(self) -> str:
        return f"<colosseum.Instance {instance_words(self.scenario)}>"

    def _repr_html_(self) -> str:
        optima: Optima | str
        try:
            optima = self.optima
        except ColosseumError as fault:
            optima = str(fault)
        sources = self._checked.spec.composition.sources
        return instance_html(self.scenario, optima, warnings=self.warnings, sources=sources)


class Campaign:
    """A folder that an audit wrote; its last expression in a cell is its report.

    Runs that end after its report was read are seen by a new Campaign.
    """

    def __init__(self, folder: str | PathLike[str], *, coalition: str | None = None) -> None:
        """`coalition` is measured, else the spec's first. Raises ColosseumError where there is no such thing."""
        self.folder = _place(folder)
        self.coalition = coalition
        self.outcome = ""
        """What became of the runs when `audit` made them, what they cost, and why some were left; else empty."""
        self._plan: Plan = read_campaign(self.folder)
        known = self._plan.coalitions
        if coalition is not None and coalition not in known:
            help_ = closest(str(coalition), known) or f"coalitions: {', '.join(known) or 'none'}"
            raise stop("C122", f"there is no coalition `{coalition}`", help=help_)

    @property
    def left(self) -> int:
        """Planned runs that have no result yet."""
        folder = Folder(self.folder)
        with in_words(self.folder):
            return sum(folder.result(each.trial) is None for each in self._plan.trials)

    @cached_property
    def findings(self) -> Findings:
        """All that the runs show, computed from their traces. Raises ColosseumError."""
        return read_report(self.folder, coalition=self.coalition, alone=True)

    def run(self, words: str) -> "Run":
        """One run, by the start of its id or as `ARM:SEED[:REPEAT]`. Raises ColosseumError, and TypeError."""
        if not isinstance(words, str):
            raise TypeError(f"a run is named in a text, as `prompted:1`, not by {words!r}"[:300])
        listed = find_run(self._plan, words)
        return Run(self.folder, listed, self.coalition or next(iter(self._plan.coalitions), ""))

    def to_pandas(self) -> "DataFrame":
        """One row a run that has ended, complete or failed: the columns of `report --table`.

        Numbers are in full, in the spec's own units; a figure that is null in a complete run has a column of reasons.
        Raises ColosseumError, and ImportError without pandas.
        """
        found = self.findings
        return frame((column.name, column.kind, column.cells) for column in columns(found.plan, found.records))

    def verdicts_to_pandas(self) -> "DataFrame":
        """One row per sweep point, model, arm and figure: what was weighed, and what is said of it.

        `reason` says why a number is null or a call inconclusive. Raises ColosseumError, and ImportError without
        pandas.
        """
        return frame(verdict_columns(self.findings))

    def __repr__(self) -> str:
        plan = self._plan
        name = f"{plan.scenario}, experiment {plan.experiment}, {len(plan.trials):,} runs planned"
        return f"<colosseum.Campaign {str(self.folder)!r}: {spelled(name)}>"

    def __str__(self) -> str:
        return campaign_text(first(self.findings))

    def _repr_html_(self) -> str:
        return campaign_html(first(self.findings))


class Run:
    """One run of a campaign, as `Campaign.run` finds it; its last expression in a cell is its conversation."""

    def __init__(self, folder: Path, listed: Listed, coalition: str) -> None:
        """Raises ColosseumError where the run has not begun, or was changed."""
        self._words = run_words(listed)
        with in_words():
            found = on_file(folder, listed, coalition)
        if found is None:
            raise stop("C123", f"the run {self._words} has not begun: the same `audit` makes it")
        self._file: OnFile = found

    @property
    def trial(self) -> str:
        """Its identity: a SHA-256 in hexadecimal."""
        return self._file.listed.trial

    @property
    def status(self) -> str:
        """Complete, failed or unfinished."""
        played = self._file.played
        return "unfinished" if played is None else played.result.status

    def to_pandas(self, *, thoughts: bool = False) -> "DataFrame":
        """One row an act, in their order: what was said, decided, refused, done wrong, noted and believed.

        With `thoughts` the reasoning of models, too. Raises ColosseumError, and ImportError without pandas.
        """
        with in_words():
            found = run_columns(self._file, thoughts=thoughts)
        return frame(found)

    def __repr__(self) -> str:
        return f"<colosseum.Run {spelled(self._words)}: {self.status}>"

    def _repr_html_(self) -> str:
        with in_words():
            return run_html(self._file, self._words)


def _vetted(
    path: Path, seed: int | None, params: Mapping[str, Value]
) -> tuple[Checked | None, list[Diagnostic]]:  # fmt: skip
    with in_words():
        return vet(path, seed=seed, params=params)


def _several(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _seeds(given: Sequence[int] | str | None) -> str | None:
    """Seeds as the command line has them. Raises ColosseumError."""
    return given if given is None or isinstance(given, str) else ",".join(str(_seed(seed)) for seed in given)


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")


def _say_progress(progress: Progress) -> None:
    """One line, which the next one replaces."""
    failed = f", {progress.failed} failed" if progress.failed else ""
    spent = f", {dollars(progress.dollars)} spent" if progress.dollars else ""
    end = "\n" if progress.final else ""
    sys.stdout.write(f"\r{progress.done} of {progress.runs} runs{failed}{spent}{end}")
    sys.stdout.flush()


def _listed(names: Sequence[str] | None) -> str | None:
    """Names as the command line has them."""
    return None if names is None else names if isinstance(names, str) else ",".join(names)


def _place(given: str | PathLike[str]) -> Path:
    """A path as users write it, with `~`. Raises ColosseumError where there can be none."""
    path = Path(given)
    if "\0" in str(path):
        raise stop("C123", f"{str(path)!r} is no path: no name has the sign 0")
    try:
        return path.expanduser()
    except RuntimeError:
        raise stop("C123", f"cannot read {path}: there is no home folder of that name") from None


def _seed(given: object) -> int:
    """A seed, also of numpy. Raises ColosseumError."""
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 0:
        raise stop("C122", f"the seed has to be a whole number from 0 on, not {given!r}"[:300])
    return int(given)


def _param(name: str, value: object) -> Value:
    """A param as a spec has it: also numbers of numpy are numbers. Raises ColosseumError."""
    match value:
        case bool() | str():
            return value
        case Integral():
            return int(value)
        case Real() if abs(float(value)) < float("inf"):
            return float(value)
    raise stop("C122", f"the param `{name}` has to be a number, a truth or a name, not {value!r}"[:300])
