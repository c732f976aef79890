"""Integrity: two heads find every change, a dropped run is missed, and `doctor` repairs what a crash left."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attack_folder import attacked, attacks
from audited import audit, file_of, modelled, scripted, spec
from chat_mind import plays
from chat_server import ChatServer
from conftest import KEY, MATCH
from plans import as_before, list_of, relist, trials_of
from test_campaign_screening import SHOP
from test_cli_commands import colosseum

from colosseum.campaign import runner
from colosseum.campaign.folder import Folder, Result
from colosseum.campaign.verifying import heads


def verified(folder: Path, *more: object) -> dict[str, Any]:
    """What `log verify` says."""
    done = colosseum("log", "verify", folder, "--json", *more)
    found: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == bool(found["faults"])
    return found


def words(folder: Path, *more: object) -> list[str]:
    """What is wrong."""
    return [fault["words"] for fault in verified(folder, *more)["faults"]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every kind of file."""
    return attacked(tmp_path_factory.mktemp("whole"))


def test_every_change_is_found_by_who_noted_both_heads(whole: Path) -> None:
    for each in attacks(whole, 39, seed=7):  # three of each kind; `python tests/attack_folder.py` tries many
        assert each.noted, each
        assert each.alone or (each.kind, each.how) == ("runs/*.json", "deleted"), each  # that run has not ended


def test_both_heads_are_printed_where_runs_are_made_and_shown(tmp_path: Path) -> None:
    done = audit(spec(tmp_path), tmp_path / "runs", "--seeds", "1..2")
    root, ledger = heads(Folder(tmp_path / "runs")).values()
    page = tmp_path / "page.html"
    said = [done.stderr, colosseum("report", tmp_path / "runs", "--full").stdout]
    said.append(colosseum("log", "verify", tmp_path / "runs").stdout)
    assert colosseum("report", tmp_path / "runs", "--html", page).returncode == 0
    for text in (*said, page.read_text(encoding="utf-8")):
        assert root in text
        assert ledger in text
    assert "A root that you noted elsewhere finds every change of runs since" in " ".join(said[2].split())


LACKS = "it was cut or begun anew, or a process was killed"


def test_a_report_is_a_look_and_a_ledger_that_goes_on_is_accepted(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    before = verified(folder)
    assert before["looks"] == 1
    assert colosseum("report", folder).returncode == 0
    assert verified(folder)["ledger"] == before["ledger"]  # the same runs were seen before
    ledger = folder / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(lines[:-1]))
    assert words(folder) == [f"lacks report.json: {LACKS}"]  # a chain that was cut at its end holds
    wrong, _ = words(folder, "--ledger", before["ledger"])
    assert "does not go on from the head" in wrong
    ledger.write_bytes(lines[0][:100])
    assert words(folder) == ["ends in half a line", f"lacks campaign.json: {LACKS}", f"lacks report.json: {LACKS}"]
    ledger.write_bytes(b"".join(lines))
    assert audit(spec(tmp_path), folder, "--seeds", "1..3").returncode == 0
    after = verified(folder, "--ledger", before["ledger"])
    assert (after["faults"], after["looks"]) == ([], 2)
    assert after["ledger"] != before["ledger"]


def test_a_folder_is_the_same_by_whatever_path(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    assert words(folder / "runs" / "..") == []
    assert colosseum("doctor", folder / "runs" / "..").returncode == 0


def test_a_look_at_a_folder_that_cannot_be_written_works(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    os.remove(folder / "ledger.jsonl")
    os.mkdir(folder / "ledger.jsonl")
    assert colosseum("report", folder).returncode == 0


def test_a_run_that_was_dropped_with_its_files_is_missed_by_the_spec(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    gone, *others = trials_of(folder)
    relist(folder, others)
    for path in (folder / "runs").glob(f"{gone['trial'][:24]}.*"):
        path.unlink()
    Folder(folder).seal(list_of(folder))  # whoever knows the ledger goes on with it
    assert words(folder) == [
        f"lacks a run that the spec makes: {gone['arm']}, seed {gone['seed']}, repeat 1",
        "a look counted 4 runs that had ended, and there are files of 3",
    ]


def test_a_run_whose_files_are_gone_is_missed_by_a_look_that_counted_it(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    path = file_of(folder, "prompted:2", "json")
    result = path.read_bytes()
    path.unlink()
    assert words(folder) == [], "its trace is there: it may be made again"
    trace = file_of(folder, "prompted:2", "jsonl")
    events = trace.read_bytes()
    trace.unlink()
    assert words(folder) == ["a look counted 4 runs that had ended, and there are files of 3"]
    trace.write_bytes(events)
    path.write_bytes(result)
    assert words(folder) == []


def test_a_look_at_runs_of_another_folder_misses_none_here(tmp_path: Path) -> None:
    """Looks come along where folders are joined, and not all runs that they counted do."""
    folder = scripted(tmp_path, seeds="1..3")
    scripted(tmp_path, seeds="1", text=MATCH)
    assert words(folder) == []
    assert colosseum("merge", folder, "-o", tmp_path / "all").returncode == 0
    found = verified(tmp_path / "all")
    assert (found["faults"], found["looks"]) == ([], 2)


def test_a_report_says_that_the_ledger_is_gone(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    unknown = "earlier looks at these runs are not known"
    assert unknown not in colosseum("report", folder, COLUMNS="200").stdout
    (folder / "ledger.jsonl").unlink()
    for why in ("is missing", "was begun anew", "was begun anew"):
        assert f"ledger.jsonl {why}: {unknown}" in colosseum("report", folder, COLUMNS="200").stdout
    assert f"lacks campaign.json: {LACKS}" in words(folder)
    page = tmp_path / "page.html"
    assert colosseum("report", folder, "--html", page).returncode == 0
    assert unknown in page.read_text(encoding="utf-8")
    (folder / "ledger.jsonl").unlink()
    done = audit(spec(tmp_path), folder, "--seeds", "1..3")
    assert f"ledger.jsonl is missing: {unknown}" in " ".join(done.stderr.split())
    assert f"ledger.jsonl was begun anew: {unknown}" in " ".join(done.stdout.split()), "of the seeds before, too"
    assert json.loads(colosseum("report", folder, "--json").stdout)["verdicts"]["rule"]["seen"] == [2, 3]
    assert f"ledger.jsonl was begun anew: {unknown}" in colosseum("report", folder, "--json").stderr
    assert words(folder) == []
    as_before(folder, 2)
    assert unknown not in colosseum("report", folder, COLUMNS="200").stdout, "there was no ledger then"


def test_a_part_that_was_asked_for_lacks_nothing(tmp_path: Path) -> None:
    for more in (("--arm", "prompted"), ("--shard", "1/2"), ("--seeds", "3,5")):
        assert words(scripted(tmp_path / more[-1].replace("/", "-"), *more)) == []
    screened = tmp_path / "screened"
    assert audit(spec(tmp_path, SHOP), screened).returncode == 0
    assert {each["kept"] for each in json.loads((screened / "campaign.json").read_bytes())["screening"]["looked"]} == {
        True, False,
    }  # fmt: skip
    assert words(screened) == []


def test_what_a_run_cost_follows_from_its_calls(tmp_path: Path) -> None:
    folder = modelled(tmp_path, "--arm", "baseline")
    path = file_of(folder, "baseline:1", "json")
    result = json.loads(path.read_bytes())
    for name, value in (("prompt_tokens", 1), ("calls", 1), ("cost", 0.5)):
        changed = {**result, "expense": {**result["expense"], name: value}}
        path.write_text(json.dumps(changed))
        assert words(folder) == ["does not come to the run's expense"]
    path.write_text(json.dumps({**result, "calls": None}))
    assert words(folder) == []  # as earlier versions left it
    assert colosseum("replay", folder).returncode == 1  # of its layout


def test_an_old_folder_stays_readable(tmp_path: Path) -> None:
    """Without a ledger, and with results that seal no calls, as version 2 wrote them."""
    folder = modelled(tmp_path, "--arm", "baseline")
    as_before(folder, 2)
    path = file_of(folder, "baseline:1", "json")
    result = json.loads(path.read_bytes())
    del result["calls"]
    path.write_bytes((json.dumps(result, indent=1) + "\n").encode())
    (folder / "ledger.jsonl").unlink()
    assert verified(folder)["faults"] == []
    for command in (("log", "list"), ("log", "show", "baseline:1"), ("replay",), ("report",), ("doctor",)):
        name, *more = command
        place = (name, more[0], folder, *more[1:]) if name == "log" else (name, folder)
        assert colosseum(*place).returncode == 0, place
    calls = file_of(folder, "baseline:1", "calls.jsonl")
    calls.write_bytes(b"".join(calls.read_bytes().splitlines(keepends=True)[1:]))
    assert words(folder) == ["does not come to the run's expense"]


def test_a_folder_that_is_removed_between_two_runs_ends_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    class Removed(Folder):
        """Is removed once two runs have ended."""

        def commit(self, result: Result) -> None:
            super().commit(result)
            made.append(result.trial)
            if len(made) == 2:
                shutil.rmtree(self.path)

    monkeypatch.setattr("colosseum.cli.audit.Folder", Removed)
    done = audit(spec(tmp_path), tmp_path / "runs", "--seeds", "1..4")
    assert (done.returncode, len(made)) == (2, 2)
    assert "campaign.json was removed while runs were made" in done.stderr
    assert "complete, in" not in done.stderr
    assert runner.Folder is Folder


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_calls_and_traces_are_durable_before_their_result_is(tmp_path: Path) -> None:
    """As the kernel saw it: a result gets its name after trace and calls are on disk, and then its folder is synced."""
    log, agent = tmp_path / "strace.log", tmp_path / "silent.py"
    agent.write_text(
        "from colosseum import Reply, done\n\nclass Agent:\n    async def act(self, view): return Reply((done(),))\n"
    )
    command = [
        sys.executable, "-m", "colosseum", "audit", spec(tmp_path), "--model", "python:silent:Agent", "--no-budget",
        "--allow-python", "silent", "--arm", "baseline", "--seeds", "1", "--out", tmp_path / "runs",
    ]  # fmt: skip
    traced = ["strace", "-f", "--seccomp-bpf", "-y", "-e", "trace=fsync,rename,renameat2", "-o", log, *command]
    done = subprocess.run(list(map(str, traced)), cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    seen = [line for line in log.read_text().splitlines() if "fsync" in line or "rename" in line]
    named = file_of(tmp_path / "runs", "baseline:1", "json").name
    committed = next(n for n, line in enumerate(seen) if "rename" in line and line.count(named) == 2)
    for ending in (".jsonl>", ".calls.jsonl>"):
        assert any("fsync" in line and named.replace(".json", ending) in line for line in seen[:committed])
    assert "fsync" in seen[committed + 1]
    assert f"{tmp_path / 'runs' / 'runs'}>" in seen[committed + 1]


# ---- doctor --------------------------------------------------------------------------------------------------------


def doctored(folder: Path, *more: object) -> dict[str, dict[str, Any]]:
    """Defects by file."""
    done = colosseum("doctor", folder, "--json", *more)
    found = json.loads(done.stdout)["defects"]
    assert done.returncode == any(not each["repaired"] for each in found), done.stderr
    return {each["file"]: each for each in found}


def content(folder: Path) -> dict[str, bytes]:
    """All files but the ledger, to which looks are added."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != "ledger.jsonl"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.parametrize("make", [modelled, scripted])
def test_what_was_lost_is_made_again_at_no_cost(make: Any, tmp_path: Path) -> None:
    folder = make(tmp_path, seeds="1..2")
    assert doctored(folder) == {}
    before = content(folder)
    lost, torn = (file_of(folder, run, "jsonl") for run in ("baseline:1", "prompted:2"))
    lost.unlink()
    torn.write_bytes(torn.read_bytes()[:-40])
    start = json.loads(file_of(folder, "baseline:2", "jsonl").read_bytes().splitlines()[0])
    scenario = next(path for path in (folder / "scenarios").iterdir() if path.stem != start["scenario"])
    scenario.unlink()
    broken = content(folder)
    report = colosseum("report", folder)
    assert report.returncode == 2  # a trace that was cut is not trusted
    assert "colosseum doctor" in report.stderr
    names = {path.relative_to(folder).as_posix() for path in (lost, torn, scenario)}
    dry = doctored(folder)
    assert dry.keys() == names
    assert all(each["free"] and each["calls"] == 0 for each in dry.values())
    assert content(folder) == broken
    assert doctored(folder, "--repair").keys() == names
    assert content(folder) == before
    assert words(folder) == []


def test_a_report_names_a_scenario_that_is_missing_and_goes_on(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    gone = sorted((folder / "scenarios").iterdir())[0]
    gone.unlink()
    done = colosseum("report", folder, COLUMNS="200")
    assert done.returncode == 3
    assert f"{gone} is missing" in done.stderr
    assert f"`colosseum doctor {folder}`" in done.stderr
    assert "2 of 4 runs failed: lost: " in done.stdout


def test_a_result_that_cannot_be_read_is_removed_and_its_run_made_again(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    result = file_of(folder, "baseline:1", "json")
    whole = result.read_bytes()
    result.write_text("{")
    assert colosseum("report", folder).returncode == 2
    found = doctored(folder, "--repair")[f"runs/{result.name}"]
    assert (found["free"], found["repaired"]) == (True, True)
    assert "`audit` makes the run again from its recorded calls" in found["remedy"]
    scripted(tmp_path)
    assert result.read_bytes() == whole


def test_calls_that_are_lost_have_their_price(tmp_path: Path) -> None:
    folder = modelled(tmp_path, "--arm", "baseline", "--price", "1,1")
    trace, calls = (file_of(folder, "baseline:1", ending) for ending in ("jsonl", "calls.jsonl"))
    cost = json.loads(file_of(folder, "baseline:1", "json").read_bytes())["expense"]["cost"]
    trace.unlink()
    calls.write_bytes(b"".join(calls.read_bytes().splitlines(keepends=True)[:3]))
    found = doctored(folder, "--repair")[f"runs/{trace.name}"]
    assert (found["calls"], found["dollars"], found["free"], found["repaired"]) == (13, cost, False, False)
    assert "`audit --retry-failed` makes the run anew" in found["remedy"]
    told = " ".join(colosseum("doctor", folder).stdout.split())
    assert "13 calls or more again, of a run that cost $" in told
    assert not trace.exists()


def test_what_killed_processes_left_is_cleared_and_paid_calls_stay(tmp_path: Path) -> None:
    folder = modelled(tmp_path, "--arm", "baseline")
    file_of(folder, "baseline:1", "json").unlink()
    file_of(folder, "baseline:1", "jsonl").unlink()
    calls = file_of(folder, "baseline:1", "calls.jsonl")
    paid = calls.read_bytes()
    calls.write_bytes(paid + b'{"call":"')
    orphan = folder / "runs" / f"{'e' * 24}.calls.jsonl"
    orphan.write_bytes(paid)
    (folder / "runs" / f"{'e' * 24}.lock").write_text("")
    (folder / "report.json.12345.part").write_text("{")
    with open(folder / "ledger.jsonl", "ab") as file:
        file.write(b'{"n":')
    found = doctored(folder, "--repair")
    assert {name: each["repaired"] for name, each in found.items()} == {
        f"runs/{'e' * 24}.lock": True, "report.json.12345.part": True, "ledger.jsonl": True,
        f"runs/{calls.name}": True, f"runs/{orphan.name}": False,
    }  # fmt: skip
    assert (calls.read_bytes(), orphan.read_bytes()) == (paid, paid)
    assert doctored(folder).keys() == {f"runs/{orphan.name}"}


def test_a_folder_at_work_is_left_alone(tmp_path: Path) -> None:
    from filelock import FileLock

    folder = scripted(tmp_path)
    with FileLock(folder / "runs" / "abc.lock"):
        done = colosseum("doctor", folder, "--repair")
    assert (done.returncode, done.stdout) == (2, "")
    assert "a process holds" in done.stderr


# ---- judgements ------------------------------------------------------------------------------------------------


def judged(tmp_path: Path) -> tuple[Path, tuple[object, ...]]:
    """A folder that a model judged, and the command that did."""
    with ChatServer(plays) as server:
        folder = scripted(tmp_path, seeds="1", text=MATCH)
        command = "judge", folder, "--judge", "openai/judge", "--api-base", server.url, "--no-budget"
        assert colosseum(*command, OPENAI_API_KEY=KEY).returncode in (0, 3)
    return folder, command


def test_a_judgement_that_nobody_made_here_is_a_fault(tmp_path: Path) -> None:
    (other, _), folder = judged(tmp_path / "other"), scripted(tmp_path / "own", seeds="1", text=MATCH)
    root, head = heads(Folder(folder)).values()
    shutil.copytree(other / "judged", folder / "judged")
    (folder / "judged" / "labels.json").write_text("{}")
    found = words(folder, "--root", root, "--ledger", head)
    missed = {each.removeprefix("lacks ").partition(":")[0] for each in found}
    assert missed >= {"judged/judges.json", "judged/labels.json"}


def test_what_was_sealed_anew_since_a_head_is_named(tmp_path: Path) -> None:
    folder, _ = judged(tmp_path)
    head = heads(Folder(folder))["ledger head"]
    path = next(p for p in (folder / "judged").glob("*.json") if p.name != "judges.json")
    Folder(folder).keep(path, path.read_bytes().replace(b'"whim"', b'"other"') + b"\n")
    found = verified(folder, "--ledger", head)
    assert (found["faults"], found["anew"]) == ([], [f"judged/{path.name}"])
    told = colosseum("log", "verify", folder, "--ledger", head).stdout
    assert f"sealed anew since that head: judged/{path.name}" in " ".join(told.split())
    assert colosseum("log", "verify", folder, "--ledger", f"{head}00").returncode == 1
    assert colosseum("log", "verify", folder, "--ledger", "").returncode == 2


def test_a_damaged_judgement_is_made_again_from_its_recorded_calls(tmp_path: Path) -> None:
    folder, command = judged(tmp_path)
    path = next(p for p in (folder / "judged").glob("*.json") if p.name != "judges.json")
    was = path.read_bytes()
    path.write_bytes(was[:100])
    assert doctored(folder)[f"judged/{path.name}"]["free"]
    assert doctored(folder, "--repair")[f"judged/{path.name}"]["repaired"]
    with ChatServer(plays) as server:
        again = [server.url if word == command[5] else word for word in command]
        assert colosseum(*again, OPENAI_API_KEY=KEY).returncode in (0, 3)
        assert [r for r in server.requests if "ready" not in str(r.body["tools"])] == []
    assert path.read_bytes() == was
    assert words(folder) == []


def test_a_result_of_another_run_does_not_stop_a_repair(tmp_path: Path) -> None:
    folder = scripted(tmp_path, seeds="1", text=MATCH)
    one, other = (file_of(folder, f"{arm}:1", "json") for arm in ("baseline", "prompted"))
    other.write_bytes(one.read_bytes())
    assert doctored(folder, "--repair")[f"runs/{other.name}"]["repaired"]
    assert not other.exists()
