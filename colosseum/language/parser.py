"""Text into syntax. In: a source; out: a `File` and every diagnostic about its form.

The text is cut into statements that are parsed one by one, so that each mistake is told once and hides nothing. What
hangs on a word of a broken stretch is left alone: the stretch may declare it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from colosseum.diagnostics import Diagnostic, Label, Source, Span, report
from colosseum.language.builder import Builder, Readable
from colosseum.language.failure import ReadingReason
from colosseum.language.gc_pause import gc_paused
from colosseum.language.lexing import MOST_STRAYS, Lexed, lex
from colosseum.language.splitting import Parsed, split
from colosseum.language.syntax import Edition, File, ScenarioName
from colosseum.language.words import Token, meant_opener

WORD = re.compile(r"[^\W\d]\w*")
NAMED = re.compile(
    r"\s*(?:agents|network|colosseum|scenario"
    r"|(?:(?:override|private|secret)\s+)*(?!private|secret)\w+\s+(?!(?:for|from|of|to|when)\b)[^\W\d])"
)
"""How a statement begins whose name, if it has one, can be read."""
NAME = re.compile(r"\s*(?:(?:override|private|secret)\s+)*\w+\s+([^\W\d]\w*)")
"""The name that a broken statement seems to declare."""
SHORTEST_PART = 3
"""A word of a broken stretch may be a name of at least so many letters and what was meant to follow it."""


@dataclass(frozen=True, slots=True)
class Doubts:
    """Names whose meaning cannot be known because of a mistake that is already told."""

    words: frozenset[str] = frozenset()
    """Words in broken stretches: each may be declared, or born as an element, there."""
    contested: frozenset[str] = frozenset()
    """Names that are declared, but maybe not as what they are meant to be."""
    everything: bool = False
    """A whole file or table of names could not be read, so that any name may be declared there."""

    def __or__(self, other: "Doubts") -> "Doubts":
        return Doubts(self.words | other.words, self.contested | other.contested, self.everything or other.everything)

    def __bool__(self) -> bool:
        return bool(self.words or self.contested) or self.everything

    def covers(self, name: str) -> bool:
        """Whether a name that nothing declares may be declared where the text is broken; `ticket3` by `ticket`."""
        if self.everything or name in self.words or name.rstrip("0123456789") in self.words:
            return True
        return len(name) >= SHORTEST_PART and any(word.startswith(name) for word in self.words)


NO_DOUBTS = Doubts()


def doubts_in(stretches: Iterable[str]) -> Doubts:
    """The doubts that stretches of broken text raise: all of them, where names stand in a file or are missing."""
    stretches = list(stretches)
    found = [frozenset(WORD.findall(stretch)) for stretch in stretches]
    words = frozenset[str]().union(*found)
    replaced = frozenset[str]().union(*(f for f in found if "override" in f))
    hidden = not words.isdisjoint(("use", "from")) or not all(NAMED.match(stretch) for stretch in stretches)
    named = frozenset(match[1] for stretch in stretches if (match := NAME.match(stretch)) and "agents" not in match[0])
    return Doubts(words, replaced | named, everything=hidden)


MOST_DIAGNOSTICS = 50
"""More would not be read."""
EDITION = 1
"""The edition of the language that this package reads."""
FIRST_LINES = 'begin with `colosseum 1` and, on the next line, `scenario NAME "title"`'


def parse(source: Source) -> tuple[File, list[Diagnostic]]:
    """Read a text. Never raises: whatever cannot be read is a diagnostic and missing from the file."""
    file, _, diagnostics = parse_doubtfully(source)
    return file, diagnostics


@gc_paused()
def parse_doubtfully(source: Source) -> tuple[File, Doubts, list[Diagnostic]]:
    """`parse`, and what the stretches that could not be read may have declared."""
    lexed = lex(source)
    builder = Builder(source)
    told = builder.diagnostics
    told += lexed.strays
    pieces: list[tuple[Token, Readable | None]] = []
    broken: list[str] = []
    whole = False
    for parsed in split(builder, lexed.tokens):
        node, failure, first = parsed.node, parsed.failure, lexed.tokens[parsed.start]
        low, high = _stretch(parsed, lexed, source.text)
        # A stray within the statement is told already; without a `;` a statement says the same.
        touched = any(low <= stray < high and source.text[stray:end].strip(";") for stray, end in lexed.skipped)
        if failure is not None and not touched:
            from colosseum.language.mistakes import explain  # what most texts do without

            found = explain(failure)
            if found.code != "C014" or found.message not in {each.message for each in told}:
                told.append(found)  # a word that cannot be a name is blamed once: it is renamed everywhere
        if failure is not None or touched:
            broken.append(source.text[low:high].replace(first, meant_opener(first) or first, 1))
            node = node if isinstance(node, Edition | ScenarioName) else None
            alone = failure is not None and failure.reason is ReadingReason.NO_OPENER and first.type != "NAME"
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
    return _file(source, pieces, lexed), doubts, told[:MOST_DIAGNOSTICS]


def _file(source: Source, pieces: list[tuple[Token, Readable | None]], lexed: Lexed) -> File:
    nodes = [node for _, node in pieces]
    return File(
        source=source,
        edition=next((n for n in nodes if isinstance(n, Edition)), None),
        scenario=next((n for n in nodes if isinstance(n, ScenarioName)), None),
        statements=tuple(n for n in nodes if n is not None and not isinstance(n, Edition | ScenarioName)),
        comments=tuple(lexed.comments),
    )


def _stretch(parsed: Parsed, lexed: Lexed, text: str) -> tuple[int, int]:
    """Where a statement begins and where the next one does; one that fails at its first word begins behind the last."""
    end = lexed.tokens[parsed.end].start if parsed.end < len(lexed.tokens) else len(text)
    if parsed.failure is not None and parsed.failure.stop == parsed.start:
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
