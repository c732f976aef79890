"""What is secret from an agent changes nothing that it sees, knows or does."""

import asyncio
from dataclasses import replace

import pytest
from conftest import MATCH, SPECS, grid, stage_of
from hypothesis import given, settings
from hypothesis import strategies as st

from colosseum.language import syntax
from colosseum.players.models.messages import messages
from colosseum.players.models.tools import tools
from colosseum.players.scripted.knowledge import Knowledge
from colosseum.players.scripted.players import SCRIPTED
from colosseum.players.view import Position, Post, View
from colosseum.run.stage import Library, Stage, view

PLANNING, EXECUTION = Position("planning", 2, 4, 3), Position("execution", 5, 4, 3)
SURVEY = Position("survey", 5, 4, 3)

SECRETS = """colosseum 1
scenario secrets
agents A, B, C, D, E
set jobs = {{dig, mow, paint}}
set grades = {{low, high}}
{cost}
{grade}
table weight[grades] = {{low: 1, high: 2}}
variable job[agents]: jobs or none
reward done[a in agents, t in jobs] when job[a] == t: weight[grade[a]] * (10 - cost[a, t])
require apart[t in jobs]: count(a in agents when job[a] == t) <= 2 penalty 3 per unit
coalition cabal {{
  members = {{{members}}}
  objective spite[t in jobs]: 0 - sum(cost[a, t] for a in agents when job[a] == t)
}}
network ring
claim told[a in agents]: "{{{{ a }}}} is late" is {truth}
secret channel backroom for cabal
secret channel decoy for {{{decoy}}}
prompt briefing for agents "You are {{{{ me }}}}: {{% for t in jobs %}}{{{{ t }}}} {{{{ cost[me, t] }}}} {{% endfor %}}"
prompt pitch for cabal {{ fair: ""  bent: "{pitch} {{{{ allies }}}}" }}
experiment e {{ arm baseline {{ }}  arm prompted {{ backroom on  decoy on  pitch bent }} }}
"""
COSTS = st.lists(st.floats(0, 9).map(lambda x: round(x, 2)), min_size=15, max_size=15)
GRADES = st.lists(st.sampled_from(["low", "high"]), min_size=5, max_size=5)
GROUPS = st.lists(st.sampled_from("BCDE"), min_size=2, max_size=3, unique=True)


@st.composite
def secrets(draw: st.DrawFn) -> dict[str, object]:
    """All of the spec that A may not see."""
    return {
        "cost": draw(COSTS), "grade": draw(GRADES), "members": draw(GROUPS), "decoy": draw(GROUPS),
        "pitch": draw(st.sampled_from(["Help", "Listen to"])), "truth": draw(st.sampled_from(["true", "false"])),
    }  # fmt: skip


def spec_text(secret: dict[str, object], own: list[float], grade: str, members: object = None) -> str:
    """The spec with A's own entries as given and all others as in `secret`."""
    costs, grades = list(secret["cost"]), list(secret["grade"])  # type: ignore[call-overload]
    costs[:3], grades[0] = own, grade
    rows = [(agent, costs[3 * i : 3 * i + 3]) for i, agent in enumerate("ABCDE")]
    return SECRETS.format(
        cost=grid("private table cost[agents, jobs]", ["dig", "mow", "paint"], rows),
        grade="private table grade[agents] of grades = {"
        + ", ".join(map(": ".join, zip("ABCDE", grades, strict=True)))
        + "}",
        members=", ".join(members or secret["members"]),  # type: ignore[call-overload]
        decoy=", ".join(secret["decoy"]),  # type: ignore[call-overload]
        pitch=secret["pitch"],
        truth=secret["truth"],
    )


def facts(known: Knowledge) -> tuple[object, ...]:
    """Everything that a scripted player could read in its data, places in the text apart.

    The text of a private table may hold its entries; nobody reads them from there (the planners' answers show it).
    """
    public = known.planner.public
    world = public.world
    statements = [s for s in world.spec.composition.statements if not (isinstance(s, syntax.Table) and s.private)]
    tables = {name: (table.entries, table.audience) for name, table in world.tables.items()}
    return (
        known.cells, known.planner.relevant, known.told, known.strength, known.noise, known.key,
        known.planner.side, public.hidden, world.params, world.sets, tables, statements,
        set(world.spec.symbols),
    )  # fmt: skip


def same(one: tuple[Stage, Library, list[Post]], two: tuple[Stage, Library, list[Post]], agent: str) -> None:
    """The agent cannot tell one situation from the other, in what it sees, knows and does."""
    for position in (PLANNING, SURVEY, EXECUTION):
        seen: list[View] = []
        for stage, library, posts in (one, two):
            seen.append(view(stage, agent, position, posts=posts, data=library.knowledge(stage, agent)))
        assert messages(seen[0]) == messages(seen[1])
        assert tools(seen[0]) == tools(seen[1])
        assert facts(seen[0].data) == facts(seen[1].data)  # type: ignore[arg-type]
        for player in SCRIPTED.values():
            assert asyncio.run(player.act(seen[0])) == asyncio.run(player.act(seen[1]))


def spoken(stage: Stage, hidden: list[str]) -> list[Post]:
    """Posts on every channel: the same ones where A listens, others where it does not."""
    posts: list[Post] = []
    for channel in stage.channels:
        texts = ["I can tell: cost[B, dig] = 3.5", "hello"] if "A" in channel.members else hidden
        wire = stage.wire[channel.name]
        posts += [Post(len(posts) + n, 1, wire, channel.members[0], said) for n, said in enumerate(texts, 1)]
    return posts


@settings(max_examples=10)
@given(one=secrets(), two=secrets(), own=COSTS, grade=st.sampled_from(["low", "high"]),
       hidden=st.lists(st.text(max_size=20), max_size=3))  # fmt: skip
def test_what_an_outsider_may_not_see_changes_nothing(
    one: dict[str, object], two: dict[str, object], own: list[float], grade: str, hidden: list[str]
) -> None:
    situations = []
    for secret, said in ((one, ["plot"]), (two, hidden)):
        stage, library = stage_of(spec_text(secret, own[:3], grade), arm="prompted")
        situations.append((stage, library, spoken(stage, said)))
    same(situations[0], situations[1], "A")


@settings(max_examples=8)
@given(one=secrets(), two=secrets(), own=COSTS)
def test_a_member_does_not_learn_others_data_from_its_coalition(
    one: dict[str, object], two: dict[str, object], own: list[float]
) -> None:
    """The coalition's objective reads the costs of everybody; a member plans it with what it was told."""
    situations = []
    for secret in (one, {**two, "decoy": one["decoy"], "pitch": one["pitch"]}):
        stage, library = stage_of(spec_text(secret, own[:3], "low", members=["A", "B"]), arm="prompted")
        situations.append((stage, library, list[Post]()))
    same(situations[0], situations[1], "A")


@pytest.mark.parametrize("spec", ["jira.colo", "toy.colo"])
def test_the_shipped_specs_keep_their_secrets(spec: str) -> None:
    """The arms baseline and prompted differ for members only."""
    stages = {arm: stage_of(SPECS / spec, arm=arm) for arm in ("baseline", "prompted")}
    (plain, library), (bent, _) = stages["baseline"], stages["prompted"]
    bent = replace(bent, run=plain.run)  # the same throw of the dice
    members = plain.scenario.coalitions[0].members
    aside = bent.wire["backroom"]
    posts = [Post(1, 1, aside, members[0], "psst"), Post(2, 1, "public", members[0], "hi")]
    for agent in plain.scenario.task.agents:
        if agent not in members:
            same((plain, library, posts[1:]), (bent, library, posts), agent)
        else:
            shown = view(bent, agent, PLANNING, posts=posts)
            assert [c.name for c in shown.channels] == ["public", aside]
            assert [p.text for c in shown.channels for p in c.posts] == ["hi", "psst"]


def test_post_numbers_have_no_gaps_that_tell_of_other_posts() -> None:
    stage, _ = stage_of(SPECS / "toy.colo", arm="prompted")
    aside = stage.wire["backroom"]
    posts = [Post(n, 1, c, "B", "x") for n, c in enumerate(("public", aside, "public"), 1)]
    shown = {a: view(stage, a, PLANNING, posts=posts) for a in ("A", "C")}
    assert [p.number for c in shown["A"].channels for p in c.posts] == [1, 2]
    assert [(c.name, p.number) for c in shown["C"].channels for p in c.posts] == [
        ("public", 1), ("public", 3), (aside, 2),
    ]  # fmt: skip


def test_decisions_are_seen_over_a_shared_channel_only_and_never_when_simultaneous() -> None:
    text = MATCH.replace("network complete", "network path")
    decided = (("A", "move[A]", "left"), ("C", "move[C]", "right"))
    stage, _ = stage_of(text)
    seen = {a: view(stage, a, EXECUTION, decided=decided).decided for a in "ABC"}
    assert seen == {"A": decided[:1], "B": decided, "C": decided[1:]}
    stage, _ = stage_of(text.replace("experiment e {", "experiment e { decisions simultaneous"))
    assert view(stage, "B", EXECUTION, decided=decided).decided == ()
    assert view(stage, "A", EXECUTION, decided=decided).decided == decided[:1]


def test_a_secret_channel_is_off_unless_the_arm_turns_it_on() -> None:
    for arm, names in (("baseline", ["public"]), ("emergent", ["public", "backroom"])):
        stage, _ = stage_of(SPECS / "toy.colo", arm=arm)
        assert [c.name for c in stage.channels] == names
