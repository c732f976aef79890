"""The users' reference, run. In: grammar/README.md; out: every example does what the page says beside it.

A block ```` ```colo ```` is a whole spec when it begins with `colosseum`; else it follows the lines of the last block
`colo first` above it. `colo error C041` must fail with that code alone, `colo warning W001` must warn so;
`colo game.colo` and `csv cost.csv` are also files beside the blocks that follow. In a block, `# → …` says what comes
out; in the text, `` `7 / 2` is `3.5` `` and `` `a` reads `b` `` say what an expression is worth or means.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from colosseum.audit.channels import live_channels
from colosseum.audit.scripted import SCRIPTED
from colosseum.audit.team import cast
from colosseum.audit.view import Stage
from colosseum.cli.commands import app
from colosseum.diagnostics import CODES, Source, render_text
from colosseum.language import compose, files, parse, shipped, splitting, syntax
from colosseum.language.layout import lay_out
from colosseum.model import (
    data,
    environment,
    evaluate,
    experiment,
    functions,
    lookup,
    networks,
    prompts,
    serial,
    sweeps,
)
from colosseum.model.check import Checked, check
from colosseum.model.environment import Environment
from colosseum.model.settings import NOT_YET, READERS, Settings, read_setting
from colosseum.model.spec import SETTINGS, walk
from colosseum.model.values import Fault, Value, flatten, text
from colosseum.optimum.goal import WELFARE, coalition_goal
from colosseum.optimum.lowering import DEFAULT_LIMITS
from colosseum.optimum.scoring import score
from colosseum.optimum.solve import Solver

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "grammar" / "README.md").read_text(encoding="utf-8")
HEAD = "colosseum 1\nscenario example\n"
PIECE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block that is a spec, and where it stands."""

    line: int
    code: str
    """As the page shows it."""
    spec: str
    """Made whole."""
    files: tuple[tuple[str, str], ...]
    """The files beside it: those that blocks above it show."""
    expected: tuple[str, str] | None
    """(error or warning, its code)."""

    def check(self, folder: Path) -> tuple[Checked | None, list[str]]:
        """The spec, and every code that is reported on it."""
        shared = ((f"lib/{p.name}", p.read_text(encoding="utf-8")) for p in (shipped("specs") / "lib").iterdir())
        for name, content in (*shared, *self.files, ("block.colo", self.spec)):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        found, diagnostics = check(folder / "block.colo")
        wrong = [d.code for d in diagnostics if d.code.startswith("C")]
        if self.expected is None:
            assert not wrong, render_text(diagnostics)
        return found, [d.code for d in diagnostics]


def blocks() -> Iterator[Block]:
    preamble, files = "", list[tuple[str, str]]()
    for piece in PIECE.finditer(PAGE):
        language, _, rest = piece["info"].partition(" ")
        if language == "colo":
            kind, _, code = rest.partition(" ")
            preamble = "" if kind == "first" else preamble
            whole = piece["code"] if piece["code"].startswith("colosseum") else HEAD + preamble + piece["code"]
            line = PAGE.count("\n", 0, piece.start()) + 1
            yield Block(line, piece["code"], whole, tuple(files), (kind, code) if code else None)
        if rest == "first":
            preamble = piece["code"]
        if rest.endswith((".colo", ".csv")):
            files.append((rest, piece["code"]))


BLOCKS = list(blocks())
GOOD = [b for b in BLOCKS if b.expected is None or b.expected[0] == "warning"]


def line_of(block: Block) -> str:
    return f"line {block.line}"


@pytest.mark.parametrize("block", BLOCKS, ids=line_of)
def test_every_example_does_what_the_page_says(block: Block, tmp_path: Path) -> None:
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
def test_every_example_stands_in_the_standard_layout(block: Block) -> None:
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
            assert f"{runs}; seeds {', '.join(map(str, design.seeds))}" == found[1]
        elif found := re.fullmatch(r"(\w+) is played by: (.*)", claim):
            assert self._players(found[1]) == found[2]
        elif found := re.fullmatch(r"(.*) = (.*)", claim):
            assert value(found[1], self.checked) == found[2]
        else:
            self._optima(claim)

    def _players(self, arm: str) -> str:
        (design, *_) = self.checked.designs.values()
        conditions = next(c.conditions for c in design.cells if c.name == arm)
        roles = cast(Stage(self.checked.expansion.scenario, conditions, 1), self.checked.expansion.world.sets)
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


def expression(written: str) -> syntax.Expr:
    file, diagnostics = parse(Source("page", f"{HEAD}param probe = {written}\n"))
    assert not diagnostics, render_text(diagnostics)
    (probe,) = file.statements
    assert isinstance(probe, syntax.Param)
    return probe.value


def value(written: str, checked: Checked) -> str:
    found = evaluate.value(expression(written), Environment(checked.expansion.world))
    return text(found)


# ---- what the text says beside the examples ------------------------------------------------------------------------


def plain_text() -> str:
    """The page without its blocks, and without its draws, which a test of their own reads."""
    return re.sub(r"^## Draws\n.*?(?=^## )", "", PIECE.sub("", PAGE), flags=re.DOTALL | re.MULTILINE)


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


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its header."""
    section = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert section, heading
    lines = re.findall(r"(?:^\|.*\n)+", section[1], re.MULTILINE)[0].splitlines()
    return [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in lines[2:]]


@pytest.mark.parametrize(("written", "code"), [row[:2] for row in rows("Common mistakes")])
def test_a_mistake_gets_the_code_of_the_page(written: str, code: str, tmp_path: Path) -> None:
    task = next(b for b in BLOCKS if b.expected is None and "set jobs" in b.code)
    (tmp_path / "spec.colo").write_text(f"{task.spec}{written.strip('`')}\n", encoding="utf-8")
    _, diagnostics = check(tmp_path / "spec.colo")
    assert {d.code for d in diagnostics if d.code.startswith("C")} == {code}


def words(cell: str) -> list[str]:
    """The first word of each piece of code in a cell."""
    return re.findall(r"`(\$?\w[\w/]*)", cell)


def test_every_kind_of_node_stands_in_an_example() -> None:
    used: set[type] = set()
    for block in GOOD:
        file, diagnostics = parse(Source("page", block.spec))
        assert not diagnostics, render_text(diagnostics)
        used |= {type(node) for statement in file.statements for node in walk(statement)}
    grammar = (shipped("grammar") / "colosseum.lark").read_text(encoding="utf-8")
    alternatives = re.search(r"^_declaration:((?:.*\n)+?)$", grammar, re.MULTILINE)
    assert alternatives is not None
    statements = [*re.findall(r"\w+", alternatives[1]), "use", "override", "objective", "setting", "arm", "sweep"]
    assert {kind.capitalize() for kind in statements} <= {kind.__name__ for kind in used}
    kinds = {k for k in vars(syntax).values() if isinstance(k, type) and issubclass(k, syntax.Node)}
    outside = {"Comment", "Edition", "ScenarioName", "File", "Node", "Declaration"}
    assert {k.__name__ for k in kinds - used} <= outside


def test_reserved_words_are_those_of_the_grammar() -> None:
    from colosseum.language.tables import tables

    patterns = (terminal.pattern.value for terminal in tables().terminals)
    listed = next(piece["code"] for piece in PIECE.finditer(PAGE) if piece["info"] == "words")
    assert listed.split() == sorted(p for p in patterns if p.isalpha() and p.islower())


def test_functions_graphs_filters_and_players_are_listed() -> None:
    listed = [name for row in rows("Functions") for name in words(row[0])]
    assert sorted(listed) == sorted([*functions.FUNCTIONS, "sum"])
    assert [words(row[0])[0] for row in rows("network")] == ["complete", "path", "ring", "star", "edges", *RANDOM]
    assert {*GRAPHS, *RANDOM} == set(networks.PARAMETERS)
    said = re.search(r"the filters (.*) and the tests (.*); nothing else", PAGE)
    assert said is not None
    assert words(said[1]) == sorted(prompts.FILTERS)
    assert words(said[2]) == sorted(prompts.TESTS)
    assert sorted(words(row[0])[0] for row in rows("Scripted players")) == sorted(SCRIPTED)


RANDOM = ("erdos_renyi", "watts_strogatz", "barabasi_albert")
GRAPHS = ("complete", "path", "ring", "star", "edges")


@pytest.mark.parametrize("kind", GRAPHS)
def test_a_graph_joins_what_the_page_says(kind: str, tmp_path: Path) -> None:
    row = next(row for row in rows("network") if words(row[0])[0] == kind)
    spec = f"{HEAD}agents A, B, C, D\nvariable v[agents]: 1..2\nnetwork {row[0].strip('`')}\n"
    (tmp_path / "spec.colo").write_text(spec, encoding="utf-8")
    checked, _ = check(tmp_path / "spec.colo")
    assert checked is not None
    assert ", ".join("".join(map(str, flatten((link,)))) for link in checked.expansion.world.network_links) == row[2]


def test_shared_prompts_are_listed_with_their_variants() -> None:
    found = []
    for path in (shipped("specs") / "lib").glob("*.colo"):
        file, _ = parse(Source(path.name, path.read_text(encoding="utf-8")))
        told = [s for s in file.statements if isinstance(s, syntax.Prompt)]
        found.append([f"lib/{path.name}", *(p.name for p in told), *(v.name for p in told for v in p.variants)])
    listed = [re.findall(r"`([^`]+)`", " ".join(row)) for row in rows("use and override")]
    assert sorted(listed) == sorted(found)


# ---- settings, limits, codes ---------------------------------------------------------------------------------------


def test_every_setting_is_listed_with_its_default() -> None:
    listed = {words(row[0])[0]: row for row in rows("Settings")}
    assert sorted(listed) == sorted(SETTINGS)
    assert set(READERS) | set(experiment.PAIRING) == set(SETTINGS)
    assert {name for name, row in listed.items() if row[3] == "does not act yet"} == set(NOT_YET) & set(READERS)
    defaults = {f.name: getattr(Settings(), f.name) for f in fields(Settings)}
    for name, (field, _) in READERS.items():
        assert listed[name][1] == shown(defaults[field]), name


def shown(default: object) -> str:
    match default:
        case None:
            return "none"
        case bool():
            return "`on`" if default else "`off`"
        case ((_, model),):
            return f"`{model}`"
        case _:
            return f"`{default:g}`" if isinstance(default, float) else f"`{default}`"


@pytest.mark.parametrize("name", READERS)
def test_a_setting_takes_what_the_page_says(name: str, tmp_path: Path) -> None:
    row = next(row for row in rows("Settings") if words(row[0])[0] == name)
    example = re.search(r"`\w+ ([^`]*)`", row[0])
    assert example is not None
    (tmp_path / "spec.colo").write_text(f"{HEAD}agents A\nvariable v[agents]: 1..2\n", encoding="utf-8")
    checked, _ = check(tmp_path / "spec.colo")
    assert checked is not None
    env = Environment(checked.expansion.world)
    read_setting(Settings(), name, expression(example[1]), env)
    with pytest.raises(Fault) as refused:
        read_setting(Settings(), name, expression('"what is not!"'), env)
    assert row[2].replace("`", "") in refused.value.message.replace("`", "")


def test_limits_are_those_of_the_code() -> None:
    listed = {row[0]: row[1] for row in rows("Limits")}
    known = {
        "a spec file": f"{files.LARGEST // 2**20} MiB",
        "a CSV file": f"{data.LARGEST_FILE // 2**20} MiB",
        "files that use each other in a chain": compose.DEEPEST,
        "brackets inside each other": splitting.DEEPEST,
        "brackets and operators of one expression, together": splitting.LONGEST_CHAIN,
        "numbers in a range": evaluate.LARGEST_RANGE,
        "rounds of all loops of an expansion": environment.MOST_STEPS,
        "levels of terms after derived tables are substituted": lookup.DEEPEST,
        "combinations of an experiment's sweeps": sweeps.MOST_POINTS,
        "tries for a connected random network": networks.MOST_REDRAWS,
        "characters of a rendered prompt": prompts.LONGEST_PROMPT,
        "digits that `round` keeps": prompts.MOST_DIGITS,
        "joint values of a term that no rule of the integer program fits": DEFAULT_LIMITS.table,
    }
    assert listed == {name: f"{limit:,}".replace(",", " ") if isinstance(limit, int) else limit
                      for name, limit in known.items()}  # fmt: skip


def test_codes_and_commands_exist() -> None:
    assert set(re.findall(r"\b[CW]\d{3}\b", PAGE)) - {"C029", "C049", "C079", "C099", "C119", "C139"} <= set(CODES)
    commands = {command.name for command in app.registered_commands}
    assert set(re.findall(r"`colosseum (\w+)", PAGE)) - {"1"} <= commands


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


def test_a_model_has_the_parts_that_the_page_names(tmp_path: Path) -> None:
    checked, _ = BLOCKS[0].check(tmp_path)
    assert checked is not None
    model = json.loads(serial.dump(checked.expansion.scenario))
    said = re.search(r"the expanded model, an object of (.*); `task` has (.*?)\. ", PAGE)
    assert said is not None
    assert words(said[1]) == list(model)
    assert words(said[2]) == list(model["task"])
