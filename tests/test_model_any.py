"""Any spec at all: `check` answers with diagnostics, without much work, and never with an exception."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from fuzz import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from specs_made import HEAD, TEAM, said

from colosseum.diagnostics import render_text
from colosseum.language import shipped
from colosseum.model.check import check

HERE = Path(__file__).parent
SOURCES = [*sorted(shipped("specs").glob("*.colo")), *sorted((HERE / "good").glob("model_*.colo"))]
TOKEN = re.compile(r'"""(?s:.*?)"""|"[^"\n]*"|\w+|\s+|\.\.|[<>=!]=|.', re.DOTALL)
TEXTS = {p.name: TOKEN.findall(p.read_text(encoding="utf-8")) for p in SOURCES}
WORDS = sorted({t for tokens in TEXTS.values() for t in tokens if t.strip() and len(t) < 30})
ODD = ["none", "0", "-1", "1e300", "0.5", '""', '"x y"', "{}", "on", "$3", "1..0", "1..99999999", "links", "total", "payoff",
       "agents - agents", "(A, B)", "{1: 2}", "not", "/ 0", "~", "total", "me", "me[0]", "size(agents)", "sample(agents, 9)"]  # fmt: skip
WORK = 100_000_000
"""Calls and returns of functions that an answer may take; the hardest here takes half of that."""


@contextmanager
def bounded() -> Iterator[None]:
    """Counts calls within the block, and ends it where it makes too many: the same on every machine, busy or not."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += 1
        if calls > WORK:
            sys.setprofile(None)
            raise AssertionError(f"more than {WORK:,} calls")

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)


def check_any(folder: Path, text: str) -> None:
    path = folder / "any.colo"
    path.write_text(text, encoding="utf-8")
    _, diagnostics = check(path)
    render_text(diagnostics)
    places = [
        (d.code, d.message, d.span.source.name if d.span else "", d.span.start if d.span else 0) for d in diagnostics
    ]
    assert len(places) == len(set(places))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("any")
    (made / "data").mkdir()
    for path in [*(shipped("specs") / "data").glob("*.csv")]:
        (made / "data" / path.name).write_bytes(path.read_bytes())
    (made / "lib").mkdir()
    for path in [*shipped("specs").glob("*.colo"), *shipped("specs").glob("lib/*.colo")]:
        (made / path.relative_to(shipped("specs"))).write_bytes(path.read_bytes())
    return made


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A good spec with a few tokens swapped, dropped, doubled or put in."""
    tokens = list(TEXTS[draw(st.sampled_from(sorted(TEXTS)))])
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(tokens) - 1))
        match draw(st.sampled_from(["swap", "drop", "put", "replace", "double"])):
            case "swap":
                other = draw(st.integers(0, len(tokens) - 1))
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case "drop":
                del tokens[at]
            case "put":
                tokens.insert(at, f" {draw(st.sampled_from(WORDS + ODD))} ")
            case "double":
                tokens.insert(at, tokens[at])
            case _:
                words = [i for i, t in enumerate(tokens) if t.strip()]
                tokens[words[at % len(words)]] = draw(st.sampled_from(WORDS + ODD))
    return "".join(tokens)


@given(mutated())
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
def test_any_mutation_of_a_good_spec(folder: Path, text: str) -> None:
    check_any(folder, text)


EXPRESSIONS = st.recursive(
    st.sampled_from(["A", "left", "1", "0.5", "none", "move[A]", "bid[a]", "bid", "move", "moves", "agents", "cost[a, left]",
                     "cost[a, move[a]]", "links", '"x"', "on", "{}", "total", "payoff[A]", "n", "a", "1..3", "half[a]"]),
    lambda e: st.one_of(
        st.tuples(e, st.sampled_from(["+", "-", "*", "/", "&", "==", "<", "in", "not in", "and", "or", "!=", ".."]), e)
        .map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        st.tuples(e, e).map(lambda t: f"sum({t[0]} for i in {t[1]})"),
        st.tuples(e, e).map(lambda t: f"max({t[0]} for i in agents where {t[1]} when {t[0]})"),
        st.tuples(e, e, e).map(lambda t: f"({t[0]}) if {t[1]} else ({t[2]})"),
        st.tuples(e, e).map(lambda t: f"count((i, j) in {t[0]} when {t[1]})"),
        st.tuples(st.sampled_from(["min", "abs", "size", "pairs", "steps", "uniform"]), e).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(st.sampled_from(["cost", "bid", "move", "half"]), e, e).map(lambda t: f"{t[0]}[{t[1]}, {t[2]}]"),
        e.map(lambda x: f"not ({x})"), e.map(lambda x: f"-({x})"), e.map(lambda x: f"{{{x}}}"),
    ),
    max_leaves=6,
)  # fmt: skip
PLACES = [
    "reward r[a in agents]: {}", "reward r[a in agents] when {}: 1", "require q[a in agents]: {}", "param m = {}",
    "require q[a in agents]: ({}) <= 1 penalty 2 per unit", "require q[a in agents]: bid[a] <= 1 penalty {}",
    "table t[a in agents] = {}", "private table t[a in agents] to {} = 1", "reward r[a in agents] to {}: bid[a]",
    "reward r[a in agents] to each(i in agents when {}): 1", "variable v[a in agents]: {}", "set s = {}",
    "coalition c {{ members = {{A}} objective o[a in agents]: {} }}", "channel c for {}", "network edges({})",
    "variable v[a in agents] of {}: 1..2", "table t[a in agents] ~ choice({})", "set s ~ sample(agents, {})",
    "experiment e {{ rounds {} sweep n in {} }}", "reward r[a in {}]: 1", "prompt p for {} \"x\"",
]  # fmt: skip


@given(st.sampled_from(PLACES), EXPRESSIONS)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_any_expression_in_any_place(folder: Path, place: str, expression: str) -> None:
    head = (f"{TEAM}param n = 3\nvariable bid[agents]: 0..3\ntable cost[agents, moves] ~ integer(1, 9)\n"
            "private table half[agents] = 0.5\n")  # fmt: skip
    check_any(folder, head + place.replace("{}", expression).replace("{{", "{").replace("}}", "}") + "\n")


PIECES = ["{{ ", " }}", "{% for x in ", " %}", "{% endfor %}", "{% if ", "{% endif %}", "me", "agents", "cost[me, left]", "cost",
          "left", "[0]", "['x']", "|join(', ')", "|round(1)", "|upper", "|length", "<", "==", " in ", "not ", "1", ".x", "()",
          "x", "+", "~", "{# ", " #}", "{% set y = 1 %}", "is defined", "links", "allies", "none", "%}", "{%"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_any_prompt(folder: Path, template: str) -> None:
    head = f"{TEAM}private table cost[agents, moves] ~ integer(1, 9)\nreward r when move[A] == left: cost[A, left]\n"
    check_any(folder, f'{head}prompt p for agents """\n{template}\n"""\nclaim c: """{template}""" is true\n')


def test_a_share_of_any_inputs_whatsoever() -> None:
    """`python tests/fuzz.py --inputs 100000` tries the whole."""
    tally = run(60, seed=7)
    assert not tally.failures, "\n".join(tally.lines())
    assert len(tally.kinds) == 8
    assert tally.outcomes["valid", "model"] > 3


# ---- bounds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "set s = 1..1000000000",
        "agents2",
        "reward r: sum(1 for i in 1..90000, j in 1..90000)",
        "reward r: sum(sum(sum(1 for i in 1..500) for j in 1..500) for k in 1..500)",
        "reward r[i in 1..900, j in 1..900, k in 1..900]: 1",
        "reward r: sum(bid[A] for j in 1..i, i in 1..90000)",
        "reward r: sum(j for i in 1..90000, j in 1..i)",
        "set s = pairs(pairs(1..1000))",
        "set s = {(i, j, k) for i in 1..500, j in 1..500, k in 1..500}",
        "table t[i in 1..5000, j in 1..5000] ~ uniform(0, 1)",
        "variable v[i in 1..5000, a in agents, j in 1..5000]: 0..1",
        "variable v[a in agents]: 1..100000\nreward r[a in agents, b in agents]: v[a] * v[b]",
        "\n".join(f"param p{i} = {f'p{i - 1} * p{i - 1}' if i else '99999'}" for i in range(60)),
        "\n".join(f"param p{i} = {f'p{i - 1} + p{i - 1}' if i else '1'}" for i in range(1100)),
        "\n".join(f"table t{i}[a in agents] = {f't{i - 1}[a] + t{i - 1}[a]' if i else 'bid[a]'}" for i in range(40))
        + "\nreward r: t39[A]",
        "\n".join(f"set s{i} = {{x in s{i + 1}}}" for i in range(12)),
        "network erdos_renyi(p = 0.000001)",
        'prompt p for agents "' + "{% for i in agents %}" * 19 + "x" + "{% endfor %}" * 19 + '"',
        'prompt p for agents "' + "{{ agents | join(" * 30 + "'x'" + ") }}" * 30 + '"',
        'prompt p for agents "{{ ' + "(" * 500 + "1" + ")" * 500 + ' }}"',
        'prompt p for agents "{{ ' + "not " * 5000 + '1 }}"',
        "experiment e { sweep n in 1..90000 arm b { } }",
        "\n".join(f"experiment e{i} {{ sweep n in 1..5 arm b {{ }} }}" for i in range(40)),
    ],
    ids=lambda line: line[:40].replace("\n", " "),
)
def test_what_is_too_much_is_refused_soon(tmp_path: Path, line: str) -> None:
    with bounded():
        said(tmp_path, f"{TEAM}param n = 3\nvariable bid[agents]: 0..9\n{line}\n")


def test_many_agents_are_no_hang(tmp_path: Path) -> None:
    reward = "reward r[x in agents]: 1 if v[x] == x else 0"
    with bounded():
        said(tmp_path, f"{HEAD}agents a[1..900]\nvariable v[agents]: agents\n{reward}\n")
