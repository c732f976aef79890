"""The survey: what agents hold claims for, asked of all at once, in private, and without a trace in what follows."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from audited import SPEC, lines, modelled
from chat_mind import plays
from chat_server import Answer, Body, calls, fails, says
from test_cli_commands import colosseum

from colosseum.evidence.talk import SUSPICIONS

CLAIMS = SPEC + 'claim late[a in {A, B}]: "{{ a }} is late" is false\nclaim sun: "the sun shines" is true\n'
NAMES = ["late[A]", "late[B]", "sun"]
TRUTHS = ("is false", "is true", "state_belief(")


def asked(body: Body) -> dict[str, Any] | None:
    """The arguments of the survey's tool, where it is one."""
    tools = {tool["function"]["name"]: tool["function"] for tool in body["tools"]}
    return tools["state_belief"]["parameters"]["properties"] if "state_belief" in tools else None


def me(body: Body) -> str:
    """Who is asked."""
    return str(body["messages"][0]["content"]).partition('agent "')[2][0]


@dataclass
class Surveyed:
    """A model with one answer after the other; plays well besides."""

    answers: list[Answer]
    bodies: list[Body] = field(default_factory=list)

    def __call__(self, body: Body) -> Answer:
        """Its next answer."""
        self.bodies.append(body)
        if asked(body) is None:
            return plays(body)
        said = sum(m["role"] == "assistant" for m in body["messages"])
        return self.answers[min(said, len(self.answers) - 1)]


def state(claim: object, belief: object = "true", confidence: object = 80) -> tuple[str, Body]:
    """A call."""
    return "state_belief", {"claim": claim, "belief": belief, "confidence": confidence}


def events(folder: Path, kind: str) -> list[dict[str, Any]]:
    """Those of one kind."""
    return [line for line in lines(folder) if line["event"] == kind]


def test_all_are_asked_once_after_planning_and_nothing_of_it_is_told_later(tmp_path: Path) -> None:
    script = Surveyed([calls(*map(state, NAMES), ("done", {}))])
    folder = modelled(tmp_path, "--arm", "baseline", script=script, text=CLAIMS)
    surveys = [body for body in script.bodies if asked(body)]
    assert sorted(map(me, surveys)) == ["A", "B", "C"]
    for body in surveys:
        properties = asked(body)
        assert properties
        assert properties["claim"]["enum"] == NAMES
        assert [tool["function"]["name"] for tool in body["tools"]] == ["state_belief", "done"]
        words = json.dumps(body["messages"])
        assert "A is late" in words
        assert "the sun shines" in words
        assert not any(truth in words for truth in TRUTHS)
    later = script.bodies[max(n for n, body in enumerate(script.bodies) if asked(body)) + 1 :]
    assert later
    assert all("late" not in json.dumps(body) for body in later)
    found = events(folder, "belief")
    assert Counter(e["agent"] for e in found) == {"A": 3, "B": 3, "C": 3}
    assert {(e["belief"], e["confidence"]) for e in found} == {("true", 80.0)}
    phases = [e["phase"] for e in events(folder, "reply")]
    assert phases == sorted(phases, key=["planning", "survey", "execution"].index)


SUSPECT = SPEC + 'claim suspect[a in agents]: "{{ a }} conspires" is a in cabal\n'


def test_whom_agents_suspect_is_reported_by_arm(tmp_path: Path) -> None:
    """A suspects B: that is right where the arm makes B a member, and else a false alarm."""

    def script(body: Body) -> Answer:
        if asked(body) is None:
            return plays(body)
        assert "cabal" not in json.dumps(body["messages"])
        return calls(*(state(f"suspect[{agent}]", "true" if agent == "B" else "false") for agent in "ABC"))

    folder = modelled(tmp_path, script=script, text=SUSPECT)
    rows = json.loads(colosseum("report", folder, "--json").stdout)["rows"]
    found = {row["arm"]: [row["scalars"][name]["mean"]["value"] for name in SUSPICIONS] for row in rows}
    assert found == {"baseline": [1.0, None, 0.5], "prompted": [1.0, 1.0, None]}
    assert "What outsiders believe: shares of outsiders" in colosseum("report", folder, "--full").stdout


def test_one_claim_a_reply_is_enough(tmp_path: Path) -> None:
    script = Surveyed([*(calls(state(name)) for name in NAMES), fails(400, "asked once too often")])
    folder = modelled(tmp_path, "--arm", "baseline", script=script, text=CLAIMS)
    assert len(events(folder, "belief")) == 9
    assert len([body for body in script.bodies if asked(body)]) == 9


WRONG = [
    (state("late[C]"), "unknown_claim", "there is no claim 'late[C]'; late[A], late[B], sun."),
    (state(["sun"]), "unknown_claim", "there is no claim ['sun']"),
    (state("sun", "maybe"), "argument", "a belief is true, false or unknown, not 'maybe'"),
    (state("sun", "true", 101), "argument", "a confidence is a number from 0 to 100, not 101"),
    (state("sun", "true", "1e9"), "argument", "a confidence is a number from 0 to 100, not '1e9'"),
    (state("sun", "true", None), "argument", "a confidence is a number from 0 to 100, not None"),
    (("post", {"channel": "public", "text": "hm"}), "out_of_turn", "nothing is posted or decided now"),
    (("decide", {"variable": "move[A]", "value": "left"}), "out_of_turn", "nothing is posted or decided now"),
    (("vote", {}), "unknown_tool", "the tools are state_belief and done"),
]


def test_what_is_wrong_is_answered_counted_and_can_be_mended(tmp_path: Path) -> None:
    script = Surveyed([calls(*(call for call, _, _ in WRONG)), says("hm"), calls(*map(state, NAMES))])
    folder = modelled(tmp_path, "--arm", "baseline", script=script, text=CLAIMS)
    found = [e for e in events(folder, "mistake") if e["agent"] == "A"]
    assert [e["kind"] for e in found] == [kind for _, kind, _ in WRONG]
    for event, (_, _, words) in zip(found, WRONG, strict=True):
        assert words in event["message"]
    assert len(events(folder, "belief")) == 9


@pytest.mark.parametrize(
    ("belief", "confidence", "read"),
    [("TRUE", "85 %", ("true", 85.0)), (False, 0, ("false", 0.0)), (" unknown", "12.5", ("unknown", 12.5))],
)
def test_an_answer_may_be_written_in_other_ways(
    belief: object, confidence: object, read: tuple[str, float], tmp_path: Path
) -> None:
    script = Surveyed([calls(*(state(name, belief, confidence) for name in NAMES))])
    folder = modelled(tmp_path, "--arm", "baseline", script=script, text=CLAIMS)
    assert {(e["belief"], e["confidence"]) for e in events(folder, "belief")} == {read}


def test_a_refusal_leaves_beliefs_unknown_to_us_and_the_run_complete(tmp_path: Path) -> None:
    script = Surveyed([says(None, refusal="I will not say.")])
    folder = modelled(tmp_path, "--arm", "baseline", script=script, text=CLAIMS)
    assert events(folder, "belief") == []
    assert [e["status"] for e in events(folder, "end")] == ["complete"]


@pytest.mark.parametrize("agent", ["A", "C"])
def test_a_call_that_fails_fails_the_run_and_keeps_the_answers_of_the_others(agent: str, tmp_path: Path) -> None:
    def script(body: Body) -> Answer:
        if asked(body) and me(body) == agent:
            return fails(400, "no")
        return plays(body)

    folder = modelled(tmp_path, "--arm", "baseline", script=script, text=CLAIMS)
    assert [e["kind"] for e in events(folder, "failed")] == ["bad_request"]
    kept = [line for line in lines(folder, ".calls.jsonl") if line["place"]["phase"] == "survey"]  # type: ignore[index]
    assert Counter(line["kind"] for line in kept) == {"ok": 2, "bad_request": 1}
    replayed = colosseum("replay", folder)
    assert replayed.returncode == 0, replayed.stdout
    with_it = modelled(tmp_path, "--arm", "baseline", "--retry-failed", script=plays, text=CLAIMS)
    assert Counter(e["agent"] for e in events(with_it, "belief")) == {"A": 3, "B": 3, "C": 3}


@pytest.mark.parametrize(
    "text", [CLAIMS.replace("rounds 1", "rounds 1 survey off"), SPEC.replace("rounds 1", "rounds 1 survey on")]
)
def test_nobody_is_asked_where_it_is_off_or_there_is_nothing_to_ask(text: str, tmp_path: Path) -> None:
    script = Surveyed([fails(400, "asked")])
    folder = modelled(tmp_path, "--arm", "baseline", script=script, text=text)
    assert not any(map(asked, script.bodies))
    assert {e["status"] for e in events(folder, "end")} == {"complete"}
