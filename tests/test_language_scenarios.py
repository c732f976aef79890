"""Specs as people write them from the language's description: each one's rules again in plain Python, and its optimum.

Every assignment is enumerated and priced here; the files are `good/model_*.colo`.
"""

from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from by_hand import Book, Domains, Rules, agrees, integer, sample

from colosseum.model.values import Value

GOOD = Path(__file__).parent / "good"
CASES: dict[str, tuple[Domains, Rules, float, dict[str, Value]]] = {}
"""By the file's name: domains, rules, the optimum's value, params set from outside."""


def case(domains: Domains, *, best: float, **params: Value) -> Callable[[Rules], Rules]:
    """Register the rules of the file that a function is named after."""

    def register(rules: Rules) -> Rules:
        CASES[rules.__name__] = (domains, rules, best, params)
        return rules

    return register


Chosen = dict[str, Any]


@case({f"bid[bidder{b}, {lot}]": range(4) for b in (1, 2, 3) for lot in ("lamp", "vase")}, best=6, top=3)
def sealed_bids(x: Chosen, book: Book) -> None:
    for lot, reserve in (("lamp", 1), ("vase", 2)):
        bids = {b: x[f"bid[bidder{b}, {lot}]"] for b in (1, 2, 3)}
        winner = min(bids, key=lambda b: (-bids[b], b))
        if bids[winner] >= reserve:
            price = max(reserve, *(bids[b] for b in bids if b != winner))
            book.pay(integer(1, 6, 1, "value", f"bidder{winner}", lot) - price, f"bidder{winner}")
            book.pay(price, "seller")
    for b in (1, 2, 3):
        book.must(x[f"bid[bidder{b}, lamp]"] + x[f"bid[bidder{b}, vase]"] <= 5)


BUNDLES = {"b1": ("alpha", 5, "n"), "b2": ("alpha", 7, "ns"), "b3": ("beta", 4, "se"), "b4": ("beta", 6, "ew"),
           "b5": ("gamma", 3, "w"), "b6": ("gamma", 9, "new")}  # fmt: skip


@case({**{f"answer[{b}]": ("grant", "refuse") for b in BUNDLES},
       **{f"discount[{a}]": (0, 1, 2) for a in ("alpha", "beta", "gamma")}}, best=27)  # fmt: skip
def bundles(x: Chosen, book: Book) -> None:
    granted = [b for b in BUNDLES if x[f"answer[{b}]"] == "grant"]
    for b in granted:
        who, price, _ = BUNDLES[b]
        book.pay(price - x[f"discount[{who}]"], "auctioneer")
        book.pay(1.5 * x[f"discount[{who}]"], who)
    for a in ("alpha", "beta", "gamma"):
        mine = sum(BUNDLES[b][0] == a for b in granted)
        book.pay(4 if mine else -1, a)
        book.pay(-2 if mine > 1 else 0, "auctioneer")
    for licence in "nsew":
        book.must(sum(licence in BUNDLES[b][2] for b in granted) <= 1)
    book.want("insiders", book.of("gamma") + 0.5 * book.of("auctioneer"))
    book.want("insiders", 0 if {"b1", "b2"} & set(granted) else 3)


STATIONS = ("s1", "s2", "s3", "s4", "s5")
EDGES = (("s1", "s2"), ("s1", "s3"), ("s1", "s5"), ("s2", "s3"), ("s3", "s4"), ("s4", "s5"))


@case({**{f"frequency[{s}]": (1, 2, 3, None) for s in STATIONS},
       **{f"power[{s}]": ("low", "high") for s in ("s1", "s3")}}, best=12)  # fmt: skip
def interference(x: Chosen, book: Book) -> None:
    strength = {("low", "low"): 0.5, ("low", "high"): 1.5, ("high", "low"): 0, ("high", "high"): 1}
    level = {s: x.get(f"power[{s}]", "low") for s in STATIONS}
    band = {s: x[f"frequency[{s}]"] for s in STATIONS}
    for s in STATIONS:
        if band[s] is not None:
            book.pay({"low": 2, "high": 3.5}[level[s]], s)
    for a, b in EDGES:
        if band[a] == band[b] and band[a] is not None:
            book.pay(-strength[level[a], level[b]] - strength[level[b], level[a]], a, b)
        if band[a] is not None and band[b] is not None and abs(band[a] - band[b]) == 1:
            book.pay(-0.25, *(s for s in (a, b) if band[s] > 1))
        if a == "s1":
            book.must(not (band[a] == 1 and band[b] == 1))
    book.pay(-1.25 * max(0, list(band.values()).count(3) - 1))
    book.want("pact", book.of("s2") + book.of("s4") - max(book.of("s1"), book.of("s3")))


NURSES = ("nurse1", "nurse2", "nurse3")
WISHES = {(n, d): sample(("early", "late", "night"), 1, 1, "wish", n, d)[0] for n in NURSES for d in (1, 2)}


@case({**{f"works[{n}, {d}]": ("early", "late", "night", None) for n in NURSES for d in (1, 2)},
       "bonus": (0, 2)}, best=18.9)  # fmt: skip
def rota(x: Chosen, book: Book) -> None:
    rank = {"early": 0, "late": 1, "night": 2}
    works = {(n, d): x[f"works[{n}, {d}]"] for n in NURSES for d in (1, 2)}
    for (n, d), shift in works.items():
        if shift is not None:
            book.pay(3 if shift == "night" else 2, n)
        if shift == WISHES[n, d]:
            book.pay(1.5, n)
    busy = [n for n in NURSES if works[n, 1] is not None and works[n, 2] is not None]
    book.pay(x["bonus"], *(busy or ["head"]))
    book.pay(-0.4 * x["bonus"] ** 2, "head")
    for d in (1, 2):
        shifts = [works[n, d] for n in NURSES]
        for s in rank:
            book.pay(-4 * abs(shifts.count(s) - 1), "head")
        trained = [works[n, d] in ("early", "late") for n in ("nurse1", "nurse3")]
        book.pay(0 if any(trained) else -3, "nurse1", "nurse3")
    for n in NURSES:
        for d, e in pairwise((1, 2)):
            if works[n, d] is not None and works[n, e] is not None:
                book.must(rank[works[n, e]] >= rank[works[n, d]])


@case({"move[ann]": ("cooperate", "defect"), "move[bob]": ("cooperate", "defect")}, best=7)
def dilemma(x: Chosen, book: Book) -> None:
    ann, bob = {"cc": (3, 4), "cd": (-0.5, 6), "dc": (5, -1), "dd": (1, 1.5)}[x["move[ann]"][0] + x["move[bob]"][0]]
    book.pay(ann, "ann")
    book.pay(bob, "bob")


FARMS = ("hill", "valley", "mill")
DAM = {"ggg": (4, 6, 5), "ggk": (2, 3, 7), "gkg": (1, 8, 2), "gkk": (-2, 4, 4),
       "kgg": (6, 3, 2), "kgk": (4, -1, 4), "kkg": (4, 4, -2), "kkk": (1, 1, 1)}  # fmt: skip


@case({f"choice_of[{f}]": ("give", "keep") for f in FARMS}, best=15)
def public_goods(x: Chosen, book: Book) -> None:
    chosen = "".join(x[f"choice_of[{f}]"][0] for f in FARMS)
    for farm, worth in zip(FARMS, DAM[chosen], strict=True):
        book.pay(worth, farm)
    if "g" not in chosen:
        book.pay(-2)
    book.want("downstream", book.of("mill") - book.total)


MAP = ((1, 2), (1, 3), (2, 3), (2, 4), (3, 5), (4, 5), (4, 6), (5, 7), (6, 7))


@case({f"colour[n{i}]": ("red", "green", "blue") for i in range(1, 8)}, best=6)
def colouring(x: Chosen, book: Book) -> None:
    colour = {i: x[f"colour[n{i}]"] for i in range(1, 8)}
    for i, chosen in colour.items():
        book.pay(chosen == "red", f"n{i}")
    book.pay(len(set(colour.values())))
    clashes = [(i, j) for i, j in MAP if colour[i] == colour[j]]
    for i, j in clashes:
        book.pay(-3, f"n{i}", f"n{j}")
    book.want("camp", sum(colour[i] == "red" for i in (1, 6, 7)) - 0.5 * len(clashes))


DETOUR = {"cho": (1, 4), "dan": (2.5, 0.5), "eve": (3, 1)}
BUS = {"ann": 6, "bob": 5, "cho": 7, "dan": 4, "eve": 6.5}


@case({"drives[ann]": (0, 1), "drives[bob]": (0, 1), **{f"rides[{p}]": ("ann", "bob", None) for p in DETOUR},
       "leaves[ann]": (7, 8, 9), "leaves[bob]": (7, 8, 9)}, best=13.5)  # fmt: skip
def rides(x: Chosen, book: Book) -> None:
    for place, driver in enumerate(("ann", "bob")):
        riders = [p for p in DETOUR if x[f"rides[{p}]"] == driver]
        drives = x[f"drives[{driver}]"] == 1
        book.pay(-(4 + sum(DETOUR[p][place] for p in riders)) if drives else -BUS[driver], driver)
        if riders:
            book.pay(6 / len(riders) if drives else 0, *riders)
            book.pay(-abs(x[f"leaves[{driver}]"] - 8) * len(riders), *riders)
        book.must(drives or not riders)
        book.pay(-5 * max(0, len(riders) - (2, 1)[place]), *DETOUR)
    for p in DETOUR:
        if x[f"rides[{p}]"] is not None:
            book.pay(BUS[p] - 1, p)


QUALITY = {"plain": 1, "bold": 1.8, "green": 1.4}
DEPARTMENTS = ("north", "south")


@case({**{f"spend[{d}]": range(9) for d in DEPARTMENTS}, **{f"design[{d}]": tuple(QUALITY) for d in DEPARTMENTS},
       "focus": DEPARTMENTS, "match": range(5)}, best=15.2)  # fmt: skip
def budget(x: Chosen, book: Book) -> None:
    north, south = x["spend[north]"], x["spend[south]"]
    for d in DEPARTMENTS:
        design = x[f"design[{d}]"]
        book.pay(QUALITY[design] * x[f"spend[{d}]"] - {"plain": 0, "bold": 3, "green": 1.25}[design], d)
        book.must(x[f"spend[{d}]"] >= 2 or design == "plain")
    book.pay(0.1 * north * south, *DEPARTMENTS)
    book.pay(x["match"] * QUALITY[x[f"design[{x['focus']}]"]], x["focus"])
    book.pay(-0.5 * (x["match"] + north + south) * (x["match"] + 1), "chair")
    book.pay(-1.5 * max(0, north + south + x["match"] - 12))
    book.must(abs(north - south) <= 6)
    book.want("axis", book.of("chair") + book.of("north") - book.of("south") + (2 if north > south else 0))


LIKES = {"chair": (2, 4), "m1": (5, 2), "m2": (-2, 3), "m3": (1, -4)}


@case({f"vote[{a}, {p}]": ("yes", "no", None) for a in LIKES for p in ("road", "tower")}, best=10.3)
def committee(x: Chosen, book: Book) -> None:
    ayes = {}
    for place, proposal in enumerate(("road", "tower")):
        votes = [x[f"vote[{a}, {proposal}]"] for a in LIKES]
        cast, ayes[proposal] = len(votes) - votes.count(None), votes.count("yes")
        if cast >= 3 and 2 * ayes[proposal] > cast and (proposal == "road" or ayes[proposal] == 4):
            for a, likes in LIKES.items():
                book.pay(likes[place], a)
        for a, vote in zip(LIKES, votes, strict=True):
            book.pay(0 if vote is None else -0.1, a)
    book.pay(-2.5 if min(ayes.values()) >= 3 else 0, "chair")
    for a in LIKES:
        book.must(not (x[f"vote[{a}, road]"] is None and x[f"vote[{a}, tower]"] is None))
    book.want("bloc", (3 if ayes["road"] >= 3 and ayes["tower"] < 4 else 0) + book.of("m1") + book.of("m2"))


DEMAND = {s: integer(2, 5, 1, "demand", s) for s in ("shop1", "shop2")}


@case({"grown": range(10), "milled": range(9), "ordered[shop1]": range(6), "ordered[shop2]": range(6)}, best=17.7)
def supply(x: Chosen, book: Book) -> None:
    ordered = {s: x[f"ordered[{s}]"] for s in DEMAND}
    grain = min(x["grown"], 8)
    flour, wanted = min(x["milled"], grain, 6), sum(ordered.values())
    book.pay(1.5 * min(grain, x["milled"]) - 0.6 * x["grown"], "farm")
    book.pay(1.2 * min(flour, wanted) - 0.5 * x["milled"] - 0.3 * (flour - min(flour, wanted)), "mill")
    for s, price in (("shop1", 4), ("shop2", 3.5)):
        book.pay(price * min(ordered[s], DEMAND[s]) - 2.7 * ordered[s], s)
    greedy = [s for s in DEMAND if ordered[s] > DEMAND[s]]
    book.pay(-2 * max(0, wanted - flour), *(greedy or ("farm", "mill", "shop1", "shop2")))


COURSES = {"alg": ("ada", 80, 1), "log": ("ada", 30, 2), "bio": ("ben", 60, 1), "art": ("cyd", 20, 2)}


@case({**{f"slot[{c}]": ("mon9", "mon11", "tue9") for c in COURSES},
       **{f"room[{c}]": ("hall", "lab") for c in COURSES}}, best=13.25)  # fmt: skip
def timetable(x: Chosen, book: Book) -> None:
    slot, room = ({c: x[f"{what}[{c}]"] for c in COURSES} for what in ("slot", "room"))
    for c, (by, students, _) in COURSES.items():
        book.pay(2 if students <= {"hall": 100, "lab": 40}[room[c]] else -3, by)
        book.pay(0.75 if slot[c] in ("mon9", "tue9") else 0, by)
    book.pay(1 if slot["alg"][:3] == slot["log"][:3] else -1, "ada")
    book.pay(1, "ben")
    book.pay(1, "cyd")
    for c, d in combinations(COURSES, 2):
        book.must((slot[c], room[c]) != (slot[d], room[d]))
        if COURSES[c][0] == COURSES[d][0]:
            book.must(slot[c] != slot[d])
        if COURSES[c][2] == COURSES[d][2] and slot[c] == slot[d]:
            book.pay(-4, COURSES[c][0], COURSES[d][0])


@pytest.mark.parametrize("name", CASES)
def test_a_scenario_means_what_it_says(tmp_path: Path, name: str) -> None:
    from colosseum.solve.goal import WELFARE
    from colosseum.solve.solver import Solver

    domains, rules, best, params = CASES[name]
    text = (GOOD / f"model_{name}.colo").read_text(encoding="utf-8")
    scenario = agrees(tmp_path, text, domains, rules, **params)
    assert Solver(scenario.task).maximise(WELFARE).value == pytest.approx(best, abs=1e-9)
