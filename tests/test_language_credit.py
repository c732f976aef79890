"""Whom payoffs go to, soft rules and derived tables, each against rules in plain Python for every assignment."""

from pathlib import Path
from typing import Any

from by_hand import Book, agrees
from specs_made import HEAD

Chosen = dict[str, Any]

PEOPLE = ("ann", "bob", "cho")


def test_grids_of_three_indices(tmp_path: Path) -> None:
    """A game as one labelled table, tables over pairs, several coalitions with signs."""
    text = """
    agents ann, bob
    set moves = {coop, defect}
    table pay[moves, moves, agents]
                     | ann  bob
      coop, coop     |   3    2
      coop, defect   |   0    5
      defect, coop   |   6   -1
      defect, defect |   1  1e-1
    set edges_ = {(ann, bob), (bob, ann)}
    table w[(a, b) in edges_] = 2 if a == ann else 3
    variable move[agents]: moves
    reward outcome[a in agents] to a: pay[move[ann], move[bob], a]

    reward e0[(a, b) in edges_] to b when move[a] == coop: w[a, b]
    reward e2[e in edges_] when move[ann] == defect: w[e]
    coalition one { members = {ann}  objective m: pay[move[ann], move[bob], bob] - payoff[ann]}
    coalition two { members = agents }
    coalition three { members = {bob, ann}
      objective z: total + 0 * payoff[ann]
      objective y when move[ann] == coop: max(payoff[ann], payoff[bob], 3)}
    """

    def rules(x: Chosen, book: Book) -> None:
        p, q = (x["move[ann]"], x["move[bob]"])
        g = {
            ("coop", "coop"): (3, 2),
            ("coop", "defect"): (0, 5),
            ("defect", "coop"): (6, -1),
            ("defect", "defect"): (1, 0.1),
        }
        book.pay(g[p, q][0], "ann")
        book.pay(g[p, q][1], "bob")
        if p == "coop":
            book.pay(2, "bob")
        if q == "coop":
            book.pay(3, "ann")
        if p == "defect":
            book.pay(5, "ann")
        book.want("one", g[p, q][1] - book.of("ann"))
        book.want("three", book.total + (max(book.of("ann"), book.of("bob"), 3) if p == "coop" else 0))

    domains: dict[str, Any] = {"move[ann]": ("coop", "defect"), "move[bob]": ("coop", "defect")}
    agrees(tmp_path, HEAD + text, domains, rules)


def test_domains_that_depend_on_the_index(tmp_path: Path) -> None:
    """Several variables an agent, tables of sets as domains, variables over pairs."""
    text = """
    agents ann, bob, cho
    set items = {x, y, z}
    table likes[agents] = {ann: {x, y}, bob: {z}, cho: items - {x}}
    table cap[items] = {x: 1, y: 2, z: 0}
    variable choice_[a in agents]: likes[a] or none
    variable amount[a in agents where a != cho]: 0..cap[x] + size(likes[a]) - 1
    variable pairup[(a, b) in pairs(agents) where a != bob] of b: {0, 1}
    reward r[a in agents] when choice_[a] != none: cap[choice_[a]] * 3 - 1
    reward s[a in agents where a != cho]: amount[a] * (1 if choice_[a] == none else 2)
    reward t[(a, b) in pairs(agents) where a != bob] when pairup[a, b] == 1: 4 if choice_[a] == choice_[b] else -4
    require lim:
      sum(amount[a] for a in agents where a != cho) + sum(pairup[p] for p in pairs(agents) where p != (bob, cho)) <= 3
    """

    def rules(x: Chosen, book: Book) -> None:
        cap = {"x": 1, "y": 2, "z": 0}
        ch = {a: x[f"choice_[{a}]"] for a in PEOPLE}
        for a in PEOPLE:
            if ch[a]:
                book.pay(cap[ch[a]] * 3 - 1, a)
        for a in ("ann", "bob"):
            book.pay(x[f"amount[{a}]"] * (1 if ch[a] is None else 2), a)
        for c in ("bob", "cho"):
            if x[f"pairup[ann, {c}]"]:
                book.pay(4 if ch["ann"] == ch[c] else -4, *("ann", c))
        book.must(x["amount[ann]"] + x["amount[bob]"] + x["pairup[ann, bob]"] + x["pairup[ann, cho]"] <= 3)

    domains: dict[str, Any] = {
        "choice_[ann]": ("x", "y", None),
        "choice_[bob]": ("z", None),
        "choice_[cho]": ("y", "z", None),
        "amount[ann]": (0, 1, 2),
        "amount[bob]": (0, 1),
        "pairup[ann, bob]": (0, 1),
        "pairup[ann, cho]": (0, 1),
    }
    agrees(tmp_path, HEAD + text, domains, rules)


def test_equal_splits_among_those_who_qualify(tmp_path: Path) -> None:
    """`to each` with decisions, empty recipients, agents without variables, an empty scope."""
    text = """
    agents ann, bob, cho, idle
    set items = {x, y}
    set nobody = {}
    variable take[a in agents - {idle}]: items or none
    reward pot[i in items] to each(a in agents - {idle} when take[a] == i):
      6 - count(a in agents - {idle} when take[a] == i)
    reward empty to nobody: 1 if take[ann] == x else 0
    reward empty2 to each(a in agents where a == idle when take[bob] == y): 4
    reward everyone to agents: 2 if take[cho] == none else 0
    reward idlepaid to idle: 1
    reward nowhere: 3
    reward team[a in {ann, bob}] to each(b in {ann, cho} when take[b] == take[a]) when take[a] != none: 5
    require share[i in items] to each(a in agents where a != idle when take[a] == i):
      count(a in agents - {idle} when take[a] == i) <= 1 penalty 4 per unit
    """

    def rules(x: Chosen, book: Book) -> None:
        t = {a: x[f"take[{a}]"] for a in PEOPLE}
        for i in "xy":
            who = [a for a in PEOPLE if t[a] == i]
            book.pay(6 - len(who), *(who or PEOPLE))
            book.pay(-4 * max(0, len(who) - 1), *(who or PEOPLE))
        if t["ann"] == "x":
            book.pay(1, "ann")
        if t["bob"] == "y":
            book.pay(4, "idle")
        else:
            book.pay(4)
        if t["cho"] is None:
            book.pay(2)
        book.pay(1, "idle")
        book.pay(3)
        for a in ("ann", "bob"):
            if t[a] is None:
                continue
            who = [c for c in ("ann", "cho") if t[c] == t[a]]
            book.pay(5, *(who or (a,)))

    domains: dict[str, Any] = {
        "take[ann]": ("x", "y", None),
        "take[bob]": ("x", "y", None),
        "take[cho]": ("x", "y", None),
    }
    agrees(tmp_path, HEAD + text, domains, rules)


def test_recipients_that_decisions_choose(tmp_path: Path) -> None:
    """`to v`, `to S[v]`, `to (a if c else b)`, with none among the values."""
    text = """
    agents ann, bob, cho, judge
    set teams = {red, blue}
    table members_[teams] = {red: {ann, judge}, blue: {cho}}
    variable give of ann: agents or none
    variable side of bob: teams or none
    variable amount of bob: {-1, 2, 5}
    reward gift to give: amount
    reward teamgift to members_[side]: amount * 2
    reward fallback to (ann if amount == 2 else judge) when side == red: 10
    require fine to give: amount <= 1 penalty 1 per unit
    require fine2 to members_[side] when give != none: amount == 2 penalty 7
    reward judgepay[a in agents where a == judge]: 0.5
    """

    def rules(x: Chosen, book: Book) -> None:
        g, s, m = (x["give"], x["side"], x["amount"])
        book.pay(m, *((g,) if g else ("bob",)))
        book.pay(2 * m, *({"red": ("ann", "judge"), "blue": ("cho",)}.get(s) or ("bob",)))
        if s == "red":
            book.pay(10, "ann" if m == 2 else "judge")
        book.pay(-max(0, m - 1), *((g,) if g else ("bob",)))
        if g is not None and m != 2:
            book.pay(-7, *({"red": ("ann", "judge"), "blue": ("cho",)}.get(s) or ("ann", "bob")))
        book.pay(0.5)

    domains: dict[str, Any] = {
        "give": ("ann", "bob", "cho", "judge", None),
        "side": ("red", "blue", None),
        "amount": (-1, 2, 5),
    }
    agrees(tmp_path, HEAD + text, domains, rules)


def test_soft_rules_over_every_comparison(tmp_path: Path) -> None:
    """Flat and per unit, chains, `when`, none on a side."""
    text = """
    agents ann, bob
    variable n[agents]: 0..3
    variable o of ann: 0..2 or none
    require lt to ann: n[ann] < n[bob] penalty 1
    require gt to ann: n[ann] > 1 penalty 2
    require ne to bob: n[ann] != n[bob] penalty 4
    require eq to bob: 2 * n[ann] == n[bob] penalty 8
    require ch to bob: 1 <= n[ann] <= n[bob] < 3 penalty 16
    require chu to ann: n[bob] >= n[ann] >= 1 penalty 0.25 per unit
    require equ to ann: n[ann] == n[bob] == 2 penalty 0.125 per unit
    require none_ to ann: o <= 1 penalty 32
    require noneeq to ann: o == n[ann] penalty 64
    require nonene to bob: o != n[ann] penalty 64
    require zero to bob: n[ann] == 0 penalty 0
    require wu to bob when o != none and n[ann] < 3: o >= n[bob] penalty 3 per unit
    require hard1: not (n[ann] == 3 and n[bob] == 3)
    require hard2 when o == 2: n[ann] >= 1
    """

    def rules(x: Chosen, book: Book) -> None:
        p, q, o = (x["n[ann]"], x["n[bob]"], x["o"])
        if not p < q:
            book.pay(-1, "ann")
        if not p > 1:
            book.pay(-2, "ann")
        if p == q:
            book.pay(-4, "bob")
        if 2 * p != q:
            book.pay(-8, "bob")
        if not 1 <= p <= q < 3:
            book.pay(-16, "bob")
        book.pay(-0.25 * (max(0, p - q) + max(0, 1 - p)), "ann")
        book.pay(-0.125 * (abs(p - q) + abs(q - 2)), "ann")
        if o is None or o > 1:
            book.pay(-32, "ann")
        if o != p:
            book.pay(-64, "ann")
        if o == p:
            book.pay(-64, "bob")
        if o is not None and p < 3:
            book.pay(-3 * max(0, q - o), "bob")
        book.must(not (p == 3 and q == 3))
        book.must(o != 2 or p >= 1)

    domains: dict[str, Any] = {"n[ann]": (0, 1, 2, 3), "n[bob]": (0, 1, 2, 3), "o": (0, 1, 2, None)}
    agrees(tmp_path, HEAD + text, domains, rules)


def test_tables_computed_from_decisions(tmp_path: Path) -> None:
    """Derived tables of derived tables, names among them, looked up by decisions."""
    text = """
    agents ann, bob, cho
    set jobs = {j1, j2, j3}
    set sizes = {small, large}
    table size_[jobs] of sizes = {j1: small, j2: large, j3: large}
    table cost[sizes, agents]
            | ann bob cho
      small |  1   2   3
      large |  4   2   5
    variable who[j in jobs] of bob: agents or none
    table load[a in agents] = sum(cost[size_[j], a] for j in jobs when who[j] == a)
    table over[a in agents] = max(0, load[a] - 4)
    table worst = max(load[a] for a in agents)
    table kind_[a in agents] = large if load[a] > 4 else small
    reward done[j in jobs] to who[j] when who[j] != none: 6
    reward c[a in agents] to a: -load[a] - 2 * over[a]
    reward w to bob: -worst
    reward bigs to cho: count(a in agents when kind_[a] == large)
    reward spec[j in jobs] to ann when who[j] != none: cost[size_[j], who[j]] * 0.5
    reward spec2 to ann: cost[kind_[ann], who[j1]] if who[j1] != none else 0
    """

    def rules(x: Chosen, book: Book) -> None:
        cost = {"small": {"ann": 1, "bob": 2, "cho": 3}, "large": {"ann": 4, "bob": 2, "cho": 5}}
        s = {"j1": "small", "j2": "large", "j3": "large"}
        load = {a: sum(cost[s[j]][a] for j in s if x[f"who[{j}]"] == a) for a in PEOPLE}
        for j in s:
            w = x[f"who[{j}]"]
            if w:
                book.pay(6, w)
                book.pay(0.5 * cost[s[j]][w], "ann")
        for a in PEOPLE:
            book.pay(-load[a] - 2 * max(0, load[a] - 4), a)
        book.pay(-max(load.values()), "bob")
        book.pay(sum(each > 4 for each in load.values()), "cho")
        if x["who[j1]"]:
            book.pay(cost["large" if load["ann"] > 4 else "small"][x["who[j1]"]], "ann")

    domains: dict[str, Any] = {
        "who[j1]": ("ann", "bob", "cho", None),
        "who[j2]": ("ann", "bob", "cho", None),
        "who[j3]": ("ann", "bob", "cho", None),
    }
    agrees(tmp_path, HEAD + text, domains, rules)


def test_the_pairs_of_the_network(tmp_path: Path) -> None:
    """`links` in declared order, degrees, neighbours who qualify."""
    text = """
    agents ann, bob, cho, dan
    network edges({(dan, ann), (bob, cho), (ann, bob)})
    set cols = {r, g}
    variable c[agents]: cols
    reward clash[(a, b) in links] when c[a] == c[b]: -1
    reward deg[a in agents] to a when c[a] == r: count((p, q) in links where p == a or q == a)
    require soft[a in agents] to each((p, q) in links where p == a when c[q] == g): c[a] == g penalty 2
    """

    def rules(x: Chosen, book: Book) -> None:
        pairs = [("ann", "bob"), ("ann", "dan"), ("bob", "cho")]

        def c(a: str) -> str:
            return x[f"c[{a}]"]

        for p, q in pairs:
            if c(p) == c(q):
                book.pay(-1, p, q)
        for a in (*PEOPLE, "dan"):
            if c(a) == "r":
                book.pay(sum(a in e for e in pairs), a)
            if c(a) != "g":
                [p for p, q in pairs if p == a and c(q) == "g"]
                book.pay(-2, a)

    domains: dict[str, Any] = {"c[ann]": ("r", "g"), "c[bob]": ("r", "g"), "c[cho]": ("r", "g"), "c[dan]": ("r", "g")}
    agrees(tmp_path, HEAD + text, domains, rules)
