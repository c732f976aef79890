"""What scripted players say. In: facts; out: plain sentences, and the facts back from sentences of the same form.

    I can tell: cost[engineer1, ticket1] = 7.25; cost[engineer1, ticket2] = 4
    I take: pick[engineer1] = ticket3
    Let us take: pick[engineer1] = ticket3; pick[engineer2] = ticket5
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from colosseum.audit.protocol import Post
from colosseum.model.scenario import Cell, Variable
from colosseum.model.values import Elements, Value, instance_name, text

TELL: Final = "I can tell: "
TAKE: Final = "I take: "
AGREE: Final = "Let us take: "


def tell(cells: Mapping[Cell, Value]) -> str:
    """Private facts, shared."""
    return TELL + "; ".join(f"{instance_name(c.table, c.key)} = {_word(v)}" for c, v in cells.items())


def take(moves: Mapping[str, Value], *, together: bool = False) -> str:
    """Moves announced (or, among allies, agreed)."""
    return (AGREE if together else TAKE) + "; ".join(f"{name} = {text(v)}" for name, v in moves.items())


def told(posts: Iterable[Post], names: Mapping[str, Cell]) -> dict[Cell, Value]:
    """The facts that posts tell; the first telling of a fact counts."""
    found: dict[Cell, Value] = {}
    for name, word in (pair for post in posts for pair in _pairs(post.text, TELL)):
        if name in names and (value := _value(word)) is not None:
            found.setdefault(names[name], value)
    return found


def taken(posts: Iterable[Post], variables: Mapping[str, Variable]) -> dict[str, Value]:
    """The moves that agents announced for variables of their own; the last announcement counts."""
    found: dict[str, Value] = {}
    for post in posts:
        for name, word in _pairs(post.text, TAKE):
            if name in variables and variables[name].owner == post.author:
                found |= _move(name, word, variables)
    return found


def agreed(posts: Iterable[Post], variables: Mapping[str, Variable]) -> dict[str, Value]:
    """The first plan that allies proposed; empty when there is none."""
    for post in posts:
        plan: dict[str, Value] = {}
        for name, word in _pairs(post.text, AGREE):
            plan |= _move(name, word, variables) if name in variables else {}
        if plan:
            return plan
    return {}


def _move(name: str, word: str, variables: Mapping[str, Variable]) -> dict[str, Value]:
    return {name: value for value in variables[name].domain if text(value) == word}


def _pairs(said: str, opening: str) -> Iterator[tuple[str, str]]:
    for line in said.splitlines():
        if line.startswith(opening):
            for part in line.removeprefix(opening).split("; "):
                name, equals, word = part.rpartition(" = ")
                if equals:
                    yield name, word


def _word(value: Value) -> str:
    return "{" + text(value) + "}" if isinstance(value, Elements) else text(value)


def _value(word: str) -> Value:
    if word.startswith("{") and word.endswith("}"):
        return Elements.of(_atom(part) for part in word[1:-1].split(", ") if part)
    return _atom(word)


def _atom(word: str) -> Value:
    for read in (int, float):
        try:
            return read(word)
        except ValueError:
            continue
    return word
