"""`undisclosed` is the last word of a reward or a requirement, and a name wherever names stand."""

import pytest

from colosseum.diagnostics import Source
from colosseum.language import parse, syntax
from colosseum.language.layout import lay_out

HEAD = "colosseum 1\nscenario s\nagents A, B\nset moves = {left, right}\nvariable move[agents]: moves\n"


def told(text: str) -> list[bool]:
    """Whether each reward and requirement of a text is undisclosed."""
    file, diagnostics = parse(Source("text.colo", HEAD + text))
    assert not diagnostics, diagnostics
    return [s.undisclosed for s in file.statements if isinstance(s, syntax.Reward | syntax.Require)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("reward r: 3 undisclosed", [True]),
        ("reward r[a in agents] to a when move[a] == left: 3 undisclosed  # why\nreward q: 2", [True, False]),
        ("require r: move[A] == left undisclosed\nrequire q: move[A] == left penalty 2 undisclosed", [True, True]),
        ("param undisclosed = 3\nreward r: undisclosed\nreward q: undisclosed undisclosed", [False, True]),
        ("set undisclosed = {left}\nset s = moves - undisclosed\nreward undisclosed: size(s)", [False]),
        ("prompt undisclosed for A { undisclosed: \"\" }\nexperiment e { undisclosed undisclosed }", []),
        ("param undisclosed = 3\nreward r: undisclosed # set\n + 1", [False]),
        (f"reward r: undisclosed\n{'#' * 60}\n + 1\nreward q: 1 undisclosed\n##", [False, True]),
        ("set t\n | c\n a | undisclosed\nreward r: 1", [False]),
    ],
)  # fmt: skip
def test_it_is_a_suffix_or_a_name(text: str, expected: list[bool]) -> None:
    assert told(text) == expected


def test_the_formatter_keeps_it() -> None:
    text = HEAD + "reward r: 3   undisclosed\nrequire q: move[A] == left penalty 2 per  unit\n undisclosed"
    laid, _ = lay_out(Source("text.colo", text))
    assert laid is not None
    assert laid.endswith("reward r: 3 undisclosed\nrequire q: move[A] == left penalty 2 per unit undisclosed\n")
