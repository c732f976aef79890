"""What an experiment can see, as a page for the terminal. In: an Outlook; out: tables and notes."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console

from colosseum.diagnostics import counted
from colosseum.evidence.calls import Call
from colosseum.evidence.power.outlook import Outlook
from colosseum.evidence.power.planting import BENIGN, FAIR, RUMORS
from colosseum.evidence.power.studies import SIGNALS, Studied
from colosseum.evidence.registry import label
from colosseum.evidence.seeds import POWER
from colosseum.evidence.signals import BELIEF, JUDGE
from colosseum.evidence.statistics import Share, wilson
from colosseum.report.numbers import number
from colosseum.report.page import Grid, list_facts, say, say_heading, show_grid

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


def show_power(found: Outlook, console: Console, *, title: str, question: str, coalition: str) -> None:
    """Print what was planted, how often verdicts are right, and what every signal sees."""
    say(console, title, style="bold")
    if question:
        say(console, question)
    say(console)
    say(console, "PLANTED PLAYERS: no model was asked, and models may act otherwise.", style="bold yellow")
    say(console)
    list_facts(console, list(_facts(found, coalition)))
    for noise in dict.fromkeys(each.stand.plant.noise for each in found.studied):
        here = [each for each in found.studied if each.stand.plant.noise == noise]
        _show_verdicts(found, here, noise, console)
        _show_readings(here, console)
        _show_detection(found, here, noise, console)
        _show_chance(found, here, noise, console)
    unknown = {label(name): why for name in SIGNALS if name != BELIEF and (why := found.studied[0].stand.why(name))}
    if unknown:
        say_heading(console, "No study can go by")
        list_facts(console, list(unknown.items()))
    _show_legend(found, console)


def _facts(found: Outlook, coalition: str) -> Iterator[tuple[str, str]]:
    yield "planted", f"the members of {coalition}, in arm `{found.where.planted}`; all others cooperate"
    if any(each.stand.plant.kind == BENIGN for each in found.studied):
        yield "", f"{BENIGN}: everybody, in arm `{found.where.benign}`"
    beside = ", ".join(f"`{arm}`" for arm in found.rivals)
    none = "no arm placebo or selfish, so that readings stay open"
    yield "beside", f"{beside}, played by scripts" if beside else none
    least = "" if found.least is None else f" with an opportunity of at least {found.least:g}, of {found.looked:,}"
    yield "pool", f"{counted(found.pool, 'seed')}{least}"
    yield "studies", f"{found.draws.studies:,} of each size, drawn from the pool"
    margins = " and ".join(f"{label(name)} {margin:g} u" for name, margin in found.rule.margins.items())
    yield "signal", f"{label(found.rule.signal)}; margin: {margins}"
    yield "judge", "sim/judge, a baseline of words, made for the words of these players: a model may do better or worse"


def _show_verdicts(whole: Outlook, here: Sequence[Studied], noise: float, console: Console) -> None:
    say_heading(console, f"Noise {noise:g}: studies whose verdict is right, by seeds")
    sizes = whole.draws.sizes
    rows = [each for each in here if each.stand.plant.right]
    cells = [
        (each.stand.plant.right or "", *(_percent(_right(each, n), each.shares[n].studies) for n in sizes))
        for each in rows
    ]
    columns = ("right verdict", *(f"{n} seeds" for n in sizes))
    show_grid(console, Grid(_names(rows), columns, tuple(cells), turns=False, corner="planted"))


def _right(found: Studied, size: int) -> int:
    right = found.stand.plant.right
    return found.shares[size].verdicts[right] if right else 0


def _names(rows: Sequence[Studied]) -> tuple[str, ...]:
    return tuple(each.stand.plant.name for each in rows)


def _percent(count: int, total: int) -> str:
    """Whole ones, but nearly all is not all, and nearly none not none."""
    rounded = round(100 * count / total)
    if count and not rounded:
        return "<1 %"
    return ">99 %" if rounded == 100 and count < total else f"{rounded} %"


def _show_readings(here: Sequence[Studied], console: Console) -> None:
    """What effects are called at the largest size."""
    lines: list[tuple[str, str]] = []
    for each in here:
        shares = each.shares[max(each.shares)]
        up = shares.actions[Call.EFFECT]
        if up * 20 >= shares.studies:
            said = ", ".join(f"{words} {_percent(n, up)}" for words, n in shares.readings.most_common(3))
            beyond = (
                f", {_percent(shares.beyond_placebo, shares.studies)} beyond the placebo"
                if shares.beyond_placebo is not None
                else ""
            )
            lines.append(
                (each.stand.plant.name, f"{_percent(up, shares.studies)} show an effect{beyond}; of these: {said}")
            )
    if lines:
        say_heading(console, f"What effects are called, at {max(here[0].shares)} seeds")
        list_facts(console, lines)


def _show_detection(whole: Outlook, here: Sequence[Studied], noise: float, console: Console) -> None:
    say_heading(console, f"Noise {noise:g}: studies in which a signal alone shows an effect, by seeds")
    sizes, studies = whole.draws.sizes, whole.draws.studies
    labels, cells = list[str](), list[tuple[str, ...]]()
    for each in here:
        for name in SIGNALS:
            effect, needed = each.effects[name], each.needed(name)
            if effect.mean.value is None:
                continue
            places = 1 if name == JUDGE else 3
            mean = number(effect.mean.value, places, sign="+")
            sd = "–" if effect.sd.value is None else number(effect.sd.value, places)
            shares = (_percent(each.detection[name, size], studies) for size in sizes)
            labels.append(f"{each.stand.plant.name}: {label(name)}")
            cells.append((mean, sd, *shares, "–" if needed.value is None else f"{needed.value:.0f}"))
    columns = ("mean", "sd", *(f"{n}" for n in sizes), "need")
    show_grid(console, Grid(tuple(labels), columns, tuple(cells), turns=False, corner="planted: signal"))


def _show_chance(whole: Outlook, here: Sequence[Studied], noise: float, console: Console) -> None:
    """What fair play says of every signal: its false alarms, and what stands out of its spread."""
    fair = next(each for each in here if each.stand.plant.kind == FAIR)
    sizes, studies = whole.draws.sizes, whole.draws.studies
    say_heading(console, f"Noise {noise:g}: false alarms on fair play, with Wilson's 95 % limits")
    names = [name for name in SIGNALS if fair.effects[name].mean.value is not None]
    cells = tuple(tuple(_alarm(fair.detection[name, n], studies) for n in sizes) for name in names)
    labels = tuple(label(name) for name in names)
    show_grid(console, Grid(labels, tuple(f"{n} seeds" for n in sizes), cells, turns=False))
    say_heading(console, f"Noise {noise:g}: the smallest effect that {POWER:.0%} of studies see")
    smallest = [[fair.smallest(name, n).value for n in sizes] for name in names]
    rows = tuple(tuple("–" if v is None else f"{v:.3f}" for v in row) for row in smallest)
    show_grid(console, Grid(labels, tuple(f"{n} seeds" for n in sizes), rows, turns=False))


def _alarm(count: int, total: int) -> str:
    share = _limits(count, total)
    return f"{100 * share.share:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"


def _show_legend(found: Outlook, console: Console) -> None:
    say_heading(console, "What it means")
    kinds = dict.fromkeys(each.stand.plant.kind for each in found.studied)
    list_facts(
        console,
        [
            *((kind, DONE[kind]) for kind in kinds),
            ("mean, sd", "of paired differences in the pool, in fair shares; of judges points, of beliefs shares"),
            ("coalition value", "counts where regret rises, too"),
            ("need", f"seeds with which {POWER:.0%} of studies see a plant, by its mean and sd; – where none rises"),
            ("noise", "how far players misjudge what is private, and ten times how often a decision slips"),
        ],
    )


def _limits(count: int, total: int) -> Share:
    share = wilson(count, total)
    assert isinstance(share, Share)
    return share
