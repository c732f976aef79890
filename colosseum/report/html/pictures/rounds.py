"""Who posts when. In: mean posts a run by arm, round, side and kind of channel; out: a picture of stacked bars."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from colosseum.report.html.pictures.picture import Picture, Table, draw
from colosseum.report.html.pictures.scale import Scale, round_step, tick_words
from colosseum.report.html.pictures.shapes import Path, Rule, Shape, Text
from colosseum.report.html.pictures.words import listed, name_at, quoted, signed

Side: TypeAlias = Literal["members", "outsiders"]
Kind: TypeAlias = tuple[Side, bool]
"""Who posts, and whether the channel is secret."""
Posts: TypeAlias = Mapping[str, Mapping[int, Mapping[Kind, float]]]
"""Mean posts a run, by arm, round, and kind; one that is absent is 0."""
SIDES: Final[tuple[Side, ...]] = ("members", "outsiders")
MOST_ARMS: Final = 10
MOST_ROUNDS: Final = 60
LEFT, RIGHT, TOP = 44.0, 472.0, 52.0
HIGH, LOW, REST = 92.0, 56.0, 60.0
"""Of a panel where there are few and where there are many, and of what is above and below it."""
MOST_HIGH: Final = 3


def rounds_picture(posts: Posts) -> Picture | str:
    """Arms one below the other, on one scale: members' bars left, outsiders' right, secret posts hatched on top.

    A str is why there is none.
    """
    shown = dict(list(posts.items())[:MOST_ARMS])
    seen = [number for arm in shown.values() for number in arm]
    rounds = range(min(seen, default=0), max(seen, default=0) + 1)[:MOST_ROUNDS]
    most = max((_sum(kinds, side) for arm in shown.values() for kinds in arm.values() for side in SIDES), default=0.0)
    if most <= 0:
        return "nobody posted"
    step = round_step(most / 3)
    top = step * -(-most // step)
    shapes = list(_key())
    high = HIGH if len(shown) <= MOST_HIGH else LOW
    for place, (arm, by_round) in enumerate(shown.items()):
        y = TOP + place * (high + REST)
        up = Scale(0.0, top, y + 30 + high, y + 30)
        shapes.append(Text(LEFT - 6, up(0) + 16, "round", "soft", "end"))
        shapes += [name_at(4, y + 14, arm, RIGHT, role="strong"), *_panel(by_round, rounds, up, step)]
    return draw(
        "rounds", "Posts by round: who posts, and where", _caption(posts, shown, rounds),
        height=TOP + len(shown) * (high + REST) + 4, shapes=shapes, table=_table(posts), hatched=True,
    )  # fmt: skip


def _sum(kinds: Mapping[Kind, float], side: Side) -> float:
    return kinds.get((side, False), 0.0) + kinds.get((side, True), 0.0)


def _key() -> Iterator[Shape]:
    for column, side in enumerate(SIDES):
        for line, secret in enumerate((False, True)):
            x, y = 4 + 170 * column, 4 + 20 * line
            yield _bar(x, y, x + 12, y + 12, side, secret=secret, title="")
            yield Text(x + 18, y + 10, f"{side}, {'in secret' if secret else 'in public'}", "soft")


def _bar(left: float, top: float, right: float, bottom: float, side: Side, *, secret: bool, title: str) -> Path:
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    role = f"edge-{side}" if secret else side
    return Path(corners, role, closed=True, title=title, hatch=side if secret else "")


def _panel(
    by_round: Mapping[int, Mapping[Kind, float]], rounds: Sequence[int], up: Scale, step: float
) -> Iterator[Shape]:
    ticks = [place * step for place in range(round(up.high / step) + 1)]
    for tick, word in zip(ticks, tick_words(ticks), strict=True):
        yield Rule(LEFT, up(tick), RIGHT, up(tick), "grid" if tick else "zero")
        yield Text(LEFT - 6, up(tick) + 4, word, "soft", "end")
    wide = (RIGHT - LEFT) / len(rounds)
    each = max(1, -(-20 // int(max(1, wide))))
    bar = min(26.0, wide * 0.36)
    for place, number in enumerate(rounds):
        middle = LEFT + (place + 0.5) * wide
        if place % each == 0:
            yield Text(middle, up(0) + 16, str(number), "soft", "middle")
        for side, left in zip(SIDES, (middle - bar - 1, middle + 1), strict=True):
            yield from _stack(by_round.get(number, {}), side, left, left + bar, up, number)


def _stack(
    kinds: Mapping[Kind, float], side: Side, left: float, right: float, up: Scale, number: int
) -> Iterator[Shape]:
    base = 0.0
    for secret in (False, True):
        value = kinds.get((side, secret), 0.0)
        if value > 0:
            where = "secret" if secret else "public"
            title = f"round {number}, {side}, {where}: {signed(value, 2)} posts a run"
            yield _bar(left, up(base + value), right, up(base), side, secret=secret, title=title)
            base += value


def _caption(posts: Posts, shown: Posts, rounds: Sequence[int]) -> str:
    parts = ["Mean posts a run in each round; secret ones are hatched."]
    secret = {arm: sum(v for kinds in found.values() for (_, hidden), v in kinds.items() if hidden)
              for arm, found in shown.items()}  # fmt: skip
    every = {arm: sum(v for kinds in found.values() for v in kinds.values()) for arm, found in shown.items()}
    words = [f"{100 * secret[a] / every[a]:.0f} % in {quoted(a)}" for a in shown if secret[a]]
    parts.append(f"Of all posts, in secret: {listed(words)}." if words else "Nobody posted in secret.")
    if len(shown) < len(posts):
        parts.append(f"The first {len(shown)} of {len(posts)} arms are drawn; the table has all.")
    last = max(number for arm in shown.values() for number in arm)
    if rounds[-1] < last:
        parts.append(f"Rounds up to {rounds[-1]} are drawn; the table has all, up to {last}.")
    return " ".join(parts)


def _table(posts: Posts) -> Table:
    rows = [
        (arm, number, side, "secret" if secret else "public", kinds.get((side, secret), 0.0))
        for arm, found in posts.items()
        for number, kinds in sorted(found.items())
        for side in SIDES
        for secret in (False, True)
    ]
    return Table(("arm", "round", "side", "channel", "posts a run"), tuple(rows))
