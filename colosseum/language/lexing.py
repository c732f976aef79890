"""Text into tokens. In: a source; out: tokens, comments, and a diagnostic for each place without a token.

After such a place the reading goes on behind it, so one stray character hides nothing that follows.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from colosseum.diagnostics import Diagnostic, Source, Span, report
from colosseum.language.syntax import Comment
from colosseum.language.tables import tables
from colosseum.language.words import LONG_QUOTE, OPENERS, QUOTE, Token, phrases

MOST_STRAYS = 20
"""After so many strays the text is probably no spec at all, and reading stops."""
MOST_LINES = 30
"""How far to look for the closing quote of a text that runs over its line."""
MOST_QUOTED = 80
"""Longest text to repeat in a help."""
_FILE_NAME = re.compile(r"[\w./-]+\.(?:colo|csv)\b")
_OPENER_LINE = re.compile(rf"^(?:{'|'.join(sorted(w.lower() for w in OPENERS))})\b", re.MULTILINE)
_CURLY_QUOTES = "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{DOUBLE LOW-9 QUOTATION MARK}"


@dataclass(slots=True)
class Lexed:
    """The words of a text."""

    tokens: list[Token] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    strays: list[Diagnostic] = field(default_factory=list)
    """One for each stretch that was skipped."""
    skipped: list[tuple[int, int]] = field(default_factory=list)
    """The stretches, in order."""


def lex(source: Source) -> Lexed:
    """Read the words of a text; never raises for any text."""
    text, result, ended = source.text, Lexed(), False
    position = 1 if text.startswith("\N{ZERO WIDTH NO-BREAK SPACE}") else 0
    while len(result.strays) < MOST_STRAYS and (stop := _read_from(position, source, result)) is not None:
        stray, start, position = _stray(source, result.tokens, stop)
        if text[stop] != ";" or not ended:
            result.strays.append(stray)
        ended |= text[stop] == ";"  # who ends statements so ends them all so: told once
        result.skipped.append((start, position))
        while result.tokens and result.tokens[-1].end > start:
            result.tokens.pop()
    return result


@cache
def _words() -> tuple[re.Pattern[str], dict[str, dict[str, str]]]:
    """The pattern of all terminals behind blanks, and the keywords among those of a terminal."""
    return re.compile(tables()["pattern"]), tables()["keywords"]


def _read_from(position: int, source: Source, lexed: Lexed) -> int | None:
    """Append the tokens and comments from a position on; the offset of what is neither, None at the end of the text."""
    pattern, keywords = _words()
    text, match = source.text, pattern.match
    while position < len(text):
        found = match(text, position)
        if found is None:
            return position
        kind = found.lastgroup or ""
        word, (start, position) = found[kind], found.span(kind)
        if kind == "COMMENT":
            span = Span(source, start, start + len(word.rstrip("\r")))
            lexed.comments.append(Comment(span=span, text=word.rstrip()))
        if kind in ("COMMENT", "WS"):
            continue
        if word == QUOTE * 2 and text.startswith(QUOTE, position):
            return start  # three quotes that nothing closes read as an empty text and one quote
        token = Token(word)
        token.type = keywords[kind].get(word, kind) if kind in keywords else kind
        token.start, token.end = start, position
        lexed.tokens.append(token)
    return None


_Stray: TypeAlias = tuple[Diagnostic, int, int]
"""What to say about a stretch of text, and where it begins and ends: it is passed over."""


def _stray(source: Source, tokens: list[Token], position: int) -> _Stray:
    if source.text.startswith(LONG_QUOTE, position):
        return _open_long_text(source, tokens, position)
    if source.text[position] == QUOTE:
        return _open_text(source, position)
    if source.text[position] in f"'{_CURLY_QUOTES}":
        return _foreign_text(source, position)
    named = _file_name(source, position) if source.text[position] == "." else None
    return named or _stray_character(source, position)


def _open_long_text(source: Source, tokens: list[Token], position: int) -> _Stray:
    """Blame the first long text that swallows a statement: each `\"\"\"` after it closes what it should open."""
    for token in tokens:
        swallowed = _OPENER_LINE.search(token) if token.type == "LONG_STRING" else None
        if swallowed:
            position, end = token.start, token.start + swallowed.start()
            break
    else:
        following = _OPENER_LINE.search(source.text, position)
        end = following.start() if following else len(source.text)
    help_ = 'close it with `"""` on a line of its own'
    span = Span(source, position, position + len(LONG_QUOTE))
    return report("C009", span, 'this `"""` is never closed', help=help_), position, end


def _open_text(source: Source, position: int) -> _Stray:
    """A quote whose line ends before the closing one; skip to where the text seems to end."""
    text = source.text
    line_end = _line_end(text, position)
    span = Span(source, position, max(position + 1, position + len(text[position:line_end].rstrip())))
    end, help_ = line_end, 'close it with `"` on the same line'
    start = line_end + 1
    for line in text[start : start + 200 * MOST_LINES].splitlines(keepends=True)[:MOST_LINES]:
        if not line.strip() or _OPENER_LINE.match(line):
            break
        if line.count(QUOTE) % 2:
            end, help_ = start + line.rindex(QUOTE) + 1, 'a text of several lines stands between `"""` and `"""`'
            break
        start += len(line)
    return report("C008", span, "this text is not closed on its line", help=help_), position, end


def _foreign_text(source: Source, position: int) -> _Stray:
    """A text between single or curly quotes; without a closing one on its line, just the quote."""
    text, closers = source.text, "'" if source.text[position] == "'" else _CURLY_QUOTES
    places = range(position + 1, _line_end(text, position))
    end = next((place + 1 for place in places if text[place] in closers), position + 1)
    inside = text[position + 1 : end - 1]
    help_ = f"write `{QUOTE}{inside}{QUOTE}`" if 0 < len(inside) <= MOST_QUOTED else 'write `"`'
    message = 'texts stand between straight double quotes `"`'
    return report("C007", Span(source, position, end), message, help=help_), position, end


def _file_name(source: Source, position: int) -> _Stray | None:
    """`data.csv` without quotes, of which only the point is no word of ours."""
    low, high = max(0, position - MOST_QUOTED), min(_line_end(source.text, position), position + MOST_QUOTED)
    for name in _FILE_NAME.finditer(source.text, low, high):
        if name.start() < position < name.end():
            span = Span(source, name.start(), name.end())
            help_ = f"write `{QUOTE}{name[0]}{QUOTE}`"
            diagnostic = report("C007", span, "put the name of a file in quotes", help=help_)
            return diagnostic, name.start(), name.end()
    return None


def _stray_character(source: Source, position: int) -> _Stray:
    """A character that no word of the language begins with, once however often it is repeated."""
    text, character, end = source.text, source.text[position], position + 1
    while text.startswith(character, end):
        end += 1
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    span, help_ = Span(source, position, end), phrases()["signs"].get(character, "")
    if character == "%" and not text[text.rfind("\n", 0, position) + 1 : position].strip():
        help_ = "a comment begins with `#`"
    return report("C007", span, f"`{shown}` has no meaning here", help=help_), position, end


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
