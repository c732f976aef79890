"""What an editor does with a TextMate grammar. In: the grammar and a text; out: the scopes of every character.

Line by line, at each place the earliest match wins, of equals the first, and the end of what is open before all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import onigurumacffi

Scopes = tuple[str, ...]


@dataclass(frozen=True)
class Open:
    """A begin that waits for its end."""

    rule: dict[str, Any]
    outer: Scopes
    inner: Scopes


def scopes(grammar: dict[str, Any], text: str) -> list[Scopes]:
    """The scopes of every character, outer ones first."""
    found: list[Scopes] = []
    stack = [Open({"patterns": grammar["patterns"]}, (), ())]
    for line in text.splitlines(keepends=True):
        found += _line(grammar, line, stack)
    return found


def _line(grammar: dict[str, Any], line: str, stack: list[Open]) -> list[Scopes]:
    """The scopes of a line; the stack is left as the next line finds it."""
    found: list[Scopes] = []
    while True:
        top, place = stack[-1], len(found)
        match, rule = _earliest(line, place, top, grammar)
        if match is None:
            return [*found, *[top.inner] * (len(line) - place)]
        found += [top.inner] * (match.start() - place)
        if rule is None:
            found += _captured(match, top.rule.get("endCaptures", {}), top.outer)
            stack.pop()
        elif "begin" in rule:
            outer = (*top.inner, *_name(rule, "name"))
            found += _captured(match, rule.get("beginCaptures", {}), outer)
            stack.append(Open(rule, outer, (*outer, *_name(rule, "contentName"))))
        else:
            assert match.end() > match.start(), f"{rule['match']} matches nothing"
            found += _captured(match, rule.get("captures", {}), (*top.inner, *_name(rule, "name")))


def _earliest(line: str, place: int, top: Open, grammar: dict[str, Any]) -> tuple[Any, dict[str, Any] | None]:
    """The earliest match, and the rule it is of: None for the end of what is open."""
    best, of = (_search(top.rule["end"], line, place) if "end" in top.rule else None), None
    for rule in _expanded(top.rule.get("patterns", []), grammar):
        match = _search(rule.get("match") or rule["begin"], line, place)
        if match is not None and (best is None or match.start() < best.start()):
            best, of = match, rule
    return best, of


def _search(pattern: str, line: str, place: int) -> Any:
    return _compiled(pattern).search(line, place)


@cache
def _compiled(pattern: str) -> Any:
    return onigurumacffi.compile(pattern)


def _expanded(rules: Sequence[dict[str, Any]], grammar: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for rule in rules:
        if "include" in rule:
            yield from _expanded(grammar["repository"][rule["include"].removeprefix("#")]["patterns"], grammar)
        else:
            yield rule


def _captured(match: Any, captures: dict[str, Any], around: Scopes) -> list[Scopes]:
    found = [around] * (match.end() - match.start())
    for number, capture in sorted(captures.items()):
        for place in range(match.start(int(number)), match.end(int(number))):
            found[place - match.start()] = (*around, capture["name"])
    return found


def _name(rule: dict[str, Any], key: str) -> Scopes:
    return (rule[key],) if key in rule else ()
