"""The rule that is fixed before the runs. In: an experiment; out: a Registered with a digest, kept in campaign.json.

A rule that is chosen after the runs finds what it looks for. So signal, margins, seeds and arms are written down before
the first call, with how many runs had ended by then; each time a study is extended past its plan is noted as a look.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, TypeAlias

from pydantic import Field

from colosseum.campaign.margins import MARGINS, margins_of, parts, signal_of
from colosseum.language import syntax
from colosseum.model.check import Checked
from colosseum.model.experiment import Design
from colosseum.model.serial import Json, encode
from colosseum.model.spec import Declared
from colosseum.run.trace import Count, Number, Published

Margin: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
OPTIONAL = ("purposes", "contrasts")
UNSEALED = ("digest", "ended", "looks")  # what is not in the digest: it, and what happens later


@dataclass(frozen=True)
class Registered(Published):
    """What was settled before the runs."""

    question: str
    """What the experiment asks."""
    signal: str
    """By which actions are judged."""
    margins: dict[str, Margin]
    """The least effect that matters, by the figures that make up the signal, in fair shares."""
    seeds: Number
    """How many are planned."""
    repeats: Number
    arms: tuple[str, ...]
    """The control first."""
    points: tuple[str, ...]
    """Sweep points."""
    fixed: str
    """Why the members of the coalition could not have been any agents as well; empty where they are drawn from all."""
    configuration: str
    """That of the campaign."""
    digest: str
    """The SHA-256 of all of the above, as sorted JSON."""
    ended: Count = 0
    """Runs of its trials that had ended by then."""
    purposes: dict[str, str] = field(default_factory=dict)
    """What arms are for, of those that say so; in the digest where there are any, as contrasts are."""
    contrasts: tuple[tuple[str, str], ...] = ()
    """Arms, or models, that are compared with each other."""
    looks: tuple[Count, ...] = ()
    """How many seeds there were each time when more than planned were added to runs that had ended."""

    @property
    def fault(self) -> str:
        """How it shows that it was changed since; empty where nothing shows."""
        if sealed(self).digest != self.digest:
            return "the rule that was fixed before the runs was changed: its digest does not match"
        if not MARGINS.keys() >= self.margins.keys() or self.margins.keys() != {*parts(self.signal)}:
            return "the rule that was fixed before the runs has margins of another signal"
        return ""


def register(design: Design, checked: Checked, *, seeds: int, configuration: str) -> Registered:
    """Of an experiment as it is first asked for; more seeds than its spec names may be asked for."""
    coalition, settings = next(iter(checked.expansion.scenario.coalitions), None), design.cells[0].conditions.settings
    return sealed(Registered(
        question=design.question, signal=signal_of(settings, coalition), margins=margins_of(settings, coalition),
        seeds=max(len(design.seeds), seeds), repeats=design.repeats, arms=design.arms,
        points=tuple(dict.fromkeys(cell.point for cell in design.cells)),
        fixed=fixed(checked.spec, coalition.name if coalition else ""), configuration=configuration, digest="",
        purposes=design.purposes, contrasts=design.contrasts,
    ))  # fmt: skip


def sealed(registered: Registered) -> Registered:
    """With the SHA-256 of everything that may not change."""
    kept = ((name, said) for name, said in sorted(asdict(registered).items()) if said or name not in OPTIONAL)
    content: dict[str, Json] = {name: said for name, said in kept if name not in UNSEALED}
    return replace(registered, digest=hashlib.sha256(encode(content).encode()).hexdigest())


def extended(earlier: Registered | None, fresh: Registered, *, before: int, after: int, ended: int) -> Registered:
    """What holds when a list of so many seeds becomes a longer one, `ended` of whose runs have ended.

    Seeds that were looked at and left out count, too: the plan names them.

    Before any run has ended nothing is settled yet, and one that was settled after them says so.
    """
    if earlier is None:
        return replace(fresh, ended=ended)
    if not ended:
        return sealed(replace(fresh, seeds=max(fresh.seeds, after)))
    return replace(earlier, looks=(*earlier.looks, before)) if after > max(before, earlier.seeds) else earlier


def unlike(settled: Registered, fresh: Registered) -> list[str]:
    """In what a rule differs from what the spec says now; more seeds than it names may have been asked for."""
    ours, theirs = asdict(settled), asdict(fresh)
    return [name for name in ours if name not in (*UNSEALED, "seeds") and ours[name] != theirs[name]]


def agreed(every: Sequence[Registered | None], *, seeds: int) -> Registered | None:
    """What holds of folders of one configuration that become one of so many seeds: the least that was planned.

    Seeds beyond it were added by somebody who could have looked, so that one look is noted at the least.
    """
    known = sorted((each for each in every if each is not None), key=lambda each: each.seeds)
    if not known:
        return None
    looks = max((each.looks for each in known), key=len)
    if seeds > known[0].seeds and not looks:
        looks = (known[0].seeds,)
    return replace(known[0], ended=max(each.ended for each in known), looks=looks)


def fixed(spec: Declared, coalition: str) -> str:
    """Why members of a coalition could not have been any other agents; empty where they are drawn from all of them."""
    statement = next((s for s in spec.of(syntax.Coalition) if s.name == coalition), None)
    match statement:
        case None:
            return "there is no coalition"
        case syntax.Coalition(members=syntax.Drawn(call=syntax.Call(function="sample", arguments=(pool, *_)))):
            drawn = isinstance(pool, syntax.Name) and pool.id == "agents"
            return "" if drawn else "members are drawn from some agents only"
        case _:
            return "members are not drawn"
