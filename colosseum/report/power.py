"""What an experiment can see, as blocks. In: an Outlook; out: tables and notes."""

from collections.abc import Iterator, Sequence

from colosseum.diagnostics import counted
from colosseum.evidence.power.outlook import Outlook, PowerFile
from colosseum.evidence.power.planting import BENIGN, FAIR
from colosseum.evidence.power.studies import SIGNALS, PlantPower
from colosseum.evidence.power.worst import WorstHarm
from colosseum.evidence.registry import label
from colosseum.evidence.seeds import POWER, Noise
from colosseum.evidence.signals import BELIEF, JUDGE
from colosseum.evidence.statistics import Share
from colosseum.evidence.weighing import Call
from colosseum.report.cells import Row, amount, described
from colosseum.report.document import Amount, Block, Definitions, Heading, Paragraph, Table
from colosseum.report.words import WORDS


def power_blocks(found: Outlook) -> Iterator[Block]:
    """Planted players, how often verdicts are right, and the effects that every signal shows."""
    yield Paragraph(f"{(file := found.file).scenario}, experiment {file.experiment}: what it can see", "title")
    yield Paragraph(found.question)
    yield Paragraph("PLANTED PLAYERS: no model was asked, and models may act otherwise.", "warning")
    yield Definitions(tuple(_facts(found)))
    for noise in dict.fromkeys(each.plant.noise for each in file.plants):
        here = [each for each in file.plants if each.plant.noise == noise]
        yield Heading(f"Noise {noise:g}")
        yield from _tables(file, here, noise)
    if unknown := [(label(n), why) for n in SIGNALS if n != BELIEF and (why := found.stands[0].why(n))]:
        yield Definitions(tuple(unknown), "No study can go by")
    if file.worst:
        yield Definitions(tuple(_worst(file.worst)), "The worst undetected harm that was found; there may be worse")
    yield Paragraph("`colosseum guide statistics` says what planted players do.")


def noise_blocks(found: Noise) -> Iterator[Block]:
    """What real runs differ by, and how many seeds and replicas show the wanted effect."""
    yield Paragraph(f"REAL NOISE: {counted(found.runs, 'run')} of {counted(found.models, 'model')}, no planted player")
    sources = {"replicas": found.between_replicas, "seeds": found.between_seeds, "models": found.between_models}
    facts = [(f"between {name}", v.reason or f"sd {(v.value or 0.0) ** 0.5:.3g} u") for name, v in sources.items()]
    rows = [
        (str(n), amount(each.sd, 3), amount(each.seeds, 0), Amount((each.seeds.value or 0) * 2 * n or None, 0),
         amount(each.smallest, 3))
        for n, each in found.designs.items()
    ]  # fmt: skip
    wanted, signal = f"{found.wanted:g}", label(found.signal)
    yield described("noise", rows, facts=facts, wanted=wanted, planned=found.planned, signal=signal, power=POWER)


def _facts(found: Outlook) -> Iterator[tuple[str, str]]:
    file, where, asked = found.file, found.file.where, found.file.opportunity
    yield "planted", f"the members of {where.coalition}, in arm `{where.planted}`; all others cooperate"
    if any(each.plant.kind == BENIGN for each in file.plants):
        yield "", f"{BENIGN}: everybody, in arm `{where.benign}`"
    none = "no arm placebo or selfish, so that readings stay open"
    yield "beside", ", ".join(f"`{arm}`, played by scripts" for arm in found.rivals) or none
    least = "" if asked is None else f" with an opportunity of at least {asked:g}, of {file.looked:,}"
    yield "pool", f"{counted(file.pool, 'seed')}{least}; {file.draws.studies:,} studies of each size drawn from it"
    margins = " and ".join(f"{label(name)} {margin:g} u" for name, margin in file.rule.margins.items())
    yield "signal", f"{label(file.rule.signal)}; margin: {margins}"
    yield from WORDS["power"].items()


def _worst(found: WorstHarm) -> Iterator[tuple[str, str]]:
    if found.harm is None or found.called is None:
        yield "harm", f"not known: {found.reason}"
    else:
        ends = end if isinstance(end := found.harm.interval, str) else f"95 % interval: {end.low:.3f} to {end.high:.3f}"
        yield "harm", f"outsiders lose {found.harm.mean.value or 0.0:.3f} u each ({ends})"
        yield "by", f"`{found.kind}`, λ {found.strength:g}, in {found.share:.0%} of runs; fair play in the others"
        yield "called", f"collusion in {found.called.share:.0%} of studies of {found.seeds} seeds"
    yield "searched", f"{found.tried} colluders at {found.searched} seeds, the best again at {found.fresh} others"


def _called(each: PlantPower) -> str:
    shares = max(each.by_seeds, key=lambda of: of.seeds)
    seen = shares.actions[Call.EFFECT]
    return ", ".join(f"{words} {_percent(n, seen)}" for words, n in shares.readings.most_common(3))


def _percent(count: int, total: int) -> str:
    """Whole ones, but nearly all is not all, and nearly none not none."""
    rounded = round(100 * count / total)
    if count and not rounded:
        return "<1 %"
    return ">99 %" if rounded == 100 and count < total else f"{rounded} %"


def _tables(whole: PowerFile, here: Sequence[PlantPower], noise: float) -> Iterator[Table]:
    """How often the verdict is right, and what each signal shows alone."""
    sizes = tuple(f"{n} seeds" for n in whole.draws.sizes)
    right = (
        (each.plant.name, verdict, *(_percent(s.verdicts[verdict], s.studies) for s in each.by_seeds), _called(each))
        for each in here if (verdict := each.right_verdict)
    )  # fmt: skip
    yield described("right", right, sizes, at=f"-{noise:g}", size=whole.draws.sizes[-1])
    seen = list[Row]()
    for each in here:
        for name, signal in each.signals.items():
            if signal.effect.mean.value is not None:
                places, studies = 1 if name == JUDGE else 3, whole.draws.studies
                shares = [_percent(round(s.share * studies), studies) for s in signal.seen if isinstance(s, Share)]
                mean, sd = amount(signal.effect.mean, places, signed=True), amount(signal.effect.sd, places)
                seen.append((each.plant.name, label(name), mean, sd, *shares, Amount(signal.needed.value, 0)))
    yield described("seen", seen, sizes, at=f"-{noise:g}", power=POWER, fair=FAIR)
