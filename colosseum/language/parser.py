"""Text into syntax. In: a source; out: a `File` and every diagnostic about its form.

The text is cut into tokens, and these into statements that are parsed one by one, so that each mistake is told once and
hides nothing. What hangs on a word of a broken stretch is left alone: the stretch may declare it. After a place without
a token the reading goes on behind it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cache
from typing import TypeAlias

from colosseum.diagnostics import Diagnostic, Label, Source, Span, report
from colosseum.language.builder import Builder, Readable
from colosseum.language.failure import ReadingReason
from colosseum.language.gc_pause import gc_paused
from colosseum.language.record import Record
from colosseum.language.splitting import Parsed, split
from colosseum.language.syntax import Comment, Doubts, Edition, Experiment, File, ScenarioName
from colosseum.language.tables import tables
from colosseum.language.words import LONG_QUOTE, OPENERS, QUOTE, Token, meant_opener, phrases

WORD = re.compile(r"[^\W\d]\w*")
NAMED = re.compile(
    r"\s*(?:agents|network|colosseum|scenario"
    r"|(?:(?:override|private|secret)\s+)*(?!private|secret)\w+\s+(?!(?:for|from|of|to|when)\b)[^\W\d])"
)
"""How a statement begins whose name, if it has one, can be read."""
NAME = re.compile(r"\s*(?:(?:override|private|secret)\s+)*\w+\s+([^\W\d]\w*)")
"""The name that a broken statement seems to declare."""
MOST_STRAYS = 20  # after so many strays the text is probably no spec at all, and reading stops
MOST_LINES = 30  # how far to look for the closing quote of a text that runs over its line
MOST_QUOTED = 80  # longest text to repeat in a help
_UNOPENED = re.compile(r'[^\S\n]*(?:\w+:[^\S\n]*)?([^\s"][^"\n]*[^\s":={(,]")[ \t}]*(?:\n|\Z)')
"""A line whose only quote ends it, behind an optional label."""
_OPENER = rf"(?:{'|'.join(sorted(w.lower() for w in OPENERS))})\b"
_OPENER_LINE = re.compile(rf"^{_OPENER}", re.MULTILINE)
_UNOPENED_LONG = re.compile(
    rf'^prompt\b[^"\n]*\n\s*((?!{_OPENER}|")\S(?:[^"\n]*\n(?!{_OPENER}))*?[^"\n]*)\n[ \t]*{LONG_QUOTE}', re.MULTILINE
)
"""The lines of a prompt that only a `\"\"\"` of its own line ends."""
_CURLY_QUOTES = "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{DOUBLE LOW-9 QUOTATION MARK}"
MOST_DIAGNOSTICS = 50  # more would not be read
EDITION = 1  # the edition of the language that this package reads
FIRST_LINES = 'begin with `colosseum 1` and, on the next line, `scenario NAME "title"`'


def doubts_in(stretches: Iterable[str]) -> Doubts:
    """The doubts that stretches of broken text raise: all of them, where names stand in a file or are missing."""
    stretches = [stretch for stretch in stretches if not stretch.startswith("trace ")]  # which declares nothing
    found = [frozenset(WORD.findall(stretch)) for stretch in stretches]
    words = frozenset[str]().union(*found)
    replaced = frozenset[str]().union(*(f for f in found if "override" in f))
    unread = not all(NAMED.match(s) and s.count("[") >= s.count("]") for s in stretches)  # as in `table costagents]`
    hidden = unread or not words.isdisjoint(("use", "from"))
    named = frozenset(match[1] for stretch in stretches if (match := NAME.match(stretch)) and "agents" not in match[0])
    return Doubts(words, replaced | named, everything=hidden)


# ---- tokens ------------------------------------------------------------------------------------------------


class Lexed(Record):
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
        while result.strays and (told := result.strays[-1].span) and told.start >= start:
            result.strays.pop()
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
    if source.text[position] != ";" and (unopened := _unopened_long_text(source, position)):
        return unopened
    if source.text.startswith(LONG_QUOTE, position):
        return _open_long_text(source, tokens, position)
    if source.text[position] == QUOTE:
        return _open_text(source, position)
    if source.text[position] in f"'{_CURLY_QUOTES}":
        return _foreign_text(source, position)
    return _stray_character(source, position)


def _open_long_text(source: Source, tokens: list[Token], position: int) -> _Stray:
    """Blame the first long text that swallows a statement: each `\"\"\"` after it closes what it should open."""
    following = _OPENER_LINE.search(source.text, position)
    end = following.start() if following else len(source.text)
    for token in tokens:
        if token.type == "LONG_STRING" and (swallowed := _OPENER_LINE.search(token)):
            position, end = token.start, token.start + swallowed.start()
            break
    if unopened := _unopened_long_text(source, position):
        return unopened
    help_ = 'close it with `"""` on a line of its own'
    span = Span(source, position, position + len(LONG_QUOTE))
    return report("C009", span, 'this `"""` is never closed', help=help_), position, end


def _unopened_long_text(source: Source, position: int) -> _Stray | None:
    for found in _UNOPENED_LONG.finditer(source.text):
        if found.start(1) <= position < found.end():
            told = report("C008", Span(source, *found.span(1)), "this text is not opened", help='write `"""` before it')
            return told, found.start(1), found.end()
    return None


def _open_text(source: Source, position: int) -> _Stray:
    """A quote whose line ends before the closing one; skip to where the text seems to end."""
    text = source.text
    line_end = _line_end(text, position)
    if unopened := _UNOPENED.match(text, text.rfind("\n", 0, position) + 1):
        span, help_ = Span(source, *unopened.span(1)), f"write `{QUOTE}` before its first word"
        return report("C008", span, "this text is not opened", help=help_), span.start, span.end
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


# ---- statements --------------------------------------------------------------------------------------------


@gc_paused()
def parse(source: Source) -> tuple[File, list[Diagnostic]]:
    """Read a text. Never raises: what cannot be read is a diagnostic, missing from the file and among its doubts."""
    lexed = lex(source)
    builder = Builder(source)
    told = builder.diagnostics
    told += lexed.strays
    pieces: list[tuple[Token, Readable | None]] = []
    broken: list[str] = []
    whole = False
    for parsed in split(builder, lexed.tokens):
        node, failures, first = parsed.node, parsed.failures, lexed.tokens[parsed.start]
        low, high = _stretch(parsed, lexed, source.text)
        # A stray within the statement is told already; without a `;` a statement says the same, if no `,` was meant.
        touched = any(low <= stray < high and source.text[stray:end].strip(";") for stray, end in lexed.skipped)
        causes = [f for f in failures if "COMMA" not in f.accepts or source.text[: f.place.start].rstrip()[-1:] != ";"]
        for failure in causes if not touched else ():
            from colosseum.language.mistakes import explain  # what most texts do without

            found, again = explain(failure), failure is not failures[0]
            if (found.code != "C014" and not again) or found.message not in {each.message for each in told}:
                told.append(found)  # a word that cannot be a name is blamed once: it is renamed everywhere
        if failures or touched:
            node = node if not touched or isinstance(node, Edition | ScenarioName) else None
            stretches = [f"experiment e {source.line(failure.place.line)}" for failure in failures]
            whole_one = source.text[low:high].replace(first, meant_opener(first) or first, 1)
            broken += stretches if isinstance(node, Experiment) else [whole_one]
            alone = bool(failures) and failures[0].reason is ReadingReason.NO_OPENER and first.type != "NAME"
            if alone and pieces:  # it belongs to the statement before
                pieces[-1] = (pieces[-1][0], None)
                broken.append(source.text[pieces[-1][0].start : first.start])
        pieces.append((first, node))
        if len(told) > MOST_DIAGNOSTICS:
            break
    else:
        whole = len(lexed.strays) < MOST_STRAYS
        if whole:
            told += _head(builder, pieces)
    told.sort(key=lambda d: d.span.start if d.span else 0)
    doubts = doubts_in(broken) | Doubts(everything=not whole)
    return _file(source, pieces, lexed, doubts), told[:MOST_DIAGNOSTICS]


def _file(source: Source, pieces: list[tuple[Token, Readable | None]], lexed: Lexed, doubts: Doubts) -> File:
    nodes = [node for _, node in pieces]
    return File(
        source=source,
        edition=next((n for n in nodes if isinstance(n, Edition)), None),
        scenario=next((n for n in nodes if isinstance(n, ScenarioName)), None),
        statements=tuple(n for n in nodes if n is not None and not isinstance(n, Edition | ScenarioName)),
        comments=tuple(lexed.comments),
        doubts=doubts,
    )


def _stretch(parsed: Parsed, lexed: Lexed, text: str) -> tuple[int, int]:
    """Where a statement begins and where the next one does; one that fails at its first word begins behind the last."""
    end = lexed.tokens[parsed.end].start if parsed.end < len(lexed.tokens) else len(text)
    if parsed.failures and parsed.failures[0].stop == parsed.start:
        return (lexed.tokens[parsed.start - 1].end if parsed.start else 0), end
    return lexed.tokens[parsed.start].start, end


def _head(builder: Builder, pieces: list[tuple[Token, Readable | None]]) -> Iterator[Diagnostic]:
    """Whether the edition comes first, once, and the scenario second, once."""
    first = builder.span(pieces[0][0]) if pieces else Span(builder.source, 0, 0)
    kinds, seen = [token.type for token, _ in pieces], dict[str, Label]()
    if not pieces:
        yield report("C001", first, "there is nothing to read here", help=FIRST_LINES)
    elif "COLOSSEUM" not in kinds:
        yield report("C001", first, "the first line must be `colosseum 1`", help=FIRST_LINES)
    elif "SCENARIO" not in kinds:
        help_ = 'write `scenario NAME "title"` after `colosseum 1`'
        yield report("C004", first, "the scenario has no name", help=help_)
    for position, (token, node) in enumerate(pieces):
        span, kind = builder.span(token), token.type
        if kind == "COLOSSEUM" and kind in seen:
            yield report("C003", span, "the edition is stated twice", labels=[seen[kind]], help="leave this line out")
        elif isinstance(node, Edition) and (node.number != EDITION or isinstance(node.number, float)):
            message = f"this is edition {node.number} of the language; edition {EDITION} is the only one there is"
            yield report("C002", node.span, message, help="write `colosseum 1`")
        elif kind == "COLOSSEUM" and position:
            yield report("C001", span, "`colosseum 1` must be the first line", help="move it to the top")
        elif kind == "SCENARIO" and kind in seen:
            help_ = "leave one of them out, or put the other into a file of its own"
            yield report("C005", span, "a file has one scenario", labels=[seen[kind]], help=help_)
        elif kind == "SCENARIO" and set(kinds[:position]) - {"COLOSSEUM"}:
            message = "`scenario` must come right after `colosseum 1`"
            yield report("C006", span, message, help="move it to the second line")
        if kind not in seen:
            seen[kind] = Label(span, "first here")
