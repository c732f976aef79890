"""Rumors: who says them, who believes them, how they spread."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
from conftest import SPECS, adjusted, checked, endpoint, events, run
from hypothesis import given
from hypothesis import strategies as st

from colosseum.players.scripted import phrases
from colosseum.players.scripted.rumors import believed, voices
from colosseum.players.view import Post
from colosseum.run.trial import Trial, Trials, blocks

CLAIM = "ann is away"
KEYS = [f"key {n}" for n in range(2000)]


def said(*lines: tuple[str, str]) -> list[Post]:
    """(author, text), in order."""
    return [Post(n, 1, "public", author, text) for n, (author, text) in enumerate(lines, 1)]


LINES = [
    ("I know for sure: ann is away", "says"),
    ("I heard: ann is away", "says"),
    ("Well, Ann is AWAY, as you know.", "says"),
    ("It is not true: ann is away", "denies"),
    ("It is false that ann is away.", "denies"),
    ("ann is away\nIt is untrue: bob is away", "says"),
    ("susann is away", "neither"),
    ("ann is awaye", "neither"),
    ("ann is here", "neither"),
    ("", "neither"),
]


@pytest.mark.parametrize(("text", "does"), LINES)
def test_a_line_says_a_claim_or_denies_it(text: str, does: str) -> None:
    assert voices(CLAIM, said(("bob", text))) == (
        ["bob"] if does == "says" else [],
        ["bob"] if does == "denies" else [],
    )


def shares(posts: Sequence[Post]) -> dict[str, float]:
    """How many of many players hold the claim for what."""
    found = [believed(CLAIM, posts, key)[0] for key in KEYS]
    return {belief: found.count(belief) / len(found) for belief in ("true", "false", "unknown")}


SAY, DENY = "I heard: ann is away", "It is not true: ann is away"
CONVINCED = [
    ([], {"true": 0, "false": 0, "unknown": 1}),
    ([("b", SAY)], {"true": 1 / 2, "false": 0, "unknown": 1 / 2}),
    ([("b", SAY), ("b", SAY)], {"true": 1 / 2, "false": 0, "unknown": 1 / 2}),
    ([("b", SAY), ("c", SAY)], {"true": 3 / 4, "false": 0, "unknown": 1 / 4}),
    ([("b", SAY), ("c", DENY)], {"true": 1 / 4, "false": 1 / 4, "unknown": 1 / 2}),
    ([("b", SAY), ("c", SAY), ("a", DENY)], {"true": 1 / 2, "false": 1 / 8, "unknown": 3 / 8}),
]


@pytest.mark.parametrize(("lines", "expected"), CONVINCED)
def test_every_voice_convinces_half_of_all(lines: list[tuple[str, str]], expected: dict[str, float]) -> None:
    assert shares(said(*lines)) == pytest.approx(expected, abs=0.04)


def test_more_convincing_voices_make_surer() -> None:
    posts = said(*((name, SAY) for name in "bcde"))
    sure = {believed(CLAIM, posts[:n], key) for key in KEYS[:200] for n in range(5)}
    assert sure == {("unknown", 100.0), ("unknown", 50.0), ("true", 50.0), ("true", 75.0), ("true", 87.5),
                    ("true", 93.8)}  # fmt: skip


@given(authors=st.lists(st.sampled_from("bcdef"), max_size=6), more=st.sampled_from("bcdef"), key=st.sampled_from(KEYS))
def test_another_voice_for_it_convinces_nobody_of_the_opposite(authors: list[str], more: str, key: str) -> None:
    order = {"false": 0, "unknown": 1, "true": 2}
    before = believed(CLAIM, said(*((a, SAY) for a in authors)), key)
    after = believed(CLAIM, said(*((a, SAY) for a in [*authors, more])), key)
    assert order[after[0]] >= order[before[0]]


def test_another_claim_changes_no_belief() -> None:
    posts = said(("b", SAY), ("c", "I heard: bob is away"))
    assert believed(CLAIM, posts, "key 1") == believed(CLAIM, posts[:1], "key 1")
    assert believed(CLAIM, posts[1:], "key 1") == ("unknown", 100.0)


def test_an_empty_claim_is_none() -> None:
    assert list(phrases.claims("I heard: \nI know for sure: \nI heard: ann is away")) == [CLAIM]


# ---- in runs -------------------------------------------------------------------------------------------------


def rumored(folder: Path, point: str, arm: str, seeds: range, player: str = "sim") -> list[Trial]:
    """Runs of the shipped study of misinformation at one point."""
    found = checked(SPECS / "meetings.colo")
    whole = found.designs["misinformation"]
    cells = tuple(cell for cell in whole.cells if cell.point == point and cell.name == arm)
    trials = Trials(found.spec, found.params, adjusted(model=(("agents", player),)), endpoint)
    todo = [trial for block in blocks(replace(whole, seeds=tuple(seeds), cells=cells)) for trial in trials.of(block)]
    assert run(folder, todo)["failed"] == 0
    return todo


def believers(folder: Path, trial: Trial) -> float:
    """The share of others, the victims apart, who hold a rumor for true."""
    members = trial.stage.scenario.coalitions[0].members
    lines = events(folder, trial)
    made_up = {e["text"].removeprefix(phrases.KNOW) for e in lines if e["event"] == "post"
               and e["text"].startswith(phrases.KNOW)}  # fmt: skip
    names = {c.name: c.text for c in trial.stage.scenario.claims}
    asked = [e for e in lines if e["event"] == "belief" and names[e["claim"]] in made_up
             and e["agent"] not in members and e["agent"] not in names[e["claim"]]]  # fmt: skip
    return fmean(e["belief"] == "true" for e in asked)


def test_a_rumor_is_told_denied_repeated_and_believed_by_some(tmp_path: Path) -> None:
    todo = rumored(tmp_path, "adversaries=2, network=ring", "targeted", range(1, 5))
    spoken = [e["text"] for t in todo for e in events(tmp_path, t) if e["event"] == "post"]
    for opening in (phrases.KNOW, phrases.HEARD, phrases.DENY):
        assert any(text.startswith(opening) for text in spoken), opening
    assert 0.1 < fmean(believers(tmp_path, trial) for trial in todo) < 0.9


def test_nothing_is_believed_where_nothing_is_told(tmp_path: Path) -> None:
    todo = rumored(tmp_path, "adversaries=2, network=ring", "baseline", range(1, 4))
    answers = {(e["belief"], e["confidence"]) for t in todo for e in events(tmp_path, t) if e["event"] == "belief"}
    assert answers == {("unknown", 100.0)}


def test_three_who_tell_the_same_are_believed_more_than_one(tmp_path: Path) -> None:
    shares = {}
    for number in (1, 3):
        point, folder = f"adversaries={number}, network=complete", tmp_path / str(number)
        shares[number] = fmean(believers(folder, t) for t in rumored(folder, point, "targeted", range(1, 7)))
    assert shares[3] > shares[1] + 0.1


def test_adversaries_and_victims_hold_the_rumor_for_false(tmp_path: Path) -> None:
    for trial in rumored(tmp_path, "adversaries=2, network=complete", "mass", range(1, 3)):
        lines = events(tmp_path, trial)
        told = {e["agent"]: e["text"].removeprefix(phrases.KNOW) for e in lines
                if e["event"] == "post" and e["text"].startswith(phrases.KNOW)}  # fmt: skip
        assert sorted(told) == sorted(trial.stage.scenario.coalitions[0].members)
        names = {c.name: c.text for c in trial.stage.scenario.claims}
        held = {(e["agent"], names[e["claim"]]): e["belief"] for e in lines if e["event"] == "belief"}
        for agent, rumor in told.items():
            assert held[agent, rumor] == "false"
            assert held[rumor.partition(" ")[0], rumor] == "false"


def test_nobody_acts_on_a_rumor(tmp_path: Path) -> None:
    """Decisions are those of a team that heard none: the same throw of the dice, with members who cooperate."""
    decided = []
    for player in ("sim", "sim/cooperate"):
        todo = rumored(tmp_path / player, "adversaries=2, network=complete", "targeted", range(1, 3), player)
        decided.append([[(e["agent"], e["value"]) for t in todo for e in events(tmp_path / player, t)
                         if e["event"] == "decide"]])  # fmt: skip
    assert decided[0] == decided[1]
