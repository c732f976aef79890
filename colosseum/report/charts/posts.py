"""Who posts when. In: mean posts a run by arm, round, side and kind of channel; out: lines over rounds, by arm."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from colosseum.report.charts.words import listed, quoted
from colosseum.report.document import LineChart, Spot

Side: TypeAlias = Literal["members", "outsiders"]
Kind: TypeAlias = tuple[Side, bool]
"""Who posts, and whether the channel is secret."""
Posts: TypeAlias = Mapping[str, Mapping[int, Mapping[Kind, float]]]
"""Mean posts a run, by arm, round and kind. A missing kind is 0."""
KINDS: Final[dict[Kind, str]] = {
    ("outsiders", False): "outsiders, in public", ("members", False): "members, in public",
    ("outsiders", True): "outsiders, in secret", ("members", True): "members, in secret",
}  # fmt: skip
MOST_ARMS: Final = 8


def posts_chart(posts: Posts) -> LineChart | str:
    """A panel for each arm, a line for each side and kind of channel with any post."""
    seen = sorted({number for arm in posts.values() for number in arm})
    used = [kind for kind in KINDS if any(found.get(kind) for arm in posts.values() for found in arm.values())]
    if not used:
        return "nobody posted"
    rounds = range(seen[0], seen[-1] + 1)
    panels = {
        arm: {KINDS[kind]: tuple(Spot(n, found.get(n, {}).get(kind, 0.0)) for n in rounds) for kind in used}
        for arm, found in list(posts.items())[:MOST_ARMS]
    }
    return LineChart(
        "posts",
        "Posts by round: who posts, and where",
        " ".join(_caption(posts)),
        across="round",
        up="posts a run",
        panels=panels,
        series=tuple(KINDS.values()),
    )


def _caption(posts: Posts) -> Iterator[str]:
    yield "Mean posts a run in each round."
    words = []
    for arm, found in posts.items():
        every = sum(number for kinds in found.values() for number in kinds.values())
        secret = sum(number for kinds in found.values() for (_, hidden), number in kinds.items() if hidden)
        words += [f"{100 * secret / every:.0f} % in {quoted(arm)}"] if secret else []
    yield f"Of all posts, in secret: {listed(words)}." if words else "Nobody posted in secret."
    if len(posts) > MOST_ARMS:
        yield f"The first {MOST_ARMS} of {len(posts)} arms are drawn."
