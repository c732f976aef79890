"""The printed report: its facts, its width, and that no name in it is read as markup."""

import io

import pytest
from records import figures, record, study
from rich.cells import cell_len
from rich.console import Console

from colosseum.evidence.figures import RunRecord
from colosseum.evidence.summary import Summary, summarise
from colosseum.report.numbers import decimals, number, reasons
from colosseum.report.page import Grid, fit, printable, show_grid
from colosseum.report.terminal import render

EFFECTS = {"baseline": 0.0, "again": 0.0, "emergent": 0.15, "prompted": 0.3}
SEVEN = {**EFFECTS, "placebo": 0.0, "selfish": 0.1, "instructed": 0.2}


def printed(summary: Summary, *, width: int = 80, title: str = "jira", question: str = "Do they?") -> str:
    console = Console(file=io.StringIO(), width=width, record=True, force_terminal=True, no_color=True)
    render(summary, title=title, question=question, console=console)
    return console.export_text()


def flat(text: str) -> str:
    return " ".join(text.split())


def troubled() -> list[RunRecord]:
    return [
        *study(effects=EFFECTS, seeds=30),
        record("baseline", 31, figures(refused=2)),
        record("emergent", 31, None, reason="timeout: no answer"),
        record("prompted", 31, figures(scalars={"payoff_gap": "the coalition is everybody"}, undecided=1)),
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("effects", [EFFECTS, SEVEN])
def test_no_line_is_wider_than_the_page_and_no_number_is_cut(width: int, effects: dict[str, float]) -> None:
    summary = summarise(study(effects=effects, seeds=30), arms=tuple(effects))
    text = printed(summary, width=width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "…" not in text
    mean = summary.points[0].arms[-1].scalars["joint_payoff"].mean.value
    assert mean is not None
    assert f"{mean:.1f} ±" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_facts_are_there(width: int) -> None:
    summary = summarise(troubled(), arms=tuple(EFFECTS))
    text = flat(printed(summary, width=width))
    for fact in (
        "Do they?",
        "SCRIPTED PLAYERS: no model was asked.",
        "122 complete, 1 failed",
        "baseline, again: sim/cooperate",
        "emergent, prompted: sim/collude, sim/cooperate",
        "missing in 1 of 31 runs, left out of the mean: the coalition is everybody",
        "30 pairs; left out: the treated run failed (1)",
        "the treated run left a variable undecided (1)",
        "emergent timeout: no answer (1)",
        "blank the arm has no such channel",
        "what the team earned together",
        "coalition value the coalition's own objective",
        "An effect of an arm is not yet collusion",
    ):
        assert fact in text, fact
    loss = summary.points[0].comparisons[1].differences["outsider_loss"].paired
    assert f"{loss.mean.value:+.3f} " in text
    assert f"{loss.n_nonzero}/{loss.n}" in text


def test_the_coalitions_objective_is_shown_where_it_is_not_what_its_members_earn() -> None:
    control = [record("baseline", seed, figures(scalars={"coalition_value": 7.25})) for seed in (1, 2)]
    treated = [record("told", seed, figures(scalars={"coalition_value": 9.5})) for seed in (1, 2)]
    text = printed(summarise([*control, *treated], arms=("baseline", "told")))
    rows = [line.split() for line in text.splitlines() if line.strip().startswith("coalition value")]
    assert rows[0] == ["coalition", "value", "7.25", "9.50"]
    assert rows[1][:3] == ["coalition", "value", "+2.25"]


def test_few_differences_mark_the_interval_and_show_the_sign_test() -> None:
    text = printed(summarise(study(effects=EFFECTS, seeds=8), arms=tuple(EFFECTS)))
    assert "~[" in text
    assert "sign-test" in text
    assert "not reliable: fewer than 20 pairs differ" in text
    many = printed(summarise(study(effects=EFFECTS, seeds=60), arms=tuple(EFFECTS)))
    assert "~" not in many
    assert "sign-test" not in many


def test_nulls_print_a_dash_and_a_numbered_reason() -> None:
    nothing = figures(scalars={"outsider_regret": "no outsider", "unit": 0.0})
    text = printed(summarise([record(a, s, nothing) for a in ("a", "b") for s in (1, 2)], arms=("a", "b")))
    row = next(line for line in text.splitlines() if line.strip().startswith("outsider regret"))
    assert row.split() == ["outsider", "regret", "–", "(1)", "–", "(1)"]
    assert "(1) missing in every run: no outsider" in flat(text)
    assert "missing in every pair: u is not positive" in text
    assert "no pair differs" in text
    assert "all seeds agree" in text


def test_arms_without_runs_and_an_empty_study() -> None:
    text = printed(summarise(study(effects={"baseline": 0.0}, seeds=3), arms=("baseline", "emergent")))
    assert "no complete run" in text
    assert "no pair" in text
    assert "emergent: nobody yet" in text
    assert "There are no runs yet." in printed(summarise([], arms=("baseline",)))
    assert "There are no runs yet." in printed(summarise([], arms=()))


def test_models_are_not_announced_as_scripted() -> None:
    records = [record("baseline", 1, figures(), players=("openai/gpt-x", "sim/cooperate"), model="openai/gpt-x")]
    text = printed(summarise(records, arms=("baseline",)))
    assert "SCRIPTED" not in text
    assert "baseline: openai/gpt-x, sim/cooperate" in text


def test_sweep_points_and_models_have_their_own_sections() -> None:
    records = [
        *study(effects=EFFECTS, seeds=3, point="network=ring, n=6"),
        *study(effects=EFFECTS, seeds=3, point="network=star, n=6"),
        *study(effects=EFFECTS, seeds=3, point="network=star, n=6", model="openai/x"),
    ]
    text = printed(summarise(records, arms=tuple(EFFECTS)))
    for heading in ("network=ring, n=6, model sim ─", "network=star, n=6, model openai/x ─"):
        assert heading in text
    swept = [r for m in ("sim", "sim/greedy") for r in study(effects=EFFECTS, seeds=3, point=f'model="{m}"', model=m)]
    assert 'model="sim/greedy" ─' in printed(summarise(swept, arms=tuple(EFFECTS))), "the model is named once"


def test_other_outcomes_print_only_when_there_are_any() -> None:
    calm = [record("baseline", 1, figures(violations={"one_owner": 0}))]
    quiet = printed(summarise(calm, arms=("baseline",)))
    assert not any(word in quiet for word in ("Other outcomes", "Failed runs", "Broken rules", "Difference"))
    loud = printed(summarise([record("baseline", 1, figures(infeasible=True, failed_posts=3))], arms=("baseline",)))
    assert "infeasible" in loud
    assert "refused" not in loud


HOSTILE = "[bold red]x[/] [link=http://evil]\x1b[31m\x07\u202e:smile: [/oops]"


def test_markup_and_control_characters_in_names_are_inert() -> None:
    run = figures(posts={HOSTILE: 1}, violations={HOSTILE: 2}, scalars={"regret": HOSTILE})
    records = [
        record("baseline", 1, run, players=(HOSTILE,), point=HOSTILE, model=HOSTILE),
        record(HOSTILE, 1, None, reason=HOSTILE, point=HOSTILE, model=HOSTILE),
    ]
    console = Console(file=(out := io.StringIO()), width=100, force_terminal=True, color_system=None)
    render(summarise(records, arms=("baseline",)), title=HOSTILE, question=HOSTILE, console=console)
    text = out.getvalue()
    assert not any(sign in text for sign in ("\x1b", "\x07", "\u202e", "\U0001f604"))
    assert text.count("[bold red]x[/]") >= 6
    assert "[/oops]" in text
    assert max(map(cell_len, text.splitlines())) <= 100


def test_colour_changes_no_word() -> None:
    summary = summarise(troubled(), arms=tuple(EFFECTS))
    plain, painted = io.StringIO(), Console(file=io.StringIO(), width=80, record=True, force_terminal=True)
    render(summary, title="t", question="q", console=Console(file=plain, width=80))
    render(summary, title="t", question="q", console=painted)
    assert "\x1b" not in plain.getvalue()
    assert plain.getvalue() == painted.export_text()


def test_an_ascii_pipe_gets_ascii() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", errors="strict")
    summary = summarise(troubled(), arms=tuple(EFFECTS))
    render(summary, title="Größe", question="", console=Console(file=stream, width=80))
    stream.flush()
    text = raw.getvalue().decode("ascii")
    assert "Gr??e" in text
    assert "+/-" in text


def test_many_channels_are_summed_beyond_a_dozen() -> None:
    run = figures(posts={f"link{i}": i for i in range(40)})
    text = printed(summarise([record("baseline", 1, run)], arms=("baseline",)))
    assert "28 others" in text
    assert f"{sum(range(28)):.2f}" in text


def test_fit_keeps_turns_or_splits() -> None:
    grid = Grid(("a", "b"), tuple(f"column{i}" for i in range(9)), (("1234567",) * 9,) * 2)
    assert list(fit(grid, 100)) == [grid]
    assert list(fit(grid, 30)) == [grid.transposed()]
    parts = list(fit(Grid(grid.rows, grid.columns, grid.cells, turns=False), 50))
    assert [c for part in parts for c in part.columns] == list(grid.columns)
    assert [len(part.columns) for part in parts] == [5, 4]


@pytest.mark.parametrize("width", range(30, 60))
def test_a_grid_that_fits_is_printed_whole(width: int) -> None:
    console = Console(file=io.StringIO(), width=width, record=True)
    show_grid(console, Grid(("row", "other"), ("one", "two", "three"), (("[b]12", "+3.50 ± 1.25", "x" * 9),) * 2))
    lines = console.export_text().splitlines()
    assert max(map(cell_len, lines)) <= width
    for cell in ("[b]12", "+3.50 ± 1.25", "x" * 9):
        assert sum(cell in line for line in lines) in (1, 2)


def test_reasons_are_counted_cut_and_capped() -> None:
    assert reasons((("timeout", 3),)) == "timeout"
    assert reasons((("timeout", 3),), numbered=True) == "timeout (3)"
    assert reasons(tuple((f"r{i}", 1) for i in range(7))).endswith("r4 (1), and 2 more reasons")
    assert len(reasons((("x" * 999, 1),))) == 160


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [(-0.001, 2, "0.00"), (1234.56, 1, "1,234.6"), (2.5e12, 0, "2.5e+12"), (-3.0, 2, "-3.00")],
)
def test_numbers_read_well(value: float, places: int, shown: str) -> None:
    assert number(value, places) == shown


@pytest.mark.parametrize(("largest", "places"), [(0.0, 2), (0.004, 4), (0.5, 2), (5.0, 2), (50.0, 1), (5e4, 0)])
def test_decimals_follow_the_largest_value(largest: float, places: int) -> None:
    assert decimals([largest, -largest / 3, None]) == places


def test_printable() -> None:
    assert printable("a\tb\nc\x00\u202e", "utf-8") == "a b c\ufffd\ufffd"
    assert printable("± – é", "ascii") == "+/- - ?"
