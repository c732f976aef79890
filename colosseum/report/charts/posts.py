"""Who posts when. In: posts by arm, round, side and kind of channel; out: a plot of lines over rounds, by arm."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from colosseum.report.document import Plot, Spot

Side: TypeAlias = Literal["members", "outsiders"]
Kind: TypeAlias = tuple[Side, bool]
"""Who posts, and whether the channel is secret."""
Posts: TypeAlias = Mapping[tuple[str, int, Kind], int]
"""How many there are of each arm, round and kind. A missing one is 0."""
KINDS: Final[dict[Kind, str]] = {
    ("outsiders", False): "outsiders, in public", ("members", False): "members, in public",
    ("outsiders", True): "outsiders, in secret", ("members", True): "members, in secret",
}  # fmt: skip


def posts_chart(posts: Posts, runs: Mapping[str, int]) -> Plot | str:
    """A panel for each arm, a line for each side and kind of channel with any post; `runs` says how many an arm has."""
    used = [kind for kind in KINDS if any(found == kind for _, _, found in posts)]
    rounds = sorted({number for _, number, _ in posts})
    if not used:
        return "nobody posted"

    def spot(arm: str, number: int, kind: Kind) -> Spot:
        mean = posts.get((arm, number, kind), 0) / runs[arm]
        return Spot(number, mean, title=f"{KINDS[kind]}, round {number}: {mean:.3g}")

    return Plot(
        "posts",
        "Posts by round: who posts, and where",
        "Mean posts a run in each round.",
        across="round",
        up="posts a run",
        panels={
            arm: {KINDS[kind]: tuple(spot(arm, n, kind) for n in range(rounds[0], rounds[-1] + 1)) for kind in used}
            for arm in runs
        },
        joined=True,
        guides=(("up", 0.0, ""),),
        series=tuple(KINDS.values()),
    )
