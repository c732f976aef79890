"""What a stranger writes to take time or memory. In: a source of chance; out: a spec that must be refused at once.

`NUMBERS` are statements that grow, `TEMPLATES` prompts; `N`, `M` stand for large numbers, `K` for a depth.
"""

import random

HEAD = 'colosseum 1\nscenario s "t"\nagents A, B, C\nset moves = {left, right}\nvariable move[agents]: moves or none\n'
BODY = "param n = 3\nvariable bid[agents]: 0..9\ntable cost[agents, moves] ~ integer(1, 9)\nprivate table half[agents] = 0.5\n"


def grown(first: str, step: str, many: int) -> str:
    """Statements each of which reads the one before it twice or more."""
    return "\n".join([first, *(step.replace("<", str(i - 1)).replace("@", str(i)) for i in range(1, many))])


NUMBERS = (
    # sets and ranges
    "set s = 1..N", "set s = {i for i in 1..N}", "set s = {(i, j) for i in 1..M, j in 1..M}", "set s = pairs(1..M)",
    "set s = pairs(pairs(1..M))", "set s = x[1..N]", "set s = x[1..M] + y[1..M] + z[1..N]", "set s = {x for x in 1..M where x in 1..N}",
    "set s = steps(1..N)", "set s = {1..M} + {1..N}", "set s ~ sample(1..N, 3)", "set s ~ sample(1..M, M)", "set s ~ shuffle(1..N)",
    "set s = {" + "1, " * 10_000 + "1}", "set s = {{i, j} for i in 1..M, j in 1..M}", "set s = steps(pairs(1..M))",
    grown("set s0 = 1..100", "set s@ = {(a, b) for a in s<, b in s<}", 6), grown("set s0 = 1..9", "set s@ = pairs(s<)", 9),
    grown("set s0 = 1..M", "set s@ = s< + {x@}", 200), grown("set s0 = 1..M", "set s@ = {x for x in s<}", 400),
    "set s = 1..999\nset t = s & s & s & s\nreward r: sum(1 for i in s, j in t, k in s)",
    # numbers
    "param p = 9e307 * 10", "param p = " + "9" * 400, "param p = " + "9" * 100_000, "param p = 1e308 + 1e308", "param p = 10 / 0",
    "param p = " + " * ".join(["9" * 300] * 60), "param p = 0.1e-400", "param p = 1e" + "9" * 50, "param p = sum(9e307 for i in 1..M)",
    grown("param p0 = 99999", "param p@ = p< * p<", 60), grown("param p0 = 1", "param p@ = p< + p<", 2000),
    "param p = N - N / N * N", "param p = sum(sum(1 for i in 1..j) for j in 1..M)",
    # loops
    "reward r: sum(1 for i in 1..M, j in 1..M)", "reward r: sum(sum(sum(1 for i in 1..500) for j in 1..500) for k in 1..500)",
    "reward r[i in 1..900, j in 1..900, k in 1..900]: 1", "reward r[i in 1..M]: sum(bid[A] for j in 1..M when bid[B] == j)",
    "reward r: sum(bid[A] for j in 1..i, i in 1..M)", "reward r: sum(j for i in 1..M, j in 1..i)", "reward r: min(bid[a] * i for i in 1..M, a in agents)",
    "reward r: count((i, j) in pairs(1..M) when i == bid[A] and j == bid[B])", "reward r: 1 if any(i in 1..N when bid[A] == i) else 0",
    "require q: all(i in 1..M, j in 1..M when bid[A] != i or bid[B] != j)", "require q[i in 1..M, j in 1..M where i < j]: bid[A] + i < bid[B] + j",
    "require q[i in 1..N]: bid[A] <= i penalty i per unit", "reward r to each(i in agents when count(j in 1..N when bid[i] == j) > 0): bid[A]",
    "reward r: " + "sum(" * 30 + "1" + "".join(f" for i{k} in agents)" for k in range(30)), "reward r: " + "max(" * 40 + "bid[A]" + ", bid[B])" * 40,
    "reward r: sum(" + "bid[A] * " * 300 + "1 for i in 1..200)", "reward r[i in 1..9, j in 1..9, k in 1..9, l in 1..9, m in 1..9, o in 1..9]: bid[A]",
    "reward r: sum(i for i in 1..M where sum(1 for j in 1..M) > 0)", "reward r: sum(bid[a] for a in agents, b in 1..M where b in {x for x in 1..M})",
    "reward r: count((i, j) in pairs(1..500) when i == bid[A] and j == bid[B])", "param p = sum(size(pairs(1..600)) for i in 1..90000)", "set s = 1..90000\nparam p = sum(max(s) for i in 1..90000)",
    "set s = 1..M\nset t = 0..M\nparam p = sum(1 for i in s when s == t)", "param p = sum(size(steps(1..M)) for i in 1..M)", "reward r[i in 1..M, j in 1..M]: 1 / bid[A]", "reward r[i in 1..M, j in 1..M] when (i + bid[A]) / bid[B] > 0: 1",
    "variable v[agents]: 1..150\nreward r[i in 1..M, j in 1..M] when i == v[A] and j == v[B]: 1", "variable v[agents]: 1..150\nreward r[i in 1..M, j in 1..M] when v[C] / (v[A] - v[B]) > i: j", "require q[i in 1..M, j in 1..M]: bid[A] * i + bid[B] * j <= bid[C] penalty 1 per unit",
    "coalition c { members = agents\n" + "\n".join(f"objective o{i}[j in 1..M, k in 1..M]: bid[A] * j" for i in range(90)) + "\n}", "reward r[i in 1..M]: max(bid[A], i) + i * bid[B] / 2 - abs(bid[C] - i)", "reward r[i in 1..M] to each(a in agents when bid[a] > i): min(bid[a], i) if bid[A] != i else 3",
    # tables, variables
    "table t[i in 1..M, j in 1..M] ~ uniform(0, 1)", "table t[i in 1..N] = i", "table t[i in 1..700, j in 1..700] = i * j",
    "table t[i in 1..M, j in 1..M] = bid[A] * i + j\nreward r: t[1, 1]", "variable v[i in 1..M, a in agents, j in 1..M]: 0..1", "variable v[agents]: 1..N",
    "variable v[agents]: pairs(1..M)", "variable v[agents]: 1..100000\nreward r[a in agents, b in agents]: v[a] * v[b]", "variable v[i in 1..M]: 1..M",
    "private table t[a in agents, i in 1..M] to each(b in agents, j in 1..M where j == i) = 1", "table t[agents] ~ choice(1..N)", "table t[i in 1..M] ~ normal(0, 1)",
    grown("table t0[a in agents] = bid[a]", "table t@[a in agents] = t<[a] + t<[a]", 40) + "\nreward r: t39[A]",
    grown("table t0[a in agents] = bid[a]", "table t@[a in agents] = max(t<[b] for b in agents) * t<[a]", 12) + "\nreward r: t11[A]",
    grown("table t0[a in agents] = bid[a]", "table t@[a in agents] = t<[a] if t<[A] == t<[B] else t<[C]", 14) + "\nreward r: t13[A]",
    grown("table t0[a in agents] = bid[a]", "table t@[a in agents] = sum(t<[b] for b in agents)", 20) + "\nreward r: t19[A]",
    grown("table t0[i in 0..9] = i", "table t@[i in 0..9] = t<[i]", 300) + "\nreward r: t299[bid[A]]",
    grown("table t0[i in 0..9] = 9 - i", "table t@[i in 0..9] = t<[9 - i]", 6) + "\nreward r: " + "".join(f"t{i}[" for i in range(6)) + "bid[A]" + "]" * 6,
    grown("param q0 = 1", "param q@ = q<", 3000), grown("param q1 = q2999", "param q@ = q<", 3000),
    "agents x[1..N]", "agents x[1..M]\nreward r[a in agents, b in agents, c in agents]: 1", "agents x[1..900]\nnetwork complete", "agents x[1..900]\nnetwork erdos_renyi(p = 0.0001)",
    "agents x[1..400]\nnetwork barabasi_albert(m = 390)", "agents x[1..900]\nnetwork watts_strogatz(k = 800, p = 0.5)\nexperiment e { consolidate on arm b { } }",
    "network erdos_renyi(p = 1e-300)", "network edges({(a, b) for a in agents, b in agents, i in 1..N where a != b})", "channel c ~ sample(1..N, 2)",
    # experiments, claims, prompts
    "experiment e { seeds 1..N arm b { } }", "experiment e { repeats N arm b { } }", "experiment e { sweep n in 1..M arm b { } }", "experiment e { rounds N steps N arm b { } }",
    "experiment e { sweep n in 1..M sweep rounds in 1..M sweep steps in 1..M arm b { } }", "experiment e { seeds 1..9000 repeats 9000 sweep n in 1..100 arm b { } arm c { n 9 } }",
    "experiment e { " + " ".join(f"arm a{i} {{ n {i} }}" for i in range(3000)) + " }", "\n".join(f"experiment e{i} {{ sweep n in 1..50 arm b {{ }} }}" for i in range(200)),
    "experiment e { sweep n in 1..900 arm b { } }\nset s = 1..n\nreward r: sum(1 for i in s, j in s)", 'claim c[i in 1..M, j in 1..M]: "x {{ i }}" is true', 'claim c[i in 1..3000]: "{{ i }}" is i == 3',
    "\n".join(f'prompt p{i} for agents "{{% for i in agents %}}{{{{ me }}}}{{% endfor %}}"' for i in range(300)),
    "coalition c { members = agents\n" + "\n".join(f"objective o{i}[a in agents]: bid[a] * {i}" for i in range(400)) + "\n}", "coalition c { members ~ sample(agents, N) }",
    "rubric r \"q\" { " + " ".join(f'{i}: "x"' for i in range(5000)) + " }", "\n".join(f"coalition c{i} {{ members = agents }}" for i in range(500)),
    "agents x[1..200]\nset q = 1..200\n" + 'prompt p for agents "{% for i in q %}{% for j in q %}{{ i }}{% endfor %}{% endfor %}"',
    "agents x[1..500]\nprompt p for agents \"{% for a in agents %}{{ a }}, {{ agents | join(',') }}{% endfor %}\"",
)  # fmt: skip
TEMPLATES = (
    "{% for i in agents %}" * 12 + "x" + "{% endfor %}" * 12, "{% for i in big %}{% for j in big %}{{ i }}{{ j }}{% endfor %}{% endfor %}", "{% for i in big %}" * 3 + "{% endfor %}" * 3,
    "{{ big | join(big) }}", "{{ big | join('" + "x" * 5000 + "') }}", "{{ " + "big | join(" * 30 + "'x'" + ")" * 30 + " }}", "{{ agents" + " | join(', ')" * 30 + " }}", "{{ 'a' * 10**9 }}",
    "{{ me.__class__ }}", "{{ me['__class__'] }}", "{{ me.__class__.__mro__[1].__subclasses__() }}", "{{ ''.join(big) }}", "{{ self }}", "{{ self._TemplateReference__context }}", "{{ cycler }}",
    "{{ range(10**9) | length }}", "{{ lipsum(9999) }}", "{{ namespace(a=1) }}", "{{ config }}", "{% set x = big %}{{ x }}", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "{% include '/etc/passwd' %}",
    "{% import 'os' as o %}", "{% extends 'x' %}", "{% block b %}{{ self.b() }}{% endblock %}", "{% call f() %}{% endcall %}", "{% filter upper %}" * 200 + "{% endfilter %}" * 200, "{% raw %}" * 99,
    "{{ 9 ** 9 ** 9 }}", "{{ " + "9" * 5000 + " }}", "{{ " + "9" * 200_000 + " }}", "{{ 1e999 }}", "{{ 1e308 | round(2) }}", "{{ 5 | round(99999999) }}", "{{ 5 | round(-5) }}", "{{ true | round }}",
    "{{ " + "(" * 600 + "1" + ")" * 600 + " }}", "{{ " + "not " * 5000 + "1 }}", "{{ " + "1 == " * 3000 + "1 }}", "{{ " + "me or " * 3000 + "me }}", "{{ me" + "[0]" * 900 + " }}", "{% if me %}" * 300 + "x" + "{% endif %}" * 300,
    "{{ " + "(" + "me, " * 20_000 + "me) | join }}", "{{ ((((1, 2), 3), 4), 5) | join }}", "{{ " + "|upper" * 500 + " }}", "{{ me" + "|upper" * 800 + " }}", "{{ me|attr('x') }}", "{{ me|map('x')|list }}", "{{ me|format }}",
    "{% for i in agents recursive %}{{ loop(agents) }}{% endfor %}", "{% for i in agents %}{{ loop }}{{ loop.previtem }}{% endfor %}", "{% for i in me %}{{ i }}{% endfor %}", "{% for i in cost %}{% endfor %}", "{% for a, b in agents %}{% endfor %}",
    "{% for i in big if i in big and i in big %}{{ i in big }}{% endfor %}", "{% for i in big %}{{ big }}{% endfor %}", "{% for i in big %}{{ big | length }}{% endfor %}", "{% for i in big %}{% if big == big %}x{% endif %}{% endfor %}",
    "{{ big }}" * 300, "{{ big < big }}", "{{ half }}", "{{ half['B'] }}", "{{ half[me] }}", "{{ cost[me, 'left'] }}", "{{ cost[big] }}", "{{ cost[me] }}", "{{ cost[[me]] }}", "{{ {}|length }}", "{{ me[0:9] }}", "{{ me ~ me }}", "{{ me % me }}",
    "{% for i in big %}{% for a in agents %}{{ cost[a, 'left'] }}{% endfor %}{% endfor %}", "{{ -1 }}", "{{ 1 if me else 2 }}", "{# " + "x" * 99_999 + " #}", "{{ '" + "x" * 300_000 + "' }}", "x" * 300_000, "{% autoescape true %}{% endautoescape %}",
    "{% do me %}", "{% debug %}", "{% trans %}{% endtrans %}", "{% with a = 1 %}{% endwith %}", "{% break %}", "{{ me is callable }}", "{{ me is sameas me }}", "{{ 2 is even is even }}", "{{ me is even }}", "{{ big is in big }}", "{{ undefined }}",
    "{{ none | length }}", "{{ none | join }}", "{{ 5 | join }}", "{{ me | join }}", "{{ allies | join(allies) }}", "{{ links | join(links) }}", "{% for a in links %}{{ a[0] }}{{ a[5] }}{% endfor %}", "{% if 1 < me %}{% endif %}", "{% if big < 5 %}{% endif %}",
    "{% for x in (big, big, big) %}{% for y in x %}{% for z in (x, x) %}{{ z }}{% endfor %}{% endfor %}{% endfor %}", "{% for x in " + "(" * 80 + "big," + ")," * 79 + ") %}{{ x }}{% endfor %}", "{{ big[0] }}", "{{ big|upper|length }}",
    "{% for i in big %}{{ (big, big) | join(big) }}{% endfor %}", "{% for i in big %}{{ big | upper }}{% endfor %}", "{% for i in big %}{% if (big, i) == (big, i) %}{% endif %}{% endfor %}", "{% for i in big %}{{ (big | join) is eq (big | join) }}{% endfor %}",
)  # fmt: skip


def sized(text: str, chance: random.Random) -> str:
    """`N` and `M` as numbers, where they stand alone."""
    import re

    text = re.sub(r"\bN\b", lambda _: chance.choice(["1000000", "10000000", "1000000000", "9" * 18, "9" * 60]), text)
    return re.sub(r"\bM\b", lambda _: chance.choice(["60", "150", "500", "2000", "90000", "1000000"]), text)


def bombed(chance: random.Random, statements: tuple[str, ...]) -> str:
    """One statement that grows, or two of them."""
    chosen = chance.sample(statements, chance.choice([1, 1, 1, 2]))
    head = HEAD.replace("agents A, B, C\n", "") if any(s.startswith("agents") for s in chosen) else HEAD
    return head + BODY + "\n".join(sized(statement, chance) for statement in chosen) + "\n"


def templated(chance: random.Random, templates: tuple[str, ...]) -> str:
    """A prompt of one to three such pieces, and sometimes a claim."""
    template = "\n".join(chance.sample(templates, chance.choice([1, 1, 1, 2, 3]))).replace('"""', "")
    big = chance.choice([2, 30, 600, 4000])
    claim = f'claim c: """{template}""" is true\n' if chance.random() < 0.2 else ""
    return f'{HEAD}{BODY}set big = 1..{big}\ncoalition crew {{ members = {{A, B}} }}\nprompt p for agents """\n{template}\n"""\n{claim}'
