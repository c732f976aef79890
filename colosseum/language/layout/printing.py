"""Documents into lines. In: a document; out: its lines, broken where there is no room.

Every decision looks ahead by one line at most, so the time is linear. After a comment the line always ends, whatever
was decided: no comment can swallow a word. In runs of adjacent lines at the same depth, the stops of statements of the
same kind (the `=` of params, the `{` of arms) and the comments at their ends are lined up.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import assert_never

from colosseum.language.layout import document as doc
from colosseum.language.layout.document import Document
from colosseum.language.words import LONG_QUOTE

WIDTH = 100  # columns that the words of a line may take; comments and texts may stick out
NEAR = 30  # columns within which something of several lines may begin behind other words
MOST_PADDING = 30  # runs whose columns lie further apart than this are left as they are


@dataclass(slots=True)
class Line:
    """One line of the result."""

    indent: int
    code: str = ""
    """The words, without indentation; a comment that has the line to itself; empty for a blank line."""
    remark: str = ""
    """The comment at its end."""
    kind: str = ""
    """Only stops of the same kind are lined up; empty where there is none."""
    stop: int = 0
    """The place in `code` that may be lined up."""

    @property
    def width(self) -> int:
        """Columns without the comment."""
        return self.indent + len(self.code)

    def __str__(self) -> str:
        code = " " * self.indent + self.code if self.code else ""
        return f"{code}  {self.remark}" if self.remark else code


def lined_up(lines: list[Line]) -> list[Line]:
    """The lines with stops and comments lined up; no stop of a line that goes on below."""
    following = [*lines[1:], Line(0)]
    single = [
        replace(line, kind="") if below.code and below.indent > line.indent else line
        for line, below in zip(lines, following, strict=True)
    ]
    stops = _runs(single, lambda line: line.kind, lambda line: line.stop, lambda line, blanks: replace(
        line, code=line.code[: line.stop] + " " * blanks + line.code[line.stop :]))  # fmt: skip
    return _runs(stops, lambda line: line.remark and "#", lambda line: line.width, lambda line, blanks: replace(
        line, remark=" " * blanks + line.remark))  # fmt: skip


def _runs(
    lines: list[Line], kind: Callable[[Line], str], place: Callable[[Line], int], moved: Callable[[Line, int], Line]
) -> list[Line]:
    """The lines, the places in each run of the same kind and depth moved to one column; lines of no kind stay."""
    result: list[Line] = []
    for (found, _), adjacent in groupby(lines, key=lambda line: (kind(line), line.indent)):
        run = list(adjacent)
        column = max(map(place, run))
        apart = column - min(map(place, run)) > MOST_PADDING
        result += run if not found or apart else [moved(line, column - place(line)) for line in run]
    return result


class _Printer:
    """The state of printing: finished lines, the running one, and what is still to come."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.todo: list[tuple[int, bool, Document]] = []
        """Where lines begin, whether all stands on one line, and what is to be printed; the next is the last."""
        self.line = Line(0)
        self.gap = ""
        """Blanks that stand before the next word if it stands on this line."""
        self.ended = False
        """A comment has ended the running line."""

    def step(self) -> None:
        indent, flat, item = self.todo.pop()
        match item:
            case doc.Plain(text=text, stop=kind):
                if kind and not self.line.kind and not self.ended:
                    self.line.kind, self.line.stop = kind, len(self.line.code) + len(self.gap)
                self._write(text, indent)
            case doc.Break(hard=False, flat=blanks) if flat and not self.ended:
                self.gap += blanks
            case doc.Break(blank=blank):
                self._end(indent)
                if blank and not flat:
                    self.lines.append(Line(0))
            case doc.Cat(way="group", parts=parts):
                room = WIDTH - self._column(indent) - item.width
                self._push(parts, indent, flat=flat or (room >= 0 and self._ahead(room) <= room))
            case doc.Cat(way="nest", parts=parts):
                self._push(parts, indent + doc.INDENT, flat=flat)
            case doc.Cat(way="braced", parts=parts) if not flat:
                self._push([doc.Break("", hard=True)], indent, flat=False)
                self._push([doc.Break("", hard=True), *parts], indent + doc.INDENT, flat=False)
            case doc.Cat(way="align" | "braced", parts=parts):
                below = max(indent, self.line.width + len(self.gap))
                self._push(parts, below, flat=flat)
            case doc.Cat(way="fill"):
                self._fill(item, indent, flat=flat)
            case doc.Cat(parts=parts):
                self._push(parts, indent, flat=flat)
            case doc.Remark(text=text, opens=False):
                self.line.remark, self.ended = text, True
            case doc.Remark(text=text):
                if self.ended or self.line.code:
                    self._end(indent)
                self.line.code, self.ended = text, True
            case doc.LongText(lines=lines):
                self._long_text(lines, indent)
            case _:
                assert_never(item)

    def _push(self, parts: Iterable[Document], indent: int, *, flat: bool) -> None:
        self.todo += reversed([(indent, flat, part) for part in parts])

    # ---- decisions -----------------------------------------------------------------------------------

    def _column(self, indent: int) -> int:
        """Where the next word stands unless a line is broken before it."""
        return indent if self.ended else self.line.width + len(self.gap)

    def _ahead(self, room: float) -> float:
        """Columns that follow up to where the line may end; not exact once it is more than the room."""
        width, inside = 0.0, list[Document]()
        for _, flat, item in reversed(self.todo):
            inside.append(item)
            while inside and width <= room:
                match inside.pop():
                    case doc.Plain(text=text) if "\n" in text:
                        return width + text.index("\n")
                    case doc.LongText():
                        return width + len(LONG_QUOTE)
                    case doc.Remark():
                        return width
                    case doc.Break(hard=hard) if hard or not flat:
                        return width
                    case doc.Cat(way="braced") if not flat:
                        return width
                    case doc.Cat(way="fill", position=place) if place and not flat:
                        return width
                    case doc.Cat(way="fill", parts=parts, position=place) as fill:
                        inside += [replace(fill, position=place + 1)] if place + 1 < len(parts) else []
                        inside.append(parts[place])
                        width += place > 0  # the blank before it
                    case doc.Cat(parts=parts):
                        inside += reversed(parts)
                    case other:
                        width += other.width
            if width > room:
                break
        return width

    def _fill(self, fill: doc.Cat, indent: int, *, flat: bool) -> None:
        """Its next part, with the break before it; then what is left of it."""
        part, place = fill.parts[fill.position], fill.position
        goes_on = flat or not place or self._goes_on(fill, indent)
        line = len(self.lines) + (self.ended or not goes_on)
        if place + 1 < len(fill.parts):
            self._push([replace(fill, position=place + 1, line=line)], indent, flat=flat)
        self._push([part], indent, flat=flat)
        if place:
            self._push([doc.Break()], indent, flat=goes_on)

    def _goes_on(self, fill: doc.Cat, indent: int) -> bool:
        """Whether the next part of a fill stands on the running line; one that fits on no line may go on there."""
        if fill.apart and len(self.lines) > fill.line:
            return False
        part, last = fill.parts[fill.position], fill.position + 1 == len(fill.parts)
        here, there = WIDTH - self._column(indent) - 1, WIDTH - indent
        needed = part.width + (self._ahead(there - part.width) if last else 0)
        return needed <= here or (needed > there and there - here <= fill.snug)

    # ---- writing ---------------------------------------------------------------------------------------

    def _write(self, text: str, indent: int) -> None:
        if not text.strip():
            self.gap += text if not self.ended else ""
            return
        if self.ended:
            self._end(indent)
        self.line.code += self.gap + text
        self.gap = ""

    def _long_text(self, lines: tuple[str, ...], indent: int) -> None:
        self._write(LONG_QUOTE, indent)
        self._end(0)
        self.lines += [Line(indent if line else 0, line) for line in lines]
        self.line.indent = indent - doc.INDENT
        self._write(LONG_QUOTE, indent)

    def _end(self, indent: int) -> None:
        """Begin a new line."""
        self.flush()
        self.line, self.gap, self.ended = Line(indent), "", False

    def flush(self) -> None:
        if self.line.code or self.line.remark:
            self.lines.append(self.line)


def printed(document: Document) -> list[Line]:
    """The lines of a statement."""
    printer = _Printer()
    printer.todo.append((0, False, document))
    while printer.todo:
        printer.step()
    printer.flush()
    return printer.lines
