"""Which pictures a report has. In: findings, and cases as they are read; out: pictures, and why others are missing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from colosseum.report.findings import Findings
from colosseum.report.html.cases import Case
from colosseum.report.html.pictures.picture import Picture


@dataclass
class Gallery:
    """Collects what pictures need."""

    findings: Findings
    wanted: tuple[str, int] | None = None
    """Sweep point and seed of the case that is drawn at length."""
    case: Case | None = field(default=None, init=False)

    def add(self, case: Case) -> None:
        """Take what is needed of a case."""
        if (case.point, case.seed) == self.wanted:
            self.case = case

    def pictures(self) -> tuple[Sequence[Picture], Sequence[tuple[str, str]]]:
        """All that there are, and the names of those there are none of, with the reason."""
        return list(self._pictures()), ()

    def _pictures(self) -> Iterator[Picture]:
        yield from ()
