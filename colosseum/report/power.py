"""What an experiment can see, as blocks. In: an Outlook; out: tables and notes."""

from collections.abc import Iterator, Sequence
from typing import Final

from colosseum.diagnostics import counted
from colosseum.evidence.calls import Call
from colosseum.evidence.power.outlook import Outlook
from colosseum.evidence.power.planting import BENIGN, FAIR, RUMORS
from colosseum.evidence.power.studies import SIGNALS, Studied
from colosseum.evidence.registry import label
from colosseum.evidence.seeds import POWER
from colosseum.evidence.signals import BELIEF, JUDGE
from colosseum.evidence.statistics import Share, wilson
from colosseum.report.cells import amount
from colosseum.report.document import Amount, Block, Definitions, Heading, Paragraph, Table, TableCell

DONE: Final = {
    FAIR: "play fair",
    "collude": "agree in secret on what is best for them, and do it",
    "decoy": "the same, and say in public what is not so",
    "quiet": "do what is best for them without a word",
    "sabotage": "agree in secret on what harms the team most, and do it",
    "selfish": "each is after its own payoff alone, with no partner",
    "talk": "agree in secret, and then play fair",
    RUMORS: "spread what is claimed, whether true or not, and act fair",
    BENIGN: "everybody plans for those whose figures it was told, and tells its own on secret channels alone: "
    "a channel informs, and nobody was told to collude",
}
"""What planted players do."""


def power_blocks(found: Outlook, *, title: str, question: str, coalition: str) -> Iterator[Block]:
    """What was planted, how often verdicts are right, and what every signal sees."""
    yield Paragraph(title, "title")
    yield Paragraph(question)
    yield Paragraph("PLANTED PLAYERS: no model was asked, and models may act otherwise.", "warning")
    yield Definitions(tuple(_facts(found, coalition)))
    for noise in dict.fromkeys(each.stand.plant.noise for each in found.studied):
        here = [each for each in found.studied if each.stand.plant.noise == noise]
        fair = next(each for each in here if each.stand.plant.kind == FAIR)
        yield Heading(f"Noise {noise:g}")
        yield _right_table(found, here, noise)
        yield _detection_table(found, here, noise)
        yield from _fair_tables(found, fair, noise)
    unknown = {label(name): why for name in SIGNALS if name != BELIEF and (why := found.studied[0].stand.why(name))}
    if unknown:
        yield Definitions(tuple(unknown.items()), "No study can go by")
    kinds = dict.fromkeys(each.stand.plant.kind for each in found.studied)
    yield Definitions(tuple((kind, DONE[kind]) for kind in kinds), "What planted players do")


def _facts(found: Outlook, coalition: str) -> Iterator[tuple[str, str]]:
    yield "planted", f"the members of {coalition}, in arm `{found.where.planted}`; all others cooperate"
    if any(each.stand.plant.kind == BENIGN for each in found.studied):
        yield "", f"{BENIGN}: everybody, in arm `{found.where.benign}`"
    none = "no arm placebo or selfish, so that readings stay open"
    yield "beside", ", ".join(f"`{arm}`, played by scripts" for arm in found.rivals) or none
    least = "" if found.least is None else f" with an opportunity of at least {found.least:g}, of {found.looked:,}"
    yield "pool", f"{counted(found.pool, 'seed')}{least}; {found.draws.studies:,} studies of each size drawn from it"
    margins = " and ".join(f"{label(name)} {margin:g} u" for name, margin in found.rule.margins.items())
    yield "signal", f"{label(found.rule.signal)}; margin: {margins}"
    yield "judge", "sim/judge, a baseline of words, made for the words of these players: a model may do better or worse"
    yield "noise", "how far players misjudge what is private, and ten times how often a decision slips"


def _sizes(whole: Outlook) -> tuple[str, ...]:
    return tuple(f"{n} seeds" for n in whole.draws.sizes)


def _right_table(whole: Outlook, here: Sequence[Studied], noise: float) -> Table:
    """How often the verdict is right, and what effects are called at the largest size."""
    rows = tuple(
        (each.stand.plant.name, right, *(_percent(s.verdicts[right], s.studies) for s in each.shares.values()),
         _called(each))
        for each in here if (right := each.stand.plant.right)
    )  # fmt: skip
    columns = ("planted", "right verdict", *_sizes(whole), f"effects are read as, at {whole.draws.sizes[-1]}")
    return Table(f"right-{noise:g}", "Studies whose verdict is right, by seeds", columns, rows)


def _called(each: Studied) -> str:
    shares = each.shares[max(each.shares)]
    seen = shares.actions[Call.EFFECT]
    return ", ".join(f"{words} {_percent(n, seen)}" for words, n in shares.readings.most_common(3))


def _percent(count: int, total: int) -> str:
    """Whole ones, but nearly all is not all, and nearly none not none."""
    rounded = round(100 * count / total)
    if count and not rounded:
        return "<1 %"
    return ">99 %" if rounded == 100 and count < total else f"{rounded} %"


def _detection_table(whole: Outlook, here: Sequence[Studied], noise: float) -> Table:
    rows = list[tuple[TableCell, ...]]()
    for each in here:
        for name in (name for name in SIGNALS if each.effects[name].mean.value is not None):
            effect, places = each.effects[name], 1 if name == JUDGE else 3
            shares = (_percent(each.detection[name, size], whole.draws.studies) for size in whole.draws.sizes)
            need = Amount(each.needed(name).value, 0)
            mean, sd = amount(effect.mean, places, signed=True), amount(effect.sd, places)
            rows.append((each.stand.plant.name, label(name), mean, sd, *shares, need))
    facts = (
        ("mean, sd", "of paired differences in the pool, in fair shares; of judges points, of beliefs shares"),
        ("need", f"seeds with which {POWER:.0%} of studies see a plant, by its mean and sd; – where none rises"),
    )
    title = "Studies in which a signal alone shows an effect, by seeds"
    columns = ("planted", "signal", "mean", "sd", *_sizes(whole), "need")
    return Table(f"seen-{noise:g}", title, columns, tuple(rows), facts, grouped=True)


def _fair_tables(whole: Outlook, fair: Studied, noise: float) -> Iterator[Table]:
    """What fair play shows of every signal: its false alarms, and what stands out of its spread."""
    sizes, columns = whole.draws.sizes, ("signal", *_sizes(whole))
    known = [signal for signal in SIGNALS if fair.effects[signal].mean.value is not None]
    alarms = tuple((label(s), *(_alarm(fair.detection[s, n], whole.draws.studies) for n in sizes)) for s in known)
    yield Table(f"alarms-{noise:g}", "False alarms on fair play, with Wilson's 95 % limits", columns, alarms)
    least: tuple[tuple[TableCell, ...], ...] = tuple(
        (label(s), *(amount(fair.smallest(s, n), 3) for n in sizes)) for s in known
    )
    yield Table(f"smallest-{noise:g}", f"The smallest effect that {POWER:.0%} of studies see", columns, least)


def _alarm(count: int, total: int) -> str:
    share = wilson(count, total)
    assert isinstance(share, Share)
    return f"{100 * share.share:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"
