"""Tokens into statements. In: all tokens of a text; out: for each statement its node, or where it failed.

A statement ends where the next opener stands, at whatever depth; so each is parsed on its own, and one mistake
spoils one statement. A reserved opener that the running statement accepts (`override set`, `sweep network`) does
not end it. The parser goes by Lark's LALR(1) tables, but in one step through a chain such as `expr: either: … atom`.
"""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from colosseum.diagnostics import Span
from colosseum.language.builder import Builder, Piece, Readable
from colosseum.language.failure import DEEPEST, LONGEST_CHAIN, ReadingFailure, ReadingReason
from colosseum.language.record import Record
from colosseum.language.tables import tables
from colosseum.language.words import CLOSERS, KEYWORDS, OPENERS, SURE_OPENERS, Token, meant_opener, terminals

END = "$END"
_END = Token()
_END.type = END
_LINKS = terminals("PLUS MINUS STAR SLASH AMP AND OR NOT IF LSQB")
_CELLS = terminals("NAME STRING NUMBER MINUS NONE ON OFF") | KEYWORDS
_OPENING = frozenset(CLOSERS.values())
MOST_MENDED = 20  # mistakes of one experiment that are told
_FOLLOWS = {"USE": "STRING", "COLOSSEUM": "NUMBER", "PRIVATE": "TABLE", "SECRET": "CHANNEL", "TRACE": "FROM"}
"""The one terminal that may follow an opener, where that is no name."""


def _may_follow(opener: str, follower: str) -> bool:
    if opener == "OVERRIDE":
        return follower in OPENERS
    return follower == _FOLLOWS[opener] if opener in _FOLLOWS else follower in ("NAME", "LABEL")


@cache
def _maker(name: str) -> Callable[..., Piece]:
    """The method that makes the node of a rule."""
    found: Callable[..., Piece] = getattr(Builder, name, None) or getattr(Builder, f"{name}_")
    return found


class Machine:
    """A parser of one statement."""

    def __init__(self, builder: Builder) -> None:
        self.table, self.builder = tables(), builder
        self.states: list[int] = [self.table["start"]]
        self.values: list[Piece] = []
        self.places: list[tuple[int, int]] = []
        """Where each value begins and ends."""

    def feed(self, token: Token) -> bool:
        """Go on with a token; False where it does not fit, and then nothing more can be fed."""
        kind, rows, rules, states = token.type, self.table["rows"], self.table["rules"], self.states
        while (target := rows[states[-1]].get(kind)) is not None:
            if target >= 0:
                states.append(target)
                self.values.append(token)
                self.places.append((token.start, token.end))
                return True
            symbol, length, name, _ = rules[~target]
            if length == 1 and not name:
                states.pop()  # one symbol stands for another
            else:
                self._reduce(~target)
            states.append(rows[states[-1]][symbol])
            if kind == END and states[-1] == self.table["end"]:
                return True
        return False

    def _reduce(self, number: int) -> None:
        """Put what a rule stands for in place of its symbols."""
        _, length, name, places = self.table["rules"][number]
        below = len(self.values) - length
        start, end, found = self.places[below][0], self.places[-1][1], list[Piece]()
        for place in places:
            if place is None or place >= 0:
                found.append(place if place is None else self.values[below + place])
            elif found:
                found += self.values[below + ~place]
            else:
                found = self.values[below + ~place]  # the list itself: long ones grow by an item at a time
        made = found if name else found[0]
        if name[:1] not in ("", "_"):
            made = _maker(name)(self.builder, Span(self.builder.source, start, end), *found)
        del self.states[below + 1 :]
        self.values[below:], self.places[below:] = [made], [(start, end)]

    def finish(self) -> bool:
        """End the statement; False where it is not complete."""
        return self.feed(_END)

    def accepts(self) -> frozenset[str]:
        """Every terminal that could come next, `END` included."""
        return frozenset(kind for kind in self.table["rows"][self.states[-1]] if kind.isupper() and self.takes(kind))

    def takes(self, terminal: str) -> bool:
        """Whether a terminal could come next: `accepts` for a single one."""
        return _taken(tuple(self.states), terminal)


@lru_cache(4096)
def _taken(states: tuple[int, ...], terminal: str) -> bool:
    """Whether a terminal could come next after states; kept, since most statements end alike."""
    stack, table = list(states), tables()
    while (target := table["rows"][stack[-1]].get(terminal)) is not None:
        if target >= 0:
            return True
        symbol, length, _, _ = table["rules"][~target]
        del stack[len(stack) - length :]
        stack.append(table["rows"][stack[-1]][symbol])
        if terminal == END and stack[-1] == table["end"]:
            return True
    return False


class Parsed(Record):
    """One statement: its node, or a failure."""

    start: int
    """The index of its first token."""
    end: int
    """The index behind its last token, skipped ones included."""
    node: Readable | None
    """Beside failures what could be read, of an experiment or a mapping."""
    failures: tuple[ReadingFailure, ...] = ()
    """Several of an experiment or a mapping alone."""


def split(builder: Builder, tokens: list[Token]) -> Iterator[Parsed]:
    """Each statement of a text in turn."""
    position = 0
    while position < len(tokens):
        parsed = _Run(builder, tokens, position).read()
        yield parsed
        position = parsed.end


class _Run:
    """The reading of one statement."""

    def __init__(self, builder: Builder, tokens: list[Token], start: int, *, mended: tuple[int, ...] = ()) -> None:
        self.builder, self.tokens, self.start, self.mended = builder, tokens, start, mended
        self.text, self.told = builder.source.text, len(builder.diagnostics)
        self.opened: list[Token] = []
        self.chains = [0]

    def read(self) -> Parsed:
        if self.tokens[self.start].type not in OPENERS:
            return self._failed(ReadingReason.NO_OPENER, self.start)
        parser, index = Machine(self.builder), self.start
        while index < len(self.tokens):
            token = self.tokens[index]
            if index > self.start:
                if token.type in OPENERS and self._opens(index, parser):
                    break
                if self._breaks_row(index, parser):
                    return self._failed(ReadingReason.ROW, index)
            if (reason := self._weigh(token)) is not None:
                return self._failed(reason, index)
            if not parser.feed(token):
                return self._unexpected(index)
            index += 1
        if parser.finish():
            return Parsed(self.start, index, parser.values[0])
        return self._failed(ReadingReason.END, index)

    def _opens(self, index: int, parser: Machine) -> bool:
        """Whether an opener ends the running statement rather than going on with it."""
        token = self.tokens[index]
        plausible = self._leftmost(index) or _may_follow(token.type, self._type(index + 1))
        if token.type not in SURE_OPENERS and plausible and not self.opened:
            return self.tokens[index - 1].type != "OVERRIDE"
        if parser.takes(token.type):
            return False
        return not parser.takes("NAME") or (plausible and (self._fresh(index) or parser.takes(END)))

    def _breaks_row(self, index: int, parser: Machine) -> bool:
        """Whether a cell stands on a later line than its row's label."""
        if self.opened or self.tokens[index].type not in _CELLS or not self._fresh(index):
            return False
        return parser.takes("LABEL") and parser.takes("STRING")

    def _weigh(self, token: "Token") -> ReadingReason | None:
        """Keep count of brackets and operators; a reason to stop when a bracket does not fit or they are too many."""
        if token.type in _LINKS:
            self.chains[-1] += 1
        elif token.type in ("COMMA", "COLON") or (token.type in KEYWORDS and token.type not in ("IN", "ELSE")):
            self.chains[-1] = 0
        if token.type in _OPENING:
            self.opened.append(token)
            self.chains.append(0)
        elif token.type in CLOSERS:
            if not self.opened or self.opened[-1].type != CLOSERS[token.type]:
                return ReadingReason.BRACKET
            self.opened.pop()
            self.chains.pop()
        if len(self.opened) > DEEPEST:
            return ReadingReason.DEPTH
        if token.type in _LINKS and sum(self.chains) + len(self.opened) > LONGEST_CHAIN:
            return ReadingReason.CHAIN
        return None

    def _unexpected(self, index: int) -> Parsed:
        """A token does not fit. A word on a new line after a whole statement belongs to the next one."""
        parser = self._replay(index)
        ready = not self.opened and self._fresh(index) and self.tokens[index].type in _CELLS - {"MINUS"}
        if ready and parser.finish():
            return Parsed(self.start, index, parser.values[0])
        return self._failed(ReadingReason.TOKEN, index)

    def _replay(self, end: int) -> Machine:
        """A new parser, fed up to a token: one that failed has already reduced for the token that it refused."""
        del self.builder.diagnostics[self.told :]
        parser = Machine(self.builder)
        for token in self.tokens[self.start : end]:
            parser.feed(token)
        return parser

    def _failed(self, reason: ReadingReason, index: int) -> Parsed:
        accepts = self._replay(index).accepts() if index > self.start else frozenset[str]()
        del self.builder.diagnostics[self.told :]
        refused = self.tokens[index] if index < len(self.tokens) else None
        opened = tuple(bracket for bracket in self.opened if bracket is not refused)
        failure = ReadingFailure(reason, self.builder.source, self.tokens, self.start, index, accepts, opened)
        again = index > max(self.mended, default=0) and len(self.mended) < MOST_MENDED
        if self.tokens[self.start].type in ("EXPERIMENT", "TRACE") and again:
            return self._gone_on(failure)
        return Parsed(self.start, self._resume(index, reason), None, (failure,))

    def _gone_on(self, failure: ReadingFailure) -> Parsed:
        """What is left without the part that fails, or closed where it ends: its other mistakes are told, too."""
        ended, brace = failure.reason is ReadingReason.END, Token("}")
        brace.type, brace.start, brace.end = "RBRACE", failure.place.end, failure.place.end
        low, high = (failure.stop, failure.stop) if ended else self._part(failure.stop)
        closers = len(failure.opened) if ended else 0
        tokens = [*self.tokens[:low], *[brace] * closers, *self.tokens[high:]]
        rest = _Run(self.builder, tokens, self.start, mended=(*self.mended, low)).read()
        if rest.failures and rest.failures[0].stop <= low:  # what is left does not fit together
            return Parsed(self.start, self._resume(failure.stop, failure.reason), None, (failure,))
        return Parsed(self.start, rest.end - closers + high - low, rest.node, (failure, *rest.failures))

    def _part(self, index: int) -> tuple[int, int]:
        """Where the setting, sweep or arm begins and ends in which a token does not fit; a sign stands for itself.

        Of a mapping of traces, it is what follows the last whole entry on a line.
        """
        kind, depth, low, high = self._type(index), 0, 0, self.start
        if self._type(self.start) == "TRACE":
            first, high = self.start + 4, index  # behind `trace from "…" {`
            low = next((place for place in range(index, first, -1) if self._replay(place).takes("RBRACE")), first)
            while high <= low or (high < len(self.tokens) and not self._fresh(high) and self._type(high) != "RBRACE"):
                high += 1
            return low, high
        if kind == "COMMA" or (kind in ("COLON", "EQUAL") and self._type(index - 2) != "COMMA"):
            return index, index + 1
        while high + 1 < len(self.tokens):
            high += 1
            kind, before = self._type(high), self._type(high - 1)
            if sure := kind in ("ARM", "SWEEP") or (kind in OPENERS and self._leftmost(high)):
                depth = 1
            if depth == 1 and (sure or kind == "RBRACE" or before in ("LBRACE", "RBRACE") or self._fresh(high)):
                if high > index or (high == index and low):
                    break
                low = high
            depth += (kind in _OPENING) - (kind in CLOSERS)
        if self._type(high) == "RBRACE" and self._type(high + 1) in ("ARM", "SWEEP", "NAME", "RBRACE"):
            high += 1  # it cannot be the brace that ends the experiment
        low = low or index
        return low - (self._type(low - 1) == "COMMA"), high

    def _resume(self, index: int, reason: ReadingReason) -> int:
        """The index at which to go on after a failure: the next word that surely opens a statement."""
        depth = len(self.opened)
        index += reason is not ReadingReason.END
        while index < len(self.tokens):
            kind, follower = self._type(index), self._type(index + 1)
            if kind in OPENERS and self._fresh(index):
                shallow = kind != "NETWORK" or depth <= 0
                if self._leftmost(index) or (shallow and _may_follow(kind, follower)):
                    return index
            if kind == follower == "NAME" and depth <= 0 and self._leftmost(index) and meant_opener(self.tokens[index]):
                return index
            depth += (kind in _OPENING) - (kind in CLOSERS)
            index += 1
        return index

    def _type(self, index: int) -> str:
        return self.tokens[index].type if index < len(self.tokens) else END

    def _fresh(self, index: int) -> bool:
        """Whether a token is the first on its line."""
        return "\n" in self.text[self.tokens[index - 1].end : self.tokens[index].start]

    def _leftmost(self, index: int) -> bool:
        """Whether a token stands at the very left of its line."""
        start = self.tokens[index].start
        return start == 0 or self.text[start - 1] == "\n"
