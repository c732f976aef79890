"""The words of a text with their comments, read one by one. In: tokens and comments; out: documents of single words.

A comment at the end of a line belongs to the word before it, one on a line of its own to the word after it.
"""

from dataclasses import dataclass, field
from operator import itemgetter

from colosseum.language.builder import label_parts, unquote_long
from colosseum.language.layout.document import NOTHING, Break, Document, LongText, Plain, Remark, cat
from colosseum.language.syntax import Comment, Node
from colosseum.language.words import CLOSERS, LONG_QUOTE, Token

_SIGNS = ("COMMA", "COLON")  # they stay with the word before them: a comment between stands behind them


@dataclass(slots=True)
class Word:
    """A token and the comments that belong to it; dropping brackets moves comments from one word to another."""

    kind: str
    text: str
    start: int
    end: int
    fresh: bool = False
    """The first on its line."""
    blank: bool = False
    """A blank line stands before it (and after the comments before it)."""
    before: list[Remark] = field(default_factory=list)
    """Comments on lines of their own."""
    after: Document = NOTHING
    """The comment at the end of its line."""
    dropped: bool = False


class WordReader:
    """A reader of words: `take` gives the next one."""

    def __init__(self, text: str, tokens: list[Token], comments: tuple[Comment, ...]) -> None:
        self._words = [Word(token.type, str(token), token.start, token.end) for token in tokens]
        self._words.append(Word("", "", len(text), len(text)))
        _attach(text, self._words, comments)
        _settle(self._words)
        self._position = 0
        self._taken = Word("", "", 0, 0)

    # ---- looking ---------------------------------------------------------------------------------------

    @property
    def next(self) -> Word:
        """The word that `take` would give; one without kind at the end."""
        while self._words[self._position].dropped:
            self._position += 1
        return self._words[self._position]

    def broken(self) -> bool:
        """Whether the author ended the line before the next word, or a comment does."""
        return self.next.fresh or self._taken.after is not NOTHING or bool(self.next.before)

    def wrapped(self, node: Node) -> bool:
        """Whether a grouping bracket stands before an expression that begins here."""
        return self.next.kind == "LPAR" and self.next.start < node.span.start

    # ---- taking ----------------------------------------------------------------------------------------

    def take(self) -> Document:
        """The next word with its comments."""
        word = self._taken = self.next
        self._position += 1
        return cat(*word.before, _shown(word.kind, word.text), word.after)

    def take_before(self) -> list[Remark]:
        """The comments on lines of their own before the next word, without the word."""
        found, self.next.before = self.next.before, []
        return found

    def separator(self, flat: str, *, first: bool, apart: bool = False) -> Document:
        """A break before the next word, with the comments there and the blank lines that the author left.

        None stands before what is `first`; before what is `apart`, there is one at least.
        """
        found = self.take_before()
        blanks = [*(remark.blank for remark in found), self.next.blank]
        blank = (apart and not any(blanks)) or (blanks[0] and not first)
        parts: list[Document] = [Break(flat, blank=blank)]
        for remark, blank in zip(found, blanks[1:], strict=True):
            parts += [remark, Break(flat, blank=blank)]
        return cat(*parts)

    def take_last(self, *, first: bool) -> Document:
        """The comments before the end of a block, each on its line; `first` if nothing else is in it."""
        parts: list[Document] = []
        for remark in self.take_before():
            parts += [Break(hard=True, blank=remark.blank and not (first and not parts)), remark]
        return cat(*parts)

    def drop_brackets(self) -> bool:
        """Leave out the next word, an opening bracket, and its partner, unless a comment is in the way."""
        opening, index, depth = self.next, self._position, 1
        while depth:
            index += 1
            depth += (self._words[index].kind in CLOSERS.values()) - (self._words[index].kind in CLOSERS)
        inner = next(word for word in reversed(self._words[:index]) if not word.dropped)
        closing, following = self._words[index], self._words[self._position + 1]
        if opening.after is not NOTHING or closing.before or NOTHING not in (closing.after, inner.after):
            return False
        following.before = opening.before + following.before
        following.fresh |= opening.fresh
        opening.dropped = closing.dropped = True
        inner.after = closing.after if inner.after is NOTHING else inner.after
        while self._words[index].dropped:
            index += 1
        _settle([inner, *self._words[index : index + 2]])
        return True


def _attach(text: str, words: list[Word], comments: tuple[Comment, ...]) -> None:
    """Give each comment to its word, in place."""
    pieces: list[tuple[int, int, Word | Comment]] = [(word.start, word.end, word) for word in words]
    pieces += [(comment.span.start, comment.span.end, comment) for comment in comments]
    waiting, last = list[Remark](), 0
    previous: Word | None = None
    for start, end, piece in sorted(pieces, key=itemgetter(0)):
        newlines = text.count("\n", last, start)
        last = end
        if isinstance(piece, Word):
            piece.before, waiting = waiting, []
            piece.fresh, piece.blank = newlines > 0, newlines > 1
            previous = piece
        elif previous is not None and newlines == 0:
            previous.after = Remark(piece.text, opens=False)
        else:
            waiting.append(Remark(piece.text, opens=True, blank=newlines > 1))


def _settle(words: list[Word]) -> None:
    """Move comments before a comma or colon behind it."""
    for word, sign, following in zip(words, words[1:], words[2:], strict=False):
        if sign.kind in _SIGNS and sign.after is NOTHING and (word.after is not NOTHING or sign.before):
            sign.after, word.after = word.after, NOTHING
            following.before, sign.before = sign.before + following.before, []


def _shown(kind: str, written: str) -> Document:
    """The word with its parts evenly spaced.

    Lines of a text are indented with what surrounds them; it stays as written where it has one line, or would change.
    """
    if kind == "LABEL":
        return Plain(", ".join(part for _, part in label_parts(written)))
    if kind in ("NOT_IN", "PER_UNIT"):
        return Plain(" ".join(written.split()))
    if kind != "LONG_STRING" or "\n" not in written:
        return Plain(written)
    value = unquote_long(written)
    if not value:
        return Plain(LONG_QUOTE * 2)
    lines = tuple(value.split("\n"))
    indented = "".join(f"  {line}\n" if line else "\n" for line in lines)
    if unquote_long(f"{LONG_QUOTE}\n{indented}{LONG_QUOTE}") != value:
        return Plain(written)
    return LongText(lines)
