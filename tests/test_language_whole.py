"""Statements and expressions of the language, each against rules written out in plain Python for every assignment."""

import itertools
from pathlib import Path
from typing import Any

from by_hand import Book, agrees
from specs_made import HEAD

from colosseum.model.values import Elements

Chosen = dict[str, Any]

PEOPLE = ("ann", "bob", "cho")


def test_tables_looked_up_by_tables(tmp_path: Path) -> None:
    """Look-ups within look-ups, `of`, names compared, quoted elements, objectives that name payoffs."""
    text = """
    agents ann, bob
    set levels = {low, mid, high}
    set tasks
           | effort  grade
      t1   | 3       low
      t2   | 5       high
      "t 3"| 2       mid
    table weight[levels] = {low: 0.5, mid: 1, high: 4}
    table priority[t in tasks] of levels = grade[t]
    variable pick[agents]: tasks or none

    reward done[a in agents] when pick[a] != none: 10 * weight[priority[pick[a]]] - effort[pick[a]]
    reward same when pick[ann] != none and pick[bob] != none: 7 if priority[pick[ann]] == priority[pick[bob]] else 0
    reward high_ to bob when priority[pick[ann]] == high: -9
    reward notlow to ann when priority[pick[bob]] != low: 2
    coalition c { members = {ann} }
    coalition d { members = {ann, bob}
      objective o when pick[ann] in {t1, "t 3"}: weight[priority[pick[ann]]] - 2 * payoff[bob]
      objective p[a in agents where a != ann]: -total }
    """

    def rules(x: Chosen, book: Book) -> None:
        eff = {"t1": 3, "t2": 5, "t 3": 2}
        gr = {"t1": "low", "t2": "high", "t 3": "mid"}
        w = {"low": 0.5, "mid": 1, "high": 4}
        for a in ("ann", "bob"):
            p = x[f"pick[{a}]"]
            if p:
                book.pay(10 * w[gr[p]] - eff[p], a)
        p, q = (x["pick[ann]"], x["pick[bob]"])
        if p and q and (gr[p] == gr[q]):
            book.pay(7)
        if p and gr[p] == "high":
            book.pay(-9, "bob")
        if q is None or gr[q] != "low":
            book.pay(2, "ann")
        if p in ("t1", "t 3"):
            book.want("d", w[gr[p]] - 2 * book.of("bob"))
        book.want("d", -book.total)

    domains: dict[str, Any] = {"pick[ann]": ("t1", "t2", "t 3", None), "pick[bob]": ("t1", "t2", "t 3", None)}
    agrees(tmp_path, HEAD + text, domains, rules)


def test_sets_in_tables(tmp_path: Path) -> None:
    """`x in S[d]` with a decision on either side, set algebra, hard and soft."""
    text = """
    agents ann, bob
    set days = {mon, tue}
    set slots = 1..3
    table open[days] = {mon: {1, 2}, tue: {2, 3}}
    table able[agents] = {ann: {mon}, bob: {mon, tue}}
    variable day[agents]: days
    variable slot[agents]: slots or none
    require ok[a in agents] when slot[a] != none: slot[a] in open[day[a]]
    require can[a in agents]: day[a] in able[a] penalty 3
    reward p[a in agents] when slot[a] != none: slot[a]
    reward q when slot[ann] not in open[day[bob]]: 5
    reward r to bob when slot[bob] in open[mon] + {3} and not (slot[bob] in open[mon] & open[tue]): 1
    """

    def rules(x: Chosen, book: Book) -> None:
        op = {"mon": {1, 2}, "tue": {2, 3}}
        able = {"ann": {"mon"}, "bob": {"mon", "tue"}}
        for a in ("ann", "bob"):
            s, d = (x[f"slot[{a}]"], x[f"day[{a}]"])
            if s is not None:
                book.must(s in op[d])
                book.pay(s, a)
            if d not in able[a]:
                book.pay(-3, a)
        if x["slot[ann]"] not in op[x["day[bob]"]]:
            book.pay(5, "ann", "bob")
        if x["slot[bob]"] in (1, 3):
            book.pay(1, "bob")

    domains: dict[str, Any] = {
        "day[ann]": ("mon", "tue"),
        "day[bob]": ("mon", "tue"),
        "slot[ann]": (1, 2, 3, None),
        "slot[bob]": (1, 2, 3, None),
    }
    agrees(tmp_path, HEAD + text, domains, rules)


def test_whole_numbers_in_arithmetic(tmp_path: Path) -> None:
    """Negative domains between params, products, quotients, `abs`, `min`, `max`, chains per unit."""
    text = """
    param lo = -2
    param hi = 2
    agents ann, bob
    variable n[agents]: lo..hi
    variable m of ann: {-3, 0, 4} or none
    variable fixed of bob: {7}
    reward prod: n[ann] * n[bob]
    reward sq[a in agents] to a: n[a] * n[a] - 3 * n[a]
    reward lin to bob when m != none: -m + fixed / 2
    reward ab to ann: abs(n[ann] - n[bob]) - max(n[ann], 0) + min(n[bob], n[ann], 1)
    reward div to ann when n[bob] != 0: 6 / n[bob]
    require chain: -1 <= n[ann] + n[bob] < 3
    require per to bob: -1 <= n[ann] <= n[bob] <= 1 penalty 2.5 per unit
    require eq when m != none: n[ann] == m penalty 1 per unit
    require ge: n[ann] - 1 >= 2 * n[bob] penalty 0.5 per unit
    """

    def rules(x: Chosen, book: Book) -> None:
        p, q, m = (x["n[ann]"], x["n[bob]"], x["m"])
        book.pay(p * q)
        book.pay(p * p - 3 * p, "ann")
        book.pay(q * q - 3 * q, "bob")
        if m is not None:
            book.pay(-m + 3.5, "bob")
            book.pay(-abs(p - m), "ann")
        book.pay(abs(p - q) - max(p, 0) + min(q, p, 1), "ann")
        if q:
            book.pay(6 / q, "ann")
        book.must(-1 <= p + q < 3)
        book.pay(-2.5 * (max(0, -1 - p) + max(0, p - q) + max(0, q - 1)), "bob")
        book.pay(-0.5 * max(0, 2 * q - (p - 1)))

    domains: dict[str, Any] = {
        "n[ann]": (-2, -1, 0, 1, 2),
        "n[bob]": (-2, -1, 0, 1, 2),
        "m": (-3, 0, 4, None),
        "fixed": (7,),
    }
    agrees(tmp_path, HEAD + text, domains, rules)


def test_quantifiers(tmp_path: Path) -> None:
    """`any`, `all`, `count` over nothing, one and two binders; `if` as a condition; nested sums."""
    text = """
    agents ann, bob, cho
    set none_here = {}
    variable y[agents]: 0..1
    set pq = {p, q}
    variable z[agents]: pq
    reward ae when all(a in none_here when y[a] == 1) and not any(a in none_here): sum(y[a] for a in none_here) + 1
    reward two when count(a in agents when y[a] == 1) == 2: 5
    reward q1 when any(a in agents when y[a] == 1 and z[a] == p): 2
    reward q2 when all(a in agents when y[a] == 1 or z[a] == q): 3
    reward q3: 4 if count(a in agents, b in agents where a != b when z[a] == z[b]) > 2 else -1
    reward neg when not all(a in agents when z[a] == p): -1
    require r1: any(a in agents when z[a] == p) or all(a in agents when y[a] == 0)
    require r2 to cho: not any(a in agents when y[a] == 1 and z[a] == q) penalty 1.5
    require r3: (y[ann] == 1 if z[bob] == p else y[ann] == 0) penalty 2
    require r4 when y[bob] == 1: all((a, b) in pairs(agents) when z[a] != z[b] or y[a] == y[b]) penalty 1
    reward nested: sum(sum(y[b] * (1 if z[a] == p else 0) for b in agents where b != a) for a in agents)
    reward mx: max(y[a] for a in agents when z[a] == p) if any(a in agents when z[a] == p) else -2
    """

    def rules(x: Chosen, book: Book) -> None:
        y = {a: x[f"y[{a}]"] for a in PEOPLE}
        z = {a: x[f"z[{a}]"] for a in PEOPLE}
        book.pay(1)
        if sum(y.values()) == 2:
            book.pay(5)
        if any(y[a] and z[a] == "p" for a in PEOPLE):
            book.pay(2)
        if all(y[a] or z[a] == "q" for a in PEOPLE):
            book.pay(3)
        book.pay(4 if sum(z[a] == z[c] for a in PEOPLE for c in PEOPLE if a != c) > 2 else -1)
        if not all(z[a] == "p" for a in PEOPLE):
            book.pay(-1)
        book.must(any(z[a] == "p" for a in PEOPLE) or all(y[a] == 0 for a in PEOPLE))
        if any(y[a] and z[a] == "q" for a in PEOPLE):
            book.pay(-1.5, "cho")
        if not (y["ann"] == 1 if z["bob"] == "p" else y["ann"] == 0):
            book.pay(-2, "ann", "bob")
        if y["bob"] == 1 and (
            not all((z[a] != z[c] or y[a] == y[c] for a, c in (("ann", "bob"), ("ann", "cho"), ("bob", "cho"))))
        ):
            book.pay(-1)
        book.pay(sum(y[c] * (z[a] == "p") for a in PEOPLE for c in PEOPLE if a != c))
        book.pay(max(y[a] for a in PEOPLE if z[a] == "p") if any(z[a] == "p" for a in PEOPLE) else -2)

    domains: dict[str, Any] = {
        "y[ann]": (0, 1),
        "y[bob]": (0, 1),
        "y[cho]": (0, 1),
        "z[ann]": ("p", "q"),
        "z[bob]": ("p", "q"),
        "z[cho]": ("p", "q"),
    }
    agrees(tmp_path, HEAD + text, domains, rules)


def test_none_in_every_place(tmp_path: Path) -> None:
    """Order, equality, membership, arithmetic, look-ups, extremes and recipients that are none."""
    text = """
    agents ann, bob
    variable n[agents]: 1..2 or none
    set uv = {u, v}
    variable w of ann: uv or none
    table val[i in 1..2] = {1: 10, 2: 20}
    reward a1 to ann when n[ann] < 2: 1
    reward a2 to ann when not (n[ann] < 2): 2
    reward a3 to ann when n[ann] >= n[bob]: 4
    reward a4 to ann when n[ann] == n[bob]: 8
    reward a5 to ann when n[ann] + 1 == none: 16
    reward a6 to ann when n[ann] != 1: 32
    reward a7 to ann when val[n[ann]] == none and val[n[bob]] != none: 64
    reward a8 to ann when n[bob] in {1}: 128
    reward a9 to ann when n[bob] not in {1}: 256
    reward a10 to bob when max(n[ann], n[bob]) == none: 1
    reward a11 to bob when w == u or w == none: 2
    reward a12 to bob when (n[ann] if w == u else n[bob]) == none: 4
    reward a13 to bob when val[n[ann]] > 5 * n[bob]: 8
    table who[w_ in uv] of agents = {u: ann, v: bob}
    reward a15 to who[w]: 1 if n[bob] == none else 3
    require h: n[ann] <= n[bob] or w != none
    require s to bob: n[ann] <= n[bob] penalty 100
    require p to bob when n[ann] != none and n[bob] != none: n[ann] <= n[bob] penalty 100 per unit
    """

    def rules(x: Chosen, book: Book) -> None:
        p, q, w = (x["n[ann]"], x["n[bob]"], x["w"])
        if p == 1:
            book.pay(1, "ann")
        else:
            book.pay(2, "ann")
        if p and q and (p >= q):
            book.pay(4, "ann")
        if p == q:
            book.pay(8, "ann")
        if p is None:
            book.pay(16, "ann")
        if p != 1:
            book.pay(32, "ann")
        if p is None and q is not None:
            book.pay(64, "ann")
        book.pay(128 if q == 1 else 256, "ann")
        if p is None or q is None:
            book.pay(1, "bob")
        if w in ("u", None):
            book.pay(2, "bob")
        if (p if w == "u" else q) is None:
            book.pay(4, "bob")
        if p and q and (10 * p > 5 * q):
            book.pay(8, "bob")
        v = 1 if q is None else 3
        who = {"u": ("ann",), "v": ("bob",), None: ("bob",)}[w]
        book.pay(v, *who)
        le = bool(p and q and (p <= q))
        book.must(le or w is not None)
        if not le:
            book.pay(-100, "bob")
        if p and q:
            book.pay(-100 * max(0, p - q), "bob")

    domains: dict[str, Any] = {"n[ann]": (1, 2, None), "n[bob]": (1, 2, None), "w": ("u", "v", None)}
    agrees(tmp_path, HEAD + text, domains, rules)


def test_sets_of_all_kinds(tmp_path: Path) -> None:
    """Ranges with params, builders, pairs, quoted names, `steps`, `size`, `&` and `-`."""
    text = """
    param n = 3
    param first = -1
    agents ann, bob, cho
    set hours = first..first + n
    set evens = {h for h in hours where h == 0 or h == 2}
    set slots = {(h, k) for h in evens, k in 1..2}

    set names = {"New York", "a-b", plain}
    table dist[names] = {"New York": 3, "a-b": 1.5, plain: 0}
    variable where_[a in agents - {cho}]: names
    variable at[a in {ann}]: slots or none
    variable hh of cho: evens + {1} & hours - {9}
    reward go[a in agents - {cho}]: dist[where_[a]] if where_[a] != "a-b" else -2
    reward tt when at[ann] == (2, 1): 7
    reward tu when at[ann] in {(0, 1), (0, 2)}: 3
    reward st: count((p, q) in steps(hours) where q <= 2 when hh == p or hh == q)
    reward sz: size(slots) * hh
    require diff: where_[ann] != where_[bob]
    """

    def rules(x: Chosen, book: Book) -> None:
        d = {"New York": 3, "plain": 0, "a-b": -2}
        for a in ("ann", "bob"):
            book.pay(d[x[f"where_[{a}]"]], a)
        t = x["at[ann]"]
        if t == (2, 1):
            book.pay(7, "ann")
        if t in ((0, 1), (0, 2)):
            book.pay(3, "ann")
        h = x["hh"]
        hours = [-1, 0, 1, 2]
        book.pay(sum(h in pq for pq in itertools.pairwise(hours)), "cho")
        book.pay(4 * h, "cho")
        book.must(x["where_[ann]"] != x["where_[bob]"])

    domains: dict[str, Any] = {
        "where_[ann]": ("New York", "a-b", "plain"),
        "where_[bob]": ("New York", "a-b", "plain"),
        "at[ann]": ((0, 1), (0, 2), (2, 1), (2, 2), None),
        "hh": (0, 2, 1),
    }
    agrees(tmp_path, HEAD + text, domains, rules)


def test_rules_that_nothing_satisfies(tmp_path: Path) -> None:
    """No assignment counts."""
    text = """
    agents ann, bob
    variable n[agents]: 0..3
    require a0: n[ann] + n[bob] > 6
    require no[a in agents]: n[a] != 3 or n[ann] < 0
    reward r: n[ann]
    coalition c { members = {bob} }
    """

    def rules(x: Chosen, book: Book) -> None:
        book.must(x["n[ann]"] + x["n[bob]"] > 6)
        book.must(x["n[ann]"] != 3)
        book.must(x["n[bob]"] != 3)
        book.pay(x["n[ann]"], "ann")

    domains: dict[str, Any] = {"n[ann]": (0, 1, 2, 3), "n[bob]": (0, 1, 2, 3)}
    agrees(tmp_path, HEAD + text, domains, rules)


def test_decisions_between_pairs_and_between_sets(tmp_path: Path) -> None:
    """A pair looks up a table of two indices, alone and beside another key; a set is asked for its members."""
    text = """
    agents ann, bob
    set places = {x, y}
    set routes = {(x, y), (y, x), (x, x)}
    table length[places, places]
        | x  y
      x | 1  4
      y | 2  9
    table toll[a in agents, (p, q) in routes] = (3 if a == ann else 5) * (1 if p == q else 2)
    variable route[agents]: routes or none
    variable crew of bob: {{ann, bob}, {bob}}
    reward gone[a in agents] when route[a] != none: length[route[a]]
    reward paid[a in agents] to crew when route[a] != none: -toll[a, route[a]]
    reward apart when ann in crew: 6 if route[ann] != route[bob] and route[bob] == (y, x) else 0
    """

    def rules(x: Chosen, book: Book) -> None:
        length = {("x", "x"): 1, ("x", "y"): 4, ("y", "x"): 2}
        crew = [a for a in ("ann", "bob") if a in x["crew"]]
        for a, price in (("ann", 3), ("bob", 5)):
            route = x[f"route[{a}]"]
            if route is not None:
                book.pay(length[route], a)
                book.pay(-price * (1 if route == ("x", "x") else 2), *crew)
        if len(crew) == 2 and x["route[bob]"] == ("y", "x") != x["route[ann]"]:
            book.pay(6, "ann", "bob")

    routes = (("x", "y"), ("y", "x"), ("x", "x"), None)
    crews = (Elements(("ann", "bob")), Elements(("bob",)))
    agrees(tmp_path, HEAD + text, {"route[ann]": routes, "route[bob]": routes, "crew": crews}, rules)
