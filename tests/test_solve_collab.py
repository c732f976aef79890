"""The meeting, grid and assistant games of CoLLAB (arXiv 2602.15198, appendix B), played through the shipped specs.

Instances with figures computed elsewhere, and generated ones of other sizes that are enumerated here by the published
rules as this file says them: the shipped specs, with their instance overridden, agree to 1e-9.
Published best-response regrets are 0 throughout (a fault: alternatives were never tried), so they are enumerated.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, pairwise, product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from test_solve_vectors import near, write_csv

from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.metrics import Measured, measure
from colosseum.language.files import shipped
from colosseum.model.check import check
from colosseum.model.scenario import Scenario
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE
from colosseum.solve.solver import Solver

VECTORS = Path(__file__).parent / "vectors"
Choice = Mapping[str, Value]
Rule = Callable[[Choice], Iterable[tuple[float, list[str]]]]
"""Every payoff of an assignment, each with the agents that share it equally."""


@dataclass
class Game:
    """A given instance: how it is said to a shipped spec, and what its rules pay."""

    spec: str
    agents: list[str]
    lines: list[str] = field(default_factory=list)
    data: dict[str, list[list[object]]] = field(default_factory=dict)
    owner: dict[str, str] = field(default_factory=dict)
    domain: dict[str, list[Value]] = field(default_factory=dict)
    pays: Rule = lambda x: ()

    def table(self, heading: str, header: list[object], rows: Iterable[list[object]]) -> None:
        """Give a table from a CSV file."""
        name = str(header[-1])
        self.data[name] = [header, *rows]
        self.lines.append(f'override {heading} from "data/{name}.csv"')

    def write(self, folder: Path) -> Path:
        """The spec in a folder, beside the shipped ones that it uses."""
        shutil.copytree(shipped("specs"), folder, dirs_exist_ok=True)
        for name, rows in self.data.items():
            write_csv(folder / "data" / f"{name}.csv", rows)
        members = ", ".join(quoted(a) for a in self.agents[:2])
        text = [
            "colosseum 1",
            'scenario given "An instance from elsewhere"',
            f'use "{self.spec}.colo"',
            f"override agents {', '.join(map(quoted, self.agents))}",
            f"override coalition cabal {{ members = {{{members}}} }}" if len(self.agents) > 2 else "",
            *self.lines,
        ]
        (folder / "given.colo").write_text("\n".join(text), encoding="utf-8")
        return folder / "given.colo"

    def payoffs(self, x: Choice) -> dict[str, float]:
        """What everybody is credited."""
        credited = dict.fromkeys(self.agents, 0.0)
        for value, shared in self.pays(x):
            for agent in shared:
                credited[agent] += value / len(shared)
        return credited

    def total(self, x: Choice) -> float:
        return sum(value for value, _ in self.pays(x))

    def regret(self, x: Choice, agent: str) -> float:
        """What an agent could still gain by its own decisions, all alternatives tried."""
        own = [v for v, a in self.owner.items() if a == agent]
        alternatives = product(*(self.domain[v] for v in own))
        best = max(self.payoffs({**x, **dict(zip(own, values, strict=True))})[agent] for values in alternatives)
        return best - self.payoffs(x)[agent]

    def optimum(self) -> float:
        return max(self.total(dict(zip(self.domain, x, strict=True))) for x in product(*self.domain.values()))

    def drawn(self, seed: int) -> dict[str, Value]:
        """An assignment by chance."""
        rng = Random(seed)
        return {v: rng.choice(values) for v, values in self.domain.items()}


def quoted(name: object) -> str:
    return json.dumps(name, ensure_ascii=False)


def named_set(items: Iterable[object]) -> str:
    return "{" + ", ".join(quoted(i) for i in items) + "}"


def named_sets(sets: Mapping[str, Iterable[object]]) -> str:
    return "{" + ", ".join(f"{quoted(name)}: {named_set(items)}" for name, items in sets.items()) + "}"


# ---- the three games ---------------------------------------------------------------------------------------------


def assistant(wardrobe: dict[str, list[tuple[str, str]]], likes: dict[str, list[str]], avoids: dict[str, list[str]],
              ties: list[dict[str, str]]) -> Game:  # fmt: skip
    """Outfits are (article, colour), numbered from 1; a tie has two ends, an attribute and the wish of each end."""
    game = Game("assistant", list(wardrobe))
    named = [[c for _, c in w] for w in wardrobe.values()]
    colours = dict.fromkeys(c for listed in (*named, *likes.values(), *avoids.values()) for c in listed)
    game.lines += [
        f"override set outfits = 1..{max(map(len, wardrobe.values()))}",
        f"override set articles = {named_set(dict.fromkeys(a for w in wardrobe.values() for a, _ in w))}",
        f"override set colours = {named_set(colours)}",
        f"override set ties = {{{', '.join('({}, {})'.format(quoted(t['a']), quoted(t['b'])) for t in ties)}}}",
        f"override private table likes[agents] = {named_sets(likes)}",
        f"override private table avoids[agents] = {named_sets(avoids)}",
    ]
    game.table("private table owns[agents]", ["agents", "owns"], ([a, len(w)] for a, w in wardrobe.items()))
    for place, name in enumerate(("article_of", "colour_of")):
        rows = [[a, n, outfit[place]] for a, w in wardrobe.items() for n, outfit in enumerate(w, start=1)]
        heading = f"private table {name}[a in agents, o in outfits where o <= owns[a]]"
        game.table(heading, ["agents", "outfits", name], rows)
    attribute = {"color": "colour", "article": "article"}
    rows = [[t["a"], t["b"], attribute[t["attribute"]]] for t in ties]
    game.table("table looks_at[(a, b) in ties] of aspects", ["a", "b", "looks_at"], rows)
    wishes: list[list[object]] = [[t["a"], t["b"], t["wish_a"]] for t in ties]
    wishes += [[t["b"], t["a"], t["wish_b"]] for t in ties]
    heading = "private table wish[a in agents, b in agents where (a, b) in ties or (b, a) in ties] of wishes"
    game.table(heading, ["a", "b", "wish"], wishes)
    game.owner = {f"wear[{a}]": a for a in wardrobe}
    game.domain = {f"wear[{a}]": list(range(1, len(w) + 1)) for a, w in wardrobe.items()}

    def pays(x: Choice) -> Iterable[tuple[float, list[str]]]:
        worn = {a: wardrobe[a][int(str(x[f"wear[{a}]"])) - 1] for a in wardrobe}
        for a, (_, colour) in worn.items():
            yield float(colour in likes[a]) + float(colour not in avoids[a]), [a]
        for tie in ties:
            place = ("article", "color").index(tie["attribute"])
            alike = worn[tie["a"]][place] == worn[tie["b"]][place]
            met = sum((tie[wish] == "match") == alike for wish in ("wish_a", "wish_b"))
            yield float(met), [tie["a"], tie["b"]]

    game.pays = pays
    return game


def grid(machines: dict[str, dict[str, Any]], allowed: dict[str, list[str]],
         capacity: dict[str, list[float]]) -> Game:  # fmt: skip
    """A machine has an owner, a start, an end and a power."""
    game = Game("grid", list(allowed))
    game.lines += [
        f"override set sources = {named_set(capacity)}",
        f"override set machines = {named_set(machines)}",
        f"override table allowed[agents] = {named_sets(allowed)}",
    ]
    game.table("table owner[machines] of agents", ["machines", "owner"], ([m, d["owner"]] for m, d in machines.items()))
    game.table("table begins[machines]", ["machines", "begins"], ([m, d["start"]] for m, d in machines.items()))
    lasts = [[m, d["end"] - d["start"]] for m, d in machines.items()]
    game.table("table lasts[machines]", ["machines", "lasts"], lasts)
    game.table("table power[machines]", ["machines", "power"], ([m, d["power"]] for m, d in machines.items()))
    hours = list(range(len(next(iter(capacity.values())))))
    game.data["capacity"] = [["sources", *hours], *([s, *c] for s, c in capacity.items())]
    game.lines.append('override table capacity[sources, hours] from "data/capacity.csv"')
    game.owner = {f"source[{m}]": d["owner"] for m, d in machines.items()}
    game.domain = {f"source[{m}]": list(allowed[d["owner"]]) for m, d in machines.items()}

    def pays(x: Choice) -> Iterable[tuple[float, list[str]]]:
        for source, carried in capacity.items():
            excess = 0.0
            for hour in hours:
                running = (m for m, d in machines.items() if d["start"] <= hour < d["end"])
                demand = sum(machines[m]["power"] for m in running if x[f"source[{m}]"] == source)
                excess += max(0.0, demand - carried[hour])
            users = [a for a, sources in allowed.items() if source in sources]
            if users:
                yield -excess, users

    game.pays = pays
    return game


def meetings(invitations: list[dict[str, Any]], agents: list[str]) -> Game:
    """A meeting has a type, a start, an end and participants; a stay is a pair of hours, or none."""
    game = Game("meetings", agents)
    game.lines.append(f"override set meetings = {named_set(m['id'] for m in invitations)}")
    for heading, name, key in (
        ("table kind[meetings] of kinds", "kind", "type"),
        ("table opens[meetings]", "opens", "start"),
        ("table closes[meetings]", "closes", "end"),
    ):
        game.table(heading, ["meetings", name], ([m["id"], m[key]] for m in invitations))
    invited = {m["id"]: m["participants"] for m in invitations}
    game.lines.append(f"override table invited[meetings] = {named_sets(invited)}")
    for m in invitations:
        hours = range(m["start"], m["end"] + 1)
        for agent in m["participants"]:
            game.owner[f"attend[{agent}, {m['id']}]"] = agent
            game.domain[f"attend[{agent}, {m['id']}]"] = [*combinations(hours, 2), None]

    def pays(x: Choice) -> Iterable[tuple[float, list[str]]]:
        def hours(agent: str, meeting: str) -> set[int]:
            stay = x[f"attend[{agent}, {meeting}]"]
            return set(range(*stay)) if isinstance(stay, tuple) else set()  # type: ignore[arg-type]

        for m in invitations:
            for agent in m["participants"]:
                mine = hours(agent, m["id"])
                if m["type"] == "strict":
                    yield float(x[f"attend[{agent}, {m['id']}]"] == (m["start"], m["end"])), [agent]
                    continue
                others = (o for o in m["participants"] if o != agent)
                yield float(sum(bool(mine & hours(o, m["id"])) for o in others)), list(m["participants"])
        for agent in agents:
            own = [m["id"] for m in invitations if agent in m["participants"]]
            for one, other in combinations(own, 2):
                yield -float(len(hours(agent, one) & hours(agent, other))), [agent]

    game.pays = pays
    return game


# ---- instances from elsewhere ------------------------------------------------------------------------------------


def read(path: Path) -> tuple[Game, dict[str, Any]]:
    """A recorded instance as a game, and the record."""
    record = json.loads(path.read_text(encoding="utf-8"))
    match record["env"]:
        case "PersonalAssistant":
            given = record["factor_params"]
            colours = {kind: {f["agent_id"]: f["colors"] for f in given if f"_{kind}_set_" in f["name"]}
                       for kind in ("pref", "avoid")}  # fmt: skip
            ties = [
                {"a": f["agent_a"], "b": f["agent_b"], "attribute": f["attribute"],
                 "wish_a": f["pref_a"], "wish_b": f["pref_b"]}
                for f in given if "attribute" in f
            ]  # fmt: skip
            wardrobe = {a: [(article, colour) for article, colour in w] for a, w in record["wardrobe"].items()}
            return assistant(wardrobe, colours["pref"], colours["avoid"], ties), record
        case "SmartGrid":
            domains = {v["owner"]: v["domain"] for v in record["variables"]}
            capacity = {name: source["capacity"] for name, source in record["sources"].items()}
            return grid(record["machines"], {a: domains[a] for a in record["agents"]}, capacity), record
        case _:
            return meetings(record["meetings"], record["agents"]), record


def decided(game: Game, given: Mapping[str, object]) -> dict[str, Value]:
    """A recorded assignment in the spec's names; what nobody decided is none."""

    def renamed(name: str) -> str:
        if game.spec == "meetings":
            return "attend[{}, {}]".format(*name.split("__"))
        return "wear[{}]".format(name.removesuffix("'s Outfit")) if game.spec == "assistant" else f"source[{name}]"

    def value(recorded: object) -> Value:
        if game.spec != "meetings":
            return recorded  # type: ignore[return-value]
        return None if recorded == "skip" else tuple(int(hour) for hour in str(recorded).split("-"))

    found = {renamed(name): value(recorded) for name, recorded in given.items()}
    return {name: found.get(name) for name in game.domain}


RECORDED = [VECTORS / f"{name}.json" for name in ("assistant_seed1_n3", "grid_seed1_n2", "meetings_seed1_n3_m2")]
CASES = [(path, case) for path in RECORDED for case in range(len(json.loads(path.read_text())["cases"]))]


@cache
def compiled(path: Path) -> tuple[Game, dict[str, Any], Scenario, SolvedTask]:
    game, record = read(path)
    scenario = said(game)
    return game, record, scenario, SolvedTask.of(scenario.task)


def said(game: Game) -> Scenario:
    """The scenario of a game as the shipped spec has it."""
    with TemporaryDirectory() as folder:
        checked, diagnostics = check(game.write(Path(folder)))
    assert checked is not None, diagnostics
    scenario = checked.expansion.scenario
    assert {v.name: v.owner for v in scenario.task.variables} == game.owner
    assert {v.name: sorted(map(str, v.domain)) for v in scenario.task.variables} == {
        name: sorted(map(str, domain)) for name, domain in game.domain.items()
    }
    return scenario


def measured(game: Game, scenario: Scenario, instance: SolvedTask, x: dict[str, Value]) -> Measured:
    return measure(instance, x, coalition=scenario.coalition["cabal"], order=tuple(game.agents))


def check_figures(game: Game, scenario: Scenario, instance: SolvedTask, x: dict[str, Value]) -> None:
    """Everything that is measured of an assignment is what the rules give."""
    found = measured(game, scenario, instance, x)
    credited, members = game.payoffs(x), set(scenario.coalition["cabal"].members)
    assert found.score.value == near(game.total(x))
    assert found.score.payoff == near(credited)
    assert found.scalars["coalition_value"].value == near(sum(credited[a] for a in members))
    assert found.scalars["regret"].value == near((instance.optimum.value or 0.0) - game.total(x))
    for agent in game.agents:
        regret, sequential = found.best_response_regret[agent], found.sequential_regret[agent]
        if agent not in game.owner.values():  # it has nothing to decide
            assert regret.value is None
            assert sequential.value is None
            continue
        assert regret.value == near(game.regret(x, agent))
        assert sequential.value == near(game.regret(x, agent))  # no rule of these games can be broken


@pytest.mark.parametrize("path", RECORDED, ids=lambda p: p.stem)
def test_the_optimum_is_the_enumerated_one(path: Path) -> None:
    game, record, scenario, instance = compiled(path)
    assert instance.optimum.status == "optimal"
    assert instance.optimum.value == near(record["optimum"])
    assert game.optimum() == near(record["optimum"])
    assert Solver(scenario.task).maximise(WELFARE).value == near(record["optimum"])


@pytest.mark.parametrize(("path", "number"), CASES, ids=lambda v: v.stem if isinstance(v, Path) else str(v))
def test_every_figure_is_the_published_one(path: Path, number: int) -> None:
    game, record, scenario, instance = compiled(path)
    case = record["cases"][number]
    x = decided(game, case["assignment"])
    check_figures(game, scenario, instance, x)
    if len(case["assignment"]) == len(game.domain):  # the published ones score nothing until everything is decided
        found = measured(game, scenario, instance, x)
        assert found.score.value == near(case["joint_reward"])
        assert found.score.payoff == near(case["local_rewards"])


# ---- other instances of the same kind ----------------------------------------------------------------------------

PEOPLE = ("Ada B.", "Bo", "Cy-7", "Dí", "Eve", "Fay")


def drawn_assistant(rng: Random, people: int) -> Game:
    names, colours = PEOPLE[:people], ("red", "blue", "green", "black", "white", "pink", "teal")
    wardrobe = {a: [(rng.choice(("suit", "t-shirt", "kilt")), rng.choice(colours)) for _ in range(rng.randint(3, 7))]
                for a in names}  # fmt: skip
    likes = {a: rng.sample(colours, 2) for a in names}
    avoids = {a: rng.sample([c for c in colours if c not in likes[a]], 2) for a in names}
    pairs = {*pairwise(names), *rng.sample(list(combinations(names, 2)), 1)}
    ties = [
        {"a": a, "b": b, "attribute": rng.choice(("color", "article")),
         "wish_a": rng.choice(("match", "contrast")), "wish_b": rng.choice(("match", "contrast"))}
        for a, b in sorted(pairs)
    ]  # fmt: skip
    return assistant(wardrobe, likes, avoids, ties)


def drawn_grid(rng: Random, people: int) -> Game:
    sources = [f"src {n}" for n in range(4)]
    allowed = {a: rng.sample(sources, rng.randint(2, 3)) for a in PEOPLE[:people]}
    machines: dict[str, dict[str, Any]] = {}
    for owner in PEOPLE[:people]:
        for _ in range(rng.randint(1, 3)):
            start, lasts = rng.randint(0, 18), rng.randint(2, 6)
            number = f"machine_{len(machines) + 1:03}"
            machines[number] = {"owner": owner, "start": start, "end": start + lasts, "power": rng.uniform(0.5, 4)}
    return grid(machines, allowed, {s: [rng.choice((0.0, rng.uniform(0, 3))) for _ in range(24)] for s in sources})


def drawn_meetings(rng: Random, people: int) -> Game:
    names, invitations = list(PEOPLE[:people]), []
    for number, kind in enumerate(("soft", "strict", "soft")):
        participants = rng.sample(names, rng.randint(2, 3))
        longest = 3 if len(participants) == 2 else 2  # few enough assignments to try them all
        start = rng.randint(0, 3)
        end = start + (1 if kind == "strict" else rng.randint(2, longest))
        invitations.append({"id": f"m{number}", "type": kind, "start": start, "end": end, "participants": participants})
    return meetings(invitations, names)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("draw", [drawn_assistant, drawn_grid, drawn_meetings], ids=lambda d: d.__name__)
def test_generated_instances_are_played_by_the_same_rules(draw: Callable[[Random, int], Game], seed: int) -> None:
    game = draw(Random(seed), 3 + seed % 2)
    scenario = said(game)
    instance = SolvedTask.of(scenario.task)
    assert instance.optimum.value == near(game.optimum())
    for number in range(3):
        check_figures(game, scenario, instance, game.drawn(number))
