"""The base of every syntax node. In: a class; out: a frozen dataclass that knows the place it was read from."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import dataclass_transform

from colosseum.diagnostics import Span


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class SyntaxClass:
    """Makes a dataclass of every class that derives from it; only type checkers refuse to change its fields.

    Equality and hash stand once, in Node: generating them for each of some sixty classes would take a tenth of the
    time that `check` may take.
    """

    def __init_subclass__(cls) -> None:
        dataclass(eq=False, repr=False)(cls)


class Node(SyntaxClass):
    """Something that stands at a place in a text."""

    span: Span = field(compare=False, repr=False, kw_only=True)

    def __eq__(self, other: object) -> bool:
        """Equal in all that was said, wherever it stands."""
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(self) if f.compare)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, f.name) for f in fields(self) if f.compare)))

    def __repr__(self) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
        return f"{type(self).__name__}({', '.join(shown)})"


def children(node: Node) -> Iterator[Node]:
    """The nodes that stand directly in a node."""
    for name in node.__dataclass_fields__:
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Node):
                yield part


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, in reading order."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack += reversed(list(children(current)))
