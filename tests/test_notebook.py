"""Colosseum in notebooks: what objects show, what tables hold, what errors say, and that nothing breaks out."""

import json
import pickle
import re
import subprocess
import sys
from dataclasses import asdict, replace
from html.parser import HTMLParser
from itertools import accumulate
from numbers import Integral
from pathlib import Path

import numpy
import pytest
from audited import RAW, SPEC, Wild, file_of, modelled, scripted, spec
from conftest import MATCH, SPECS
from test_cli_commands import colosseum as command
from typer.main import get_command

import colosseum
from colosseum.campaign.given import BOUNDS
from colosseum.cli.commands import app
from colosseum.report.html.page import cell_of

JIRA, TOY = SPECS / "jira.colo", SPECS / "toy.colo"
ELEMENTS = {
    "div", "style", "p", "h1", "h2", "h3", "code", "table", "thead", "tbody", "tr", "th", "td", "details", "summary",
    "dl", "dt", "dd", "pre", "span", "a", "br", "figure", "figcaption", "svg", "g", "title", "desc", "path", "line",
    "rect", "circle", "text", "tspan", "polygon", "polyline",
}  # fmt: skip
"""That pages have; none of them runs or loads anything."""
INLINE = ("code", "span", "a", "tspan")
EMPTY = ("br",)


class ParsedPage(HTMLParser):
    """A page as a browser reads it: elements that are closed as they were opened, and what they name."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.words += [] if tag in INLINE else [" "]
        self.attributes += attrs
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def page(shown: object) -> ParsedPage:
    """What a notebook shows of an object: one element without scripts that loads nothing, and no sign unseen."""
    html: str = shown._repr_html_()  # type: ignore[attr-defined]
    html.encode()
    found = ParsedPage(html)
    assert html.startswith('<div class="colosseum"><style>')
    assert set(found.tags) <= ELEMENTS
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("src", "srcset", "style")]
    assert not [link for name, link in found.attributes if name.endswith("href") and not (link or "").startswith("#")]
    assert not [sign for sign in RAW if sign in html]
    assert not [words for words in ("url(", "@import") if words in html]
    return found


@pytest.fixture(scope="module")
def jira(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jira") / "runs"
    assert command("audit", JIRA, "--seeds", "1..3", "--out", folder).returncode == 0
    return folder


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that does everything wrong, with words that would take a page over."""
    return modelled(tmp_path_factory.mktemp("wild"))


# ---- campaigns -----------------------------------------------------------------------------------------------------


def test_a_campaign_shows_what_its_report_says_first(jira: Path) -> None:
    campaign = colosseum.Campaign(jira)
    found = page(campaign)
    for words in (
        "Six engineers share out eight tickets", "Does a private channel alone make agents collude?",
        "no model was asked", "18 runs of 3 seeds", "Rule, settled before the runs", "inconclusive",
        "again", "placebo", "emergent", "selfish", "prompted", "to settle it",
    ):  # fmt: skip
        assert words in found.text, words
    assert "svg" in found.tags
    assert repr(campaign) == f"<colosseum.Campaign {str(jira)!r}: jira, experiment hidden_channel, 18 runs planned>"
    assert str(campaign) == command("report", jira).stdout.rstrip()


def test_runs_that_are_missing_or_failed_are_said(tmp_path: Path) -> None:
    folder = modelled(tmp_path, script=Wild(breaks="Differ."), seeds="1..2")
    file_of(folder, "baseline:2", "json").unlink()
    text = page(colosseum.Campaign(folder)).text
    for words in ("1 run of 2 seeds", "2 of 4 runs failed: ", "1 of 4 planned runs are missing, seed 2"):
        assert words in text, words
    assert "Scripted players" not in text


def test_another_coalition_is_measured(tmp_path: Path) -> None:
    text = SPEC.replace("network", "coalition second { members = {A, B} }\nnetwork")
    campaign = colosseum.Campaign(scripted(tmp_path, text=text), coalition="second")
    assert set(campaign.figures("runs").to_pandas()["coalition"]) == {"second"}
    with pytest.raises(colosseum.ColosseumError, match="there is no coalition `secnd`"):
        _ = colosseum.Campaign(campaign.folder, coalition="secnd").findings


def test_points_narrow_what_is_found_and_not_what_is_counted(tmp_path: Path) -> None:
    text = SPEC.replace("experiment e {", "param n = 1\nexperiment e { sweep n in 1, 2")
    folder = scripted(tmp_path, text=text)
    whole, part = colosseum.Campaign(folder), colosseum.Campaign(folder, points="n=2")
    assert {row.point for row in whole.verdicts} == {"n=1", "n=2"}
    assert part.verdicts == [row for row in whole.verdicts if row.point == "n=2"]
    assert len(part.figures().rows) * 2 == len(whole.figures().rows)
    with pytest.raises(colosseum.ColosseumError, match="`--point n=3`: there is no such sweep point"):
        _ = colosseum.Campaign(folder, points="n=3").findings


def test_the_page_and_the_files_of_figures_are_those_of_the_command(jira: Path, tmp_path: Path) -> None:
    campaign = colosseum.Campaign(jira)
    wanted = ("--thoughts", "--calls", "--verdict", "paper")
    assert command("report", jira, "--html", tmp_path / "a.html", *wanted).returncode == 0
    page = campaign.to_html(tmp_path / "b.html", thoughts=True, published=True, calls=True)
    assert page.read_bytes() == (tmp_path / "a.html").read_bytes()
    said = campaign.to_figures(tmp_path / "figures")
    assert said[0].startswith(f"{len(list((tmp_path / 'figures').glob('*.csv'))) + 1} charts and tables in ")


# ---- runs ----------------------------------------------------------------------------------------------------------


def test_a_run_shows_its_conversation_and_its_decisions(jira: Path) -> None:
    run = colosseum.Campaign(jira).run("prompted:3")
    assert re.fullmatch(r"<colosseum.Run [0-9a-f]{8}, prompted, seed 3: complete>", repr(run))
    found = page(run)
    assert "Planning, round 1" in found.text
    assert "backroom (secret)" in found.text
    assert {event["channel"] for event in run.events if event["event"] == "post"} == {"public", "backroom"}


def test_everything_that_goes_wrong_is_there(wild: Path) -> None:
    run = colosseum.Campaign(wild).run("prompted:1")
    found = page(run)
    for words in (
        "mistake in shout: unknown tool", "mistake in decide: outside domain", "answer cut off at the limit",
        "may not decide move[A] = right: it breaks the rule never", "note, which nobody sees", "<b>&amp; √",
        "\N{REPLACEMENT CHARACTER}tfel",
    ):  # fmt: skip
        assert words in found.text, words


def test_a_run_that_failed_is_no_result(tmp_path: Path) -> None:
    folder = modelled(tmp_path, script=Wild(breaks="Differ."))
    run = colosseum.Campaign(folder).run("prompted:1")
    assert run.status == "failed"
    assert "a player could not be asked: bad request" in page(run).text


def test_a_run_that_goes_on(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    file_of(folder, "prompted:2", "json").unlink()
    trace = file_of(folder, "prompted:2", "jsonl")
    trace.write_bytes(b"".join(trace.read_bytes().splitlines(keepends=True)[:8]) + b'{"n":8,"ev')
    run = colosseum.Campaign(folder).run("prompted:2")
    assert run.status == "unfinished"
    assert "No end yet" in page(run).text
    assert "cannot be trusted" not in page(run).text
    trace.unlink()
    with pytest.raises(colosseum.ColosseumError, match="prompted, seed 2 has not begun"):
        colosseum.Campaign(folder).run("prompted:2")


def test_a_trace_that_was_changed_is_not_trusted(tmp_path: Path) -> None:
    folder = scripted(tmp_path)
    trace = file_of(folder, "prompted:2", "jsonl")
    trace.write_bytes(trace.read_bytes().replace(b"left", b"lift", 1))
    assert "This trace cannot be trusted" in page(colosseum.Campaign(folder).run("prompted:2")).text
    file_of(folder, "prompted:1", "json").unlink()
    open_ = file_of(folder, "prompted:1", "jsonl")
    open_.write_bytes(open_.read_bytes().replace(b'"round":1', b'"round":7', 1))
    assert "This trace cannot be trusted" in page(colosseum.Campaign(folder).run("prompted:1")).text


# ---- models --------------------------------------------------------------------------------------------------------


def test_a_model_shows_who_decides_what_and_the_optimum() -> None:
    model = colosseum.load(JIRA, insiders=3).instance(3)
    assert repr(model) == "<colosseum.Instance jira, seed 3, 6 agents, 6 variables>"
    found = page(model)
    best = json.loads(command("compile", JIRA, "--seed", "3", "--set", "insiders=3", "--json").stdout)
    assert f"{best['optimum']['value']:,.6g} optimal" in found.text
    assert "secret: off unless an arm turns it on" in found.text
    assert "scenario jira" in found.text


def test_params_may_be_numbers_of_other_libraries() -> None:
    numpy = pytest.importorskip("numpy")
    assert len(colosseum.load(JIRA, insiders=numpy.int64(4)).instance().scenario.coalitions[0].members) == 4
    for wrong in ([3], None, float("nan"), float("inf")):
        with pytest.raises(colosseum.ColosseumError, match="the param `insiders` has to be a number"):
            colosseum.load(JIRA, insiders=wrong)


def test_what_no_assignment_can_satisfy_is_said(tmp_path: Path) -> None:
    text = MATCH.replace("experiment e", "require never: move[A] != move[A]\nexperiment e")
    model = colosseum.load(spec(tmp_path, text)).instance()
    assert "best joint payoff – no assignment satisfies the hard requirements" in page(model).text


def test_a_broken_spec_says_what_is_wrong_as_data(tmp_path: Path) -> None:
    broken = colosseum.load(spec(tmp_path, MATCH.replace("B, C}", "B, D}")))
    assert not broken.ok
    wrong = broken.diagnostics[0]
    assert wrong.file is not None
    assert wrong.file.endswith(".colo")
    assert wrong.span is not None
    assert (wrong.line, wrong.column) == (wrong.span.line, wrong.span.column)
    assert "errors: " in repr(broken)
    assert wrong.message in page(broken).text
    for ask in (broken.instance, lambda: broken.instance(3), lambda: broken.experiments):
        with pytest.raises(colosseum.ColosseumError, match=wrong.code) as found:
            ask()
        assert [d.message for d in found.value.diagnostics] == [d.message for d in broken.diagnostics]


def test_every_answer_of_an_instance_shows_itself_and_is_a_plain_value() -> None:
    instance = colosseum.load(SPECS / "jira.colo").instance(3)
    best = instance.optimum()
    scored = instance.score(best.assignment or {})
    pages = {
        "What can be had": best, "engineer6": instance.optima, "what the team earned": scored,
        "What the coalition can have": instance.frontier(), "all 15 coalitions of 2": instance.scan(2),
        "seed 3": instance.prompts(arm="prompted"),
    }  # fmt: skip
    for words, answer in pages.items():
        assert words in str(answer)
        assert words in answer._repr_html_()  # type: ignore[attr-defined]
    assert best == instance.optimum() == pickle.loads(pickle.dumps(best)) == replace(best)
    assert best != replace(best, value=0.0)


def test_a_spec_answers_what_the_command_line_answers(tmp_path: Path) -> None:
    instance = colosseum.load(JIRA, insiders=3).instance(3)
    words = ("--seed", "3", "--set", "insiders=3", "--json")
    best = json.loads(command("compile", JIRA, *words).stdout)["optimum"]
    assert instance.optimum().value == best["value"]
    assert instance.optimum().assignment == best["assignment"]
    chosen = tmp_path / "chosen.json"
    chosen.write_text(json.dumps(best["assignment"]), encoding="utf-8")
    scored = json.loads(command("score", JIRA, "--assignment", chosen, *words).stdout)
    figures = instance.score(best["assignment"]).scalars
    assert {name: asdict(figure) for name, figure in figures.items()} == scored["figures"]["scalars"]
    with pytest.raises(colosseum.ColosseumError, match="there is no variable `nobody`"):
        instance.score({"nobody": 1})
    frontier = json.loads(command("frontier", JIRA, "--members", "engineer2,engineer3", *words).stdout)
    prospect = instance.frontier(members=["engineer2", "engineer3"])
    assert prospect.opportunity == frontier["prospect"]["opportunity"]
    points = frontier["prospect"]["frontier"]["points"]
    assert [point.joint_payoff for point in prospect.frontier.points] == [p["joint_payoff"] for p in points]
    scan = json.loads(command("scan", JIRA, "--size", "2", *words).stdout)
    ranked = [list(each.coalition.members) for each in instance.scan(2).ranking]
    assert ranked == [each["coalition"]["members"] for each in scan["scan"]["ranking"]]
    sent = json.loads(command("prompts", JIRA, "--arm", "prompted", *words).stdout)
    assert instance.prompts(arm="prompted").seed == sent["seed"] == 3
    with pytest.raises(colosseum.ColosseumError, match="there is no arm `promted`"):
        instance.prompts(arm="promted")


def test_a_hostile_spec_stays_text(tmp_path: Path) -> None:
    text = MATCH.replace("scenario match", 'scenario match "</style><script>alert(1)</script> &amp; <b>"')
    found = page(colosseum.load(spec(tmp_path, text.replace('"Differ."', '"</pre><img src=x> Differ."'))))
    assert "<script>alert(1)</script> &amp; <b>" in found.text
    assert "</pre><img src=x> Differ." in found.text


# ---- all of them ---------------------------------------------------------------------------------------------------


def test_styles_hold_within_their_element_by_day_and_by_night() -> None:
    text = cell_of([]).partition("<style>")[2].partition("</style>")[0].strip()
    assert text.startswith(".colosseum {")
    depths = list(accumulate((sign == "{") - (sign == "}") for sign in text[len(".colosseum ") :]))
    assert depths.index(0) == len(depths) - 1
    known = set(re.findall(r"(--[a-z0-9-]+): light-dark\(", text))
    assert set(re.findall(r"var\((--[a-z0-9-]+)\)", text)) <= known


def test_errors_are_in_the_words_of_the_command_line(jira: Path, tmp_path: Path) -> None:
    campaign = colosseum.Campaign(jira)
    for make, words in (
        (lambda: colosseum.Campaign(jira.parent), f"did you mean `{jira}`?"),
        (lambda: campaign.run("promptd:3"), "did you mean `prompted`?"),
        (lambda: campaign.run("prompted:99"), "there is no run `prompted:99`"),
        (lambda: colosseum.load(tmp_path / "no.colo").instance(), "there is no file"),
        (lambda: colosseum.Campaign(f"{jira}\0"), "is no path"),
        (lambda: colosseum.Campaign("~nobody-of-that-name/runs"), "there is no home folder"),
        (lambda: colosseum.Campaign(jira, coalition="cabbal"), "did you mean `cabal`?"),
        (lambda: colosseum.Campaign(jira, coalition=""), "coalitions: cabal"),
        (lambda: colosseum.load("~nobody-of-that-name/x.colo"), "there is no home folder"),
        (lambda: colosseum.load(JIRA).instance(1.5), "the seed has to be a whole number"),  # type: ignore[arg-type]
        (lambda: colosseum.load(JIRA).instance(True), "the seed has to be a whole number"),
        (lambda: colosseum.load(JIRA).instance("3"), "the seed has to be a whole number"),  # type: ignore[arg-type]
        (lambda: colosseum.load(JIRA).instance(-1), "the seed has to be a whole number"),
        (lambda: colosseum.load(JIRA, insider=3).instance(), "did you mean `insiders`?"),
        (colosseum.load(spec(tmp_path, MATCH.replace("B, C}", "B, D}"))).instance, "explain: colosseum explain C"),
    ):
        with pytest.raises(colosseum.ColosseumError) as found:
            make()
        assert words in str(found.value)
        assert found.value.__cause__ is None
        assert "\n".join(found.value._render_traceback_()) == f"ColosseumError: {found.value}"
        assert str(pickle.loads(pickle.dumps(found.value))) == str(found.value)


WRONG = {
    "`runs` has to be a whole number from 1 on, not -1": lambda it, spec: it.rating_page("x.html", runs=-1),
    "`runs` has to be a whole number from 1 on, not 0": lambda it, spec: it.rating_page("x.html", runs=0),
    "`pool` has to be a whole number from 10 on, not 1": lambda it, spec: spec.power(pool=1),
    "`studies` has to be a whole number from 100 on, not -3": lambda it, spec: spec.power(studies=-3),
    "`strengths` has to be a number from 0 to 1, not 5": lambda it, spec: spec.power(strengths=[0.5, 5]),
    "`sizes` has to be a whole number from 2 on, not 1": lambda it, spec: spec.power(seeds=[1]),
    "`at` has to be a number from 0 to 1, not nan": lambda it, spec: spec.instance().frontier(at=[float("nan")]),
    "`size` has to be a whole number from 1 on, not '2'": lambda it, spec: spec.instance().scan("2"),
    "there is no ranking `3`": lambda it, spec: spec.instance().scan(2, by=3),
    "`jobs` has to be a whole number from 1 on, not -2": lambda it, spec: colosseum.audit(spec, jobs=-2),
    "`connections` has to be a whole number from 1 on, not 0": lambda it, spec: colosseum.audit(spec, connections=0),
    "`patience` has to be a number from 0 on, not -1": lambda it, spec: colosseum.audit(spec, patience=-1),
    "`budget` has to be a number from 0 on, not 'x'": lambda it, spec: colosseum.audit(spec, budget="x"),
    "`budget` has to be a number from 0 on, not True": lambda it, spec: spec.dry_run(budget=True),
    "`temperature` has to be a number from 0 to 2, not 3": lambda it, spec: it.judge("sim/judge", temperature=3),
    "`judges` has to be a text or several, not 3": lambda it, spec: it.judge(3),
    "`--seeds ` names no seed": lambda it, spec: colosseum.audit(spec, seeds=""),
    "help: as in `1..5`; leave it out": lambda it, spec: colosseum.audit(spec, seeds=[]),
    "the seed has to be a whole number from 0 on, not 'x'": lambda it, spec: colosseum.audit(spec, seeds=["x"]),
    "campaigns are compared, as `compare(Campaign(folder), …)`, not ()": lambda it, spec: colosseum.compare(),
    "campaigns are compared": lambda it, spec: colosseum.compare(it.folder),
    "`sources` has no path: name one at least": lambda it, spec: spec.import_runs([], "x"),
    "`folders` has no path: name one at least": lambda it, spec: colosseum.merge([], "x"),
    "runs/toy holds no campaign": lambda it, spec: colosseum.merge("runs/toy", "x"),
    "cannot read missing": lambda it, spec: it.add_labels("missing"),
    "there is no table `None`": lambda it, spec: it.figures(None),
    "there is no table `3`": lambda it, spec: it.figures(3),
    "`run` has to be a text or several, not 3": lambda it, spec: it.run(3),
    "there is no experiment `3`": lambda it, spec: colosseum.audit(spec, 3),
    "there is no table `['x']`": lambda it, spec: it.figures(["x"]),
    "`--point 3`: there is no such sweep point": lambda it, spec: spec.instance().prompts(point=3),
    "`size` has to be a whole number from 1 on, not None": lambda it, spec: spec.instance().scan(None),
    "an assignment is a mapping of variables to values, not 3": lambda it, spec: spec.instance().score(3),
    "`asking` has to be a mapping of options to values, not 3": lambda it, spec: spec.plan(asking=3),
    "3 is no path": lambda it, spec: colosseum.Campaign(3),
}


@pytest.mark.parametrize("words", WRONG)
def test_python_refuses_what_the_command_line_refuses(jira: Path, words: str) -> None:
    with pytest.raises(colosseum.ColosseumError) as found:
        WRONG[words](colosseum.Campaign(jira), colosseum.load(TOY))
    assert words in str(found.value)


def test_bounds_are_those_of_the_command_line() -> None:
    """Of every argument that has an option of its name, or of the name that stands behind it."""
    names = {"connections": "max_connections", "noises": "noise", "strengths": "strength", "sizes": "seeds"}
    names |= {"repeats": "judge_repeats", "temperature": "judge_temperature"}
    options = {}
    for each in get_command(app).commands.values():
        options |= {option.name: option.type for option in each.params if hasattr(option.type, "min")}
    for argument, (kind, least, most) in BOUNDS.items():
        if (name := names.get(argument, argument)) in options:
            option = options[name]
            assert (option.min, option.max) == (least, None if most == float("inf") else most), argument
            assert (option.name == "int range") == (kind is Integral)
    assert len({names.get(argument, argument) for argument in BOUNDS} & options.keys()) >= 10


def test_one_path_or_name_may_stand_for_several(jira: Path, tmp_path: Path) -> None:
    assert colosseum.merge(str(jira), tmp_path / "joined").new == 18


def test_a_seed_of_another_library_is_the_same_seed() -> None:
    assert repr(colosseum.load(TOY).instance(numpy.int64(3))) == repr(colosseum.load(TOY).instance(3))


def test_nothing_is_printed(jira: Path, capfd: pytest.CaptureFixture[str]) -> None:
    campaign = colosseum.Campaign(jira)
    for shown in (campaign, campaign.run("prompted:1"), colosseum.load(TOY).instance()):
        page(shown)
    campaign.figures()
    assert capfd.readouterr() == ("", "")


def test_nothing_is_loaded_before_it_is_named() -> None:
    program = (
        "import sys, colosseum; before = {m for m in sys.modules if m.startswith('colosseum.')}; "
        "assert not before, before; assert 'Campaign' in dir(colosseum); assert 'pandas' not in sys.modules; "
        "colosseum.load; assert 'pandas' not in sys.modules; assert not hasattr(colosseum, 'Campain')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
