"""Loops. In: the rules of their parts; out: every round as a place of its own, and what the rounds come to."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from colosseum.language import syntax
from colosseum.model.environment import Environment, Rule
from colosseum.model.folding import Folded, conjunction, counted, disjunction, extreme, total
from colosseum.model.terms import Ground
from colosseum.model.values import Elements, Fault, Value, at, text, truth

Choices: TypeAlias = Callable[[Environment], Iterator[Environment]]
"""The places of all rounds of a loop that its `where` admits."""


@dataclass(frozen=True)
class Loop:
    """`i in S`, one of several that are nested."""

    item: syntax.Binder | syntax.Index
    """Its names are the binders of each element; several open a pair, none binds nothing."""
    domain: Callable[[Environment], Elements]
    depends: bool
    """Whether the domain mentions a name of a loop around it."""

    def bind(self, item: Value, env: Environment, *, apart: bool) -> Environment:
        """The place where an element has this loop's names; `apart`, it adds no private reads to those around it."""
        reads = env.reads.copy() if apart and env.reads is not None else env.reads
        bindings = env.bindings.copy()
        names = self.item.names
        if len(names) == 1:
            bindings[names[0]] = item
        elif names:
            bindings.update(_opened(names, item))
        return Environment(env.place, bindings, reads, env.rounds)


def _opened(names: tuple[str, ...], item: Value) -> Mapping[str, Value]:
    """A pattern against an element."""
    if not isinstance(item, tuple) or len(item) != len(names):
        raise Fault(f"`({', '.join(names)})` does not fit the element `{text(item)}`", code="C057")
    return dict(zip(names, item, strict=True))


def rounds(
    loops: Sequence[Loop], env: Environment, *, apart: bool = False
) -> Iterator[tuple[tuple[Value, ...], Environment]]:
    """The items and places of nested loops, the last one turning fastest.

    What does not depend on an outer loop is computed once, and its size is known before anything runs. `apart`: every
    round has private reads of its own, which begin with those of the domains that led to it.
    """
    pools = [None if loop.depends else loop.domain(env) for loop in loops]
    sizes = [len(pool) for pool in pools if pool is not None]
    try:
        env.place.meter.foresee([*env.rounds, *sizes])
    except Fault as fault:
        raise at(fault, loops[0].item.span.to(loops[-1].item.span)) from None
    return _turn(loops, pools, (), env.inside(sizes), apart)


def _turn(
    loops: Sequence[Loop], pools: Sequence[Elements | None], items: tuple[Value, ...], env: Environment, apart: bool
) -> Iterator[tuple[tuple[Value, ...], Environment]]:
    """The rounds of the loops that are left, inside those whose items are given."""
    loop, pool, innermost = loops[len(items)], pools[len(items)], len(items) + 1 == len(loops)
    if pool is None:
        env = env.apart() if apart else env
        pool = loop.domain(env)
    try:
        env.place.meter.count(len(pool))
        for item in pool.items:
            if innermost:
                yield (*items, item), loop.bind(item, env, apart=apart)
            else:
                yield from _turn(loops, pools, (*items, item), loop.bind(item, env, apart=False), apart)
    except Fault as fault:
        raise at(fault, loop.item.domain.span) from None


def aggregate(which: str, choices: Choices, when: Rule, body: Rule) -> Rule:
    """`sum(e for … when c)`; `min` and `max` likewise."""

    def rule(env: Environment) -> Folded:
        items = [(holds, body(inner)) for holds, inner in _guarded(choices, when, env)]
        return total(items) if which == "sum" else extreme(which, items, aggregate=True)

    return rule


def count(choices: Choices, when: Rule) -> Rule:
    """`count(… when c)`."""
    return lambda env: counted([holds for holds, _ in _guarded(choices, when, env)])


def quantifier(kind: str, choices: Choices, when: Rule) -> Rule:
    """`any(… when c)`, `all(… when c)`."""
    join = disjunction if kind == "any" else conjunction
    return lambda env: join([when(inner) for inner in choices(env)])


def _guarded(choices: Choices, when: Rule, env: Environment) -> Iterator[tuple[Folded, Environment]]:
    """(condition, place) of every round whose condition is not false."""
    for inner in choices(env):
        holds = when(inner)
        if isinstance(holds, Ground) or truth(holds, "`when`"):
            yield holds, inner
