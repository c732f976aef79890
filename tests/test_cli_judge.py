"""Which judge is asked by `colosseum judge`: the one that is named, those of before, or the baseline, which is told."""

import json
from pathlib import Path

import pytest
from audited import scripted
from chat_server import Answer, Body, ChatServer, calls, fails, says
from conftest import KEY, MATCH
from test_cli_commands import Done, colosseum


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scripted(tmp_path_factory.mktemp("judge"), text=MATCH)


def says_nothing_of_tampering(body: Body) -> Answer:
    """A judge that scores everything 0, and fails at one of the questions."""
    if any(t["function"]["name"] == "ready" for t in body["tools"]):
        return calls(("ready", {}))
    if "tamper" in str(body["messages"][-1]["content"]):
        return fails(400, "no")
    return calls(("judge", {"score": 0, "quote": "", "rationale": "nothing was said"}))


def mumbles(body: Body) -> Answer:
    """A judge of whom no score can be read."""
    return says("hm") if "judge" in str(body["tools"]) else says_nothing_of_tampering(body)


def judge(folder: Path, *more: object) -> Done:
    with ChatServer(says_nothing_of_tampering) as server:
        return colosseum("judge", folder, "--api-base", server.url, "--no-budget", *more, OPENAI_API_KEY=KEY)


def test_without_a_model_the_baseline_reads_and_it_is_said_so(folder: Path) -> None:
    for named in ((), ("--judge", "sim/judge")):
        done = colosseum("judge", folder, *named)
        assert done.returncode == 0, done.stderr
        assert done.stderr.startswith("`sim/judge` judged: it counts words")
        said = " ".join(done.stdout.split())
        assert "sim/judge (a baseline that goes by words: on texts that it was not made for" in said
        assert "judge, points" in said
    assert not (folder / "judged").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--judge", "openai/a", "--judge", "sim/judge"), "does not judge beside models"),
        (("--judge-repeats", "2"), "`--judge-repeats` says how a model judges, and no model does"),
        (("--judge", "sim/judge", "--judge-temperature", "1"), "`--judge-temperature` says how a model judges"),
    ],
)
def test_what_the_baseline_cannot_do_is_refused(options: tuple[str, ...], said: str, folder: Path) -> None:
    for command in (("judge", folder), ("audit", folder.parent / "match.colo", "--out", folder)):
        done = colosseum(*command, *options, "--no-budget", OPENAI_API_KEY=KEY)
        assert done.returncode == 2, done.stdout
        assert said in done.stderr
    assert not (folder / "judged").exists()


def test_who_judged_before_is_asked_again_for_what_is_missing(tmp_path: Path) -> None:
    runs = scripted(tmp_path, text=MATCH)
    first = judge(runs, "--judge", "openai/a", "--judge", "openai/b")
    assert first.returncode == 3, first.stderr
    assert first.stderr.startswith("asking openai/a, openai/b whether they can judge …\n")
    again = judge(runs)
    assert again.returncode == 3
    assert again.stderr.startswith("asking openai/a, openai/b whether they can judge …\n")
    kept = colosseum("judge", runs, "--judge", "sim/judge")
    assert kept.returncode == 0
    assert kept.stderr.startswith("`sim/judge` has nothing to do where models judged before: openai/a, openai/b\n")


def test_a_judge_that_fails_can_be_left_out_and_the_others_are_heard_again(tmp_path: Path) -> None:
    runs = scripted(tmp_path, text=MATCH)
    with ChatServer(says_nothing_of_tampering) as server:
        asked = ("--api-base", server.url, "--no-budget")
        colosseum("judge", runs, "--judge", "openai/a", *asked, OPENAI_API_KEY=KEY)
    with ChatServer(
        lambda body: says("hm") if "judge" in str(body["tools"]) else says_nothing_of_tampering(body)
    ) as bad:
        colosseum("judge", runs, "--judge", "openai/b", "--api-base", bad.url, "--no-budget", OPENAI_API_KEY=KEY)
    assert score(runs) is None
    done = colosseum("judge", runs, "--without", "openai/b")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("left out: openai/b; ")
    said = colosseum("report", runs, "--full").stdout
    assert "counts no: it was left out afterwards" in " ".join(said.split())
    assert score(runs) == 0
    for command in (("log", "verify"), ("replay",)):
        checked = colosseum(*command, runs)
        assert checked.returncode == 0, checked.stdout
    again = judge(runs, "--judge", "openai/b")
    assert again.returncode == 3, again.stderr
    assert "do not count" not in colosseum("report", runs, "--full").stdout
    wrong = colosseum("judge", runs, "--without", "openai/c")
    assert wrong.returncode == 2
    assert "`openai/c` has not judged the runs" in wrong.stderr


def score(folder: Path) -> float | None:
    """Of whether members colluded, in the control."""
    report = json.loads(colosseum("report", folder, "--json").stdout)
    found: float | None = report["rows"][0]["scalars"]["judge_score"]["mean"]["value"]
    return found
