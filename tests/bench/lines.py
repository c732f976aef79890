"""What was measured, line by line. In: figures of ours and of rivals; out: verdicts against bars, and plain tables."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeAlias

from rich.console import Console
from rich.table import Table

Verdict: TypeAlias = Literal["pass", "miss", "ahead", "even", "loss", "-"]
AGREE = 1e-6
"""How far, relative to max(1, |value|), two values may lie apart and count as equal."""

EVEN = 0.05
"""How far a ratio may lie from 1 and be noise."""
NOTE = 64
"""Characters of a note that a table shows."""
MOST_SHOWN = 10
"""Unequal values that are printed; all are counted, and stand in the JSON."""


@dataclass(frozen=True)
class Mark:
    """One comparison; ratios are ours / theirs, so that less than 1 is ahead."""

    table: str
    """The table that it stands in, unit included."""
    what: str
    ours: float | None
    rival: str = ""
    theirs: float | None = None
    most: float | None = None
    """A bar: ours must not be more."""
    most_ratio: float | None = None
    """A bar: the ratio must not be more."""
    note: str = ""
    unproven: bool = False
    """Theirs is when the rival was stopped, without a proof: it cannot be ahead."""

    @property
    def ratio(self) -> float | None:
        """Ours / theirs."""
        return None if self.ours is None or not self.theirs else self.ours / self.theirs

    @property
    def verdict(self) -> Verdict:
        """A bar is passed or missed; without one we are ahead of a rival or lose to it."""
        if self.most is not None or self.most_ratio is not None:
            return "pass" if all(self._kept()) else "miss"
        if self.ratio is None:
            return "-"
        if self.unproven:
            return "ahead"
        return "even" if abs(self.ratio - 1) <= EVEN else "ahead" if self.ratio < 1 else "loss"

    def _kept(self) -> Iterator[bool]:
        if self.most is not None:
            yield self.ours is not None and self.ours <= self.most
        if self.most_ratio is not None:
            yield self.ratio is not None and self.ratio <= self.most_ratio


@dataclass
class Measurements:
    """All that a run found; a part's tables are printed when it is finished."""

    console: Console
    quick: bool
    """Whether a subset is measured, in about a minute."""
    lines: list[Mark] = field(default_factory=list)
    unequal: list[str] = field(default_factory=list)
    """Where two ways came to different values."""
    compared: int = 0
    """How many values were compared."""

    def tables(self, lines: Iterable[Mark]) -> None:
        """Keep lines and print them, a table for each heading."""
        made: dict[str, list[Mark]] = {}
        for line in lines:
            made.setdefault(line.table, []).append(line)
            self.lines.append(line)
        for heading, group in made.items():
            self.console.print(_table(heading, group))

    def note(self, words: str) -> None:
        """Say on stderr what is being measured."""
        sys.stderr.write(f"\r{words[:70]:70}\r")
        sys.stderr.flush()

    def equal(self, what: str, ours: float | None, theirs: float | None, *, slack: float = 0.0) -> None:
        """Demand that two values are equal; `slack` is by how much theirs may be less because it was rounded."""
        if ours is None or theirs is None:
            same = ours is None and theirs is None
        else:
            tie = AGREE * max(1.0, abs(ours))
            same = -tie - slack <= theirs - ours <= tie
        self.judge(what, f"ours {ours!r}, theirs {theirs!r}", same=same)

    def at_most(self, what: str, ours: float | None, theirs: float) -> None:
        """Demand that nothing anybody found is better than what we call optimal."""
        kept = ours is not None and theirs <= ours + AGREE * max(1.0, abs(ours))
        self.judge(what, f"ours {ours!r} is called optimal, theirs is {theirs!r}", same=kept)

    def judge(self, what: str, words: str, *, same: bool) -> None:
        """Count a comparison; note and print one that failed, the first few of a run."""
        self.compared += 1
        if not same:
            self.unequal.append(f"{what}: {words}")
            if len(self.unequal) <= MOST_SHOWN:
                self.console.print(f"UNEQUAL  {self.unequal[-1]}", soft_wrap=True)

    def summary(self) -> None:
        """Count verdicts, and say again what was missed, lost or unequal."""
        verdicts = [line.verdict for line in self.lines]
        counts = ", ".join(f"{verdicts.count(v)} {v}" for v in ("pass", "miss", "ahead", "even", "loss"))
        self.console.print(f"\nSummary: {counts}; {self.compared:,} values compared, {len(self.unequal)} unequal")
        for verdict in ("miss", "loss"):
            for line in self.lines:
                if line.verdict == verdict:
                    self.console.print(
                        f"  {verdict}  {line.table}: {line.what} {_against(line)}".rstrip(), soft_wrap=True
                    )
        for words in self.unequal[:MOST_SHOWN]:
            self.console.print(f"  UNEQUAL  {words}", soft_wrap=True)

    def plain(self) -> dict[str, object]:
        """As JSON has it."""
        lines = [{**asdict(line), "ratio": line.ratio, "verdict": line.verdict} for line in self.lines]
        return {"schema": 1, "lines": lines, "unequal": self.unequal, "compared": self.compared}


def _table(heading: str, lines: list[Mark]) -> Table:
    made = Table(title=heading, title_justify="left", box=None, pad_edge=False, title_style="bold")
    for name in ("what", "ours", "rival", "theirs", "ratio", "bar", "", "note"):
        justify: Literal["left", "right"] = "right" if name in ("ours", "theirs", "ratio", "bar") else "left"
        made.add_column(name, justify=justify, no_wrap=True, max_width=NOTE if name == "note" else None)
    for line in lines:
        made.add_row(line.what, _figure(line.ours), line.rival, _figure(line.theirs), _figure(line.ratio), _bar(line),
                     line.verdict, line.note)  # fmt: skip
    return made


def _bar(line: Mark) -> str:
    bars = [f"≤ {line.most:g}"] if line.most is not None else []
    if line.most_ratio is not None:
        short = f"1/{1 / line.most_ratio:.0f}" if line.most_ratio < 0.5 else f"{line.most_ratio:g}"
        bars.append(f"≤ {short} ×")
    return ", ".join(bars)


def _against(line: Mark) -> str:
    words = [f"{_figure(line.ours)}"] if line.ours is not None else [line.note]
    if line.theirs is not None:
        words.append(f"against {_figure(line.theirs)} of {line.rival}, {_figure(line.ratio)} ×")
    if _bar(line):
        words.append(f"(bar {_bar(line)})")
    return " ".join(words)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
