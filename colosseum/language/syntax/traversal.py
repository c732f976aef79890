"""What stands in a node. In: a node; out: the nodes and names below it, in reading order."""

from collections.abc import Iterator

from colosseum.language.syntax.expression import Name
from colosseum.language.syntax.node import Node


def mentioned(node: Node) -> Iterator[str]:
    """Every name that an expression or a statement mentions, binders included."""
    return (below.id for below in walk(node) if isinstance(below, Name))


def children(node: Node) -> Iterator[Node]:
    """The nodes that stand directly in a node."""
    for name in node.__dataclass_fields__:
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Node):
                yield part


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack += reversed(list(children(current)))
