"""Experiments: arms, sweeps and settings become cells; scenarios survive their JSON."""

from pathlib import Path

import pytest
from specs_made import HEAD, TEAM, checked, expanded, said

from colosseum.model.check import check, expand
from colosseum.model.experiment import Design
from colosseum.model.serial import dump, load
from colosseum.model.settings import READERS, SETTINGS
from colosseum.model.values import Value

GAME = f"""{TEAM}param n = 3
reward r[a in agents] when move[a] == left: n undisclosed
coalition cabal {{ members = {{A, B}} }}
secret channel back for cabal
channel open for agents
prompt pitch for cabal {{ plain: "" simple: "Together." sly: "Quietly." }}
"""


def design(folder: Path, body: str) -> Design:
    return checked(folder, f"{GAME}experiment e {{ {body} }}\n").designs["e"]


def test_the_first_arm_is_the_control_and_arms_say_only_what_differs(tmp_path: Path) -> None:
    found = design(
        tmp_path, "rounds 2 seeds 3, 1..2, 3 repeats 2 arm base { } arm loud { back on pitch sly rounds 7 n 5 }"
    )
    assert (found.arms, found.seeds, found.repeats) == (("base", "loud"), (3, 1, 2), 2)
    base, loud = (cell.conditions for cell in found.cells)
    assert (base.settings.rounds, base.channels, base.variants, base.params) == (2, (), (), ())
    assert (loud.settings.rounds, loud.channels, loud.variants) == (7, (("back", True),), (("pitch", "sly"),))
    assert loud.params == (("n", 5),)
    assert base.settings.steps == loud.settings.steps == 3


def test_defaults(tmp_path: Path) -> None:
    found = design(tmp_path, "rounds 4")
    assert (found.arms, found.seeds, found.repeats) == (("baseline",), (1, 2, 3, 4, 5), 1)
    settings = found.cells[0].conditions.settings
    assert (settings.model, settings.order, settings.decisions) == ((("agents", "sim"),), "shuffled", "sequential")
    assert (settings.temperature, settings.max_tokens) == (0.7, 1500)


@pytest.mark.parametrize(
    ("sweeps", "labels"),
    [
        ("sweep n in 1, 2", ["n=1", "n=2"]),
        ("sweep n in 1..3", ["n=1", "n=2", "n=3"]),
        ("sweep rounds in 1, 2 sweep back in on, off", [
            "rounds=1, back=on", "rounds=1, back=off", "rounds=2, back=on", "rounds=2, back=off",
        ]),
        ("sweep n in 1..3 sweep rounds in 1..3 where n < rounds", ["n=1, rounds=2", "n=1, rounds=3", "n=2, rounds=3"]),
        ("sweep pitch in simple, sly where pitch != sly", ["pitch=simple"]),
        ("sweep back in on, off where back == off", ["back=off"]),
        ("sweep network in ring, star(center = B), complete where network != ring", [
            "network=star(center = B)", "network=complete",
        ]),
        ("sweep n in 1, 2 sweep network in ring, path where network == path or n == 2", [
            "n=1, network=path", "n=2, network=ring", "n=2, network=path",
        ]),
        ("sweep back in on, off sweep temperature in 0, 0.5 where back or temperature > 0", [
            "back=on, temperature=0", "back=on, temperature=0.5", "back=off, temperature=0.5",
        ]),
        ("sweep order in declared, shuffled where order == declared", ["order=declared"]),
        ("sweep network in ring, star(center = B), erdos_renyi(p = 0.9)", [
            "network=ring", "network=star(center = B)", "network=erdos_renyi(p = 0.9)",
        ]),
    ],
)  # fmt: skip
def test_sweeps(tmp_path: Path, sweeps: str, labels: list[str]) -> None:
    found = design(tmp_path, f"arm base {{ }} arm again {{ }} {sweeps}")
    assert [cell.point for cell in found.cells] == [label for label in labels for _ in range(2)]
    assert [cell.name for cell in found.cells] == ["base", "again"] * len(labels)


def test_a_sweep_over_a_param_and_a_network(tmp_path: Path) -> None:
    found = design(tmp_path, "arm base { } sweep n in 2 sweep network in star(center = C)")
    conditions = found.cells[0].conditions
    assert conditions.params == (("n", 2),)
    assert conditions.graph is not None
    assert (conditions.graph.kind, conditions.graph.arguments) == ("star", (("center", "C"),))


def test_an_arm_wins_over_the_experiment(tmp_path: Path) -> None:
    found = design(tmp_path, 'model "x/y" temperature 0 arm base { } arm other { model {cabal: "a/b", agents: sim} }')
    assert [c.conditions.settings.model for c in found.cells] == [
        (("agents", "x/y"),), (("cabal", "a/b"), ("agents", "sim")),
    ]  # fmt: skip
    assert [c.conditions.settings.temperature for c in found.cells] == [0, 0]


def test_arms_that_say_what_holds_anyway_equal_the_control(tmp_path: Path) -> None:
    path = tmp_path / "text.colo"
    path.write_text(
        f"{GAME}experiment e {{ arm base {{ }} arm same {{ back off open on pitch plain }} arm again {{ }} }}\n"
    )
    found, diagnostics = check(path)
    assert found is not None
    assert [d.message for d in diagnostics] == ["the arm `same` equals the control `base`"]


def test_names_tell_arms_of_imported_runs_that_equal_the_control(tmp_path: Path) -> None:
    path, arms = tmp_path / "text.colo", "arm base { } arm same { } arm placebo { } arm selfish { }"
    for mapping, told in (("", ["same", "placebo", "selfish"]), ('trace from "table" { seed is game }\n', ["same"])):
        path.write_text(f"{GAME}experiment e {{ {arms} }}\n{mapping}", encoding="utf-8")
        assert [d.message for d in check(path)[1]] == [f"the arm `{arm}` equals the control `base`" for arm in told]


def test_a_sweep_never_changes_draws(tmp_path: Path) -> None:
    text = f"{GAME}table luck[agents] ~ uniform(0, 1)\nreward s[a in agents] when move[a] == left: luck[a]\n"
    found = checked(tmp_path, text)
    other, diagnostics = expand(found.spec, seed=found.seed, params={"n": 9})
    assert diagnostics == []
    assert other is not None
    assert other.world.tables["luck"].entries == found.expansion.world.tables["luck"].entries


def test_params_set_from_outside(tmp_path: Path) -> None:
    text = f"{HEAD}param n = 2\nparam m = n * 10\nagents a[1..n]\nvariable v[agents]: 0..1\nreward r: m * v[a1]\n"
    found = expanded(tmp_path, text, n=4)
    assert found.task.agents == ("a1", "a2", "a3", "a4")
    assert found.params == (("n", 4), ("m", 40))
    _, words = said(tmp_path, text, k=3)
    assert "`--set k=…`: there is no param `k`" in words
    swept = f"{text}experiment e {{ arm base {{ }} sweep n in 1, 2 }}\n"
    assert expanded(tmp_path, swept, n=4).params == (("n", 4), ("m", 40))


def test_members_may_be_replaced(tmp_path: Path) -> None:
    found = checked(tmp_path, GAME)
    other, _ = expand(found.spec, seed=1, params={}, members={"cabal": ("C",)})
    assert other is not None
    assert other.scenario.coalition["cabal"].members == ("C",)


def test_the_namespace_of_settings_is_the_table_of_readers() -> None:
    assert set(SETTINGS) == {*READERS, "seeds", "repeats"}


# ---- JSON -------------------------------------------------------------------------------------------------------


def test_odd_values_survive_json(tmp_path: Path) -> None:
    text = f"""{HEAD}agents A, "the boss"
set odd = {{1, x, "2", -4}} - {{a}}
set odd2 = {{"a b"}}
variable v[agents, odd]: {{0.5, 1, 1e300, x}} or none
reward r: 1.0 if v[A, 1] in {{0.5}} else -0.0
"""
    found = expanded(tmp_path, text)
    again = load(dump(found))
    assert again == found
    domain: tuple[Value, ...] = (0.5, 1, 1e300, "x", None)
    assert again.task.variables[0].domain == domain
    assert [type(v) for v in again.task.variables[0].domain] == [type(v) for v in domain]
    assert [v.name for v in again.task.variables][:5] == ["v[A, 1]", "v[A, x]", "v[A, 2]", "v[A, -4]", "v[the boss, 1]"]


def test_an_option_of_another_kind_is_named_and_not_the_line_that_it_breaks(tmp_path: Path) -> None:
    text = f"{TEAM}param n = 2\nset tools = tool[1..n]\n"
    _, words = said(tmp_path, text, n="abc")
    assert words.startswith("error[C122]: `--set n=abc`: the param `n` is a number, not a name")
    assert words.count("error[") == 1
    _, words = said(tmp_path, text, n=1.5)
    assert "this happens with `--set n=1.5`" in words


def test_contrasts_name_arms_or_models_that_are_swept(tmp_path: Path) -> None:
    found = design(
        tmp_path, 'arm base { } arm loud { back on } compare loud with base sweep model in "a/x", "b/y" '
        'compare "b/y" # the dearer one\n with "a/x"',
    )  # fmt: skip
    assert found.contrasts == (("loud", "base"), ("b/y", "a/x"))


def test_compare_is_a_name_elsewhere(tmp_path: Path) -> None:
    text = f"{GAME}param compare = 2\nexperiment e {{ compare 3 arm base {{ }} arm more {{ compare 4 }} }}\n"
    cells = checked(tmp_path, text).designs["e"].cells
    assert [cell.conditions.params for cell in cells] == [(("compare", 3),), (("compare", 4),)]
