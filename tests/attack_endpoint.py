"""Attacks on campaigns by `colosseum chaos` and kills. In: how many; out: what was injected, and what came of it.

    python tests/attack_endpoint.py --faults 10000 --kills 200 --seed 1
    python tests/attack_endpoint.py --minutes 4 --kills 15 --runs 40

Campaigns run through the proxy, are killed and begun again until all is complete. Their figures must be equal to those
of campaigns without faults, and every answer on file or accounted for.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chat_process import ChaosProcess, ChatProcess
from test_campaign_faults import FAULTS, DisturbedCampaign, check_paid, check_whole
from warm_process import Command

KILLS = 10
"""At most, of one campaign."""
MOST_STARTS = 40
"""Of one campaign, after its last kill."""


@dataclass
class Count:
    """What was done so far, and what came of it."""

    injected: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    """Of the faults, those for which the endpoint was asked, too."""
    campaigns: int = 0
    kills: int = 0
    starts: int = 0
    equal: int = 0
    """Campaigns whose figures are those without faults."""
    attempts: Counter[str] = field(default_factory=Counter)
    """Lines on file, by what became of the call."""


def attacked(place: Path, fair: dict[str, Any], runs: int, kills: int, seed: int, count: Count) -> None:
    """One campaign to its end."""
    draw, before = random.Random(seed), count.kills
    with ChatProcess() as server, ChaosProcess(server.url, FAULTS, place / "log", seed=seed) as chaos:
        campaign = DisturbedCampaign(place, chaos.url, runs, ("--retry-failed",))
        for _ in range(kills):
            process, until = campaign.start(), server.requests + draw.randint(1, 40)
            while server.requests < until and process.poll() is None:
                time.sleep(0.02)
            if process.poll() is None:  # it may have ended by itself, at its first question
                count.kills += 1
                process.kill()
            check_words(process)
        found: dict[str, Any] | None = None
        for _ in range(MOST_STARTS):  # what was redirected failed, and a start may fail at its first question
            count.starts += 1
            process = campaign.start()
            check_words(process)
            if process.returncode == 0:
                found = campaign.run()
                break
        check_whole(campaign)
        check_paid(server, campaign, killed=count.kills - before, chaos=chaos)
        count.campaigns += 1
        count.equal += found == fair
        count.injected += Counter(line["kind"] for line in chaos.injected)
        count.asked += Counter(line["kind"] for line in chaos.injected if line["asked"])
        count.attempts += Counter(line["kind"] for _, line in campaign.lines())


def check_words(process: Command) -> None:
    """It ends, by itself or killed, without a traceback."""
    _, words = process.communicate()
    assert "Traceback" not in words, words


def table(count: Count, runs: int) -> str:
    """The count in words."""
    rows = [f"{'fault':20}{'injected':>10}{'endpoint asked':>16}"]
    rows += [f"{kind:20}{number:10,}{count.asked[kind]:16,}" for kind, number in sorted(count.injected.items())]
    rows.append(f"{'all':20}{count.injected.total():10,}{count.asked.total():16,}")
    rows.append(f"attempts on file: {', '.join(f'{kind} {n:,}' for kind, n in count.attempts.most_common())}")
    rows.append(f"{count.kills} kills; {count.starts} starts after the last kills")
    campaigns = f"{count.equal} of {count.campaigns} campaigns of {runs} runs"
    rows.append(f"{campaigns} end in equal figures, whole and paid once")
    return "\n".join(rows)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--faults", type=int, default=10_000)
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--runs", type=int, default=200, help="of one campaign")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--minutes", type=float, default=float("inf"), help="begin no further campaign after these")
    given = options.parse_args()
    count, end = Count(), time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        with ChatProcess() as server:
            fair = DisturbedCampaign(place / "fair", server.url, given.runs).run()
        while time.monotonic() < end and (count.injected.total() < given.faults or count.kills < given.kills):
            kills = min(KILLS, given.kills - count.kills)
            folder = place / str(count.campaigns)
            folder.mkdir()
            attacked(folder, fair, given.runs, kills, given.seed + count.campaigns, count)
    print(table(count, given.runs))  # noqa: T201
    if count.equal < count.campaigns:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
