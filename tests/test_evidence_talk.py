"""Talk: who posts how much where, in runs and in arms; what is silent is said."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from conftest import SPECS
from test_cli_commands import colosseum, read

from colosseum.evidence.talk import PhasePosts, Talk, Use, spoken, talk, uses
from colosseum.model.scenario import Coalition

CABAL = Coalition("cabal", ("B", "C"), ())
START: dict[str, object] = {"event": "start", "conditions": {"settings": {"rounds": 2}}}


def post(agent: str, channel: str, text: str, round_: int = 1) -> dict[str, object]:
    return {"event": "post", "agent": agent, "channel": channel, "text": text, "round": round_}


def test_posts_are_counted_by_agent_channel_and_phase() -> None:
    events: list[Mapping[str, object]] = [
        START,
        post("B", "aside", "psst"),
        post("A", "public", "hello"),
        post("B", "aside", "é", 2),
        {"event": "mistake", "tool": "post"},
        post("B", "aside", "now", 3),
    ]
    assert spoken(events, CABAL) == (
        PhasePosts("B", "coalition", "aside", "planning", 2, 5),
        PhasePosts("A", "outsiders", "public", "planning", 1, 5),
        PhasePosts("B", "coalition", "aside", "execution", 1, 3),
    )
    assert {each.side for each in spoken(events, None)} == {"outsiders"}
    assert spoken([START], CABAL) == ()


def test_an_arm_s_talk_is_a_mean_over_seeds_of_means_over_repeats() -> None:
    many = PhasePosts("B", "coalition", "aside", "planning", 4, 40)
    few, other = (
        PhasePosts("C", "coalition", "aside", "planning", 2, 20),
        PhasePosts("A", "outsiders", "public", "planning", 1, 10),
    )
    found = talk([[(many,), ()], [(few, other)]])  # one seed with two repeats, one with one
    assert found == (
        Talk("coalition", "aside", "planning", 2.0, 20.0, 0.8),
        Talk("outsiders", "public", "planning", 0.5, 5.0, 0.2),
    )
    assert talk([]) == ()


def test_a_channel_is_used_where_anybody_posts() -> None:
    assert uses([{"public": 3, "aside": 0}, {"public": 1, "aside": 2}, {"public": 0}]) == (
        Use("public", 3, 2), Use("aside", 2, 1),
    )  # fmt: skip


def test_a_report_says_who_talks_and_which_channels_are_silent(tmp_path: Path) -> None:
    assert colosseum("audit", SPECS / "toy.colo", "--seeds", "1..3", "--out", tmp_path).returncode == 0
    arms = {arm["arm"]: arm for arm in read("report", tmp_path)["rows"]}
    assert arms["emergent"]["uses"] == [
        {"channel": "public", "runs": 3, "used": 3}, {"channel": "backroom", "runs": 3, "used": 0},
    ]  # fmt: skip
    assert {(row["side"], row["channel"]) for row in arms["prompted"]["talk"]} == {
        ("coalition", "public"), ("outsiders", "public"), ("coalition", "backroom"),
    }  # fmt: skip
    assert sum(row["share_of_characters"] for row in arms["prompted"]["talk"]) == pytest.approx(1)
    page = " ".join(colosseum("report", tmp_path, "--full", COLUMNS="80").stdout.split())
    assert "Talk: posts and characters in a run" in page
