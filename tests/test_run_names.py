"""Names of channels on the wire: neutral, equal for members and arms, telling nothing; the spec's names elsewhere."""

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asking import ENDPOINT, Log
from chat_server import Body, ChatServer, calls
from conftest import MATCH, SPECS, adjusted, checked, planned
from hypothesis import given
from hypothesis import strategies as st

from colosseum.diagnostics import Source
from colosseum.evidence.power.pool import play
from colosseum.language.layout import lay_out
from colosseum.model.check import check
from colosseum.model.experiment import Conditions
from colosseum.model.networks import wire_names
from colosseum.model.settings import Settings
from colosseum.run.judging.transcript import transcript
from colosseum.run.run import LiveRun
from colosseum.run.trace import TraceWriter
from colosseum.run.trial import Trial

LOADED = MATCH.replace("experiment e {", "experiment e { names loaded ")
NIGHT = MATCH.replace("backroom for cabal", 'backroom for cabal as "the night shift"')


def trial_of(spec: str | Path, arm: str = "prompted", **settings: object) -> Trial:
    """The trial of an arm under other settings."""
    return planned(spec, arms=[arm], adjust=adjusted(**settings))[1][0]


def wire(spec: str | Path, arm: str = "prompted", **settings: object) -> dict[str, str]:
    return trial_of(spec, arm, **settings).stage.wire


def test_a_channel_has_a_label_of_two_words_that_is_not_its_name() -> None:
    names = wire(MATCH)
    assert names["public"] == "public"
    first, _, second = names["backroom"].partition("-")
    assert first.isalpha()
    assert second.isalpha()
    assert "backroom" not in names.values()


def test_arms_of_one_seed_and_repeat_have_the_same_labels_and_others_have_others() -> None:
    spec = MATCH.replace("arm baseline { }", "repeats 2  arm baseline { backroom on }")
    found = {(t.arm, t.seed, t.stage.repeat): t.stage.wire["backroom"] for t in planned(spec, seeds=(1, 2))[1]}
    assert {found["baseline", s, r] == found["prompted", s, r] for s in (1, 2) for r in (1, 2)} == {True}
    assert len(set(found.values())) == 4


def test_a_channel_that_is_turned_on_changes_no_other_label() -> None:
    text = MATCH.replace("secret channel", "secret channel decoy for {A, B}\nchannel lobby for {A, C}\nsecret channel")
    text = text.replace("network complete", "network path").replace("on  pitch", "on  decoy on  pitch")
    before, after = wire(text, "baseline"), wire(text, "prompted")
    assert before.items() < after.items()
    assert set(after) == {"A_B", "B_C", "lobby", "decoy", "backroom"}
    assert not set(after) & set(after.values())
    apart = wire(text.replace("secret channel decoy for {A, B}\n", "").replace("decoy on ", ""))
    assert {name: after[name] for name in apart} == apart


JIRA = checked(SPECS / "jira.colo").expansion.scenario


@given(st.integers(0, 10**6), st.integers(1, 99))
def test_no_two_channels_have_one_name(seed: int, repeat: int) -> None:
    scenario = replace(JIRA, seed=seed)
    ring = replace(scenario, network=replace(scenario.network, kind="ring"))
    on = tuple((channel.name, True) for channel in ring.channels)
    names = wire_names(ring, Conditions(Settings(), channels=on), repeat)
    assert len(set(names.values())) == len(names) == 6 + len(on)


def test_names_may_be_given_on_purpose_or_be_those_of_the_spec() -> None:
    assert wire(NIGHT)["backroom"] == "the night shift"
    assert wire(MATCH, names="loaded") == {"public": "public", "backroom": "backroom"}
    assert wire(LOADED)["backroom"] == "backroom"
    assert wire(NIGHT, names="loaded")["backroom"] == "the night shift"
    both = NIGHT.replace("prompt pitch", 'secret channel decoy for {A, B} as "the night shift"\nprompt pitch')
    assert wire(both) == {"public": "public", "backroom": "the night shift"}
    two = wire(both.replace("on  pitch", "on  decoy on  pitch"))
    assert [two["backroom"], two["decoy"]] == ["the night shift", "the night shift 2"]


@pytest.mark.parametrize("name", ["public", "A_B", " aside", "a\\nb", "", "x" * 61])
def test_a_name_on_the_wire_is_one_that_can_be_told_from_others(tmp_path: Path, name: str) -> None:
    path = tmp_path / "spec.colo"
    path.write_text(NIGHT.replace("the night shift", name), encoding="utf-8")
    _, found = check(path)
    assert [each.code for each in found] == ["C042"]
    assert found[0].span is not None
    assert found[0].span.line == 9


@pytest.mark.parametrize("word", ["memory", "names", "protocol", "tools", "as"])
def test_new_words_of_experiments_stay_names_of_the_spec(word: str) -> None:
    text = MATCH.replace("set moves", f"param {word} = 1\nset moves").replace("reward agree", "reward agree_")
    text = text.replace("1 if move[a]", f"{word} if move[a]").replace("e { arm", f"e {{ {word} 2  arm")
    assert dict(planned(text)[1][0].stage.scenario.params)[word] == 2


@pytest.mark.parametrize("swept", ["none, notes, all", "all, none, notes", 'none, notes, "all"'])
def test_every_kind_of_memory_can_be_swept(swept: str) -> None:
    trials = planned(MATCH.replace("e { arm", f"e {{ sweep memory in {swept}  arm"))[1]
    assert {trial.stage.conditions.settings.memory for trial in trials} == {"none", "notes", "all"}


def test_all_stands_as_a_plain_word() -> None:
    text = MATCH.replace("e { arm", "e { memory all  arm")
    assert {trial.stage.conditions.settings.memory for trial in planned(text)[1]} == {"all"}
    assert "memory all" in (lay_out(Source("made.colo", text))[0] or "").replace("  ", " ")


# ---- what goes over the wire, and what is kept -------------------------------------------------------------------


def said(trial: Trial, script: Any) -> tuple[list[dict[str, Any]], list[Body]]:
    """The events of a run that a model plays alone, and what it was sent."""
    log = Log()
    with ChatServer(script) as server, tempfile.TemporaryDirectory() as folder:
        player = log.player(replace(ENDPOINT, api_base=server.url))
        trace = TraceWriter(Path(folder) / "trace.jsonl")
        team = dict.fromkeys(trial.stage.scenario.task.agents, player)
        asyncio.run(LiveRun(trial, team, trial.instance.rules, trace).play())
        trace.close()
        events = [json.loads(line) for line in trace.path.read_text(encoding="utf-8").splitlines()]
    return events, [request.body for request in server.requests]


def one_call_a_reply(body: Body) -> Any:
    """Posts once a planning turn, on the last of its channels, and makes one call in each reply."""
    tools = {tool["function"]["name"]: tool["function"]["parameters"]["properties"] for tool in body["tools"]}
    made = [c["function"]["name"] for m in body["messages"] for c in m.get("tool_calls") or []]
    if "decide" in tools:
        left = tools["decide"]["variable"]["enum"][len(made) :]
        domain = tools["decide"]["value"]["description"].split(f" {left[0]}: ")[1]
        return calls(("decide", {"variable": left[0], "value": json.JSONDecoder().raw_decode(domain)[0]}))
    channel = tools["post"]["channel"]["enum"][-1]
    return calls(("done", {})) if made else calls(("post", {"channel": channel, "text": f"On {channel} I lean to 3."}))


@pytest.mark.usefixtures("key")
def test_models_hear_the_name_on_the_wire_and_the_trace_has_the_spec_s() -> None:
    trial = trial_of(MATCH, rounds=1)
    aside = trial.stage.wire["backroom"]
    events, bodies = said(trial, one_call_a_reply)
    sent = json.dumps(bodies)
    assert "backroom" not in sent
    assert sent.count("This channel is private: only its members know that it exists.") > 0
    assert {e["channel"] for e in events if e["event"] == "post" and e["agent"] != "A"} == {"backroom"}
    listed = next(e["channels"] for e in events if e["event"] == "channels")
    assert [(c["name"], c["wire"]) for c in listed] == [("public", "public"), ("backroom", aside)]
    judged = transcript(events, trial.stage.scenario, trial.identity).told()
    assert aside not in judged
    assert "backroom" not in judged
    assert "Channel 1: Agent 1" in judged


def unlabelled(events: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """Events with the names of the spec for those on the wire, and without what says which of them holds."""
    text = json.dumps([e for e in events if e["event"] not in ("start", "channels")])
    for name, label in names.items():
        text = text.replace(json.dumps(label), json.dumps(name))
    return text


@pytest.mark.parametrize("arm", ["baseline", "prompted", "placebo"])
def test_scripted_players_play_the_same_under_any_names(arm: str) -> None:
    neutral, loaded = (trial_of(SPECS / "jira.colo", arm, names=names) for names in ("neutral", "loaded"))
    assert neutral.stage.run == loaded.stage.run
    assert unlabelled(play(neutral), neutral.stage.wire) == unlabelled(play(loaded), {})


# ---- how many calls, and how much is sent ------------------------------------------------------------------------

TEXTS = 1.1
"""What is sent may be so many times the texts themselves."""


@pytest.mark.usefixtures("key")
def test_six_agents_take_54_calls_and_are_sent_little_besides_their_texts() -> None:
    """Four rounds with one post a turn, one call a reply: 24 posts, 24 `done`, 6 decisions and no `done` after them."""
    trial = trial_of(SPECS / "jira.colo", "baseline", memory="none")
    events, bodies = said(trial, one_call_a_reply)
    assert [e["event"] for e in events].count("post") == 24
    assert [e["event"] for e in events].count("decide") == 6
    assert len(bodies) == 54
    texts = sum(_texts(body) for body in bodies)
    assert texts < sum(_sent(body) for body in bodies) <= TEXTS * texts


def _sent(body: Body) -> int:
    """Characters of all messages, with what was called in the running turn and what came of it."""
    made = [c["function"]["arguments"] for m in body["messages"] for c in m.get("tool_calls") or []]
    return sum(map(len, [*made, *(m.get("content") or "" for m in body["messages"])]))


def _texts(body: Body) -> int:
    """Characters of the system message with its briefing, and of the channels with their posts."""
    system, state = body["messages"][0]["content"], body["messages"][1]["content"]
    return len(system) + sum(len(part) for part in state.split("\n\n") if part.startswith("Channel "))


def test_no_arm_changes_the_name_of_another_channel_and_two_declared_alike_are_told_apart() -> None:
    text = MATCH.replace("backroom for cabal", 'backroom for cabal as "lounge"')
    text = text.replace("prompt pitch", 'channel side for {A, B} as "lounge"\nprompt pitch', 1)
    names = {arm: wire(text, arm) for arm in ("baseline", "prompted")}
    assert names["baseline"]["side"] == names["prompted"]["side"]
    assert sorted(name for name in names["prompted"].values() if "lounge" in name) == ["lounge", "lounge 2"]
