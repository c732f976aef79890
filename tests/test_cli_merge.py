"""Merges: shards become what one campaign would have made, and nothing is lost, changed or overwritten."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from audited import SPEC, Wild, audit, modelled, scripted, spec
from conftest import MATCH
from plans import trials_of
from test_cli_commands import colosseum
from test_cli_judge import judge
from warm_process import Command

from colosseum.campaign.folder import Folder
from colosseum.campaign.verifying import heads

SEEDS = "1..6"


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three shards of a campaign, and the whole of it."""
    place = tmp_path_factory.mktemp("shards")
    return [
        *(scripted(place / str(n), "--shard", f"{n}/3", seeds=SEEDS) for n in (1, 2, 3)),
        scripted(place / "whole", seeds=SEEDS),
    ]


@pytest.fixture
def copies(shards: list[Path], tmp_path: Path) -> list[Path]:
    """The same, to be changed."""
    return [Path(shutil.copytree(path, tmp_path / f"shard{n}")) for n, path in enumerate(shards, start=1)]


def merge(*folders: Path, out: Path) -> tuple[int, dict[str, Any]]:
    """What the command says, and its exit code."""
    done = colosseum("merge", *folders, "-o", out, "--json")
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


def content(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run_of(folder: Path, arm: str, seed: int = 1, ending: str = "json") -> Path:
    """A file of a run."""
    trials = trials_of(folder)
    found = next(t["trial"] for t in trials if (t["arm"], t["seed"]) == (arm, seed))
    return folder / "runs" / f"{found[:24]}.{ending}"


def counts(found: dict[str, Any]) -> tuple[int, ...]:
    """New, better, kept and missing runs, and those that were begun."""
    return tuple(found[name] for name in ("new", "better", "kept", "missing", "begun"))


def test_shards_become_the_whole(shards: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "all"
    code, found = merge(*shards[:3], out=out)
    assert (code, counts(found)) == (0, (12, 0, 0, 0, 0))
    whole = content(shards[3])
    del whole["report.json"]
    merged = content(out)
    assert merged.keys() == whole.keys()
    of_its_own = ("campaign.json", "ledger.jsonl")
    assert {name: merged[name] for name in merged if name not in of_its_own} == {
        name: whole[name] for name in whole if name not in of_its_own
    }
    plans = [json.loads(files["campaign.json"]) for files in (merged, whole)]
    assert plans[0]["options"]["shard"] is None
    assert plans[0] == plans[1]
    reports = [json.loads(colosseum("report", folder, "--json").stdout) for folder in (out, shards[3])]
    assert reports[0]["verdicts"]["rule"]["seen"] == [6], "nobody looked at a shard"
    assert reports[0] == reports[1]
    assert colosseum("replay", out).returncode == 0
    assert colosseum("log", "verify", out).returncode == 0
    done = colosseum("audit", shards[3].parent / "match.colo", "--seeds", SEEDS, "--out", out)
    assert "12 of them from before" in done.stderr


def test_shards_of_a_sweep_become_the_whole_in_whatever_order(tmp_path: Path) -> None:
    """The first shard lacks the second point; a root is of the order in which runs are listed, too."""
    text = SPEC.replace("experiment e {", "experiment e { sweep noise in 0, 0.5, 1 ")
    whole = scripted(tmp_path / "whole", text=text)
    parts = [scripted(tmp_path / str(n), "--shard", f"{n}/4", text=text) for n in range(1, 5)]
    report = json.loads(colosseum("report", whole, "--json").stdout)
    for name, order in (("forwards", parts), ("backwards", parts[::-1])):
        assert merge(*order, out=tmp_path / name)[0] == 0
        assert heads(Folder(tmp_path / name))["runs root"] == heads(Folder(whole))["runs root"]
        assert trials_of(tmp_path / name) == trials_of(whole)
        found = json.loads(colosseum("report", tmp_path / name, "--json").stdout)
        assert [*dict.fromkeys(row["point"] for row in found["rows"])] == ["noise=0", "noise=0.5", "noise=1"]
        assert found == report


def test_a_shard_lists_its_own_runs(shards: list[Path]) -> None:
    plan = json.loads((shards[0] / "campaign.json").read_bytes())
    assert {listed["seed"] for listed in trials_of(shards[0])} == {1, 4}
    assert (plan["options"]["shard"], plan["registered"]["seeds"]) == ("1/3", 6)
    assert json.loads(colosseum("log", "verify", shards[0], "--json").stdout)["underived"] == ""


def test_a_shard_shows_no_result_and_a_report_of_it_is_a_look(shards: list[Path], tmp_path: Path) -> None:
    part = ("--seeds", SEEDS, "--shard", "1/3")
    done = audit(spec(tmp_path), tmp_path / "one", *part)
    assert (done.returncode, done.stdout, (tmp_path / "one" / "report.json").exists()) == (0, "", False)
    assert "a shard shows no result" in done.stderr
    for more in (("--json",), ("--fail-on", "collusion")):
        refused = audit(spec(tmp_path), tmp_path / "none", *part, *more)
        assert (refused.returncode, (tmp_path / "none").exists()) == (2, False)
        assert "`--shard` reports nothing" in refused.stderr
    assert colosseum("report", tmp_path / "one").returncode == 0
    merge(tmp_path / "one", *shards[1:3], out=tmp_path / "all")
    report = json.loads(colosseum("report", tmp_path / "all", "--json").stdout)
    assert report["verdicts"]["rule"]["seen"] == [2, 6]


def test_ended_runs_of_other_prompts_are_not_taken_for_these(
    shards: list[Path], copies: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version may make other runs of one configuration; here settings have another part in identities."""
    spec = shards[3].parent / "match.colo"
    same = colosseum("audit", spec, "--seeds", SEEDS, "--out", copies[3])
    assert "12 runs complete, 12 of them from before" in same.stderr
    monkeypatch.setattr("colosseum.run.trial.PLAYED", ("rounds",))
    other = colosseum("audit", spec, "--seeds", SEEDS, "--out", copies[3])
    assert "12 runs complete, in" in other.stderr, other.stderr


def test_two_shards_of_three_lack_no_run_of_the_third(shards: list[Path], tmp_path: Path) -> None:
    merge(*shards[:2], out=tmp_path / "some")
    assert json.loads((tmp_path / "some" / "campaign.json").read_bytes())["options"]["shard"] == "1/3,2/3"
    assert colosseum("log", "verify", tmp_path / "some").returncode == 0


def test_shards_may_begin_in_one_folder_at_the_same_time(shards: list[Path], tmp_path: Path) -> None:
    """Each adds its runs to the list that the others write, too."""
    made = ("audit", shards[3].parent / "match.colo", "--seeds", SEEDS, "--out", tmp_path / "out", "--shard")
    for process in [Command(*made, f"{number}/3") for number in (1, 2, 3)]:
        said = process.communicate()
        assert process.returncode == 0, said
    plans = [json.loads((folder / "campaign.json").read_bytes()) for folder in (tmp_path / "out", shards[3])]
    for plan in plans:
        del plan["registered"]["ended"]  # a run of another shard may have ended by then
    assert plans[0] == plans[1]
    assert colosseum("log", "verify", tmp_path / "out").returncode == 0


def test_a_merge_may_be_repeated_and_gone_on_with(shards: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "all"
    assert counts(merge(shards[0], out=out)[1]) == (4, 0, 0, 0, 0)
    assert counts(merge(shards[1], out=out)[1]) == (4, 0, 4, 0, 0)
    assert counts(merge(shards[2], shards[2], out, out=out)[1]) == (4, 0, 8, 0, 0)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    assert counts(merge(*shards[:3], out=out)[1]) == (0, 0, 12, 0, 0)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before
    backwards = tmp_path / "backwards"
    merge(*reversed(shards[:3]), out=backwards)
    assert content(backwards).keys() == content(out).keys()


def test_seeds_and_arms_of_several_calls_are_joined(tmp_path: Path) -> None:
    text = SPEC.replace("arm prompted", "arm between { backroom on }  arm prompted")
    one = scripted(tmp_path / "1", "--arm", "baseline", "--arm", "prompted", seeds="1", text=text)
    other = scripted(tmp_path / "2", "--arm", "baseline", "--arm", "between", seeds="1..2", text=text)
    assert counts(merge(one, other, out=tmp_path / "all")[1]) == (5, 0, 0, 0, 0)
    plan = json.loads((tmp_path / "all" / "campaign.json").read_bytes())
    assert plan["arms"] == ["baseline", "between", "prompted"]
    assert [(t["arm"], t["seed"]) for t in trials_of(tmp_path / "all")].count(("baseline", 1)) == 1
    assert not {"seeds", "arms"} & plan["options"].keys()  # no one request asked for these runs
    found = json.loads(colosseum("log", "verify", tmp_path / "all", "--json").stdout)
    assert (found["faults"], "merged" in found["underived"]) == ([], True)
    assert colosseum("replay", tmp_path / "all").returncode == 0


DIFFERENT = {
    "a spec": ((), MATCH, "files.match.colo"),
    "a param": (("--set", "worth=2"), None, "params.worth"),
    "an experiment": (("--experiment", "f"), None, "experiment"),
    "a model": (("--model", "sim/greedy"), None, "options.model"),
    "a temperature": (("--temperature", "0.5"), None, "options.temperature"),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_other_configurations_are_refused(what: str, tmp_path: Path) -> None:
    more, text, words = DIFFERENT[what]
    base = SPEC.replace("agents A", "param worth = 1\nagents A") + "experiment f { rounds 1 arm baseline { } }\n"
    one = scripted(tmp_path / "1", seeds="1", text=base)
    other = scripted(tmp_path / "2", *more, seeds="2", text=text or base)
    done = colosseum("merge", one, other, "-o", tmp_path / "all", COLUMNS="400")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"differs from {one} in {words}\n" in done.stderr
    assert not (tmp_path / "all").exists()


def test_another_scenario_and_another_file_are_named(tmp_path: Path) -> None:
    (tmp_path / "2").mkdir()
    (tmp_path / "2" / "odd.csv").write_text("odd\nx\n")
    one = scripted(tmp_path / "1", seeds="1")
    text = SPEC.replace("scenario match", "scenario other").replace("agents A", 'set odd from "odd.csv"\nagents A')
    other = scripted(tmp_path / "2", seeds="1", text=text)
    words = colosseum("merge", one, other, "-o", tmp_path / "all", COLUMNS="400").stderr
    assert f"differs from {one} in scenario, files.match.colo, files.odd.csv\n" in words


def test_what_was_changed_is_not_merged(copies: list[Path], tmp_path: Path) -> None:
    path = next((copies[1] / "runs").glob("*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"left", b"lift", 1))
    code, found = merge(*copies[:3], out=tmp_path / "all")
    assert (code, found["new"]) == (1, 0)
    assert [(folder, fault["file"]) for folder, fault in found["faults"]] == [(str(copies[1]), f"runs/{path.name}")]
    assert not (tmp_path / "all").exists()
    shown = colosseum("merge", *copies[:3], "-o", tmp_path / "all", COLUMNS="400")
    assert shown.returncode == 1
    assert shown.stdout.endswith("nothing was merged\n")


def test_two_results_of_one_trial_are_a_conflict(tmp_path: Path) -> None:
    """Two calls of a model never take equally long, so they are two runs."""
    one, other = (modelled(tmp_path / name, "--arm", "baseline") for name in ("1", "2"))
    before = content(one)
    code, found = merge(other, out=one)
    assert (code, found["new"]) == (1, 0)
    name = f"runs/{run_of(other, 'baseline').name}"
    words = f"is another result of {run_of(other, 'baseline').name[:8]}, baseline, seed 1 than the one in {one}"
    assert found["faults"] == [[str(other), {"file": name, "words": words}]]
    assert content(one) == before
    assert f"{other / name}: {words}\n" in colosseum("merge", one, other, "-o", tmp_path / "all", COLUMNS="400").stdout
    assert not (tmp_path / "all").exists()


def test_a_failed_run_gives_way_and_a_complete_one_does_not(tmp_path: Path) -> None:
    failed = modelled(tmp_path / "1", script=Wild(breaks="Differ."))
    failed_too = modelled(tmp_path / "2", "--timeout", 60, script=Wild(breaks="agents"))
    complete = modelled(tmp_path / "3", "--arm", "prompted", "--seeds", "1", "--arm", "baseline", script=Wild())
    run_of(complete, "baseline").unlink()
    out = Path(shutil.copytree(failed, tmp_path / "all"))
    assert counts(merge(failed_too, out=out)[1]) == (0, 0, 2, 0, 0)
    for name, was in content(failed).items():
        assert name == "campaign.json" or content(out)[name].startswith(was)  # the ledger grew
    assert json.loads((out / "campaign.json").read_bytes())["options"]["api_base"] is None  # it was several
    assert counts(merge(complete, out=out)[1]) == (0, 1, 1, 0, 0)
    assert run_of(out, "prompted").read_bytes() == run_of(complete, "prompted").read_bytes()
    assert run_of(out, "baseline").read_bytes() == run_of(failed, "baseline").read_bytes()
    assert not (out / "report.json").exists()
    assert colosseum("replay", out).returncode == 0
    assert counts(merge(failed, failed_too, out=out)[1]) == (0, 0, 2, 0, 0)
    assert json.loads(run_of(out, "prompted").read_bytes())["status"] == "complete"


def test_calls_that_were_paid_for_come_along(tmp_path: Path) -> None:
    one, other = (modelled(tmp_path / name, "--arm", "baseline") for name in ("1", "2"))
    for folder in (one, other):
        run_of(folder, "baseline").unlink()
    few, many = (run_of(folder, "baseline", ending="calls.jsonl") for folder in (one, other))
    paid = few.read_bytes().splitlines(keepends=True)[:3]
    few.write_bytes(b"".join(few.read_bytes().splitlines(keepends=True)[:3]))
    many.write_bytes(many.read_bytes()[:-10])
    out = tmp_path / "all"
    assert counts(merge(one, other, out=out)[1]) == (0, 0, 0, 1, 1)
    kept = run_of(out, "baseline", ending="calls.jsonl")
    assert kept.read_bytes() == b"".join(many.read_bytes().splitlines(keepends=True)[:-1])
    assert counts(merge(one, other, out=out)[1])[:4] == (0, 0, 0, 1)
    assert {*spare(out), *kept.read_bytes().splitlines(keepends=True)} >= {*paid}, "they count in the bill"
    assert colosseum("log", "verify", out).returncode == 0


def spare(folder: Path) -> list[bytes]:
    """Calls that no run of a merged folder uses."""
    found = (folder / "preflight" / "merged").glob("*.calls.jsonl")
    return [line for path in found for line in path.read_bytes().splitlines(keepends=True)]


def test_a_result_takes_no_paid_answer_from_file(tmp_path: Path) -> None:
    """A run that failed at its first call gives way to one with answers, and a complete one leaves those on file."""
    begun, other = (modelled(tmp_path / name, "--arm", "baseline") for name in ("1", "2"))
    failed = modelled(tmp_path / "3", "--arm", "baseline", script=Wild(breaks="agents"))
    calls = run_of(begun, "baseline", ending="calls.jsonl")
    run_of(begun, "baseline").unlink()
    calls.write_bytes(b"".join(calls.read_bytes().splitlines(keepends=True)[:-1]))
    paid = calls.read_bytes().splitlines(keepends=True)
    first = Path(shutil.copytree(failed, tmp_path / "first"))
    for out, folders in ((begun, (failed,)), (tmp_path / "all", (failed, begun)), (first, (begun,))):
        assert counts(merge(*folders, out=out)[1])[:4] == (0, 0, 0, 1)
        assert run_of(out, "baseline", ending="calls.jsonl").read_bytes().splitlines(keepends=True) == paid
        assert not run_of(out, "baseline").exists()
    assert counts(merge(other, out=begun)[1]) == (1, 0, 0, 0, 0)
    used = run_of(begun, "baseline", ending="calls.jsonl").read_bytes().splitlines(keepends=True)
    assert {*spare(begun), *used} >= {*paid}
    assert counts(merge(other, out=begun)[1])[:3] == (0, 0, 1)
    assert len(spare(begun)) == len({*spare(begun)})
    for folder in (begun, tmp_path / "all", first):
        assert colosseum("log", "verify", folder).returncode == 0


def test_judgements_and_labels_of_several_folders_are_joined(tmp_path: Path) -> None:
    one = scripted(tmp_path / "1", seeds="1", text=MATCH)
    other, third = (Path(shutil.copytree(one, tmp_path / name)) for name in ("2", "3"))
    for folder, name in ((one, "openai/a"), (other, "openai/b")):
        judge(folder, "--judge", name)
    assert colosseum("judge", "label", one, "--out", tmp_path / "page.html").returncode == 0
    assert merge(other, one, out=third)[0] == 0
    judged = {path.name: path.read_bytes() for path in (third / "judged").glob("*.calls.jsonl")}
    for folder in (one, other):
        for path in (folder / "judged").glob("*.calls.jsonl"):
            assert {*path.read_bytes().splitlines()} <= {*judged[path.name].splitlines()}
    found = [json.loads(path.read_bytes()) for path in (third / "judged").glob("*[0-9a-f].json")]
    assert {each["judge"] for run in found for each in run.get("judgements", ())} == {"openai/a", "openai/b"}
    assert (third / "judged" / "labels.json").read_bytes() == (one / "judged" / "labels.json").read_bytes()
    assert colosseum("log", "verify", third).returncode == 0
    before = content(third)
    assert merge(other, one, out=third)[0] == 0
    assert {n: c for n, c in content(third).items() if "ledger" not in n} == {
        n: c for n, c in before.items() if "ledger" not in n}  # fmt: skip
    Folder(other).keep(other / "judged" / "labels.json", b"{}")
    refused = colosseum("merge", other, one, "-o", tmp_path / "4")
    assert (refused.returncode, (tmp_path / "4").exists()) == (2, False)
    assert "labels of people differ" in refused.stderr


def test_what_is_no_campaign_is_said(copies: list[Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a file").write_text("x")
    for arguments, words in (
        ((tmp_path / "empty", "-o", tmp_path / "all"), "holds no campaign"),
        ((copies[0], "-o", tmp_path / "a file"), "cannot write"),
        ((copies[0],), "missing option `-o`"),
    ):
        done = colosseum("merge", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
    (copies[0] / "campaign.json").write_text("{}")
    assert "is damaged" in colosseum("merge", copies[1], "-o", copies[0]).stderr


def test_a_merged_folder_is_gone_on_with(tmp_path: Path) -> None:
    one = scripted(tmp_path / "1", "--shard", "1/2", seeds="1..2")
    out = tmp_path / "all"
    merge(one, out=out)
    done = audit(spec(tmp_path), out, "--seeds", "1..2")
    assert done.returncode == 0
    assert "4 runs complete, 2 of them from before" in done.stderr
    assert colosseum("replay", out).returncode == 0


def test_a_folder_is_not_merged_into_itself(shards: list[Path]) -> None:
    before = content(shards[0])
    done = colosseum("merge", shards[0], "-o", shards[0])
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be merged into itself" in done.stderr
    assert content(shards[0]) == before
