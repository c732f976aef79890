"""The users' reference, run. In: grammar/README.md; out: every example does what the page says beside it.

In a block, `# → …` says what comes out; in the text, `` `7 / 2` is `3.5` `` and `` `a` reads `b` `` say what an
expression is worth or means.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import endpoint
from reference import BLOCKS, GOOD, HEAD, PAGE, PIECE, ROOT, PageExample, expression, plain_text, rows, value, words
from typer.main import get_command

from colosseum.campaign.screening import Screener
from colosseum.cli.commands import app
from colosseum.diagnostics import CODES, Source, render_text
from colosseum.language import parse, shipped, syntax
from colosseum.language.layout import lay_out
from colosseum.model import serial
from colosseum.model.check import Checked, check
from colosseum.model.experiment import Design
from colosseum.model.networks import live_channels
from colosseum.model.values import Value
from colosseum.run.stage import Stage, roles_of
from colosseum.run.trial import Trials, blocks
from colosseum.run.turn import matches
from colosseum.solve.goal import WELFARE, coalition_goal
from colosseum.solve.scoring import score
from colosseum.solve.solver import Solver


def line_of(block: PageExample) -> str:
    return f"line {block.line}"


@pytest.mark.parametrize("block", BLOCKS, ids=line_of)
def test_every_example_does_what_the_page_says(block: PageExample, tmp_path: Path) -> None:
    checked, codes = block.check(tmp_path)
    match block.expected:
        case None:
            assert checked is not None
        case ("error", code):
            assert {c for c in codes if c.startswith("C")} == {code}
        case (_, code):
            assert checked is not None
            assert code in codes
    for claim in re.findall(r"# → (.*)", block.code):
        assert checked is not None
        Claims(checked).test(claim)


@pytest.mark.parametrize("block", GOOD, ids=line_of)
def test_every_example_stands_in_the_standard_layout(block: PageExample) -> None:
    head = "" if block.code.startswith("colosseum") else f"{HEAD}\n"
    assert lay_out(Source("page", head + block.code)) == (head + block.code, [])


@dataclass(frozen=True)
class Claims:
    """What the page may say of a spec."""

    checked: Checked

    def test(self, claim: str) -> None:
        """Fails when a claim does not hold, or says what no claim says."""
        scenario = self.checked.expansion.scenario
        if found := re.fullmatch(r"at (\{.*\}): joint payoff (\S+); (.*)", claim):
            self._scored(json.loads(found[1]), float(found[2]), found[3])
        elif found := re.fullmatch(r"(\w+) is told: (.*)", claim):
            told = [dict(p.variants[0].texts).get(found[1], "") for p in scenario.prompts]
            assert " / ".join(" ".join(t.split()) for t in told if t) == found[2]
        elif found := re.fullmatch(r"channels: (.*)", claim):
            (design, *_) = self.checked.designs.values()
            live = live_channels(scenario, design.cells[0].conditions)
            assert "; ".join(f"{c.name} ({', '.join(c.members)})" for c in live) == found[1]
        elif found := re.fullmatch(r"runs: (.*)", claim):
            (design, *_) = self.checked.designs.values()
            runs = "; ".join(f"{c.name} at {c.point}" if c.point else c.name for c in design.cells)
            assert f"{runs}; seeds {', '.join(map(str, self._run_seeds(design)))}" == found[1]
        elif found := re.fullmatch(r"(\w+) is played by: (.*)", claim):
            assert self._players(found[1]) == found[2]
        elif found := re.fullmatch(r"(.*) = (.*)", claim):
            assert value(found[1], self.checked) == found[2]
        else:
            self._optima(claim)

    def _run_seeds(self, design: Design) -> list[int]:
        """Those that are not left out before any run."""
        trials = Trials(self.checked.spec, self.checked.params, lambda c: c, endpoint)
        return list(dict.fromkeys(block.seed for block in Screener(design, trials).passing(blocks(design))))

    def _players(self, arm: str) -> str:
        (design, *_) = self.checked.designs.values()
        conditions = next(c.conditions for c in design.cells if c.name == arm)
        roles = roles_of(Stage(self.checked.expansion.scenario, conditions, 1), self.checked.expansion.world.sets)
        return ", ".join(f"{agent} {player}" for agent, player in roles.items())

    def _optima(self, claim: str) -> None:
        scenario = self.checked.expansion.scenario
        solver = Solver(scenario.task)
        for part in claim.split(", "):
            found = re.fullmatch(r"(best|worst) (joint payoff|of (\w+)) (-?[\d.]+)", part)
            assert found, f"the page makes a claim that the test cannot check: {part}"
            goal = coalition_goal(scenario.coalition[found[3]]) if found[3] else WELFARE
            optimum = solver.maximise(goal) if found[1] == "best" else solver.minimise(goal)
            assert optimum.status == "optimal"
            assert optimum.value == pytest.approx(float(found[4]), abs=1e-9)

    def _scored(self, given: dict[str, Value], total: float, payoffs: str) -> None:
        task = self.checked.expansion.scenario.task
        assert given.keys() == task.variable.keys()
        assert all(decided in task.variable[name].domain for name, decided in given.items())
        found = score(task, given)
        assert found.value == pytest.approx(total, abs=1e-9)
        said = {agent: float(payoff) for agent, payoff in (p.split() for p in payoffs.split(", "))}
        assert found.payoff == pytest.approx(said, abs=1e-9)


# ---- what the text says beside the examples ------------------------------------------------------------------------


@pytest.mark.parametrize(("written", "worth"), re.findall(r"`([^`]+)` is `([^`]+)`", plain_text()))
def test_an_expression_is_worth_what_the_page_says(written: str, worth: str, tmp_path: Path) -> None:
    jobs = "agents A\nset jobs = {dig, carry}\nvariable pick[agents]: jobs\n"
    (tmp_path / "spec.colo").write_text(HEAD + jobs, encoding="utf-8")
    checked, _ = check(tmp_path / "spec.colo")
    assert checked is not None
    assert value(written, checked) == worth


@pytest.mark.parametrize(("short", "long"), re.findall(r"`([^`]+)` reads `([^`]+)`", plain_text()))
def test_operators_bind_as_the_page_says(short: str, long: str) -> None:
    assert expression(short) == expression(long)


@pytest.mark.parametrize(("written", "code"), [row[:2] for row in rows("Common mistakes")])
def test_a_mistake_gets_the_code_of_the_page(written: str, code: str, tmp_path: Path) -> None:
    task = next(b for b in BLOCKS if b.expected is None and "set jobs" in b.code)
    (tmp_path / "spec.colo").write_text(f"{task.spec}{written.strip('`')}\n", encoding="utf-8")
    _, diagnostics = check(tmp_path / "spec.colo")
    assert {d.code for d in diagnostics if d.code.startswith("C")} == {code}


def test_every_kind_of_node_stands_in_an_example() -> None:
    used: set[type] = set()
    for block in GOOD:
        file, diagnostics = parse(Source("page", block.spec))
        assert not diagnostics, render_text(diagnostics)
        used |= {type(node) for statement in file.statements for node in syntax.walk(statement)}
    grammar = (shipped("grammar") / "colosseum.lark").read_text(encoding="utf-8")
    alternatives = re.search(r"^_declaration:((?:.*\n)+?)$", grammar, re.MULTILINE)
    assert alternatives is not None
    statements = [*re.findall(r"\w+", alternatives[1]), "use", "override", "objective", "setting", "arm", "sweep"]
    assert {kind.capitalize() for kind in statements} <= {kind.__name__ for kind in used}
    kinds = {k for k in vars(syntax).values() if isinstance(k, type) and issubclass(k, syntax.Node)}
    outside = {"Comment", "Edition", "ScenarioName", "File", "Node", "Declaration", "Expr", "Statement"}
    assert {k.__name__ for k in kinds - used} <= outside


# ---- links and JSON ------------------------------------------------------------------------------------------------


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", PIECE.sub("", page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(#([^)]*)\)", PAGE) + re.findall(r"\]\(grammar/README\.md#([^)]*)\)", front):
        assert link in anchors(PAGE), link
    for path in re.findall(r"\]\(([^#:)]+)[#)]", front):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"`\.\./(specs/[\w./]+)`", PAGE):
        assert (ROOT / path).exists(), path


def test_the_assignment_of_the_page_is_one() -> None:
    shown = next(piece["code"] for piece in PIECE.finditer(PAGE) if piece["info"] == "json")
    with TemporaryDirectory() as folder:
        checked, _ = BLOCKS[0].check(Path(folder))
    assert checked is not None
    task = checked.expansion.scenario.task
    assert all(decided in task.variable[name].domain for name, decided in json.loads(shown).items())
    said = re.search(r"a pair is a list, `(.*?)`, or its text, `(.*?)`", PAGE)
    assert said is not None
    assert all(matches(json.loads(pair), ("attic", 9)) for pair in said.groups())


def test_a_model_has_the_parts_that_the_page_names(tmp_path: Path) -> None:
    checked, _ = BLOCKS[0].check(tmp_path)
    assert checked is not None
    model = json.loads(serial.dump(checked.expansion.scenario))
    said = re.search(r"the expanded model, an object of (.*); `task` has (.*?)\. ", PAGE)
    assert said is not None
    assert words(said[1]) == list(model)
    assert words(said[2]) == list(model["task"])


def test_codes_and_commands_exist() -> None:
    assert set(re.findall(r"\b[CW]\d{3}\b", PAGE)) <= set(CODES)
    commands = vars(get_command(app))["commands"].keys()
    assert set(re.findall(r"`colosseum (\w+)", PAGE)) - {"1"} <= commands
