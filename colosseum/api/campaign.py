"""An audit and the folder it writes. In: a spec, or a folder; out: runs, verdicts, pages, tables.

Everything that is known to go wrong is a ColosseumError with diagnostics as data; nothing is printed unless it is asked
for.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

from colosseum.api.spec import Spec
from colosseum.campaign import given, merging
from colosseum.campaign.auditing import carry_out, judge_folder
from colosseum.campaign.doctor import Defects
from colosseum.campaign.folder import Folder, Plan, writing_to
from colosseum.campaign.judged import JudgeSetup
from colosseum.campaign.listing import RunFile, find_run, read_run, run_words
from colosseum.campaign.meter import Progress, print_progress, telling
from colosseum.campaign.model_options import Names, wanted_of
from colosseum.campaign.money import Budget
from colosseum.campaign.part import silent
from colosseum.campaign.verifying import Verified
from colosseum.campaign.work import Request, plan_work, read_cache, read_place
from colosseum.diagnostics import stop
from colosseum.diagnostics.harmless import clean
from colosseum.evidence import comparing
from colosseum.evidence.comparing import SideBySide
from colosseum.evidence.findings import Findings, in_words, measuring, read_campaign, read_report
from colosseum.evidence.judges import keep_labels
from colosseum.imports.exporting import ExportedFile, export_runs
from colosseum.report import log
from colosseum.report.answer import brief, opening
from colosseum.report.files import check_file, keep_report, write_rating_page, write_report
from colosseum.report.html.page import cell_of, paged
from colosseum.report.page import text_of
from colosseum.report.tables import FigureTable, VerdictRow, figure_table, verdict_rows
from colosseum.report.verdicts import comparison_blocks
from colosseum.run.trial import Listed


def audit(
    spec: Spec | given.Place, /, experiment: str | None = None, models: Names | None = None, *,
    seeds: Sequence[int] | str | None = None, arms: str | Sequence[str] = (), out: given.Place | None = None,
    budget: float | None = None, run_budget: float | None = None, no_budget: bool = False,
    judges: str | Sequence[str] = (), progress: bool | Callable[[Progress], None] = False, retry_failed: bool = False,
    fresh: bool = False, connections: int = 64, jobs: int = 1, patience: float = 30,
    cache: str = "rw", shard: str | None = None, cluster: str | None = None,
    asking: Mapping[str, object] | None = None, **params: object,
) -> "Campaign":  # fmt: skip
    """Let agents play an experiment. Runs that are complete in `out`, or in the default folder, are not made again.

    `models` is a name as litellm has it, or a mapping of coalitions, agents and `agents` to names; default: the spec's
    players. `asking` has options of `colosseum audit` for calls, by name: `api_base`, `price`, `temperature`, …; a
    value is for all models, a mapping for some. `budget` is in US dollars; when it is reached, `Campaign.outcome` says
    so. `progress` is called with the progress, or True prints it. `patience` is in minutes; `cache`, `shard`
    and `cluster` are as on the command line. `jobs` are processes on this machine: a script that asks for more
    than one needs `if __name__ == "__main__":`.

    Ctrl-C raises KeyboardInterrupt once running calls have ended; the same `audit` goes on. Raises ColosseumError.
    """
    given.bounded(budget=budget, run_budget=run_budget, connections=connections, jobs=jobs, patience=patience)
    made = Spec(spec.path, {**spec.params, **params}) if isinstance(spec, Spec) else Spec(spec, params)
    watching = nullcontext if progress is False else telling(print_progress if progress is True else progress)
    say = print if progress is True else silent
    request = given.request_of(
        made.path, made.params, experiment, models, seeds=seeds, arms=arms, out=out, shard=shard, asking=asking,
        budget=Budget(budget, run_budget, no_budget), cache=read_cache(cache),
        retry_failed=retry_failed, fresh=fresh, connections=connections, jobs=jobs, patience=60 * patience,
        judged=JudgeSetup(given.several("judges", judges)), cluster=read_place(cluster and str(cluster)),
        say=say, warn=say, watching=watching,
    )  # fmt: skip
    folder = Folder(request.place(made.checked))
    with writing_to(folder.path):
        outcome = carry_out(plan_work(made.checked, request, folder))
    return Campaign(folder.path)._later(outcome.words, look=not request.part.is_shard)


def merge(folders: Sequence[given.Place], out: given.Place) -> merging.Merged:
    """Join folders of one configuration, such as shards, into one that may exist. Raises ColosseumError.

    Where a folder was changed, or two have different results of one run, nothing is merged: `faults` say which.
    """
    paths, target = given.places_of("folders", folders), given.place_of(out)
    for path in paths:
        read_campaign(path)
    return paged(merging.merge(paths, target), lambda found: log.merged_blocks(found, target))


def compare(*campaigns: "Campaign") -> SideBySide:
    """Campaigns beside each other: effects of treated arms, and contrasts on equal instances. Raises ColosseumError."""
    if not campaigns or not all(isinstance(each, Campaign) for each in campaigns):
        raise stop("C122", f"campaigns are compared, as `compare(Campaign(folder), …)`, not {campaigns!r}"[:300])
    found = comparing.compare([(each.folder, each.findings) for each in campaigns])
    return paged(found, comparison_blocks)


class Campaign:
    """A folder that an audit wrote. In a notebook it shows its report.

    It reads the runs once: make a new Campaign to see later ones.
    """

    def __init__(self, folder: given.Place, *, coalition: str | None = None, points: str | None = None) -> None:
        """Measure a `coalition`, else the first, at sweep `points` such as `n=6`, else all. Raises ColosseumError."""
        self.folder, self.coalition, self.points = given.place_of(folder), coalition, points
        self.outcome = ""
        """After `audit` or `judge`: how the runs ended, what they cost, and why some are left; else empty."""
        self._plan: Plan = read_campaign(self.folder)
        measuring(self._plan, coalition)  # raises where there is no such coalition

    @property
    def left(self) -> int:
        """Planned runs that have no result yet."""
        folder = Folder(self.folder)
        with in_words(self.folder):
            return sum(folder.result(each.trial) is None for each in self._plan.trials)

    @cached_property
    def findings(self) -> Findings:
        """All that the runs show, computed from their traces. Raises ColosseumError."""
        found = read_report(self.folder, coalition=self.coalition, alone=True)
        return found if self.points is None else found.at(str(self.points))

    @property
    def runs(self) -> "list[Run]":
        """The runs that have begun, in planned order; each is read when it is first used."""
        folder = Folder(self.folder)
        return [Run(self.folder, each) for each in self._plan.trials if folder.trace(each.trial).exists()]

    def __iter__(self) -> "Iterator[Run]":
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def verdicts(self) -> list[VerdictRow]:
        """A row for each sweep point, model, arm and figure, with its interval, call and reading."""
        return list(verdict_rows(self.findings))

    def judge(
        self, judges: str | Sequence[str] = (), *, repeats: int | None = None, temperature: float | None = None,
        without: str | Sequence[str] = (), budget: float | None = None, no_budget: bool = False,
        connections: int = 64, asking: Mapping[str, object] | None = None,
    ) -> "Campaign":  # fmt: skip
        """Let models judge the messages of the complete runs; default: those that judged before.

        The scores of judges in `without` are left out. Returns the campaign as it is then, with `outcome`. Raises
        ColosseumError, and KeyboardInterrupt once calls under way have ended.
        """
        given.bounded(repeats=repeats, temperature=temperature, budget=budget, connections=connections)
        judged = JudgeSetup(given.several("judges", judges), repeats, temperature, given.several("without", without))
        request = Request(
            self.folder, wanted=wanted_of(None, asking or {}), budget=Budget(budget, None, no_budget),
            connections=connections, judged=judged,
        )  # fmt: skip
        outcome = judge_folder(Folder(self.folder), self._plan, request)
        return self._later(outcome.words)

    def _later(self, outcome: str = "", *, look: bool = True) -> "Campaign":
        """The campaign as it is now; its folder has the report of it, as the commands keep it, unless none is made."""
        found = Campaign(self.folder, coalition=self.coalition, points=self.points)
        found.outcome = outcome
        if look:
            keep_report(self.folder, (Campaign(self.folder) if self.coalition or self.points else found).findings)
        return found

    def rating_page(self, path: given.Place, *, runs: int = 20) -> Path:
        """Write a blinded page on which people label messages, and return its path. Raises ColosseumError."""
        given.bounded(runs=runs)
        write_rating_page(self.folder, self._plan, place := given.place_of(path), runs=runs)
        return place

    def add_labels(self, files: Sequence[given.Place]) -> "Campaign":
        """Keep the files that raters saved on such a page; returns the campaign with them. Raises ColosseumError."""
        keep_labels(self.folder, self._plan, given.places_of("files", files))
        return self._later()

    def replay(self) -> log.Replay:
        """Play every run again from recorded answers, and compare byte for byte. Raises ColosseumError."""
        return paged(log.replay_folder(self.folder), log.replay_blocks)

    def verify(self) -> Verified:
        """Check that no file was changed; `faults` lists those that were. Raises ColosseumError."""
        return paged(log.verify_folder(self.folder), log.verified_blocks)

    def doctor(self, *, repair: bool = False) -> Defects:
        """What a crash left in the folder; `repair` mends what costs nothing. Raises ColosseumError."""
        return paged(log.examine_folder(self.folder, repair=repair), log.defect_blocks)

    def to_html(
        self, path: given.Place, *, thoughts: bool = False, published: bool = False, calls: bool = False
    ) -> Path:
        """Write the report as a web page; more is in it on request. Returns its path. Raises ColosseumError."""
        check_file("--html", place := given.place_of(path))
        list(write_report(self.folder, self.findings, html=place, thoughts=thoughts, published=published, calls=calls))
        return place

    def to_figures(self, folder: given.Place) -> list[str]:
        """Write charts and tables as files; says what was written and what was not. Raises ColosseumError."""
        check_file("--figures", place := given.place_of(folder))
        return list(write_report(self.folder, self.findings, figures=place))

    def export(self, to: str, path: given.Place | None = None, *, without: str | Sequence[str] = ()) -> ExportedFile:
        """Write the complete runs as `eval`, `otlp` or `csv`; `without` as in the command. Raises ColosseumError."""
        with in_words(self.folder):
            place = None if path is None else given.place_of(path)
            return export_runs(Folder(self.folder), self._plan, str(to), place, given.listed("without", without) or "")

    def run(self, words: str) -> "Run":
        """One run, by the start of its id or as `ARM:SEED[:REPEAT]`. Raises ColosseumError."""
        found = Run(self.folder, find_run(self._plan, given.listed("run", words) or ""))
        found._so_far  # noqa: B018 - raises where there is none
        return found

    def figures(self, kind: str = "runs") -> FigureTable:
        """A tidy table: a row a run that has ended, with tokens and cost, as `report --table` writes it.

        Other kinds are `"verdicts"`, `"pairs"`, `"agents"` and `"acts"`. Numbers are in full, in the spec's own
        units; where a figure is null in a complete run, the column NAME_reason says why.
        `.to_pandas()` makes a data frame of it, `.write(path)` a file. Raises ColosseumError.
        """
        with in_words(self.folder):
            return figure_table(str(kind), self.findings, Folder(self.folder))

    def __repr__(self) -> str:
        plan = self._plan
        name = f"{plan.scenario}, experiment {plan.experiment}, {len(plan.trials):,} runs planned"
        return f"<colosseum.Campaign {str(self.folder)!r}: {clean(name)}>"

    def __str__(self) -> str:
        return text_of(brief(self.findings, self.folder)).rstrip()

    def _repr_html_(self) -> str:
        return cell_of(opening(self.findings, self.folder))


class Run:
    """One run of a campaign. In a notebook it shows its conversation."""

    def __init__(self, folder: Path, listed: Listed) -> None:
        self._folder = folder
        self.listed = listed
        """Its `trial`, a SHA-256 in hexadecimal, its `arm`, `point`, `seed`, `repeat`, `model` and `players`."""

    @cached_property
    def _so_far(self) -> RunFile:
        return read_run(self._folder, self.listed)

    @property
    def events(self) -> tuple[Mapping[str, Any], ...]:
        """All that happened so far but thoughts, each as `colosseum schema trace` has it."""
        return self._so_far.events

    @property
    def status(self) -> str:
        """Complete, failed or unfinished."""
        with in_words():
            result = Folder(self._folder).result(self.listed.trial)
        return "unfinished" if result is None else result.status

    def __repr__(self) -> str:
        return f"<colosseum.Run {clean(run_words(self.listed))}: {self.status}>"

    def _repr_html_(self) -> str:
        return cell_of(log.log_blocks(self._so_far, self._folder))
