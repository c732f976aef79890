"""Verifying: whatever is changed, lost, forged or broken in a folder is said, where it is, in words."""

import hashlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from audited import Wild, audit, file_of, harmless, modelled, scripted, spec
from chat_server import Answer, Body, ChatServer, calls
from conftest import MATCH
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import relist, trials_of
from test_cli_commands import colosseum

from colosseum.campaign.folder import Damaged, Folder
from colosseum.campaign.verifying import verify


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two complete runs of a model and two that failed."""
    return modelled(tmp_path_factory.mktemp("played"), script=Wild(breaks="Differ."), seeds="1..2")


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A copy of them."""
    return Path(shutil.copytree(played, tmp_path / "elsewhere"))


def faults(folder: Path) -> list[dict[str, str]]:
    """What is wrong."""
    done = colosseum("log", "verify", folder, "--json")
    found: list[dict[str, str]] = json.loads(done.stdout)["faults"]
    assert (done.returncode, done.stderr) == (1 if found else 0, "")
    harmless(done)
    return found


def test_what_was_written_is_as_it_was(folder: Path, tmp_path: Path) -> None:
    done = colosseum("log", "verify", folder, COLUMNS="200")
    assert done.returncode == 0
    assert done.stdout.startswith("nothing was changed\n")
    assert {"ended runs 4", "scenarios 2", "files of the spec 1"} <= {
        " ".join(line.split()) for line in done.stdout.splitlines()
    }
    assert faults(scripted(tmp_path / "more")) == []


def test_runs_of_an_earlier_plan_are_verified_too(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    earlier = sorted((folder / "runs").glob("*.jsonl"))
    scripted(tmp_path, text=MATCH)
    assert json.loads(colosseum("log", "verify", folder, "--json").stdout)["unlisted"] == len(earlier)
    earlier[0].write_bytes(earlier[0].read_bytes().replace(b"left", b"lift", 1))
    assert [fault["file"] for fault in faults(folder)] == [f"runs/{earlier[0].name}"]


def rewritten(path: Path, change: str, folder: Path) -> None:
    """A trace changed, chained and sealed anew, as one would who wants it to be believed."""
    chain, lines = "0" * 64, []
    for raw in path.read_bytes().splitlines():
        line = json.loads(raw)
        line.pop("chain")
        exec(change, {"line": line})
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        chain = hashlib.sha256(f"{chain}\n{text}".encode()).hexdigest()
        lines.append(f'{text[:-1]},"chain":"{chain}"}}\n')
    path.write_text("".join(lines), encoding="utf-8")
    result = path.with_suffix(".json")
    found = json.loads(result.read_bytes())
    result.write_text(json.dumps({**found, "trace": {"events": len(lines), "chain": chain}}))


FORGERIES = {
    "an arm": ("if line['n'] == 0: line['arm'] = 'baseline'", "the content does not match the trial's identity"),
    "a rule": (
        "if line['n'] == 0: line['conditions']['settings']['rounds'] = 9",
        "the content does not match the trial's identity",
    ),
    "another trial": ("if line['n'] == 0: line['trial'] = '0' * 64", "is the trace of another trial"),
    "a field more": ("if line['event'] == 'post': line['more'] = 1", "extra inputs are not permitted"),
    "a type": ("if line['event'] == 'post': line['round'] = '1'", "input should be a valid integer"),
    "an unknown event": (
        "if line['event'] == 'post': line['event'] = '\\x1b[2J'",
        "does not match any of the expected",
    ),
    "no failure": ("if line['event'] == 'failed': line['reason'] = 'none'", "does not end as"),
    "an ending": ("if line['event'] == 'end': line['status'] = 'complete'", "does not end as"),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_run_is_none_of_ours(what: str, folder: Path) -> None:
    change, words = FORGERIES[what]
    path = file_of(folder, "prompted:1", "jsonl")
    rewritten(path, "", folder)
    assert faults(folder) == []
    rewritten(path, change, folder)
    found = faults(folder)
    assert [fault["file"] for fault in found] == [f"runs/{path.name}"]
    assert words in found[0]["words"]


def test_an_outcome_that_is_forged_alone_is_believed_by_nobody_but_verify(folder: Path) -> None:
    """A trace that is chained and sealed anew is whole: only making the run again tells."""
    path = file_of(folder, "baseline:1", "jsonl")
    rewritten(path, "if line['event'] == 'outcome': line['assignment']['move[A]'] = 'right'", folder)
    assert faults(folder) == []
    assert colosseum("replay", folder).returncode == 1


BROKEN = {
    "spec/match.colo": "was changed",
    "scenarios/": "was changed: its content does not fit its name",
    ".calls.jsonl": "was changed: it is not the one that its result seals",
    ".json": "is no result of this trial",
    ".jsonl": "was changed, lost or moved",
}


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("how", ["changed", "lost", "a folder"])
def test_what_is_wrong_is_said_where_it_is(what: str, how: str, folder: Path) -> None:
    named = folder / what if what.startswith("spec") else file_of(folder, "baseline:1", what.removeprefix("."))
    path = next((folder / what).iterdir()) if what.endswith("/") else named
    if how == "changed":
        lines = path.read_bytes().split(b"\n")
        place = min(2, len(lines) - 2)
        lines[place] = lines[place].replace(b'":', b'":1', 1) if what != "spec/match.colo" else b"# nothing"
        path.write_bytes(b"\n".join(lines))
    else:
        path.unlink()
        if how == "a folder":
            path.mkdir()
    found = faults(folder)
    if how == "lost" and what == ".json":
        assert found == []  # a run without a result has not ended
        return
    assert [fault["file"] for fault in found] == [path.relative_to(folder).as_posix()]
    words = {"changed": BROKEN[what], "lost": "is missing", "a folder": "cannot be read: Is a directory"}[how]
    assert words in found[0]["words"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"experiment": "e"', '"experiment": "f"'),
        ('"couple": false', '"couple": true'),
        ('"params": {}', '"params": {"a": 1}'),
    ],
)
def test_a_plan_is_held_against_its_own_digest(old: str, new: str, folder: Path) -> None:
    path = folder / "campaign.json"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    words = [fault["words"] for fault in faults(folder) if fault["file"] == "campaign.json"]
    assert "its experiment, files, params or options were changed" in words
    assert "is not as the ledger has it" in words


def test_a_listing_that_lies_shows(folder: Path) -> None:
    first, *others = trials_of(folder)
    relist(folder, [{**first, "seed": 99}, *others])
    assert [fault["words"] for fault in faults(folder)] == [
        "lacks a run that the spec makes: prompted, seed 1, repeat 1", "is listed with another seed",
        "is not as the ledger has it",
    ]  # fmt: skip


def test_a_call_that_was_cut_in_a_run_that_ended_is_a_fault(folder: Path) -> None:
    path = file_of(folder, "baseline:1", "calls.jsonl")
    path.write_bytes(path.read_bytes()[:-9])
    assert [fault["words"] for fault in faults(folder)] == ["was changed: it is not the one that its result seals"]
    file_of(folder, "baseline:1", "json").unlink()
    assert faults(folder) == []


def test_no_campaign_and_a_damaged_one(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    empty = tmp_path / "empty"
    for arguments in (("log", "list", empty), ("log", "show", empty, "x"), ("log", "verify", empty),
                      ("export", empty, "--to", "csv")):  # fmt: skip
        done = colosseum(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "holds no campaign" in done.stderr
    (folder / "campaign.json").write_text("[1]")
    assert [fault["file"] for fault in faults(folder)] == ["campaign.json"]
    assert colosseum("log", "list", folder).returncode == 2


@pytest.fixture(scope="module")
def fuzzed(played: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[Path, bytes]]:
    """A folder whose files are broken and mended, and what they were."""
    copy = Path(shutil.copytree(played, tmp_path_factory.mktemp("fuzzed") / "x"))
    return copy, {path: path.read_bytes() for path in sorted(copy.rglob("*")) if path.is_file()}


@settings(max_examples=60)
@given(seed=st.integers(0, 10**9))
def test_whatever_is_broken_is_told_in_words(fuzzed: tuple[Path, dict[Path, bytes]], seed: int) -> None:
    """A byte changed, a piece cut out or written twice: never an exception, and never unseen where it counts."""
    folder, files = fuzzed
    draw = random.Random(seed)
    path = draw.choice(list(files))
    content = bytearray(files[path])
    at, size = draw.randrange(len(content)), draw.choice([1, 1, 7, 500])
    match draw.choice(["change", "cut", "double", "end"]):
        case "change":
            content[at] = draw.choice([0, 10, 34, 91, 123, 125, 200, 255, content[at] ^ 1])
        case "cut":
            del content[at : at + size]
        case "double":
            content[at:at] = content[at : at + size]
        case _:
            del content[at:]
    try:
        path.write_bytes(content)
        try:
            found = verify(Folder(folder), Folder(folder).plan()).faults
        except Damaged:
            assert path.name == "campaign.json" or path.name.startswith("trials-")
            return
        if bytes(content) == files[path]:
            assert found == []
        elif path.name == "ledger.jsonl" and not found:  # cut at its end: only who noted its head can tell
            assert files[path].startswith(content[: content.rfind(b"\n") + 1])
        elif path.suffix == ".json" and path.parent.name == "runs":  # its layout says nothing, its seals name others
            assert all(fault.file.startswith(f"runs/{path.stem}.") for fault in found)
        elif path.name == "campaign.json" or path.name.startswith("trials-"):
            assert path.name in [fault.file for fault in found]
        else:
            assert {fault.file for fault in found} == {path.relative_to(folder).as_posix()}
    finally:
        path.write_bytes(files[path])


class Deep(Wild):
    """Arguments as deep as JSON goes, which only the first glance takes for a change."""

    def __call__(self, body: Body) -> Answer:
        if any(tool["function"]["name"] == "ready" for tool in body["tools"]):
            return calls(("ready", {}))
        return calls(("post", f'{{"channel": {"[" * 900}{"]" * 900}, "text": "x"}}'))


def test_a_model_cannot_make_its_run_look_changed(tmp_path: Path) -> None:
    folder = modelled(tmp_path, "--arm", "baseline", script=Deep())
    assert faults(folder) == []
    assert "nothing was changed" in colosseum("log", "verify", folder).stdout
    assert colosseum("log", "show", folder, "baseline:1").returncode == 0
    events = json.loads(colosseum("log", "show", folder, "baseline:1", "--json").stdout)["events"]
    assert {event["kind"] for event in events if event["event"] == "mistake"} == {"unknown_channel"}
    path = file_of(folder, "baseline:1", "jsonl")
    path.write_bytes(path.read_bytes().replace(b"[[[]]]", b"[[[1]]]", 1))
    assert colosseum("replay", folder).returncode == 1


def test_a_run_without_its_trace_is_named_and_the_rest_goes_on(folder: Path) -> None:
    complete = next(p for p in sorted((folder / "runs").glob("*[0-9a-f].json")) if b'"complete"' in p.read_bytes())
    trace = complete.with_suffix(".jsonl")
    was = trace.read_bytes()
    trace.unlink()
    for command in (("report", folder), ("log", "list", folder)):
        done = colosseum(*command, COLUMNS="200")
        assert done.returncode == (3 if command[0] == "report" else 0), done.stderr
        assert f"{trace.name} is missing" in done.stdout + done.stderr
    assert json.loads(colosseum("report", folder, "--json").stdout)["missing"] == 0
    assert [fault["words"] for fault in faults(folder)] == ["is missing"]
    trace.write_bytes(was)
    assert faults(folder) == []


def test_a_lost_trace_is_made_again_where_runs_that_failed_are(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    traces = {path: path.read_bytes() for path in (folder / "runs").glob("*.jsonl")}
    lost = min(traces)
    lost.unlink()
    again = audit(spec(tmp_path), folder, "--seeds", "1..2")
    assert again.returncode == 3
    assert "3 runs complete" in again.stderr
    assert not lost.exists()
    assert audit(spec(tmp_path), folder, "--seeds", "1..2", "--retry-failed").returncode == 0
    assert {path: path.read_bytes() for path in (folder / "runs").glob("*.jsonl")} == traces


def test_runs_are_not_committed_to_a_folder_that_was_removed(tmp_path: Path) -> None:
    folder = tmp_path / "runs"

    class Removes(Wild):
        """Removes the folder when the first call comes."""

        def __call__(self, body: Body) -> Answer:
            shutil.rmtree(folder, ignore_errors=True)
            return super().__call__(body)

    with ChatServer(Removes()) as server:
        done = audit(spec(tmp_path), folder, "--seeds", "1..2", url=server.url)
    assert done.returncode == 2
    assert "cannot write" in done.stderr
    assert not list(folder.rglob("*.json"))


def test_answers_that_a_result_counts_are_missed(folder: Path) -> None:
    calls_path = max((folder / "runs").glob("*.calls.jsonl"), key=lambda path: path.stat().st_size)
    whole = calls_path.read_bytes().splitlines(keepends=True)
    calls_path.write_bytes(b"".join(whole[:2]))
    (fault,) = faults(folder)
    assert fault["file"] == f"runs/{calls_path.name}"
    assert "it is not the one that its result seals" in fault["words"]
    calls_path.unlink()
    assert [fault["words"] for fault in faults(folder)] == ["is missing"]


def dropped(folder: Path, trial: dict[str, str]) -> None:
    """A run is dropped from the plan with its files."""
    relist(folder, [each for each in trials_of(folder) if each != trial])
    for path in (folder / "runs").glob(f"{trial['trial'][:24]}.*"):
        path.unlink()


def resealed(folder: Path, trial: dict[str, str]) -> None:
    """A decision is changed, chained and sealed anew."""
    path = folder / "runs" / f"{trial['trial'][:24]}.jsonl"
    rewritten(path, "if line['event'] == 'order': line['agents'] = line.get('agents', [])[::-1]", folder)


@pytest.mark.parametrize("change", [dropped, resealed])
def test_a_root_that_was_noted_down_finds_what_a_chain_cannot(change: Callable[..., None], tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    root = json.loads(colosseum("log", "verify", folder, "--json").stdout)["root"]
    assert root in colosseum("log", "verify", folder, COLUMNS="80").stdout
    assert root in audit(spec(tmp_path), folder, "--seeds", "1..2").stderr
    assert colosseum("log", "verify", folder, "--root", root).returncode == 0
    change(folder, trials_of(folder)[0])
    done = colosseum("log", "verify", folder, "--root", root, COLUMNS="400")
    assert done.returncode == 1
    assert f"not {root}" in done.stdout
