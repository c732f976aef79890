"""What the runs of a folder show, whole. In: a plan, run records and all that was computed from them; out: one value
that every kind of report is made of, and the same as JSON.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, replace

from colosseum.campaign.folder import Plan
from colosseum.campaign.registering import Registered
from colosseum.campaign.screening import screening_json
from colosseum.evidence.agreement import agreement
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.judges import Bench
from colosseum.evidence.statistics import Correlation
from colosseum.evidence.summary import Summary
from colosseum.evidence.verdict import Verdicts
from colosseum.report.export import to_json
from colosseum.report.said import bench_json
from colosseum.report.verdict_export import agreement_json, verdicts_json


@dataclass(frozen=True)
class Findings:
    """What the runs of a folder show."""

    plan: Plan
    """With the coalition in front that is measured."""
    records: Sequence[RunRecord]
    summary: Summary
    verdicts: Verdicts
    judges: Sequence[str]
    bench: Bench
    """Those that were asked."""
    agreement: Mapping[str, Correlation | str]
    """By treated arm, whether actions and words go together over seeds."""
    settled: Registered | None
    """What was settled before the runs; None of a coalition that was chosen after them."""

    @property
    def missing(self) -> int:
        """Planned runs that have not ended."""
        return len(self.plan.trials) - len(self.records)

    def at(self, points: AbstractSet[str]) -> "Findings":
        """The same of some sweep points; all tests stay counted in the verdicts."""
        summary, verdicts = self.summary, self.verdicts
        verdicts = replace(verdicts, points=tuple(p for p in verdicts.points if p.point in points))
        here = [record for record in self.records if record.point in points]
        return replace(
            self,
            summary=replace(summary, points=tuple(p for p in summary.points if p.point in points)),
            verdicts=verdicts,
            agreement=agreement(here, arms=self.plan.arms, verdicts=verdicts),
        )

    @property
    def content(self) -> dict[str, object]:
        """As JSON."""
        listed = {
            "scenario": self.plan.scenario,
            "experiment": self.plan.experiment,
            "question": self.plan.question,
            "coalition": next(iter(self.plan.coalitions), None),
            "planned": len(self.plan.trials),
            "missing": self.missing,
            "screening": screening_json(self.plan.screening),
        }
        settled = self.settled
        return {
            **listed,
            "registered": None if settled is None else asdict(settled),
            "judges": list(self.judges),
            "bench": bench_json(self.bench),
            "verdicts": verdicts_json(self.verdicts),
            "agreement": agreement_json(self.agreement),
            **to_json(self.summary),
        }
