"""Foreign runs into a campaign's folder. In: a checked spec and sources; out: sealed traces, and what became of each.

A run that breaks the scenario is refused with its reason; the others go on. Importing again adds only what is new.
Traces are written aside, and become the folder's once all sources are read: a mapping that fits one leaves nothing.
"""

import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from colosseum.campaign.calls import Expense
from colosseum.campaign.folder import Folder, Result, keep_file, writing_to
from colosseum.campaign.part import Part, read_design
from colosseum.campaign.planning import configured, write_plan
from colosseum.campaign.runner import SCHEMA
from colosseum.diagnostics import ColosseumError, counted, one_of, stop
from colosseum.imports.foreign_run import ForeignRun, ImportedRun, ImportFile, Refusal, Source, meant, short, sound
from colosseum.imports.foreign_trace import ForeignTrace, TraceMapping, evaluate, holds, number, whole
from colosseum.imports.inspect_reader import read_inspect
from colosseum.imports.otel_reader import read_spans
from colosseum.imports.table_reader import read_table
from colosseum.imports.terrarium_reader import read_terrarium
from colosseum.language import syntax
from colosseum.model.check import Checked
from colosseum.model.experiment import Arm, Design
from colosseum.model.values import Value, kind, text
from colosseum.players.view import Usage
from colosseum.run.redaction import Redaction
from colosseum.run.trace import TraceWriter
from colosseum.run.trial import Listed, Trial, Trials

READERS: dict[str, tuple[Callable[[Path, TraceMapping], Source], tuple[str, ...]]] = {
    "inspect": (read_inspect, (".eval",)), "otel": (read_spans, (".jsonl", ".json", ".binpb", ".pb")),
    "table": (read_table, (".csv", ".jsonl", ".parquet")), "terrarium": (read_terrarium, ()),
}  # fmt: skip
"""By name: what reads a source, and the endings of files in a folder that it reads one by one."""
cell_of = attrgetter("arm", "point", "seed", "repeat", "model")  # what a folder has one run of


class Import:
    """One import into a folder; traces stand aside until all sources are read, and nowhere in a dry run."""

    def __init__(
        self, checked: Checked, design: Design, mapping: TraceMapping, reader: str, folder: Folder, aside: Folder | None
    ) -> None:
        self.checked, self.design, self.mapping, self.reader = checked, design, mapping, reader
        self.folder, self.aside = folder, aside
        self.found, self.fresh, self.written = list[ImportedRun](), dict[str, Listed](), list[Result]()
        self.trials = Trials(  # without the spec's models: others have played
            checked.spec, checked.params,
            lambda own: replace(own, settings=replace(own.settings, model=(("agents", "sim"),))),
        )  # fmt: skip
        self.plan, self.files = configured(design, checked, {"model": f"imported from {reader}"})
        earlier = folder.plan() if folder.plan_path.exists() else None
        if earlier and earlier.configuration != self.plan.configuration:
            help_ = "choose another folder by `--out`: runs of one folder have one spec and one experiment"
            raise stop("C122", f"{folder.path} holds runs of another spec or experiment", help=help_)
        self.cells = {cell_of(listed): listed.trial for listed in (earlier.trials if earlier else ())}

    def add(self, path: Path) -> None:
        """Write the runs of a source aside. Raises ColosseumError where the mapping does not fit it, and OSError."""
        before = len(self.found)
        try:
            for name, make in READERS[self.reader][0](path, self.mapping):
                self.found.append(self._one(short(name), make))
            if len(self.found) == before:
                raise Refusal(f"{path.name} holds no runs")
        except Refusal as unfit:
            self.found.append(ImportedRun(short(path.name), "refused", str(unfit)))

    def _one(self, name: str, make: Callable[[], ForeignRun] | Refusal) -> ImportedRun:
        run = None
        try:
            with sound("it"):
                if isinstance(make, Refusal):
                    raise make
                run = make()
                trial = self._trial(run)
                made = ForeignTrace(self.mapping, run, trial, self.reader)
                listed, events = made.listed, list(made.events())
            known = self.cells.setdefault(cell_of(listed), listed.trial)
            if known != listed.trial:
                words = "another run has its arm, seed, repeat and model: if you mended or renamed the file, "
                words += "import into a new folder by `--out`; if this run repeats that one, map `repeat`"
                return replace(made.summary, became="refused", trial="", reason=words)
        except Refusal as unfit:
            return ImportedRun(name, "refused", str(unfit), missing=run.missing if run else ())
        known_before = listed.trial in self.fresh or self.folder.ended(listed.trial)
        self.fresh[listed.trial] = listed
        if self.aside and not known_before:
            self._write(self.aside, trial, made, events)
        return replace(made.summary, became="known" if known_before else "new")

    def _write(self, aside: Folder, trial: Trial, made: ForeignTrace, events: list[tuple[str, dict[str, Any]]]) -> None:
        keep_file(aside.scenario(trial.instance.digest), trial.instance.written)
        trace = TraceWriter(aside.trace(made.listed.trial), Redaction.of())
        for event, content in events:
            trace.write(event, **content)
        trace.finish()
        taken = [Usage(**each.usage) for each in made.run.said if each.usage is not None]
        expense = Expense.summed(taken, len(taken))
        self.written.append(Result(SCHEMA, made.listed.trial, "complete", None, trace.seal, expense))

    def _trial(self, run: ForeignRun) -> Trial:
        """The run of our own that it is compared as. Raises Refusal."""
        arm, point = self._arm(run), run.fields.get("point")
        cells = [cell for cell in self.design.cells if cell.name == arm and point in (None, "", cell.point)]
        if not cells:
            raise Refusal(f"the experiment has no arm `{arm}` at the point `{point}`")
        given = {name: self.mapping.value(name, run.fields) for name in ("seed", "repeat")}
        for name in (name for name, found in given.items() if found is not None and whole(found) is None):
            raise Refusal(f"its {name} is `{given[name]}`, not a whole number")
        if (seed := whole(given["seed"])) is None:
            raise Refusal("the source does not say its seed: map it, as in `seed is seed`, or `seed is 1`")
        if (repeat := whole(given["repeat"])) == 0:
            raise Refusal("repeats count from 1; this is 0: write `repeat is … + 1`")
        try:
            return self.trials.trial(self._with_params(cells, run), seed, repeat or 1)
        except ColosseumError as fault:
            raise Refusal(f"there is no instance at seed {seed}: {fault.diagnostics[0].message}") from None

    def _arm(self, run: ForeignRun) -> str:
        if entries := list(self.mapping.of("arm")):
            if found := next((arm for (arm, *_), source in entries if holds(source, run.fields)), None):
                return found
            read = {name: run.fields.get(name, "not there") for name in self.mapping.read("arm")}
            told = " and ".join(f"`{name}` is `{short(text(found))}`" for name, found in read.items())
            raise Refusal(f"no `arm … is …` of the mapping holds for it{f': {told}' if told else ''}")
        arm = str(run.fields.get("arm") or "")
        if not arm:
            raise Refusal(f"the source does not say its arm: map it, as in `arm {self.design.arms[0]} is group == 1`")
        if arm not in self.design.arms:
            raise Refusal(f"`{arm}` is no arm of `{self.design.name}`; {meant(arm, 'arms', self.design.arms)}")
        return arm

    def _with_params(self, cells: list[Arm], run: ForeignRun) -> Arm:
        """The cell with the params that the run itself tells; where nothing is swept, they make a point of their own.

        Raises Refusal.
        """
        own, told = dict(self.checked.expansion.scenario.params), dict[str, Value]()
        for (name, *_), source in self.mapping.of("param"):
            if (found := evaluate(source, run.fields)) is not None:
                meanings = (found, whole(found), number(str(found)), str(found))  # a cell of CSV is a text
                told[name] = next((m for m in meanings if type(m) is type(own[name])), None)
                if told[name] is None:
                    raise Refusal(f"its `{name}` is `{found}`, not {kind(own[name])}")
        fitting = [cell for cell in cells if told.items() <= (own | dict(cell.conditions.params)).items()]
        if len(fitting) == 1:
            return fitting[0]
        if cells[0].point:
            points = " or ".join(cell.point for cell in cells)
            raise Refusal(f"its params fit {len(fitting)} points: name the one it has in a column `point`: {points}")
        point = ", ".join(f"{name}={text(value)}" for name, value in told.items() if value != own[name])
        params = tuple((dict(cells[0].conditions.params) | told).items())
        return replace(cells[0], point=point, conditions=replace(cells[0].conditions, params=params))

    def finish(self) -> None:
        """Take what stands aside into the folder, and write the list of runs."""
        if self.aside is None or not self.fresh:
            return
        for each in self.aside.path.iterdir():
            shutil.copytree(each, self.folder.path / each.name, copy_function=os.replace, dirs_exist_ok=True)
        self.folder.drop(self.folder.report)
        options = {**self.plan.options, "imported": self.reader}
        write_plan(self.folder, self.files, replace(self.plan, trials=tuple(self.fresh.values()), options=options))
        for result in self.written:
            self.folder.commit(result)


def import_runs(
    checked: Checked, sources: Iterable[Path], out: Path, *, experiment: str | None = None, reader: str | None = None,
    dry_run: bool = False,
) -> ImportFile:  # fmt: skip
    """Bring runs into a folder. Raises ColosseumError where nothing can be read, and nothing is written then."""
    design = read_design(checked, Part(experiment), file=str(checked.spec.composition.source.path))
    mappings = {each.name: each.mapped for each in checked.spec.of(syntax.Trace)}
    if reader is None and len(mappings) > 1:
        raise stop("C122", f"the spec has {counted(len(mappings), 'mapping')}", help=f"`--from {next(iter(mappings))}`")
    name = one_of("reader", "inspect" if reader == "eval" else reader or next(iter(mappings), "table"), READERS)
    if missing := [path for path in sources if not path.exists()]:
        raise stop("C122", f"there is no file or folder {missing[0]}")
    near = None if dry_run else next(path for path in (out, *out.absolute().parents) if path.is_dir())
    with writing_to(out), TemporaryDirectory(prefix=".import-", dir=near) as place:
        aside, mapping = None if dry_run else Folder(Path(place)), TraceMapping(mappings.get(name, ()))
        work = Import(checked, design, mapping, name, Folder(out), aside)
        for source in sources:
            files = sorted(path for path in source.rglob("*") if path.suffix in READERS[name][1])
            for path in files or [source]:
                work.add(path)
        mapping.check(checked.expansion.scenario.task.agents)
        work.finish()
    return ImportFile(str(out), dry_run, name, tuple(work.found))
