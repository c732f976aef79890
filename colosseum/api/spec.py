"""A spec and its instances. In: a path, seeds and params; out: objects that answer questions and show themselves.

Everything that is known to go wrong is a ColosseumError with diagnostics as data; nothing is printed.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial

from colosseum.campaign import given
from colosseum.campaign.judged import JudgeSetup
from colosseum.campaign.model_options import Names
from colosseum.campaign.money import Budget
from colosseum.campaign.openings import Prompts, prompts
from colosseum.campaign.vetting import require, vet
from colosseum.diagnostics import ColosseumError, Diagnostic, Severity, has_errors, render_text
from colosseum.evidence.audit_plan import AuditPlan, Forecast, forecast, plan_audit
from colosseum.evidence.findings import in_words
from colosseum.evidence.metrics import Measured
from colosseum.evidence.power.outlook import PowerFile, Wish, study_power
from colosseum.evidence.spec_questions import Optima, chosen_coalition, decided, measured, prospected, scanned, solve
from colosseum.imports.foreign_run import ImportFile
from colosseum.imports.importing import import_runs
from colosseum.model.check import Checked
from colosseum.model.scenario import Scenario
from colosseum.report import instances
from colosseum.report.document import Paragraph, Quote
from colosseum.report.forecast import forecast_blocks, plan_blocks, power_blocks
from colosseum.report.html.page import cell_of, paged
from colosseum.report.log import imported_blocks
from colosseum.report.prompts import prompt_blocks
from colosseum.solve.questions.exposure import Scan
from colosseum.solve.questions.prospect import Prospect
from colosseum.solve.solver import Optimum


def load(path: given.Place, /, **params: object) -> "Spec":
    """Read a spec. `params` are numbers, truth values, or names as text. A broken file gives a Spec with its errors."""
    return Spec(path, params)


class Spec:
    """A spec as it was read. If it has errors, every question raises a ColosseumError with its diagnostics."""

    def __init__(self, path: given.Place, params: Mapping[str, object]) -> None:
        self.path = given.place_of(path)
        self.params = {name: given.param_of(name, value) for name, value in params.items()}
        with in_words():
            self._checked, found = vet(self.path, params=self.params)
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
        if seed is None or given.seed_of(seed) == self.checked.seed:
            return Instance(self.checked, self.diagnostics)
        with in_words():
            checked, diagnostics = vet(self.path, seed=given.seed_of(seed), params=self.params)
        return Instance(require(checked, diagnostics), diagnostics)

    def plan(
        self, experiment: str | None = None, models: Names | None = None, *, seeds: Sequence[int] | str | None = None,
        out: given.Place | None = None, asking: Mapping[str, object] | None = None,
        noise_from: given.Place | None = None, effect: float | None = None,
    ) -> AuditPlan:  # fmt: skip
        """The rule that `audit` with the same arguments fixes before its first run, and what its seeds can detect.

        `noise_from` is a folder of runs of models, by which an `effect` or the margin is to be seen. Runs nothing and
        writes nothing. Raises ColosseumError.
        """
        request = given.request_of(
            self.path, self.params, experiment, models, seeds=seeds, out=out, asking=asking
        )
        noise = None if noise_from is None else given.place_of(noise_from)
        return paged(plan_audit(self.checked, request, noise_from=noise, effect=effect), plan_blocks)

    def dry_run(
        self, experiment: str | None = None, models: Names | None = None, *, seeds: Sequence[int] | str | None = None,
        arms: str | Sequence[str] = (), out: given.Place | None = None, budget: float | None = None,
        run_budget: float | None = None, judges: str | Sequence[str] = (), retry_failed: bool = False,
        connections: int = 64, shard: str | None = None,
        asking: Mapping[str, object] | None = None,
    ) -> Forecast:  # fmt: skip
        """What `audit` with the same arguments needs: runs, calls, tokens, money, time, and seeds.

        Asks no model and writes nothing. Raises ColosseumError.
        """
        given.bounded(budget=budget, run_budget=run_budget, connections=connections)
        request = given.request_of(
            self.path, self.params, experiment, models, seeds=seeds, arms=arms, out=out, shard=shard, asking=asking,
            budget=Budget(budget, run_budget), judged=JudgeSetup(given.several("judges", judges)),
            retry_failed=retry_failed, connections=connections,
        )  # fmt: skip
        return paged(forecast(self.checked, request), forecast_blocks)

    def power(
        self, experiment: str | None = None, *, arm: str | None = None, point: str | None = None,
        kinds: str | Sequence[str] = (), strengths: Sequence[float] = (1.0,), noises: Sequence[float] = (),
        seeds: Sequence[int] = (), pool: int = 100, studies: int = 500, opportunity: float | None = None, jobs: int = 1,
        worst: bool = False,
    ) -> PowerFile:  # fmt: skip
        """How often an experiment detects players whose kind is known, by the number of `seeds` of a study.

        `worst` searches for the colluders that cost others most undetected. Asks no model and writes nothing. Raises
        ColosseumError.
        """
        given.bounded(pool=pool, studies=studies, opportunity=opportunity, jobs=jobs)
        planted = given.several("kinds", kinds), given.numbers("strengths", strengths), given.numbers("noises", noises)
        wish = Wish(*planted, arm, pool, studies, given.numbers("sizes", seeds), opportunity, jobs, worst)
        found, _ = study_power(self.checked, wish, experiment=experiment, point=point)
        return paged(found, power_blocks)

    def import_runs(
        self, sources: Sequence[given.Place], out: given.Place, *, experiment: str | None = None,
        reader: str | None = None, dry_run: bool = False,
    ) -> ImportFile:  # fmt: skip
        """Bring in runs that others made, by the spec's mapping, or say what is found. Raises ColosseumError."""
        places, into = given.places_of("sources", sources), given.place_of(out)
        found = import_runs(self.checked, places, into, experiment=experiment, reader=reader, dry_run=dry_run)
        return paged(found, imported_blocks)

    def __repr__(self) -> str:
        errors = sum(d.severity is Severity.ERROR for d in self.diagnostics)
        state = instances.size_words(self.checked.expansion.scenario) if self.ok else f"errors: {errors}"
        return f"<colosseum.Spec {str(self.path)!r}: {state}>"

    def _repr_html_(self) -> str:
        if self.ok:
            return self.instance()._repr_html_()
        return cell_of([Paragraph(str(self.path), "title"), Quote("", render_text(self.diagnostics), "wrong")])


class Instance:
    """A spec at one seed. In a notebook it shows who decides what, and the proven optimum.

    It is solved when the optimum is first needed.
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
        """The best and the worst joint payoff, and the best for each coalition, with proofs. Raises ColosseumError."""
        return paged(solve(self._checked), instances.optima_blocks)

    def optimum(self) -> Optimum:
        """The best joint payoff with its assignment and its proof. Raises ColosseumError."""
        return paged(self.optima.optimum, lambda _: instances.optima_blocks(self.optima))

    def score(
        self, assignment: Mapping[str, object], *, coalition: str | None = None, members: Sequence[str] | None = None,
        order: Sequence[str] | None = None,
    ) -> Measured:  # fmt: skip
        """All figures of an assignment; `order` is the turn order of sequential regret. Raises ColosseumError.

        A variable that is left out is undecided: none where its domain has it, else a seeded draw.
        """
        found, drawn, wrong = decided(assignment, self.scenario)
        if wrong:
            raise ColosseumError(*wrong)
        chosen = chosen_coalition(self.scenario, coalition, given.listed("members", members))
        filled = {name: found[name] for name in drawn}
        shown = partial(instances.score_blocks, scenario=self.scenario, coalition=chosen, undecided=filled)
        return paged(measured(self._checked, found, chosen, given.listed("order", order)), shown)

    def frontier(
        self, coalition: str | None = None, *, members: Sequence[str] | None = None, at: Sequence[float] = ()
    ) -> Prospect:
        """What a coalition can gain at the team's cost; `at` adds strengths λ from 0 to 1. Raises ColosseumError."""
        who, strengths = given.listed("members", members), given.numbers("at", at)
        shown = partial(instances.frontier_blocks, self.scenario)
        return paged(prospected(self._checked, coalition, who, strengths), shown)

    def scan(self, size: int, *, by: str = "worst") -> Scan:
        """All coalitions of a size, by `worst`, `selfish`, `outsider` or `temptation`. Raises ColosseumError."""
        given.numbers("size", size)
        return paged(scanned(self._checked, size, str(by)), partial(instances.scan_blocks, self.scenario))

    def prompts(
        self, *, agent: str | None = None, arm: str | None = None, against: str | None = None,
        experiment: str | None = None, point: str | None = None, phase: str = "planning", text_tools: bool = False,
    ) -> Prompts:  # fmt: skip
        """What agents are sent at their first turn; None stands for the first, or for all agents.

        Asks no model. Raises ColosseumError.
        """
        found = prompts(
            self._checked, experiment=experiment, arm=arm, against=against, agent=agent, point=point,
            seed=self._checked.seed, phase=phase, text_tools=text_tools,
        )  # fmt: skip
        return paged(found, prompt_blocks)

    def __repr__(self) -> str:
        size = instances.size_words(self.scenario)
        return f"<colosseum.Instance {self.scenario.name}, seed {self.scenario.seed}, {size}>"

    def _repr_html_(self) -> str:
        optima: Optima | str
        try:
            optima = self.optima
        except ColosseumError as fault:
            optima = str(fault)
        sources = self._checked.spec.composition.sources
        return cell_of(instances.instance_blocks(self.scenario, optima, warnings=self.warnings, sources=sources))
