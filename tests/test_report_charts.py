"""Charts of a report: what is described follows the runs, and its SVG is inert and read without colour."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from xml.etree import ElementTree

import pytest
from records import figures, record, study

from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.summary import Summary, summarise
from colosseum.evidence.verdict import Rule, settle
from colosseum.report.cells import limits
from colosseum.report.document import SIGNS, Amount, AnyChart, Chart, IntervalChart, Plot, Table, Tone
from colosseum.report.effects import (
    Effects,
    differences_chart,
    effects_of,
    heat_map,
    plane_chart,
    tone_of,
)
from colosseum.report.html.page import asset, html_of, svg
from colosseum.report.page import cell_words
from colosseum.report.pictures import FORMS, WIDTH, Scale, looks, scale, shortened, width_of
from colosseum.report.words import slug

NAME = "{http://www.w3.org/2000/svg}"
ARMS = ("baseline", "emergent", "prompted")
EFFECTS = {"baseline": 0.0, "emergent": 0.02, "prompted": 0.4}
HOSTILE = "</title><script>alert(1)</script>\u202eevil\u2066 \x00\x1b[2J\ud800 &amp; \"'`$x^2$" + "W" * 200
"""A name that would close what it stands in, turn the writing round, be mathematics, or fill the chart."""
STYLE = (files("colosseum.report.html") / "assets/picture.css").read_text(encoding="utf-8")


def judged(records: Sequence[RunRecord], scores: Mapping[str, float]) -> list[RunRecord]:
    """The same with a judge's score by arm, and nobody asked for beliefs."""
    found = []
    for run in records:
        assert run.figures is not None
        said = {"judge_score": Figure(scores[run.arm]), "belief_rate": Figure(None, "no claim")}
        found.append(replace(run, figures=replace(run.figures, scalars=run.figures.scalars | said)))
    return found


def runs(points: Sequence[str] = ("",), *, seeds: int = 24) -> list[RunRecord]:
    """A study with two treated arms at some sweep points."""
    records = [run for point in points for run in study(effects=EFFECTS, seeds=seeds, point=point, quiet=0.0)]
    return judged(records, {"baseline": 0.0, "emergent": 0.0, "prompted": 3.0})


def summed(records: Sequence[RunRecord], arms: Sequence[str] = ARMS) -> Summary:
    return summarise(records, arms=arms)


def effects(records: Sequence[RunRecord], arms: Sequence[str] = ARMS) -> Effects:
    return effects_of(summed(records, arms), settle(records, arms=arms, rule=Rule()))


def drawn(found: AnyChart | str) -> ElementTree.Element:
    """Its SVG: valid XML that runs nothing, loads nothing, says what it is and fits its frame."""
    assert isinstance(found, Chart), found
    text = str(svg(found))
    root = ElementTree.fromstring(text)
    assert (root.get("role"), "width" in root.attrib, found.name) == ("img", False, slug(found.name))
    ids = {element.get("id"): element.text for element in root.iter() if element.get("id")}
    assert all(ids[name] for name in (root.get("aria-labelledby") or "").split())
    _, _, wide, high = map(float, (root.get("viewBox") or "").split())
    assert wide == WIDTH
    for element in root.iter():
        assert element.tag not in (f"{NAME}script", f"{NAME}style", f"{NAME}image", f"{NAME}foreignObject")
        assert not [name for name in element.attrib if name == "style" or name.startswith("on")]
        assert all(link.startswith("#") for name, link in element.attrib.items() if name.endswith("href"))
        if element.tag == f"{NAME}text":
            assert 0 <= float(element.get("x") or -1) <= wide
            assert 0 <= float(element.get("y") or -1) <= high
    assert not [sign for sign in text if not (sign.isprintable() or sign == "\n")]
    if isinstance(found, IntervalChart):
        assert {len(row) for row in found.table.rows} <= {len(found.table.columns)}
    return root


# ---- differences ----------------------------------------------------------------------------------------------------


def test_differences_are_those_of_the_verdict() -> None:
    found = effects(runs(("n=1", "n=2"), seeds=22))
    chart = differences_chart(found, "outsider_loss")
    assert isinstance(chart, IntervalChart)
    for row, effect in zip(chart.rows, found.all, strict=True):
        assert effect.verdict is not None
        part = effect.verdict.action.parts[0]
        assert (row.change.value, row.change.limits) == (part.estimate.value, limits(part.paired))
        assert sorted(part.differences) == list(row.dots)
        assert row.note == effect.verdict.action.call
    dots = [mark for mark in drawn(chart).iter() if "faint" in (mark.get("class") or "").split()]
    assert len(dots) == 88


def test_calls_differ_in_colour_and_form() -> None:
    chart = differences_chart(effects(runs(seeds=22)), "outsider_loss")
    assert isinstance(chart, IntervalChart)
    tones: list[Tone] = ["bad", "clear", "open"]
    root = drawn(replace(chart, rows=tuple(replace(chart.rows[0], tone=tone, dots=()) for tone in tones)))
    looked = [tuple((e.get("class") or "").split()[1:]) for e in root.iter() if "mark " in (e.get("class") or "")]
    assert looked[::2] == [("triangle", "up"), ("circle", "down"), ("diamond", "open")]


def test_without_a_pair_there_are_no_differences() -> None:
    records = [record("baseline", 1, figures()), record("prompted", 2, figures())]
    assert differences_chart(effects(records, ("baseline", "prompted")), "outsider_loss") is None
    few = differences_chart(effects(runs(seeds=6)), "outsider_loss")
    assert isinstance(few, IntervalChart)
    assert {row.change.limits for row in few.rows} == {None}, "too few differ for an interval"
    equal = differences_chart(effects([record(arm, 1, figures()) for arm in ARMS]), "outsider_loss")
    assert "margin 0.04" in [element.text for element in drawn(equal).iter(f"{NAME}text")]


# ---- sweeps and planes ----------------------------------------------------------------------------------------------


def test_a_cell_of_a_heat_map_is_an_arm_at_a_sweep_point_and_leads_there() -> None:
    points = [f"network={name}, n={n}" for name in ("ring", "star") for n in (1, 2, 3, 4)]
    found = effects(runs(points, seeds=22))
    table = heat_map(found, "outsider_loss")
    assert isinstance(table, Table)
    assert table.columns == ("group", "network", "n=1", "n=2", "n=3", "n=4")
    cells = {
        (row[0], f"{row[1]}, {column}"): cell
        for row in table.rows for column, cell in zip(table.columns[2:], row[2:], strict=True)
    }  # fmt: skip
    for effect in found.all:
        cell = cells.pop((effect.arm, effect.point))
        assert isinstance(cell, Amount)
        assert effect.verdict is not None
        assert (cell.value, cell.tone) == (effect.change("outsider_loss").value, tone_of(effect.verdict.reading))
        where = effect.point.replace("=", "%3D").replace(", ", "%2C+")
        assert (cell.link, cell_words(cell)[-1]) == (f"#arm={effect.arm}&point={where}", SIGNS[cell.tone])
        assert f'href="{cell.link}"'.replace("&", "&amp;") in html_of([table])
    assert not cells
    one = heat_map(effects(runs([f"n={n}" for n in range(8)], seeds=3)), "outsider_loss")
    assert isinstance(one, Table)
    assert [row[1] for row in one.rows] == ["emergent", "prompted"]


def test_the_plane_has_the_signals_of_the_verdict_and_the_published_one_its_own() -> None:
    found = effects(runs())
    own, published = plane_chart(found), plane_chart(found, published=True)
    for chart in (own, published):
        assert isinstance(chart, Plot)
        assert list(chart.spots) == ["emergent", "prompted"]
        drawn(chart)
    assert isinstance(own, Plot)
    assert isinstance(published, Plot)
    for effect in found.all:
        assert effect.verdict is not None
        (spot,), (mean,) = own.spots[effect.arm], published.spots[effect.arm]
        part = effect.verdict.action.parts[0]
        assert (spot.x, spot.x_limits) == (part.estimate.value, limits(part.paired))
        assert spot.y == mean.y == effect.change("judge_score").value
        assert (mean.x, mean.x_limits) == (effect.summary.differences["coalition_advantage"].mean.value, None)
    assert plane_chart(effects(study(effects=EFFECTS, seeds=4))) == "nobody judged"


# ---- hostile names --------------------------------------------------------------------------------------------------


def hostile_charts() -> Iterator[AnyChart | str]:
    records = [
        replace(run, arm=f"{run.arm}{HOSTILE}", trial=f"{run.trial}{HOSTILE}", point=f'{run.point}, {m}="{HOSTILE}"')
        for m in "ab" for run in runs(("n=1", "n=2", "n=3", "n=4"), seeds=2)
    ]  # fmt: skip
    arms = [f"{arm}{HOSTILE}" for arm in ARMS]
    found = effects(records, arms)
    assert HOSTILE not in html_of([heat for heat in [heat_map(found, "outsider_loss")] if heat])
    yield from (chart for chart in (differences_chart(found, "outsider_loss"), plane_chart(found)) if chart)


def test_hostile_names_are_cut_and_harmless() -> None:
    styled = set(re.findall(r"\.([a-z][\w-]*)", STYLE))
    seen = list(hostile_charts())
    for chart in seen:
        root = drawn(chart)
        for element in root.iter(f"{NAME}text"):
            assert len(element.text or "") < 80, element.text
        used = {name for element in root.iter() for name in (element.get("class") or "").split()}
        assert used <= styled | set(FORMS), "every class has a style"
    assert len({chart.name for chart in seen if isinstance(chart, Chart)}) == len(seen)


# ---- scales, words, colours -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0, 1, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (-0.17, 0.21, ["−0.1", "0", "0.1", "0.2"]),
        (0, 3e7, ["0", "1e+07", "2e+07", "3e+07"]),
        (-2e-6, 2e-6, ["−2e−06", "−1e−06", "0", "1e−06", "2e−06"]),
    ],
)
def test_ticks_are_round(low: float, high: float, words: list[str]) -> None:
    assert [word for _, word in Scale(low, high, 0, 100).ticks()] == words


@pytest.mark.parametrize("value", [0.0, 3.0, -1e-9, 1e12])
def test_equal_values_have_a_scale(value: float) -> None:
    found = scale([value, value], 0, 100)
    assert found(value) == pytest.approx(50)
    assert list(found.ticks())


def test_names_that_are_cut_fit_and_stand_whole_in_their_titles() -> None:
    for name in ("W" * 50, "日本語" * 20, "i" * 90):
        shown, whole = shortened(name, 60)
        assert shown.endswith("…")
        assert (width_of(shown) <= 60, whole) == (True, name)


def test_many_arms_look_each_of_its_own_and_the_same_in_all_charts() -> None:
    arms = [f"arm{number}" for number in range(31)]
    look = looks(arms, arms)
    assert len(set(look.values())) == 31
    assert look["arm0"] == ("series-0", "circle")
    assert looks(arms[3:5], arms) == {arm: look[arm] for arm in arms[3:5]}


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_and_marks_stand_out_in_both_themes(theme: str) -> None:
    pairs = re.findall(r"--picture-([\w-]+): light-dark\((#\w+), (#\w+)\);", asset("assets/colors.css"))
    found = {name: night if theme == "dark" else day for name, day, night in pairs}
    for words in ("ink", "soft", "up-text", "down", "open-text"):
        assert contrast(found[words], found["paper"]) >= 4.5, words
    for outline in ("0", "1", "2", "3", "4-edge", "5-edge", "6-edge", "up", "down", "open", "axis"):
        assert contrast(found[outline], found["paper"]) >= 3, outline
    assert {f"--picture-{name}" for name in found} >= set(re.findall(r"var\((--[\w-]+)\)", STYLE))
