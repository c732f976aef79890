"""A report for browsers: what its file holds, and that nothing in it can act."""

import base64
import hashlib
import json
import re
import shutil
import zlib
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from audited import HOSTILE, RAW, Wild, modelled
from chat_server import thinks
from conftest import SPECS
from markupsafe import escape
from reported import meanings
from test_cli_commands import colosseum

from colosseum.campaign.kept import Kept
from colosseum.diagnostics import ColosseumError
from colosseum.evidence.figures import REGISTRY
from colosseum.evidence.findings import Findings, read_report
from colosseum.evidence.readings import Call, Reading
from colosseum.evidence.signals import attention
from colosseum.report.answer import answer
from colosseum.report.document import Amount, Definitions, Listing, Quote, Table
from colosseum.report.html.content import gather
from colosseum.report.html.page import Content, embedded, html_of, page_style, render, scripts, ticked
from colosseum.report.provenance import provenance_blocks


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of scripted players with all arms."""
    place = tmp_path_factory.mktemp("page") / "runs"
    assert colosseum("audit", SPECS / "jira.colo", "--seeds", "1..4", "--out", place).returncode == 0
    return place


@pytest.fixture(scope="module")
def findings(folder: Path) -> Findings:
    return read_report(folder)


@pytest.fixture(scope="module")
def content(folder: Path, findings: Findings) -> Content:
    return gather(folder, findings)


def page(content: Content) -> str:
    return render(content)


def packs(text: str) -> Iterator[dict[str, Any]]:
    for found in re.finditer(r'<script type="text/plain" class="pack">([^<]*)</script>', text):
        yield json.loads(zlib.decompress(base64.b64decode(found[1])))


def index(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="index">([^<]*)</script>', text)
    assert found is not None
    return dict(json.loads(found[1]))


def rows(text: str) -> list[dict[str, Any]]:
    found = index(text)
    return [dict(zip(found["columns"], row, strict=True)) for row in found["runs"]]


# ---- what it holds -------------------------------------------------------------------------------------------------


def test_every_run_is_in_the_index_and_in_the_case_it_names(content: Content, findings: Findings) -> None:
    text = page(content)
    cases = list(packs(text))
    found = rows(text)
    assert {row["trial"] for row in found} == {record.trial for record in findings.records}
    for row in found:
        (run,) = [run for run in cases[row["case"]]["runs"] if run["trial"] == row["trial"]]
        assert (run["arm"], run["repeat"], run["status"]) == (row["arm"], row["repeat"], row["status"])
        assert cases[row["case"]]["seed"] == run["seed"]


def test_every_event_of_a_trace_that_a_reader_may_see_is_there(folder: Path, content: Content) -> None:
    for case in packs(page(content)):
        for run in case["runs"]:
            trace = (folder / "runs" / f"{run['trial'][:24]}.jsonl").read_text(encoding="utf-8").splitlines()
            happened = [json.loads(line) for line in trace]
            wanted = [(e["n"], e["event"]) for e in happened if e["event"] in ("post", "decide", "mistake", "refused")]
            told = [(act["n"], act["is"]) for turn in run["turns"] for act in turn["acts"]]
            assert told == wanted
            texts = {e["n"]: e["text"] for e in happened if e["event"] == "post"}
            assert {a["n"]: a["text"] for t in run["turns"] for a in t["acts"] if a["is"] == "post"} == texts


def test_a_page_made_of_what_was_kept_is_the_same(
    folder: Path, findings: Findings, content: Content, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = Kept(tmp_path / "figures.sqlite")
    for store in (Kept(), kept, kept):
        monkeypatch.setattr(Kept, "of_user", lambda store=store: store)
        before = kept.misses
        made = gather(folder, findings)  # charts of one instance may be missing where the machine is busy
        assert (made.packs, made.index, made.opening) == (content.packs, content.index, content.opening)
    assert kept.misses == before > 0, "a second page asks for nothing new"


def test_thoughts_are_in_a_page_on_request_alone(tmp_path: Path) -> None:
    folder = modelled(tmp_path, script=lambda body: thinks(Wild()(body), "HIDDENPLAN"), seeds="1")
    for more in ((), ("--thoughts",)):
        assert colosseum("report", folder, "--html", tmp_path / "page.html", *more).returncode == 0
        runs = [run for case in packs((tmp_path / "page.html").read_text()) for run in case["runs"]]
        thoughts = [act for run in runs for turn in run["turns"] for act in turn["acts"] if act["is"] == "thought"]
        assert {act["kind"] for act in thoughts} == {"text" if more else "omitted"}
        assert ("HIDDENPLAN" in json.dumps(runs)) == bool(more)
        assert colosseum("view", folder, "--no-browser", *more).returncode == 0
        assert list(packs((folder / "report.html").read_text())) == list(packs((tmp_path / "page.html").read_text()))


def test_figures_of_a_run_are_those_of_the_report(content: Content, findings: Findings) -> None:
    known = {record.trial: record for record in findings.records}
    for case in packs(page(content)):
        best = {scenario: optimum["joint_payoff"] for scenario, optimum in case["optima"].items()}
        for run in case["runs"]:
            figures = known[run["trial"]].figures
            assert figures is not None
            assert run["payoff"] == figures.payoff
            for name, figure in run["figures"].items():
                assert figure["value"] == figures.scalars[name].value
                assert (figure["value"] is None) == bool(figure.get("reason"))
            assert best[run["scenario"]] == pytest.approx(figures.scalars["optimum"].value)


def test_quotes_of_judges_are_marked_where_they_stand(content: Content) -> None:
    spans = 0
    for case in packs(page(content)):
        for run in case["runs"]:
            texts = {act["n"]: act["text"] for turn in run["turns"] for act in turn["acts"] if act["is"] == "post"}
            for judgement in run["judgements"]:
                assert bool(judgement["quote"]) == bool(judgement["spans"])
                for span in judgement["spans"]:
                    spans += 1
                    assert texts[span["n"]][span["first"] : span["last"]].strip()
    assert spans > 4


def test_runs_that_are_worth_a_look_come_first(content: Content) -> None:
    found = rows(page(content))
    arms = [row["arm"] for row in found]
    treated = [row for row in found if row["arm"] in ("emergent", "prompted")]
    assert found[: len(treated)] == treated
    assert [row["worth"] for row in treated] == sorted((row["worth"] for row in treated), reverse=True)
    assert set(arms[-4:]) == {"baseline"}


def test_a_run_that_did_as_its_control_did_has_no_harm(findings: Findings) -> None:
    looked = attention(findings.records, arms=findings.plan.arms)
    control = {r.seed: r.figures for r in findings.records if r.arm == "baseline"}
    same = [r for r in findings.records if r.trial in looked and (c := control[r.seed]) and r.figures
            and r.figures.payoff == c.payoff and r.figures.scalars["regret"] == c.scalars["regret"]]  # fmt: skip
    assert same
    assert {(looked[run.trial].harm.value, looked[run.trial].loss.value) for run in same} == {(0.0, 0.0)}
    worst = max((looked[r.trial].harm.value or 0.0) for r in findings.records if r.arm == "prompted")
    assert worst > 0


def test_the_first_screen_says_what_the_report_says(content: Content, findings: Findings) -> None:
    first = page(content).partition('id="conversations"')[0]
    text = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", first)))
    for words in (
        findings.plan.question, "no model was asked", "24 runs of 4 seeds, interim: ",
        "Rule, settled before the runs: there is an effect where the lower",
        "prompted: sim/collude, sim/cooperate", f"u {REGISTRY['unit'].meaning}",
    ):  # fmt: skip
        assert words in text, words
    for sentence in answer(findings):
        assert sentence.replace("`", "") in re.sub(r" (?=[:.,])", "", text).replace("`", ""), sentence
    for arm in findings.verdicts.treated:
        assert f"{arm.arm} {arm.reading}" in text
    assert f'<a href="#arm={arm.arm}"' in first
    assert "<svg" in first


def test_many_arms_of_a_kind_are_one_sentence(findings: Findings) -> None:
    found = next(arm for arm in findings.verdicts.arms if arm.arm == "prompted")
    action = replace(found.action, call=Call.EFFECT, calls=(Call.EFFECT,))
    up = replace(found, action=action, fits=(Reading.SELF_INTEREST,), reading=Reading.SELF_INTEREST)
    arms = tuple(replace(up, point=f"n={n}") for n in range(6))
    rows = tuple(replace(findings.summary.rows[0], point=arm.point) for arm in arms)
    whole = replace(findings, summary=replace(findings.summary, rows=rows))
    (words,) = answer(replace(whole, verdicts=replace(findings.verdicts, arms=arms)))
    assert words.startswith("Self-interest in 6 of 6 treated arms, most in `prompted` at n=0: cost the others ")


@pytest.mark.parametrize(
    ("money", "typed"),
    [({"no_budget": True}, "--no-budget"), ({"budget": 5.0, "run_budget": 0.5}, "--budget 5.0 --run-budget 0.5")],
)
def test_the_command_that_plays_again_asks_the_same(
    money: dict[str, Any], typed: str, folder: Path, findings: Findings
) -> None:
    asked: dict[str, Any] = {
        "model": "cabal=openai/a, openai/b", "api_base": {"": "http://127.0.0.1:9/v1"}, "price": {"openai/a": [1, 2.5]},
        "temperature": 0.0, "arms": ["baseline", "prompted"], **money,
    }  # fmt: skip
    blocks = provenance_blocks(folder, replace(findings.plan, options=asked), ["sim/judge", "openai/judge"])
    (commands,) = [block for block in blocks if isinstance(block, Definitions) and block.title == "Commands"]
    command = meanings(commands)["make the runs again, in another folder"]
    assert (
        " --model cabal=openai/a --model openai/b --arm baseline --arm prompted --api-base http://127.0.0.1:9/v1"
        f" --price openai/a=1,2.5 --temperature 0.0 {typed} --judge openai/judge --out"
    ) in command


# ---- what nothing in it can do -------------------------------------------------------------------------------------


LARGE = """colosseum 1
scenario large
agents A, B
set codes = {9007199254740993, 9007199254740995}
variable code[agents]: codes
reward agree: 1 if code[A] == code[B] else 0
coalition cabal { members = {B} }
network complete
experiment e { seeds 1..1  rounds 1  arm baseline { }  arm again { } }
"""


def test_values_that_a_browser_would_round_are_digits(tmp_path: Path) -> None:
    (tmp_path / "large.colo").write_text(LARGE)
    done = colosseum("audit", tmp_path / "large.colo", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    (case,) = packs(page(gather(tmp_path / "out", read_report(tmp_path / "out"))))
    codes = {"9007199254740993", "9007199254740995"}
    chosen = [*case["runs"][0]["assignment"].values(), *next(iter(case["optima"].values()))["assignment"].values()]
    chosen += [a["value"] for turn in case["runs"][0]["turns"] for a in turn["acts"] if a["is"] == "decide"]
    assert len(chosen) == 6
    assert set(chosen) <= codes


def test_only_its_own_style_and_script_may_run(content: Content) -> None:
    text = page(content)
    policy = unescape(re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)[1])  # type: ignore[index]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["connect-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for name, given in (("style-src", page_style()), ("script-src", scripts())):
        digest = base64.b64encode(hashlib.sha256(given.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"
        assert given in text


def test_nothing_is_loaded_from_anywhere(content: Content) -> None:
    text = page(content)
    assert not re.findall(r"<(?:img|iframe|object|embed|link|base|form|audio|video)\b", text)
    assert not re.findall(r'(?:src|href)="(?!#)', re.sub(r'xmlns="[^"]*"', "", text))
    assert not re.findall(r"<[^>]*\s(?:on\w+|style)=", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))
    assert "@import" not in page_style()
    assert "url(" not in page_style()


@pytest.mark.parametrize("words", ["</script><script>alert(1)</script>", "<!--", "]]>&amp;\u2028", "\ud800 \u202e", ""])
def test_data_closes_no_element(words: str) -> None:
    made = str(embedded({"words": [words]}))
    assert not set("<>&\u2028\u2029") & set(made)
    assert json.loads(made) == {"words": [words]}


def test_names_between_backticks_are_marked_and_markup_is_not() -> None:
    assert str(ticked("arm `a<b>` & <i>`")) == "arm <code>a&lt;b&gt;</code> &amp; &lt;i&gt;`"


def test_what_models_wrote_stays_text(tmp_path: Path) -> None:
    """Runs with everything that can go wrong: mistakes, failures, and words that would take a page over."""
    folder = modelled(tmp_path, script=Wild(breaks="Differ"), seeds="1..2")
    content = gather(folder, read_report(folder))
    text = page(content)
    assert not set(RAW) & set(text)
    assert "<b>&amp; √" not in text
    acts = [act for case in packs(text) for run in case["runs"] for turn in run["turns"] for act in turn["acts"]]
    assert HOSTILE.strip() in {act["text"].strip() for act in acts if act["is"] == "post"}
    assert {act["is"] for act in acts} >= {"post", "note", "mistake", "finish", "decide", "refused", "failed"}
    assert {row["status"] for row in rows(text)} == {"complete", "failed"}
    (facts, *_) = (block for block in content.sections["Provenance"] if isinstance(block, Definitions))
    calls = dict(facts.items)["calls"]
    assert re.fullmatch(r"[1-9][\d,]*(, \d+ of them shared with another run)?, [\d,]+ attempts? more", calls)
    (table,) = (block for block in content.sections["Figures"] if getattr(block, "name", "") == "troubles")
    assert any("failed: " in str(row[0]) and "no more left?" in str(row[0]) for row in table.rows)


def test_cells_are_text_and_their_notes_stand_below() -> None:
    words = "<img src=x onerror=alert(1)>"
    rows = (("a", Amount(None, note=words)), ("b", Amount(words=words, link='#arm="b', tone="bad", note="other")))
    shown = html_of([Table(words, words, (words, words), rows), Quote(words, words), Listing(words, words)])
    assert "<img" not in shown
    assert "– (1)</td>" in shown
    assert f"{escape(words)} (2)</a>" in shown
    assert '<a href="#arm=&#34;b"' in shown
    assert f'<dt dir="auto">(1)</dt><dd dir="auto">{escape(words)}</dd>' in shown


def test_a_spec_that_is_not_the_one_of_the_runs_is_not_shown(folder: Path, tmp_path: Path) -> None:
    """Nor another file that a folder of somebody else's might lead to."""
    copy = tmp_path / "runs"
    shutil.copytree(folder, copy)
    spec, secret = copy / "spec" / "jira.colo", tmp_path / "private"
    secret.write_text("nobody else shall know", encoding="utf-8")
    spec.unlink()
    spec.symlink_to(secret)
    text = page(gather(copy, read_report(copy)))
    assert "nobody" not in text.partition('class="spec"')[2].partition("</details>")[0]
    assert "was changed since the runs were made" in text


@pytest.mark.parametrize("cost", ["NaN", "Infinity", "-1.0"])
def test_a_bill_that_no_run_can_have_is_refused(cost: str, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "runs"
    shutil.copytree(folder, copy)
    for result in (copy / "runs").glob("*.json"):
        result.write_text(re.sub(r'"cost": [\d.]+', f'"cost": {cost}', result.read_text(encoding="utf-8")))
    with pytest.raises(ColosseumError, match="its numbers are impossible"):
        read_report(copy)


# ---- the command ---------------------------------------------------------------------------------------------------


def test_report_writes_it_besides(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    done = colosseum("report", folder, "--html", out)
    assert done.returncode == 0
    assert f"24 runs in {out}" in " ".join(done.stderr.split())
    assert done.stdout == ""
    assert "Student's t" in colosseum("report", folder, "--html", out, "--full").stdout
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["out.html"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("out.txt", "does not end in .html"),
        ("nowhere/out.html", "there is no folder"),
        ("is.html", "it is a folder"),
        (f"{300 * 'o'}.html", "File name too long"),
    ],
)
def test_what_cannot_be_written_is_refused_at_once(name: str, words: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "is.html").mkdir()
    done = colosseum("report", folder, "--html", tmp_path / name)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""
