"""From text. In: families at growing sizes; out: seconds of the language and of the expansion, and µs an instance.

An instance is a ground reward, requirement or variable. Linear means that it costs as much in a large spec as in a
small one.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from colosseum.diagnostics import Source, render_text
from colosseum.language import parse, shipped
from colosseum.language.gc_pause import gc_paused
from colosseum.language.tables import import_lark
from colosseum.model.check import expand, read_spec

from .families import family
from .lines import Mark, Measurements
from .rivals import clock

SIZES: dict[str, tuple[tuple[int, ...], ...]] = {
    "tickets": ((25, 30), (50, 60), (100, 125), (200, 250)),
    "tickets_soft": ((25, 30), (50, 60), (100, 125), (200, 250)),
    "capacity": ((25, 4), (100, 8), (400, 16)),
    "meetings": ((20, 20), (40, 40), (80, 80)),
    "tree": ((100, 4), (500, 4)),
    "pairs": ((12, 4, 100), (24, 4, 100)),
}
BARS: dict[tuple[str, tuple[int, ...]], float] = {("tickets", (100, 125)): 0.5, ("tickets_soft", (100, 125)): 0.5}
"""Seconds."""
LINEAR = 1.5
"""How much more an instance may cost at the largest size than at the smallest."""
BARE = 1.6
"""How many times as long as Lark's own parser, which makes no nodes and finds no mistakes, reading may take."""
REPEATS, QUICK_REPEATS = 3, 1


@dataclass(frozen=True)
class Read:
    """How long it took from text to task."""

    reading: float
    expanding: float
    instances: int

    @property
    def each(self) -> float:
        """µs an instance."""
        return (self.reading + self.expanding) / self.instances * 1e6


def text(ledger: Measurements) -> None:
    """Measure every family at every size; the first text of all, for which the grammar is loaded, does not count."""
    _read("tickets", (2, 2))
    ledger.tables(_beside_lark())
    ledger.tables(
        line for name, sizes in SIZES.items() for line in _lines(ledger, name, sizes[:-1] if ledger.quick else sizes)
    )


def _beside_lark() -> Iterator[Mark]:
    """Reading alone, of all shipped specs and of one that is long."""
    grammar = (shipped("grammar") / "colosseum.lark").read_text(encoding="utf-8")
    lark = import_lark().Lark(grammar, parser="lalr", lexer="basic", start=["start", "statement"])
    specs = [path.read_text(encoding="utf-8") for path in sorted(shipped("specs").glob("*.colo"))]
    for what, texts in {"all shipped specs": specs, "tree 500×4": [family("tree", 500, 4, seed=1)]}.items():
        ours, theirs = list[float](), list[float]()
        for _ in range(REPEATS):
            with gc_paused():
                began = clock()
                for text in texts:
                    parse(Source("", text))
                read = clock()
                for text in texts:
                    lark.parse(text, start="start")
                ours, theirs = [*ours, read - began], [*theirs, clock() - read]
        yield Mark("Reading, s", what, min(ours), "Lark's own parser", min(theirs), most_ratio=BARE)


def _lines(ledger: Measurements, name: str, every: tuple[tuple[int, ...], ...]) -> Iterator[Mark]:
    heading, costs = "From text to task, s", list[float]()
    for sizes in every:
        label = f"{name} {'×'.join(map(str, sizes))}"
        ledger.note(f"from text: {label}")
        found = [_read(name, sizes) for _ in range(QUICK_REPEATS if ledger.quick else REPEATS)]
        times = [r for r in found if isinstance(r, Read)]
        bar = BARS.get((name, sizes))
        if len(times) < len(found):
            yield Mark(heading, label, None, most=bar, note=f"refused: {next(r for r in found if isinstance(r, str))}")
            continue
        middle = sorted(times, key=lambda r: r.each)[len(times) // 2]
        costs.append(median(r.each for r in times))
        note = f"reading {middle.reading:.3f}, {middle.instances:,} instances, {middle.each:.1f} µs each"
        yield Mark(heading, label, median(r.reading + r.expanding for r in times), most=bar, note=note)
    if len(costs) > 1:
        yield Mark("µs an instance, largest size against smallest", name, costs[-1], "smallest", costs[0],
                   most_ratio=LINEAR)  # fmt: skip


def _read(name: str, sizes: tuple[int, ...]) -> Read | str:
    """One reading; why it was refused, if it was."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.colo"
        path.write_text(family(name, *sizes, seed=1), encoding="utf-8")
        began = clock()
        spec, diagnostics = read_spec(path)
        read = clock()
        if spec is None:
            return render_text(diagnostics).splitlines()[0]
        expansion, found = expand(spec, seed=1, params={})
        ended = clock()
    if expansion is None:
        return render_text([*diagnostics, *found]).splitlines()[0]
    task = expansion.scenario.task
    return Read(read - began, ended - read, len(task.variables) + len(task.payoffs) + len(task.requirements))
