"""Valid specs by chance. In: a source of chance; out: a text in which every name means something.

They reach what mutations seldom do: expansion, prompts, networks, experiments, and the optimum.
"""

import random

Chance = random.Random
TO = ("", "", "", " to {a}", " to agents", " to each(q in agents when {c})", " to {A, B} & agents")


class Maker:
    """One spec in the making."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.agents = ["A", "B", "C", "D"][: chance.randint(2, 4)]
        self.items = ["left", "right", "up"][: chance.randint(2, 3)]
        self.top = chance.choice([1, 2, 3, 9])
        self.bound: list[str] = []
        """Binders over agents around this place."""

    def agent(self) -> str:
        return self.chance.choice([*self.agents, *self.bound, *self.bound, *self.bound])

    def item(self) -> str:
        return self.chance.choice(
            [*self.items, f"move[{self.agent()}]", f"move[{self.agent()}]", f"favourite[{self.agent()}]"]
        )

    def number(self, depth: int) -> str:
        """A numeric expression."""
        pick = self.chance.choice
        if depth <= 0:
            return pick(["1", "2", "0.5", "n", f"bid[{self.agent()}]", f"bid[{self.agent()}]", f"cost[{self.agent()}, {self.item()}]",
                         f"weight[{self.item()}]", f"deal[bid[{self.agent()}]]", f"worth[{self.agent()}]"])  # fmt: skip
        a = self.number(depth - 1)
        match self.chance.randrange(13):
            case 0 | 1:
                return f"({a} {pick('+-*')} {self.number(depth - 1)})"
            case 2:
                return f"({a} / {pick(['2', '3', 'n', f'(1 + bid[{self.agent()}])'])})"
            case 3:
                return f"({a} if {self.condition(depth - 1)} else {self.number(depth - 1)})"
            case 4:
                return f"abs({a})"
            case 5:
                return f"{pick(['min', 'max'])}({a}, {self.number(depth - 1)})"
            case 6 | 7:
                return self.within(
                    lambda x: f"{pick(['sum', 'sum', 'min', 'max'])}({self.number(depth - 1)} for {x} in agents)"
                )
            case 8:
                return self.within(
                    lambda x: f"sum({self.number(depth - 1)} for {x} in agents when {self.condition(depth - 1)})"
                )
            case 9:
                return self.within(lambda x: f"count({x} in agents when {self.condition(depth - 1)})")
            case 10:
                return f"deal[{a}]" if a.startswith("bid") else f"cost[{self.agent()}, {self.item()}]"
            case 11:
                return f"-({a})"
            case _:
                return a

    def condition(self, depth: int) -> str:
        """A condition."""
        pick = self.chance.choice
        match self.chance.randrange(8 if depth > 0 else 4):
            case 0:
                return f"move[{self.agent()}] {pick(['==', '!='])} {self.item()}"
            case 1:
                return f"bid[{self.agent()}] {pick(['<', '<=', '>', '>=', '==', '!='])} {pick([str(self.top), '1', f'bid[{self.agent()}]', 'n'])}"
            case 2:
                return f"move[{self.agent()}] {pick(['in', 'not in'])} {{{self.items[0]}, {self.items[-1]}}}"
            case 3:
                return f"{pick(['move', 'bid'])}[{self.agent()}] {pick(['!=', '=='])} none"
            case 4:
                return f"({self.condition(depth - 1)} {pick(['and', 'or'])} {self.condition(depth - 1)})"
            case 5:
                return f"not ({self.condition(depth - 1)})"
            case 6:
                return self.within(lambda x: f"{pick(['any', 'all'])}({x} in agents when {self.condition(depth - 1)})")
            case _:
                return (
                    f"({self.number(depth - 1)}) {pick(['<', '<=', '>', '>=', '==', '!='])} ({self.number(depth - 1)})"
                )

    def within(self, make) -> str:  # type: ignore[no-untyped-def]
        """Something inside a loop over agents."""
        name = f"x{len(self.bound)}"
        self.bound.append(name)
        try:
            return str(make(name))
        finally:
            self.bound.remove(name)

    def statement(self) -> str:
        """A payoff or a rule."""
        depth = self.chance.choice([0, 1, 1, 2, 2, 3, 4])
        name = f"r{self.chance.randrange(10**6)}"
        indexed = self.chance.choice(["", "[x0 in agents]", "[(x0, x1) in pairs(agents)]"])
        self.bound = ["x0", "x1"][: indexed.count("x0") + indexed.count("x1")]
        when = f" when {self.condition(1)}" if self.chance.random() < 0.3 else ""
        try:
            match self.chance.randrange(6):
                case 0:
                    return f"require {name}{indexed}{when}: {self.condition(depth)}"
                case 1:
                    unit = self.chance.choice(["<=", ">=", "=="])
                    return f"require {name}{indexed}{when}: {self.number(depth)} {unit} {self.number(0)} penalty 2 per unit"
                case 2:
                    return f"require {name}{indexed}{when}: {self.condition(depth)} penalty {self.chance.choice(['1', 'n', '0.5'])}"
                case _:
                    to = self.chance.choice(TO).replace("{a}", self.agent())
                    if "{c}" in to:
                        to = to.replace("{c}", "bid[q] != none and bid[q] > 0")
                    return f"reward {name}{indexed}{to}{when}: {self.number(depth)}"
        finally:
            self.bound = []

    def rest(self) -> str:
        """Coalitions, talk, prompts, experiments."""
        pick, p = self.chance.choice, self.chance.random
        made = []
        if p() < 0.7:
            objective = pick(
                [
                    "",
                    "",
                    "objective o[a in members]: bid[a]",
                    "objective o: -total",
                    "objective o: payoff[A] - payoff[B]",
                    "objective o: total * 0.5 + payoff[B]",
                ]
            )
            members = pick(["= {A, B}", "~ sample(agents, 2)", "= {A}", "= agents - {A}", "~ sample(agents, 1..2)"])
            made.append(f"coalition crew {{ members {members} {objective.replace('members]', 'agents]')} }}")
            made.append(
                pick(
                    [
                        "",
                        "secret channel backroom for crew",
                        "channel room for {A, B}",
                        "secret channel backroom ~ sample(agents, 2)",
                    ]
                )
            )
            made.append('prompt pitch for crew { plain: "" bonus: "With {{ allies }} you earn." }')
            arms = [
                "arm baseline { }",
                "arm prompted { pitch bonus }",
                *(["arm back { backroom on }"] if "backroom" in made[1] else []),
            ]
        else:
            arms = ["arm baseline { }", "arm again { }"]
        made.append(
            "network "
            + pick(
                [
                    "complete",
                    "path",
                    "ring",
                    "star",
                    "star(center = B)",
                    "erdos_renyi(p = 0.6)",
                    "barabasi_albert(m = 1)",
                    "edges({(A, B)})",
                ]
            )
        )
        made.append(
            'prompt briefing for agents """\nYou are {{ me }}; n is {{ n }}.\n{% for i in items %}\n{{ i }}: {{ cost[me, i] }} {% if i != "left" %}{{ weight[i] | round(1) }}{% endif %}\n{% endfor %}\n{{ agents | join(", ") }} {{ links | length }}\n"""'
        )
        if p() < 0.3:
            made.append('claim best[a in agents]: "{{ a }} bids" is false')
        sweep = pick(
            [
                "",
                "sweep n in 1..2",
                "sweep network in complete, path",
                "sweep rounds in 1, 2 where rounds != n",
                "sweep n in 1..3 where n != 2",
            ]
        )
        settings = pick(
            [
                "",
                "seeds 1..3",
                "rounds 2 steps 1",
                "repeats 2",
                "order declared",
                "decisions simultaneous",
                "consolidate on",
                "temperature 0.2",
            ]
        )
        if p() < 0.8:
            made.append(f"experiment e {{ {settings} {sweep} {' '.join(arms)} }}")
        return "\n".join(made)


def valid(chance: Chance) -> str:
    """A whole spec."""
    maker = Maker(chance)
    pick = chance.choice
    lines = [
        "colosseum 1", "scenario s", f"agents {', '.join(maker.agents)}", "param n = 2", f"set items = {{{', '.join(maker.items)}}}",
        f"variable move[agents]: items{pick(['', '', '', '', ' or none'])}", f"variable bid[agents]: 0..{maker.top}{pick(['', '', '', '', ' or none'])}",
        f"table cost[agents, items] ~ {pick(['integer(1, 9)', 'uniform(0, 1)', 'normal(0, 1)', 'choice({1, 2, 5})'])}",
        f"table weight[i in items] = {pick(['1', 'n / 3', 'sum(cost[a, i] for a in agents)'])}", "table favourite[a in agents] of items ~ choice(items)",
        f"table deal[i in 0..{maker.top}] = {pick(['i * i', '3 - i', 'i / 7', '1 if i > 1 else 0'])}",
    ]  # fmt: skip
    lines.append(
        f"table worth[a in agents] = {pick(['bid[a] + 1', 'cost[a, move[a]]', '2 * bid[a] if bid[a] != none else 0', '1'])}"
    )
    lines += [maker.statement() for _ in range(chance.choice([1, 2, 3, 5]))]
    lines.append(maker.rest())
    return "\n".join(lines) + "\n"
