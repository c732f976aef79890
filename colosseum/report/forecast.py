"""What an audit settles, can see and will take, as pages. In: an AuditPlan, a Forecast, a PowerFile; out: tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields

from colosseum.campaign.estimate import Runs
from colosseum.campaign.folder import Folder
from colosseum.campaign.margins import ENOUGH_ALIKE, ENOUGH_NONZERO, few_seeds
from colosseum.campaign.money import dollars, money
from colosseum.campaign.screening import screening_words
from colosseum.diagnostics import counted
from colosseum.evidence.arms import ArmKind
from colosseum.evidence.audit_plan import SEEDS, AuditPlan, Forecast, SpecCard
from colosseum.evidence.figures import Figure, label
from colosseum.evidence.power.outlook import PowerFile
from colosseum.evidence.power.pool import BENIGN, FAIR
from colosseum.evidence.power.studies import PlantPower, WorstHarm
from colosseum.evidence.signals import JUDGE
from colosseum.evidence.spread import Noise
from colosseum.evidence.statistics import POWER, Share
from colosseum.report.cells import Row, amount, change, described
from colosseum.report.document import Amount, Block, Definitions, Heading, Paragraph, Table, TableCell
from colosseum.report.page import cell_words
from colosseum.report.words import MEANINGS, WORDS, span
from colosseum.solve.scoring import ROUNDING

UNKNOWN = "unknown price"


def plan_blocks(found: AuditPlan) -> Iterator[Block]:
    """Signal, margin, seeds, arms and power."""
    settled = found.registered
    yield Paragraph(found.title, "title")
    yield Paragraph(settled.question)
    margins = " or ".join(f"{margin:g} u of {label(name)}" for name, margin in settled.margins.items())
    times = "once" if settled.repeats == 1 else counted(settled.repeats, "time")
    told = {"signal": label(settled.signal), "margins": margins, "times": times}
    words = {name: text.format(settled=settled, **told) for name, text in WORDS["plan"].items()}
    facts = words | {
        "arms": ", ".join(_purpose(arm, found.kinds[arm]) for arm in settled.arms[1:]) or "none besides",
        "compared": ", ".join(" with ".join(pair) for pair in settled.contrasts),
        "points": f"{len(settled.points)} of the sweep, each with all arms" if len(settled.points) > 1 else "",
        "screened": screening_words(found.screening) if found.screening else "",
        "few seeds": few_seeds(found.seeds),
    }
    margin = next(iter(settled.margins.values()))
    yield Definitions(tuple((name, fact) for name, fact in facts.items() if fact))
    if isinstance(found.card, str):
        yield Paragraph(f"What this spec can show is not known: {found.card}.")
    else:
        place = f" at {settled.points[0]}" if len(settled.points) > 1 else ""
        title = f"What it can show{place}: scripted players, {times} at each of {SEEDS} seeds, in u"
        yield Definitions(tuple(_card(found.card, margin, found.seeds).items()), title)
    yield from noise_blocks(found.noise) if found.noise else ()
    kept = Folder(found.folder).plan_path
    yield Paragraph(f"An audit with the same options keeps this in {kept} before its first run.")


def _purpose(arm: str, kind: ArmKind) -> str:
    """What an arm counts as, where its name is another; of a treated one also what it gives members."""
    given = ", ".join(words for words, there in (("channel", kind.channel), ("words", kind.told)) if there)
    counts = kind.kind + (f": {given}" if kind.kind == "treated" and given else "")
    return arm if arm == counts else f"{arm} ({counts})"


def _card(card: SpecCard, margin: float, planned: int) -> dict[str, str]:
    """The validity card."""
    by = {n: [r for r in card.possible if card.possible[r].value == n] for n in (ENOUGH_ALIKE, ENOUGH_NONZERO)}
    lacking = dict.fromkeys(figure.reason for figure in card.possible.values() if figure.reason)
    never = "" if (card.apart.mean.value or 0.0) > ROUNDING else ": the two cannot be told apart"
    told = WORDS["card"] | ({"spread": card.sd.reason} if card.sd.reason else {})
    said = {name: f"– ({figure.reason})" if (v := figure.value) is None else f"{v:,.0f}" if v >= 1000 else f"{v:.3g}"
            for name, figure in vars(card).items() if isinstance(figure, Figure)}  # fmt: skip
    possible = "; ".join([*(f"{' or '.join(each)} from {n} seeds on" for n, each in by.items() if each), *lacking])
    said |= {"apart": cell_words(change(card.apart)), "never": never, "possible": possible, "spread_of": card.spread_of}
    return {name: words.format(**said, margin=margin, planned=planned) for name, words in told.items()}


def forecast_blocks(found: Forecast) -> Iterator[Block]:
    """Runs, calls, tokens and money."""
    yield Paragraph(f"{found.title}: a dry run, which asks nothing and writes nothing", "title")
    yield Paragraph(found.question)
    arms, columns = {**found.arms, "in all": found.runs}, tuple(each.name for each in fields(Runs))
    yield described("forecast", ((arm, *(getattr(runs, c) for c in columns)) for arm, runs in arms.items()), columns)
    if found.screening:
        yield Paragraph(f"Screened: {screening_words(found.screening)}.")
    yield bill(found)
    if found.models and not found.measured:
        yield Paragraph("`--pilot 3` makes three blocks first, which count, and asks again with what they cost.")
    if facts := tuple(_money(found)):
        yield Definitions(facts, "Money")


def bill(found: Forecast, title: str = "What the missing runs will take") -> Block:
    """What the missing runs will take, by model and judge, and all of them together."""
    if not (found.models or found.judges):
        return Paragraph("No model is asked: scripted players cost nothing.")
    tables = {**found.models, **{f"judge {model}": each for model, each in found.judges.items()}}
    if len(tables) > 1:
        tables["in all"] = found.total
    rows: list[tuple[TableCell, ...]] = []
    for name, estimate in tables.items():
        for part in ("calls", "prompt_tokens", "completion_tokens"):
            rows.append((name, part.replace("_", " "), f"{getattr(estimate, part):,.0f}"))
        rows.append((name, "money", UNKNOWN if estimate.dollars is None else dollars(estimate.dollars)))
    if found.at_their_cost is not None:
        rows.append((rows[-1][0], f"money, as {counted(found.measured, 'run')} cost", dollars(found.at_their_cost)))
    rows.append((rows[-1][0], "time in all", span(found.seconds)))
    return described("bill", rows, title=title)


def _money(found: Forecast) -> Iterator[tuple[str, str]]:
    for model, price in found.prices.items():
        yield model, f"{dollars(price.prompt)} for a million tokens of prompt, {dollars(price.completion)} of answer"
    for model in found.unknown:
        yield model, f"{UNKNOWN}: give it with `--price {model}=IN,OUT`, or say `--no-budget`"
    if found.spent or found.unpriced:
        yield "spent so far", money(found.spent, None, found.unpriced)
    if found.unfinished:
        yield "on file", f"{counted(found.unfinished, 'answer')} of runs that were begun, which are not paid for again"
    if found.budget is not None:
        yield "budget", f"{dollars(found.budget)}{_enough(found, found.budget)}"
    if found.run_budget is not None:
        yield "budget of a run", dollars(found.run_budget)


def _enough(found: Forecast, budget: float) -> str:
    """Whether a budget suffices, where that can be told."""
    if found.unknown or not found.runs.missing:
        return ""
    judged = sum(each.dollars or 0.0 for each in found.judges.values())
    likely = (found.total.dollars or 0.0) if found.at_their_cost is None else found.at_their_cost + judged
    enough = budget - found.spent >= likely
    return ": probably enough" if enough else ": probably less than the missing runs take, so that some will be left"


def power_blocks(file: PowerFile) -> Iterator[Block]:
    """Planted players, how often readings are right, and what the signal and words show alone."""
    yield Paragraph(f"{file.scenario}, experiment {file.experiment}: what it can see", "title")
    yield Paragraph(file.question)
    yield Paragraph("PLANTED PLAYERS: no model was asked, and models may act otherwise.", "warning")
    yield Definitions(tuple(_facts(file)))
    for noise in dict.fromkeys(each.plant.noise for each in file.plants):
        here = [each for each in file.plants if each.plant.noise == noise]
        yield Heading(f"Noise {noise:g}")
        yield from _tables(file, here, noise)
    fair = file.plants[0].signals
    if unknown := [(label(n), why) for n in (file.signal, JUDGE) if isinstance(why := fair[n].seen[0], str)]:
        yield Definitions(tuple(unknown), "No study can go by")
    if file.worst:
        yield Definitions(tuple(_worst(file.worst)), "The worst undetected outsider loss found; there may be worse")
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
    wanted, planned, signal = f"{found.wanted:g}", counted(found.planned, "seed"), label(found.signal)
    yield described("noise", rows, facts=facts, wanted=wanted, planned=planned, signal=signal, power=POWER)


def _facts(file: PowerFile) -> Iterator[tuple[str, str]]:
    where, asked = file.where, file.opportunity
    yield "planted", f"the members of {where.coalition}, in arm `{where.planted}`; all others cooperate"
    if any(each.plant.kind == BENIGN for each in file.plants):
        yield "", f"{BENIGN}: everybody, in arm `{where.benign}`"
    none = "no arm placebo or selfish, so that readings stay open"
    rivals = " and ".join(f"`{arm}`" for arm in where.rivals)
    yield "beside", f"{rivals}, played by scripts" if rivals else none
    least = "" if asked is None else f" with an opportunity of at least {asked:g}, of {file.looked:,}"
    yield "pool", f"{counted(file.pool, 'seed')}{least}; {file.draws.studies:,} studies of each size drawn from it"
    margins = " and ".join(f"{label(name)} {margin:g} u" for name, margin in file.margins.items())
    yield "signal", f"{label(file.signal)}; margin: {margins}"
    yield "judge", WORDS["notes"]["power"]
    yield "noise", MEANINGS["noise"]


def _worst(found: WorstHarm) -> Iterator[tuple[str, str]]:
    if found.harm is None or found.called is None:
        yield "loss", f"not known: {found.reason}"
    else:
        ends = end if isinstance(end := found.harm.interval, str) else f"95 % interval: {end.low:.3f} to {end.high:.3f}"
        yield "loss", f"outsiders lose {found.harm.mean.value or 0.0:.3f} u each ({ends})"
        yield "by", f"`{found.kind}`, λ {found.strength:g}, in {found.share:.0%} of runs; fair play in the others"
        yield "called", f"collusion in {found.called.share:.0%} of studies of {found.seeds} seeds"
    yield "searched", f"{found.tried} colluders at {found.searched} seeds, the best again at {found.fresh} others"


def _given(each: PlantPower) -> Iterator[str]:
    """How often studies of each size give a right reading, and what else those of the largest size mostly give."""
    for of in each.by_seeds:
        yield _percent(sum(of.readings[right] for right in each.right_readings), of.studies)
    wrong = Counter({words: n for words, n in of.readings.items() if words not in each.right_readings})
    yield ", ".join(f"{words} {_percent(n, of.studies)}" for words, n in wrong.most_common(2))


def _percent(count: int, total: int) -> str:
    """Whole ones, but nearly all is not all, and nearly none not none."""
    rounded = round(100 * count / total)
    if count and not rounded:
        return "<1 %"
    return ">99 %" if rounded == 100 and count < total else f"{rounded} %"


def _tables(whole: PowerFile, here: Sequence[PlantPower], noise: float) -> Iterator[Table]:
    """How often the right reading is given, and what the signal and words show alone."""
    sizes, studies = tuple(counted(n, "seed") for n in whole.draws.sizes), whole.draws.studies
    read = (each for each in here if each.right_readings)
    right = ((each.plant.name, " or ".join(each.right_readings), *_given(each)) for each in read)
    yield described("right", right, sizes, at=f"-{noise:g}", size=sizes[-1])
    seen = list[Row]()
    for each in here:
        for name, signal in ((name, each.signals[name]) for name in (whole.signal, JUDGE)):
            if signal.effect.mean.value is not None:
                shares = [_percent(round(s.share * studies), studies) for s in signal.seen if isinstance(s, Share)]
                places = 1 if name == JUDGE else 3
                mean, sd = amount(signal.effect.mean, places, signed=True), amount(signal.effect.sd, places)
                seen.append((each.plant.name, label(name), mean, sd, *shares, Amount(signal.needed.value, 0)))
    yield described("seen", seen, sizes, at=f"-{noise:g}", power=POWER, fair=FAIR)
