"""Documents into lines. In: a document; out: its lines, broken where there is no room.

Every decision looks ahead by one line at most, so the time is linear. After a comment the line always ends, whatever
was decided: no comment can swallow a word.
"""

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from colosseum.language.layout.document import (
    INDENT,
    Align,
    Bracket,
    Break,
    Cat,
    Document,
    Fill,
    LayoutGroup,
    LongText,
    Nest,
    Plain,
    Remark,
    Stop,
    align,
)
from colosseum.language.layout.lines import WIDTH, Line
from colosseum.language.literals import LONG_QUOTE


def printed(document: Document) -> list[Line]:
    """The lines of a statement.

    What is in brackets stands behind its opening bracket; if lines would become too long, in a block of its own.
    """
    lines = _Printer(blocks=False).run(document)
    excess = _excess(lines)
    if excess:
        other = _Printer(blocks=True).run(document)
        if _excess(other) < excess:
            return other
    return lines


def _excess(lines: list[Line]) -> int:
    """How many lines are too long."""
    return sum(line.width > WIDTH for line in lines)


@dataclass(frozen=True, slots=True)
class _Rest:
    """What is left of a Fill."""

    fill: Fill
    position: int
    line: int = 0
    """The number of the line on which the item before began."""


_Item: TypeAlias = tuple[int, bool, Document | _Rest]
"""Where lines begin, whether all stands on one line, and what is to be printed."""


class _Printer:
    """The state of printing: finished lines, the running one, and what is still to come."""

    def __init__(self, *, blocks: bool) -> None:
        self.blocks = blocks
        self.lines: list[Line] = []
        self.todo: list[_Item] = []
        self.indent = 0
        self.code = ""
        self.gap = ""
        """Blanks that stand before the next word if it stands on this line."""
        self.remark = ""
        self.stop = -1
        self.kind = ""
        self.ended = False
        """A comment has ended the running line."""

    def run(self, document: Document) -> list[Line]:
        self.todo.append((0, False, document))
        while self.todo:
            indent, flat, item = self.todo.pop()
            self._print(item, indent, flat=flat)
        self._flush()
        return self.lines

    def _print(self, item: Document | _Rest, indent: int, *, flat: bool) -> None:
        match item:
            case Plain(text=text):
                self._write(text, indent)
            case Break():
                self._break(item, indent, flat=flat)
            case Cat(parts=parts):
                self.todo += [(indent, flat, part) for part in reversed(parts)]
            case LayoutGroup(content=content):
                self.todo.append((indent, flat or self._fits(item, indent), content))
            case Nest(content=content):
                self.todo.append((indent + INDENT, flat, content))
            case Align(content=content):
                self.todo.append((self._below(indent), flat, content))
            case Bracket():
                self._bracket(item, indent, flat=flat or self._fits(item, indent))
            case Fill():
                self.todo.append((indent, flat, _Rest(item, 0)))
            case _Rest():
                self._rest(item, indent, flat=flat)
            case Remark():
                self._comment(item, indent)
            case LongText(lines=lines):
                self._long_text(lines, indent)
            case Stop(kind=kind):
                if self.stop < 0 and not self.ended:
                    self.stop, self.kind = len(self.code) + len(self.gap), kind
            case _:
                assert_never(item)

    # ---- decisions -----------------------------------------------------------------------------------

    def _column(self, indent: int) -> int:
        """Where the next word stands unless a line is broken before it."""
        return indent if self.ended else self.indent + len(self.code) + len(self.gap)

    def _below(self, indent: int) -> int:
        """Where the lines of an Align stand; a comment at the end of the line changes nothing."""
        if self.blocks:
            return indent + INDENT
        own_line = self.ended and not self.remark
        return indent if own_line else max(indent, self.indent + len(self.code) + len(self.gap))

    def _fits(self, item: Document, indent: int) -> bool:
        room = WIDTH - self._column(indent) - item.width
        return room >= 0 and self._ahead(room) <= room

    def _ahead(self, room: float) -> float:
        """Columns that follow up to where the line may end; not exact once it is more than the room."""
        width = 0.0
        for _, flat, item in reversed(self.todo):
            part, ends = _head(item, room - width, flat=flat, blocks=self.blocks)
            width += part
            if ends or width > room:
                break
        return width

    def _bracket(self, item: Bracket, indent: int, *, flat: bool) -> None:
        if flat or not (item.block or self.blocks):
            content = align(item.content)
            self.todo += [(indent, flat, item.closing), (indent, flat, content), (indent, flat, item.opening)]
            return
        end = Break("", hard=True)
        self.todo += [(indent, False, item.closing), (indent, False, end), (indent + INDENT, False, item.content)]
        self.todo += [(indent + INDENT, False, end), (indent, False, item.opening)]

    def _rest(self, rest: _Rest, indent: int, *, flat: bool) -> None:
        items = rest.fill.items
        item, last = items[rest.position], rest.position + 1 == len(items)
        goes_on = flat or not rest.position or self._goes_on(item, rest, indent)
        line = len(self.lines) + (self.ended or not goes_on)
        if not last:
            self.todo.append((indent, flat, _Rest(rest.fill, rest.position + 1, line)))
        self.todo.append((indent, flat, item))
        if rest.position:
            self.todo.append((indent, goes_on, Break()))

    def _goes_on(self, item: Document, rest: _Rest, indent: int) -> bool:
        """Whether the next item of a Fill stands on the running line.

        One that fits on no line may go on where it is, if its beginning has room or would not have it there either.
        """
        if rest.fill.apart and len(self.lines) > rest.line:
            return False
        here, there = WIDTH - self._column(indent) - 1, WIDTH - indent
        last = rest.position + 1 == len(rest.fill.items)
        ahead = self._ahead(there - item.width) if last else 0
        if item.width + ahead <= here:
            return True
        if item.width + ahead <= there or there - here > rest.fill.snug:
            return False
        head, _ = _head(item, there, flat=False, blocks=self.blocks)
        return head <= here or head > there

    # ---- writing ---------------------------------------------------------------------------------------

    def _write(self, text: str, indent: int) -> None:
        if not text.strip():
            self.gap += text if not self.ended else ""
            return
        if self.ended:
            self._end(indent)
        self.code += self.gap + text
        self.gap = ""

    def _break(self, item: Break, indent: int, *, flat: bool) -> None:
        if flat and not item.hard and not self.ended:
            self.gap += item.flat
            return
        self._end(indent)
        if item.blank and not flat:
            self.lines.append(Line(0, ""))

    def _comment(self, item: Remark, indent: int) -> None:
        if not item.own_line:
            self.remark, self.ended = item.text, True
            return
        if self.ended or self.code:
            self._end(indent)
        self.code, self.ended = item.text, True

    def _long_text(self, lines: tuple[str, ...], indent: int) -> None:
        self._write(LONG_QUOTE, indent)
        self._end(0)
        self.lines += [Line(indent if line else 0, line) for line in lines]
        self.indent = indent - INDENT
        self._write(LONG_QUOTE, indent)

    def _end(self, indent: int) -> None:
        """Begin a new line."""
        self._flush()
        self.indent, self.code, self.gap, self.remark = indent, "", "", ""
        self.stop, self.kind, self.ended = -1, "", False

    def _flush(self) -> None:
        if self.code or self.remark:
            self.lines.append(Line(self.indent, self.code, self.remark, self.stop, self.kind))


def _head(item: Document | _Rest, room: float, *, flat: bool, blocks: bool) -> tuple[float, bool]:
    """Columns up to where the line may end, and whether it may end inside; inexact once it is more than the room."""
    width = 0.0
    todo: list[tuple[bool, Document | _Rest]] = [(flat, item)]
    while todo and width <= room:
        flat, item = todo.pop()
        match item:
            case Plain(text=text):
                first, newline, _ = text.partition("\n")
                width += len(first)
                if newline:
                    return width, True
            case LongText():
                return width + len(LONG_QUOTE), True
            case Break():
                if not flat or item.hard:
                    return width, True
                width += len(item.flat)
            case Remark():
                return width, True
            case _Rest(fill=Fill(items=items), position=position):
                if position and not flat:
                    return width, True
                if position + 1 < len(items):
                    todo.append((flat, _Rest(item.fill, position + 1)))
                todo.append((flat, items[position]))
                width += position > 0  # the blank before it
            case Fill():
                todo.append((flat, _Rest(item, 0)))
            case Cat(parts=parts):
                todo += [(flat, part) for part in reversed(parts)]
            case LayoutGroup(content=content) | Nest(content=content) | Align(content=content):
                todo.append((flat, content))
            case Bracket():
                ends = not flat and (item.block or blocks)
                inside: Document = Break("", hard=True) if ends else item.content
                todo += [(flat, item.closing), (flat, inside), (flat, item.opening)]
            case Stop():
                pass
            case _:
                assert_never(item)
    return width, False
