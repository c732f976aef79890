"""Pictures of a report: markup that harms nobody, dots where their values are, intervals as in the verdict."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import pytest
from conftest import SPECS, checked
from records import figures, record, study

from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.statistics import Interval
from colosseum.evidence.summary import Summary, summarise
from colosseum.evidence.verdict import Rule, settle
from colosseum.model.scenario import Channel, Coalition
from colosseum.optimum.questions.exposure import Exposure, Scan, scan
from colosseum.optimum.questions.prospect import Prospect, prospect
from colosseum.optimum.solve import Optimum, Solver
from colosseum.report.html.pictures import arms as of_arms
from colosseum.report.html.pictures.arms import arms_picture
from colosseum.report.html.pictures.differences import LOOKS, differences_picture
from colosseum.report.html.pictures.exposure import exposure_picture
from colosseum.report.html.pictures.frontier import Realised, frontier_picture, realised
from colosseum.report.html.pictures.lines import BELIEVED, lines_picture
from colosseum.report.html.pictures.network import network_picture
from colosseum.report.html.pictures.picture import WIDTH, Picture, slug, style_sheet
from colosseum.report.html.pictures.plane import plane_picture
from colosseum.report.html.pictures.rounds import Posts, rounds_picture
from colosseum.report.html.pictures.scale import Scale, apart, scale, swarm, tick_words
from colosseum.report.html.pictures.shapes import signs
from colosseum.report.html.pictures.words import shorten, width_of
from colosseum.report.plots.effects import Effects, effects_of, limits

NAME = "{http://www.w3.org/2000/svg}"
ARMS = ("baseline", "emergent", "prompted")
EFFECTS = {"baseline": 0.0, "emergent": 0.02, "prompted": 0.4}
HOSTILE = "</title><script>alert(1)</script>\u202eevil\u2066 \x00\x1b[2J\ud800 &amp; \"'`" + "W" * 200
"""A name that would close what it stands in, turn the writing round, or fill the picture."""


def judged(records: Sequence[RunRecord], scores: Mapping[str, float]) -> list[RunRecord]:
    """The same with a judge's score by arm, and nobody asked for beliefs."""
    found = []
    for run in records:
        if run.figures is not None:
            said = {"judge_score": Figure(scores[run.arm]), "belief_rate": Figure(None, "no claim")}
            run = replace(run, figures=replace(run.figures, scalars=run.figures.scalars | said))
        found.append(run)
    return found


def runs(points: Sequence[str] = ("",), *, seeds: int = 24) -> list[RunRecord]:
    """A study with two treated arms at some sweep points."""
    records = [run for point in points for run in study(effects=EFFECTS, seeds=seeds, point=point, quiet=0.0)]
    return judged(records, {"baseline": 0.0, "emergent": 0.0, "prompted": 3.0})


def summed(records: Sequence[RunRecord], arms: Sequence[str] = ARMS) -> Summary:
    return summarise(records, arms=arms)


def effects(records: Sequence[RunRecord], arms: Sequence[str] = ARMS) -> Effects:
    return effects_of(summed(records, arms), settle(records, arms=arms, rule=Rule()))


def drawn(found: Picture | str) -> Picture:
    """One that there is, as it has to be."""
    assert isinstance(found, Picture), found
    check(found)
    return found


def check(picture: Picture) -> None:
    """Valid XML that runs nothing, loads nothing, says what it is and fits its frame."""
    root = ElementTree.fromstring(picture.svg)
    assert root.tag == f"{NAME}svg"
    assert root.get("role") == "img"
    assert "width" not in root.attrib
    ids = {element.get("id"): element for element in root.iter() if element.get("id")}
    title, description = (ids[name] for name in (root.get("aria-labelledby") or "").split())
    assert (title.text, description.text) == tuple(words.replace("`", "") for words in (picture.title, picture.caption))
    _, _, wide, high = map(float, (root.get("viewBox") or "").split())
    assert (wide, picture.name) == (WIDTH, slug(picture.name))
    for element in root.iter():
        assert element.tag not in (f"{NAME}script", f"{NAME}style", f"{NAME}image", f"{NAME}foreignObject")
        assert not [name for name in element.attrib if name == "style" or name.startswith("on")]
        assert all(link.startswith("#") for name, link in element.attrib.items() if name.endswith("href"))
        assert not re.search(r"url\((?!#)", " ".join(element.attrib.values()))
        if element.tag == f"{NAME}text":
            assert 0 <= float(element.get("x") or -1) <= wide
            assert 0 <= float(element.get("y") or -1) <= high
    assert not [sign for sign in picture.svg if not (sign.isprintable() or sign == "\n")]
    assert all(len(row) == len(picture.table.columns) for row in picture.table.rows)


def marks(picture: Picture) -> Iterator[tuple[float, float, str, str]]:
    """Where each mark that has a title is, what it says, and where it leads."""
    root = ElementTree.fromstring(picture.svg)
    links = {id(mark): link.get("href") or "" for link in root.iter(f"{NAME}a") for mark in link}
    for element in root.iter():
        if "mark" not in (element.get("class") or "").split() or (title := element.find(f"{NAME}title")) is None:
            continue
        if element.tag == f"{NAME}circle":
            x, y = float(element.get("cx") or 0), float(element.get("cy") or 0)
        else:
            ends = [
                tuple(map(float, place.split())) for place in re.findall(r"[-\d.]+ [-\d.]+", element.get("d") or "")
            ]
            x, y = (sum(found) / len(found) for found in ((min(v), max(v)) for v in zip(*ends, strict=True)))
        yield x, y, title.text or "", links.get(id(element), "")


def number(words: str) -> float:
    return float(words.replace("−", "-"))


def straight(places: Sequence[tuple[float, float]], *, within: float = 0.3) -> None:
    """Pixels are in one line over values."""
    (a, x), (b, y) = min(places), max(places)
    for value, place in places:
        assert place == pytest.approx(x + (value - a) / (b - a) * (y - x), abs=within)


# ---- arms -----------------------------------------------------------------------------------------------------------


def test_every_run_is_a_dot_that_leads_to_it_and_lies_at_its_value() -> None:
    records = runs()
    picture = drawn(arms_picture(records, summed(records), "outsider_payoff"))
    dots = [mark for mark in marks(picture) if mark[3]]
    assert len(dots) == len(records) == 72
    values = {r.trial: r.figures.scalars["outsider_payoff"].value for r in records if r.figures}
    by_link = {f"#run={trial.replace('|', '%7C')}": value for trial, value in values.items()}
    straight([(by_link[link] or 0.0, x) for x, _, _, link in dots], within=0.1)
    assert {title.split(":")[0] for _, _, title, _ in dots} >= {"prompted, seed 1", "baseline, seed 24"}


def test_means_and_intervals_of_arms_are_those_of_the_summary() -> None:
    records = runs()
    summary = summed(records)
    picture = drawn(arms_picture(records, summary, "outsider_payoff"))
    for row, arm in zip(picture.table.rows, summary.points[0].arms, strict=True):
        average = arm.scalars["outsider_payoff"]
        assert isinstance(average.interval, Interval)
        assert row[:7] == (arm.arm, 24, 0, 24, average.mean.value, average.interval.low, average.interval.high)
    assert picture.table.columns == ("arm", "runs", "failed", "seeds", "mean", "low", "high")
    assert re.search(r"`prompted`, [+−]0\.\d\d `emergent`\.", picture.caption), "the farthest first"


def test_arms_at_several_points_share_a_scale() -> None:
    records = runs(("network=ring", "network=star"), seeds=5)
    picture = drawn(arms_picture(records, summed(records), "coalition_value"))
    assert len(picture.table.rows) == 6
    assert "network=ring</text>" in picture.svg
    places = [(number(title.rsplit(" ", 1)[1]), x) for x, _, title, link in marks(picture) if link]
    straight(places)


def test_failed_and_null_runs_are_counted_and_not_drawn() -> None:
    records = [
        *runs(seeds=3),
        record("prompted", 4, None),
        record("prompted", 5, figures(scalars={"regret": "unproven"})),
    ]
    picture = drawn(arms_picture(records, summed(records), "regret"))
    assert len([mark for mark in marks(picture) if mark[3]]) == 9
    assert "3, 1 failed" in picture.svg
    assert "1 run failed. 1 run without a value: unproven." in picture.caption


def test_without_a_value_there_is_no_picture_but_a_reason() -> None:
    failed = [record("baseline", 1, None), record("prompted", 1, None)]
    assert arms_picture(failed, summed(failed), "regret") == "timeout: no answer within 60 s"
    null = [record("baseline", 1, figures(scalars={"regret": "unproven"}))]
    assert arms_picture(null, summed(null), "regret") == "unproven"
    assert arms_picture([], summed([]), "regret") == "no run is complete"


@pytest.mark.parametrize("count", [1, 2])
def test_runs_that_are_all_equal_have_a_mean_and_no_interval(count: int) -> None:
    records = [record(arm, seed, figures()) for arm in ARMS for seed in range(count)]
    picture = drawn(arms_picture(records, summed(records), "regret"))
    assert {row[4:7] for row in picture.table.rows} == {(1.0, None, None)}
    assert picture.table.rows[0][7] == ("one value has no spread" if count == 1 else "all values are equal")
    assert 'class="rule interval"' not in picture.svg


def test_a_thousand_runs_are_thinned_ends_kept_and_it_is_said() -> None:
    records = runs(seeds=400)
    picture = drawn(arms_picture(records, summed(records), "outsider_payoff"))
    assert len([mark for mark in marks(picture) if mark[3]]) == of_arms.MOST_DOTS
    assert "300 of 1,200 runs are drawn" in picture.caption
    assert len(picture.svg) < 80_000
    least = min((r.figures.scalars["outsider_payoff"].value or 0, r.seed) for r in records if r.figures)
    assert any(f"seed {least[1]}:" in title for _, _, title, _ in marks(picture))


def test_many_arms_have_signs_of_their_own() -> None:
    look = signs([f"arm{number}" for number in range(31)], "arm0")
    assert len(set(look.values())) == 31
    assert look["arm0"].role == "series-0"


# ---- differences ----------------------------------------------------------------------------------------------------


def test_differences_are_those_of_the_verdict() -> None:
    found = effects(runs())
    picture = drawn(differences_picture(found, "outsider_loss"))
    parts = {effect.arm: effect.parts[0] for effect in found.all}
    for part in parts.values():
        assert (
            f">{'−' if (part.estimate.value or 0) < 0 else '+'}{abs(part.estimate.value or 0):.3f}</text>"
            in picture.svg
        )
    dots = [(number(title.removesuffix(" u")), x) for x, _, title, _ in marks(picture) if title[0] in "+−0"]
    assert len(dots) == 48
    straight(dots)
    assert {value for value, _ in dots} == {round(value, 3) for part in parts.values() for value in part.differences}
    for row in picture.table.rows:
        part = parts[str(row[0])]
        assert row[1:7] == (24, part.estimate.value, *(limits(part) or ()), 0.04, "Student t")


def test_dots_of_differences_lead_to_the_treated_run_of_their_seed() -> None:
    records = runs(("n=1", "n=2"), seeds=5)
    found = effects(records)
    linked = drawn(differences_picture(found, "outsider_loss", records=records))
    dots = [mark for mark in marks(linked) if mark[3]]
    assert len(dots) == 20
    trials = {f"#run={r.trial.replace('|', '%7C').replace('=', '%3D')}": r for r in records}
    for _, _, title, link in dots:
        assert title.startswith(f"seed {trials[link].seed}: ")
        assert trials[link].arm != "baseline"
    base = {(r.point, r.seed): r for r in records if r.arm == "baseline"}
    for _, _, title, link in dots:
        run, control = trials[link].figures, base[trials[link].point, trials[link].seed].figures
        assert run is not None
        assert control is not None
        before, after = (each.scalars["outsider_payoff"].value or 0.0 for each in (control, run))
        loss = (before - after) / (control.scalars["unit"].value or 1.0)
        assert number(title.split(": ")[1].removesuffix(" u")) == round(loss, 3)
    other = runs(("n=1", "n=2"), seeds=4)
    assert not [mark for mark in marks(drawn(differences_picture(found, "outsider_loss", records=other))) if mark[3]]


def test_calls_differ_in_colour_form_and_word() -> None:
    picture = drawn(differences_picture(effects(runs(("n=1", "n=2"), seeds=22)), "outsider_loss"))
    said = [str(row[picture.table.columns.index("call")]) for row in picture.table.rows]
    assert {"effect", "no effect"} & set(said)
    for call in set(said):
        look = next(look for word, look in LOOKS.items() if word == call)
        assert f'class="{look.role}"' in picture.svg
        assert f">{call}<" in picture.svg
    assert len({look.role for look in LOOKS.values()}) == len({look.form for look in LOOKS.values()}) == 3


def test_where_few_pairs_differ_there_is_a_mean_and_no_bar() -> None:
    picture = drawn(differences_picture(effects(runs(seeds=6)), "outsider_loss"))
    assert {row[3] for row in picture.table.rows} == {None}
    assert "exact tests decide" in picture.caption
    assert "95 % interval:" not in picture.svg


def test_without_a_pair_there_are_no_differences() -> None:
    records = [record("baseline", 1, figures()), record("prompted", 2, figures())]
    assert "no treated run" in str(differences_picture(effects(records, ("baseline", "prompted")), "outsider_loss"))
    equal = [record(arm, 1, figures()) for arm in ARMS]
    picture = drawn(differences_picture(effects(equal), "outsider_loss"))
    assert "margin 0.04" in picture.svg, "0 and the margin are seen though all differences are 0"


# ---- plane and lines ------------------------------------------------------------------------------------------------


def test_the_plane_has_its_regions_and_every_arm() -> None:
    found = effects(runs())
    picture = drawn(plane_picture(found))
    for region in ("direct", "attempted", "hidden", "none"):
        assert f">{region}</text>" in picture.svg
    seen = {title.split(":")[0] for _, _, title, _ in marks(picture)}
    assert seen == {"emergent", "prompted"}
    assert "`prompted`: direct" in picture.caption
    assert {row[0]: row[1] for row in picture.table.rows} == {e.arm: e.advantage.value for e in found.all}


def test_the_plane_needs_a_judge() -> None:
    records = study(effects=EFFECTS, seeds=4)
    assert plane_picture(effects(records)) == "nobody judged"


def test_lines_go_through_their_means() -> None:
    found = effects(runs(("n=1", "n=2", "n=5")))
    picture = drawn(lines_picture(found, "outsider_loss"))
    prompted = [effect for effect in found.all if effect.arm == "prompted"]
    assert [row[2] for row in picture.table.rows if row[0] == "prompted"] == [
        e.parts[0].estimate.value for e in prompted
    ]
    heights = [(number(title.split(": ")[1].split(" ")[0]), y) for _, y, title, _ in marks(picture)]
    straight(heights)
    assert [row[1] for row in picture.table.rows[:3]] == [1.0, 2.0, 5.0]


def test_lines_of_nothing_say_why() -> None:
    assert lines_picture(effects(runs()), "outsider_loss") == "no number is swept"
    assert lines_picture(effects(runs(("n=1", "n=2"), seeds=3)), BELIEVED) == "no claim"


def test_many_lines_have_a_panel_an_arm_and_then_a_legend() -> None:
    found = effects(runs([f"network={name}, n={n}" for name in "abcdefg" for n in (1, 2)], seeds=3))
    picture = drawn(lines_picture(found, "outsider_loss"))
    assert len(picture.table.rows) == 28
    assert picture.svg.count(">network=g</text>") == 2, "at the end of its line, in the panel of each arm"
    more = drawn(
        lines_picture(
            effects(runs([f"network={a}, n={n}" for a in "abcdefghijkl" for n in (1, 2)], seeds=2)), "outsider_loss"
        )
    )
    assert "20 of 24 lines are drawn" in more.caption
    assert more.svg.count(">network=a</text>") == 1, "in the legend"


# ---- frontier and exposure ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ticket_game() -> tuple[Prospect, Scan, Coalition]:
    """What can be had in the shipped game of tickets."""
    scenario = checked(SPECS / "jira.colo").expansion.scenario
    solver, coalition = Solver(scenario.task), scenario.coalitions[0]
    found = prospect(solver, coalition, strengths=[0.06])
    return found, scan(solver, scenario, size=2, by="worst_harm"), coalition


def outcomes(found: Prospect) -> list[Realised]:
    points = found.frontier.points
    ends = [(point.joint_payoff, point.coalition_value) for point in (points[0], points[-1], points[-1])]
    return [Realised(f"t{seed}", arm, seed, *end) for seed, (arm, end) in enumerate(zip(ARMS, ends, strict=True))]


def test_runs_lie_on_the_frontier_where_they_reached_it(ticket_game: tuple[Prospect, Scan, Coalition]) -> None:
    found, _, _ = ticket_game
    picture = drawn(frontier_picture(found, outcomes(found), arms=ARMS, where="seed 1"))
    plans = {title: (x, y) for x, y, title, link in marks(picture) if not link}
    reached = {title.split(",")[0]: (x, y) for x, y, title, link in marks(picture) if link}
    assert reached["baseline"] == pytest.approx(plans["λ = 0"], abs=1)
    assert reached["prompted"] == pytest.approx(reached["emergent"], abs=3), "they ended alike"
    assert f"the critical λ, {found.critical_lambda:.3g}" in picture.caption
    assert "rings around one another" in picture.caption
    harms = [row[6] for row in picture.table.rows if row[0] == "plan"]
    assert harms == [found.harm_of(point) for point in found.frontier.points]
    assert "bound at λ = 0.06" in picture.svg


def test_a_frontier_needs_points_and_no_runs(ticket_game: tuple[Prospect, Scan, Coalition]) -> None:
    found, _, _ = ticket_game
    picture = drawn(frontier_picture(found, [], arms=()))
    assert "No run of this instance is complete." in picture.caption
    alone = replace(found, frontier=replace(found.frontier, points=found.frontier.points[:1], steps=()))
    drawn(frontier_picture(alone, [], arms=()))
    nothing = replace(found, frontier=replace(found.frontier, points=(), steps=(), reason="not proven"))
    assert frontier_picture(nothing, [], arms=()) == "not proven"


def test_only_runs_with_both_payoffs_are_realised() -> None:
    records = [
        record("a", 1, figures(scalars={"joint_payoff": 3.0, "coalition_value": 2.0})),
        record("a", 2, figures(scalars={"coalition_value": "unproven"})),
        record("a", 3, figures(infeasible=True)),
        record("a", 4, None),
    ]
    assert [(run.seed, run.joint_payoff, run.coalition_value) for run in realised(records)] == [(1, 3.0, 2.0)]


def test_exposure_ranks_and_marks_the_coalition(ticket_game: tuple[Prospect, Scan, Coalition]) -> None:
    _, found, coalition = ticket_game
    picture = drawn(exposure_picture(found, coalition.members, top=3))
    rank = next(r for r, e in zip(found.ranks, found.ranking, strict=True) if e.coalition.members == coalition.members)
    assert f"is on rank {rank} of {len(found.ranking)}" in picture.caption
    assert len(picture.table.rows) == len(found.ranking)
    assert [row[-1] for row in picture.table.rows].count("yes") == 1
    harms = [(number(title.rsplit(" ", 1)[1]), x) for x, _, title, _ in marks(picture) if "worst harm" in title]
    straight(harms)
    assert len(harms) == (3 if rank <= 3 else 4)


def test_exposure_that_is_not_known_is_no_zero() -> None:
    unknown = Exposure(
        Coalition("", ("A",), ()), None, 1.0, None, {"worst_harm": "not proven", "temptation": "too long"}
    )
    found = Scan(1, "worst_harm", Optimum("optimal", 1.0, {}, 1.0, canonical=True, seconds=0.0), 1, (unknown,), (1,))
    picture = drawn(exposure_picture(found, ()))
    assert "not known" in picture.svg
    assert "A dash: not proven. A dash: too long." in picture.caption
    assert "There is no coalition here." in picture.caption
    assert exposure_picture(replace(found, ranking=(), ranks=(), reason="no optimum"), ()) == "no optimum"


# ---- network and rounds ---------------------------------------------------------------------------------------------


def channels(agents: Sequence[str]) -> list[Channel]:
    return [
        *(Channel(f"{a}-{b}", (a, b), secret=False) for a, b in combinations(agents, 2)),
        Channel("backroom", tuple(agents[:2]), secret=True),
        Channel("plot", tuple(agents[1:4]), secret=True),
        Channel("all", tuple(agents), secret=False),
    ]


def test_secret_channels_and_members_are_seen_without_colour() -> None:
    agents = ("A", "B", "C", "D")
    picture = drawn(network_picture(agents, channels(agents), ("A", "B")))
    root = ElementTree.fromstring(picture.svg)
    lines = [
        e for e in root.iter(f"{NAME}path") if "rule" in (e.get("class") or "") and e.find(f"{NAME}title") is not None
    ]
    assert sum("secret" in (e.get("class") or "") for e in lines) == 2
    assert sum("public" in (e.get("class") or "") for e in lines) == 6 + 1
    assert {title for _, _, title, _ in marks(picture) if "coalition" in title} == {
        "A, in the coalition", "B, in the coalition",
    }  # fmt: skip
    assert "stroke-dasharray" in style_sheet().split(".rule.secret")[1].split("}")[0]
    assert ("plot", "secret", 3, "B, C, D") in picture.table.rows


@pytest.mark.parametrize("count", [1, 2, 24, 25, 80])
def test_networks_of_any_size(count: int) -> None:
    agents = [f"engineer{number}" for number in range(count)]
    picture = drawn(network_picture(agents, channels(agents) if count > 1 else (), agents[:2] if count > 1 else ()))
    assert len(picture.svg) < 100_000
    assert network_picture((), (), ()) == "there are no agents"


def test_bars_are_as_high_as_the_posts() -> None:
    posts: Posts = {
        "baseline": {1: {("members", False): 2.0, ("outsiders", False): 4.0}, 2: {}},
        "prompted": {1: {("members", False): 1.0, ("members", True): 2.0}},
    }
    picture = drawn(rounds_picture(posts))
    heights = []
    for element in ElementTree.fromstring(picture.svg).iter(f"{NAME}path"):
        title = element.find(f"{NAME}title")
        if title is not None and "posts a run" in (title.text or ""):
            ys = [float(y) for y in re.findall(r"[-\d.]+ ([-\d.]+)", element.get("d") or "")]
            heights.append((number((title.text or "").split(": ")[1].split(" ")[0]), max(ys) - min(ys)))
    assert len(heights) == 4
    straight(heights)
    assert "67 % in `prompted`" in picture.caption
    assert ("prompted", 1, "members", "secret", 2.0) in picture.table.rows
    assert rounds_picture({}) == rounds_picture({"a": {1: {}}}) == "nobody posted"


def test_many_rounds_and_arms_are_cut_and_it_is_said() -> None:
    posts: Posts = {f"arm{a}": {r: {("members", False): 1.0} for r in range(1, 101)} for a in range(12)}
    picture = drawn(rounds_picture(posts))
    assert "The first 10 of 12 arms are drawn" in picture.caption
    assert "Rounds up to 60 are drawn" in picture.caption
    assert len(picture.table.rows) == 12 * 100 * 4


# ---- hostile names --------------------------------------------------------------------------------------------------


def hostile_pictures(ticket_game: tuple[Prospect, Scan, Coalition]) -> Iterator[Picture | str]:
    records = [
        replace(
            run, arm=f"{run.arm}{HOSTILE}", trial=f"{run.trial}{HOSTILE}", point=f'{run.point}, model="{HOSTILE}{m}"'
        )
        for m in "ab"
        for run in runs(("n=1", "n=2"), seeds=3)
    ]
    arms = [f"{arm}{HOSTILE}" for arm in ARMS]
    found = effects(records, arms)
    yield arms_picture(records, summed(records, arms), "regret")
    yield differences_picture(found, "outsider_loss")
    yield plane_picture(found)
    yield lines_picture(found, "outsider_loss")
    prospects, scanned, _ = ticket_game
    yield frontier_picture(
        prospects, [replace(run, arm=HOSTILE) for run in outcomes(prospects)], arms=arms, where=HOSTILE
    )
    evil = tuple(
        replace(
            e, coalition=replace(e.coalition, members=(HOSTILE, "b"), name=HOSTILE), reasons={"worst_harm": HOSTILE}
        )
        for e in scanned.ranking
    )
    yield exposure_picture(replace(scanned, ranking=evil), (HOSTILE, "b"), where=HOSTILE)
    agents = [f"{HOSTILE}{number}" for number in range(5)]
    yield network_picture(agents, channels(agents), agents[:2], where=HOSTILE)
    yield rounds_picture({HOSTILE: {1: {("members", True): 1.0}}})


def test_hostile_names_are_cut_and_harmless(ticket_game: tuple[Prospect, Scan, Coalition]) -> None:
    seen = [drawn(found) for found in hostile_pictures(ticket_game)]
    assert len({picture.name for picture in seen}) == 8
    for picture in seen:
        assert "<script" not in picture.svg
        assert "W" * 200 in picture.svg, "the whole of a name stands in a title"
        for element in ElementTree.fromstring(picture.svg).iter(f"{NAME}text"):
            assert len(element.text or "") < 80, element.text


# ---- scales and words -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0, 1, ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-0.17, 0.21, ["−0.1", "0", "0.1", "0.2"]),
        (20.1, 36.4, ["25", "30", "35"]),
        (0, 3e7, ["0", "1e+07", "2e+07", "3e+07"]),
        (-2e-6, 2e-6, ["−2e−06", "−1e−06", "0", "1e−06", "2e−06"]),
    ],
)
def test_ticks_are_round(low: float, high: float, words: list[str]) -> None:
    assert tick_words(Scale(low, high, 0, 100).ticks()) == words


@pytest.mark.parametrize("value", [0.0, 3.0, -1e-9, 1e12])
def test_equal_values_have_a_scale(value: float) -> None:
    found = scale([value, value], 0, 100)
    assert found(value) == pytest.approx(50)
    assert found.ticks()


def test_dots_hide_no_other_and_stay_in_their_room() -> None:
    places = [place % 7 * 2.0 for place in range(21)]
    offsets = swarm(places, radius=2, room=100)
    at = list(zip(places, offsets, strict=True))
    assert all(abs(a - c) >= 4 or abs(b - d) >= 4 for (a, b), (c, d) in combinations(at, 2))
    assert max(map(abs, swarm([1.0] * 500, radius=2, room=10))) <= 10


def test_names_are_set_apart() -> None:
    assert apart([5, 5, 5], gap=10, low=0, high=100) == [5, 15, 25]
    assert apart([99, 50], gap=10, low=0, high=95) == [95, 50]


@pytest.mark.parametrize("cut", [shorten("W" * 50, 60), shorten("日本語" * 20, 60), shorten("i" * 90, 60)])
def test_what_is_cut_fits(cut: str) -> None:
    assert cut.endswith("…")
    assert width_of(cut) <= 60


def test_colours_change_with_the_theme_and_print_is_light() -> None:
    light, dark = style_sheet().split("/* on a page */")
    names = re.findall(r"(--picture-[\w-]+):", light)
    for scope in (':root:not([data-theme="light"]) .picture {', ':root[data-theme="dark"] .picture {'):
        block = dark.split(scope)[1].split("}")[0]
        assert re.findall(r"(--picture-[\w-]+):", block) == names
    assert not re.search(r"@media (?!screen)", dark)
    assert set(re.findall(r"var\((--[\w-]+)\)", light)) <= set(names)


def classes(svg: str) -> set[str]:
    return {name for found in re.findall(r'class="([^"]+)"', svg) for name in found.split()}


def test_classes_of_marks_have_colours(ticket_game: tuple[Prospect, Scan, Coalition]) -> None:
    styled = set(re.findall(r"\.([a-z][\w-]*)", style_sheet()))
    used = {name for found in hostile_pictures(ticket_game) for name in classes(drawn(found).svg)}
    assert used <= styled | {"thin"}


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scope", [".picture {", ':root[data-theme="dark"] .picture {'])
def test_words_and_marks_stand_out_in_both_themes(scope: str) -> None:
    found = dict(re.findall(r"--picture-([\w-]+): (#\w+);", style_sheet().split(scope, 1)[1].split("}")[0]))
    for words in ("ink", "soft", "up-text", "down", "open-text"):
        assert contrast(found[words], found["paper"]) >= 4.5, words
        assert contrast(found[words], found["tint"]) >= 4.5, words
    for outline in ("0", "1", "2", "3", "4-edge", "5-edge", "6-edge", "up", "down", "open", "axis"):
        assert contrast(found[outline], found["paper"]) >= 3, outline
