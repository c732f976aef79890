"""`frontier` and `scan`: what is shown and what other tools read, and words for every wrong option."""

import io
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import SPECS, checked
from reported import column, flat, notes, printed, told, words
from rich.cells import cell_len
from test_cli_commands import JIRA, TOY, colosseum, read
from test_solve_frontier import Hurried

from colosseum.cli.guide import guide_pages
from colosseum.model.scenario import Scenario
from colosseum.report.instances import frontier_blocks, harm_table, point_table, prospect_table, scan_blocks, scan_table
from colosseum.report.page import print_blocks
from colosseum.solve.questions.exposure import scan
from colosseum.solve.questions.prospect import Prospect, prospect
from colosseum.solve.solver import NOT_PROVEN, Solver

BIDDING = str(SPECS / "bidding.colo")
MENU = """colosseum 1
scenario menu "Ann chooses for all"
agents ann, bob
set offers = {OFFERS}
variable pick of ann: offers
table pay[offers] = PAY
table aim[offers] = AIM
reward paid to bob: pay[pick]
coalition greed { members = {ann}  objective own: aim[pick] }
"""


def menu(folder: Path, *offers: tuple[float, float]) -> str:
    """A spec in which ann picks a pair of what it pays bob and what it is worth to herself."""
    names = [f"o{number}" for number in range(1, len(offers) + 1)]
    text = MENU.replace("OFFERS", ", ".join(names))
    for side, word in enumerate(("PAY", "AIM")):
        cells = ", ".join(f"{name}: {offer[side]!r}" for name, offer in zip(names, offers, strict=True))
        text = text.replace(word, "{" + cells + "}")
    path = folder / "menu.colo"
    path.write_text(text, encoding="utf-8")
    return str(path)


def played(name: str) -> tuple[Scenario, Prospect]:
    """A scenario and what its coalition can have."""
    scenario = checked(Path(name)).expansion.scenario
    return scenario, prospect(Solver(scenario.task), scenario.coalitions[0])


# ---- frontier ------------------------------------------------------------------------------------------------------


METRICS = ("wanted", "span", "unit", "opportunity", "critical_lambda", "achievability")


def test_frontier_json_has_what_other_tools_read() -> None:
    whole = read("frontier", TOY, "--at", "0.4", "--at", "0.25")
    found, points = whole["prospect"], whole["prospect"]["frontier"]["points"]
    assert (found["coalition"]["name"], found["coalition"]["members"]) == ("cabal", ["B", "C"])
    assert [objective["name"] for objective in found["coalition"]["objectives"]] == ["differ"]
    assert (found["optimum"]["status"], found["optimum"]["value"], found["minimum"]["value"]) == ("optimal", 3, 1)
    assert [found[name] for name in METRICS] == [0, 2, 1, 3, 0.4, 0.4]
    assert ([step["reason"] for step in found["frontier"]["steps"]], found["reasons"]) == ([""], {})
    assert [(point["joint_payoff"], point["coalition_value"]) for point in points] == [(3, 0), (1, 3)]
    keys = ("lambda_from", "lambda_to", "harm", "bound", "movers")
    assert [[plan[key] for key in keys] for plan in whole["plans"]] == [[0, 0.4, 0, 0, []], [0.4, 1, 2, 2, ["C"]]]
    assert points[0]["assignment"] == found["optimum"]["assignment"]
    assert [(at["strength"], at["least"], at["most"]) for at in found["harms"]] == [
        (0.25, 0, 0),
        (0.4, 0, 2),
        (1, 2, 2),
    ]
    assert [at["best"] for at in found["harms"]] == [3, 3, 1]
    assert [at["worst"] for at in found["harms"]] == [3, 1, 1]
    assert [at["bound"] for at in found["harms"]] == [0, pytest.approx(2), 2]


def test_figures_that_are_not_there_have_reasons(tmp_path: Path) -> None:
    spec = menu(tmp_path, (-4, 1), (-6, 0))
    found = read("frontier", spec)["prospect"]
    assert {name for name in METRICS if found[name] is None} == set(found["reasons"])
    assert set(found["reasons"]) == {"critical_lambda", "achievability"}
    shown = flat(colosseum("frontier", spec).stdout)
    for said in ("no λ up to 1 leaves the optimum", "nothing to gain"):
        assert said in shown


def test_whose_frontier_is_asked_for() -> None:
    whose = read("frontier", JIRA, "--members", "engineer5,engineer1")["prospect"]["coalition"]
    assert whose["members"] == ["engineer1", "engineer5"]
    sizes = read("frontier", JIRA, "--set", "engineers=4", "--set", "tickets=3", "--seed", 9)
    assert (sizes["seed"], len(sizes["prospect"]["optimum"]["assignment"])) == (9, 4)
    assert read("frontier", JIRA)["plans"] != read("frontier", JIRA, "--seed", 2)["plans"]


def test_a_domain_may_mix_names_and_numbers(tmp_path: Path) -> None:
    text = """colosseum 1
scenario mix
agents A, B
set odd = {red, 1}
variable w of A: odd
variable u of B: {1, 2}
reward a to A when w in {red}: 1
reward b to B when w not in {red} and u == 1: 2
coalition c { members = {A} }
"""
    spec = tmp_path / "mix.colo"
    spec.write_text(text, encoding="utf-8")
    assert [plan["movers"] for plan in read("frontier", spec)["plans"]] == [[], ["A"]]


def test_a_page_of_frontier() -> None:
    """UPDATE_GOLDENS=1 writes it anew."""
    done = colosseum("frontier", BIDDING, "--at", "0.2", COLUMNS="60")
    golden = Path(__file__).parent / "pages" / "frontier_bidding_60.txt"
    if os.environ.get("UPDATE_GOLDENS") == "1":
        golden.write_text(done.stdout, encoding="utf-8")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", golden.read_text(encoding="utf-8"))


def test_the_guide_shows_what_is_printed() -> None:
    shown = guide_pages()["optimum"].read_text(encoding="utf-8").split("```\n")
    (table,) = (part for part in shown if "F_n  F_c  loss" in part)
    assert table.strip("\n") in colosseum("frontier", BIDDING).stdout


LINES = [
    ((10, 4),), ((4, 4), (4, 4)), ((10, 0), (0, 10)), ((1e12, -1e12), (3e11, 4)), ((1e-5, 0), (0, 3e-5)),
    ((-5, -80.25), (-6.125, -80), (-1e4, 0)), ((1000000.25, 1), (1000000, 2)),
    tuple((-k * k / 7, k * 3.0) for k in range(40)),
]  # fmt: skip


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("offers", LINES)
def test_no_page_is_wider_than_its_terminal(
    width: int, offers: tuple[tuple[float, float], ...], tmp_path: Path
) -> None:
    spec = menu(tmp_path, *offers)
    for asked in (("frontier", spec, "--at", "0.123456"), ("scan", spec, "--size", "1")):
        done = colosseum(*asked, COLUMNS=str(width))
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert max(map(cell_len, lines)) <= width
        assert [line for line in lines if line != line.rstrip()] == []
        assert "\x1b" not in done.stdout
        assert "nan" not in done.stdout


def test_an_optimum_that_leaves_something_for_the_coalition_is_told(tmp_path: Path) -> None:
    page = colosseum("frontier", menu(tmp_path, (10, 1), (10, 5), (0, 6))).stdout
    words_ = "If all play along, the coalition can have 5 more than at the optimum, 4 of it at no cost to the team:"
    assert words_ in flat(page)


def test_many_points_are_not_all_listed(tmp_path: Path) -> None:
    spec = menu(tmp_path, *((-k * k, k) for k in range(70)))
    page = colosseum("frontier", spec).stdout
    assert "… and 10 more rows" in page
    assert len(read("frontier", spec)["plans"]) == 70


def test_an_ascii_stream_gets_ascii_and_colour_is_chosen() -> None:
    stream = io.TextIOWrapper(raw := io.BytesIO(), encoding="ascii", errors="strict")
    print_blocks(frontier_blocks(*played(BIDDING)), stream, color=False)
    stream.flush()
    text = raw.getvalue().decode("ascii")
    assert "?" not in text
    assert "critical lambda" in text
    assert "\x1b" in colosseum("frontier", BIDDING, FORCE_COLOR="1").stdout
    assert "\x1b[3" not in colosseum("frontier", BIDDING, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_what_is_not_proven_is_said() -> None:
    scenario, found = played(BIDDING)
    steps = tuple(replace(s, reason=NOT_PROVEN) if n == 2 else s for n, s in enumerate(found.frontier.steps))
    harms = (replace(found.harms[0], least=None, most=None, bound=None, outsider_loss=None, reason=NOT_PROVEN),)
    open_ = replace(found, frontier=replace(found.frontier, steps=steps), harms=harms)
    assert f"not proven: there may be more points between 3 and 4, {NOT_PROVEN}" in told(
        frontier_blocks(scenario, open_)
    )
    assert words(harm_table(open_)) == [["λ = 1", "–", "–", "–", "–"]]
    assert notes(harm_table(open_)) == [f"not proven, {NOT_PROVEN}"]
    assert words(point_table(open_, scenario.task))[3][:7] == ["4", "–", "60", "28", "6.5", "2.075", "–"], (
        "where it begins is not known"
    )


def test_without_the_optimum_nothing_is_known() -> None:
    scenario = checked(Path(BIDDING)).expansion.scenario
    found = prospect(Hurried(scenario.task, skipped=frozenset({1})), scenario.coalitions[0])
    assert (found.frontier.points, found.harms) == ((), ())
    found = replace(found, optimum=replace(found.optimum, value=12.5, bound=80.0))
    assert words(prospect_table(found))[0] == ["best joint payoff", "–", NOT_PROVEN], "12.5 is no optimum"
    assert set(column(prospect_table(found), "value")[2:]) == {"–"}
    said = f"What the coalition can gain is not known: the optimum is not proven: {NOT_PROVEN}."
    assert said in told(frontier_blocks(scenario, found))
    figures = (found.wanted, found.span, found.unit, found.opportunity, found.critical_lambda, found.achievability)
    assert figures == (None,) * 6
    assert len(found.reasons) == 7


MARKET = """colosseum 1
scenario tender "Two suppliers bid for a school's order"
agents north, south, school
set suppliers = {north, south}
variable bid[s in suppliers]: 5..9
table low = min(bid[s] for s in suppliers)
table wins[s in suppliers] = 1 if bid[s] == low and (s == north or bid[north] > low) else 0
reward profit[s in suppliers] to s when wins[s] == 1: bid[s] - 4
reward savings to school: 12 - low
coalition ring { members = {north, south} }
"""


def test_two_who_fix_a_price_cost_the_team_nothing_and_the_buyer_much(tmp_path: Path) -> None:
    """Every price is worth 8 to all three: the school has 3 to 7 of it, and u is 8 / 3."""
    spec = tmp_path / "tender.colo"
    spec.write_text(MARKET, encoding="utf-8")
    whole = read("frontier", spec)
    (plan,), found = whole["plans"], whole["prospect"]
    assert (found["span"], found["outsiders"], found["among_optima"]) == (0, [3, 7], [1, 5])
    assert (found["opportunity"], found["least_opportunity"]) == (1.5, 0)
    assert (plan["harm"], plan["outsider_loss"]) == (0, [1.5, 1.5])
    assert [point["outsiders"] for point in found["frontier"]["points"]] == [[3, 3]]
    assert [at["outsider_loss"] for at in found["harms"]] == [[1.5, 1.5]]
    shown = flat(colosseum("frontier", spec).stdout)
    assert "nothing to gain" not in shown
    assert "4 of it at no cost to the team: 1.5 fair shares. Others lose up to 1.5 fair shares by it." in shown
    assert "No λ above 0 is harmless: others lose up to 1.5 fair shares where the team loses nothing." in shown
    first = read("scan", spec, "--size", "2", "--by", "outsider")["scan"]["ranking"][0]
    harms = first["figures"]["outsider_harm"], first["figures"]["selfish_harm"]
    assert (first["coalition"]["name"], *harms) == ("ring", 1.5, 0)


# ---- scan ----------------------------------------------------------------------------------------------------------


def test_scan_json_has_what_other_tools_read() -> None:
    found = read("scan", TOY, "--size", "2", "--top", "1")["scan"]
    assert (found["size"], found["by"], found["total"], found["ranks"]) == (2, "worst_harm", 3, [1, 1, 1])
    assert (found["optimum"]["status"], found["optimum"]["value"]) == ("optimal", 3)
    assert [r["coalition"]["members"] for r in found["ranking"]] == [["A", "B"], ["A", "C"], ["B", "C"]]
    assert [r["coalition"]["name"] for r in found["ranking"]] == ["", "", "cabal"]
    assert [r["figures"]["worst_harm"] for r in found["ranking"]] == [2, 2, 2]
    assert [r["figures"]["selfish_harm"] for r in found["ranking"]] == [0, 0, 2]
    assert [r["figures"]["temptation"] for r in found["ranking"]] == [0, 0, 3]


def test_scan_ranks_by_what_is_asked_for() -> None:
    first = read("scan", TOY, "--size", "2", "--by", "temptation")["scan"]["ranking"][0]
    assert first["coalition"]["members"] == ["B", "C"]
    for by, name in (("worst", "worst_harm"), ("selfish", "selfish_harm"), ("temptation", "temptation")):
        found = read("scan", JIRA, "--size", "2", "--by", by)["scan"]
        assert found["by"] == name
        values = [r["figures"][name] for r in found["ranking"]]
        assert values == sorted(values, reverse=True)
        assert len(values) == 15


def test_a_scan_of_some_coalitions_says_so() -> None:
    scenario = checked(Path(JIRA)).expansion.scenario
    whole = scan(Solver(scenario.task), scenario, size=2, by="worst_harm")
    known = replace(whole.ranking[0], figures={**whole.ranking[0].figures, "temptation": NOT_PROVEN})
    some = replace(whole, total=5_000, ranking=(known, *whole.ranking[1:9]), ranks=whole.ranks[:9])
    blocks = list(scan_blocks(scenario, some, top=3))
    assert "seed 1, 9 coalitions of 2 of 6 agents, drawn from 5,000" in told(blocks)
    assert "… and 6 more rows: `--json` lists all" in printed(blocks)
    table = scan_table(some, 3)
    assert column(table, "coalition") == [", ".join(each.coalition.members) for each in some.ranking]
    assert (column(table, "temptation")[0], notes(table)) == ("–", [NOT_PROVEN])
    nothing = list(scan_blocks(scenario, replace(whole, ranking=(), ranks=(), reason="not proven"), top=3))
    assert told(nothing)[-1] == "not proven"
    assert len(nothing) == 3


# ---- mistakes ------------------------------------------------------------------------------------------------------

WRONG: list[tuple[tuple[str, ...], str]] = [
    (("frontier", TOY, "--coalition", "cabl"), "did you mean `cabal`"),
    (("frontier", TOY, "--members", "A,Z"), "no agent `Z`"),
    (("frontier", TOY, "--members", "A,B,C"), "is everybody"),
    (("frontier", TOY, "--at", "1.5"), "λ is a number from 0 to 1"),
    (("frontier", TOY, "--at", "-0.1"), "λ is a number from 0 to 1"),
    (("frontier", TOY, "--at", "nan"), "λ is a number from 0 to 1"),
    (("frontier", TOY, "--at", "half"), "--at"),
    (("frontier", TOY, "--set", "n=3"), "no param `n`"),
    (("frontier", "nope.colo"), "no file"),
    (("frontier", JIRA, "--set", "insiders=0"), "has no members"),
    (("scan", TOY), "--size"),
    (("scan", TOY, "--size", "0"), "from 1 to 2"),
    (("scan", TOY, "--size", "3"), "somebody must be left out"),
    (("scan", TOY, "--size", "2", "--by", "wrost"), "did you mean `worst`"),
    (("scan", TOY, "--size", "2", "--top", "0"), "--top"),
    (("scan", TOY, "--size", "2", "--seed", "-1"), "--seed"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=[" ".join(a)[-40:] for a, _ in WRONG])
def test_a_wrong_command_says_what_is_wrong(arguments: tuple[str, ...], words: str) -> None:
    done = colosseum(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


@pytest.mark.parametrize("command", ["frontier", "scan"])
def test_a_scenario_that_cannot_be_optimised(command: str, tmp_path: Path) -> None:
    more = () if command == "frontier" else ("--size", "1")
    spec = tmp_path / "s.colo"
    text = Path(TOY).read_text(encoding="utf-8")
    spec.write_text(text.replace("coalition cabal", "require no: 1 == 2\ncoalition cabal"), encoding="utf-8")
    done = colosseum(command, spec, *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no assignment satisfies the hard requirements" in done.stderr
    spec.write_text(RATIO, encoding="utf-8")
    done = colosseum(command, spec, *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert "`ratio` cannot be optimised exactly" in done.stderr
    assert "s.colo:6:" in done.stderr, "it points at the reward"


@pytest.mark.parametrize("command", ["audit", "plan"])
def test_rules_that_nothing_keeps_are_told_before_a_run(command: str, tmp_path: Path) -> None:
    spec, out = tmp_path / "s.colo", tmp_path / "out"
    text = Path(TOY).read_text(encoding="utf-8")
    spec.write_text(text.replace("coalition cabal", "require no: 1 == 2\ncoalition cabal"), encoding="utf-8")
    done = colosseum(command, spec, "--seeds", "3..4", "--out", out)
    assert (done.returncode, done.stdout, out.exists()) == (2, "", False)
    assert "at seed 3 no assignment satisfies the hard requirements" in done.stderr
    assert f"`colosseum compile {spec} --seed 3` says which rules" in " ".join(done.stderr.split())


RATIO = """colosseum 1
scenario balance
agents home[1..40]
table need[agents] ~ uniform(1, 5)
variable gas[agents]: 0..1
reward ratio: sum(need[h] * gas[h] for h in agents) / (1 + sum(need[h] * (1 - gas[h]) for h in agents))
coalition pair { members = {home1, home2} }
"""


def test_a_spec_without_a_coalition_needs_members(tmp_path: Path) -> None:
    spec = tmp_path / "s.colo"
    spec.write_text(
        RATIO.replace(RATIO[RATIO.index("reward") :], "reward r[h in agents]: need[h] * gas[h]\n"), encoding="utf-8"
    )
    done = colosseum("frontier", spec)
    assert (done.returncode, done.stdout) == (2, "")
    assert "declares no coalition" in done.stderr
    assert "--members A,B" in done.stderr
    assert read("frontier", spec, "--members", "home1")["prospect"]["coalition"]["name"] == "members"
    first = json.loads(colosseum("scan", spec, "--size", "1", "--json").stdout)["scan"]["ranking"][0]
    assert first["coalition"]["name"] == ""
