"""A whole text laid out. In: a source; out: its canonical text, or what is wrong with it.

Lines end as the first one does, `\\n` or `\\r\\n`; the last one ends too. Blank lines stay where the author left them,
one at a time; one always follows the scenario's name and stands around an experiment.
"""

from collections.abc import Iterator
from dataclasses import replace

from colosseum.diagnostics import Diagnostic, Source
from colosseum.language.builder import Readable
from colosseum.language.layout.document import Remark
from colosseum.language.layout.lines import Line, lined_up
from colosseum.language.layout.printing import printed
from colosseum.language.layout.statements import Statements
from colosseum.language.layout.words import WordReader
from colosseum.language.lexing import lex
from colosseum.language.parser import parse
from colosseum.language.syntax import Comment, Edition, Experiment, File, ScenarioName
from colosseum.language.tables import tables


def lay_out(source: Source) -> tuple[str | None, list[Diagnostic]]:
    """The text in canonical layout; None, with the reasons, for a text that has errors."""
    file, diagnostics = parse(source)
    if diagnostics or file.edition is None or file.scenario is None:
        return None, diagnostics
    words = WordReader(source.text, lex(source, tables()).tokens, file.comments)
    lines = lined_up(list(_lines([file.edition, file.scenario, *file.statements], words)))
    first_end = source.text.find("\n")
    end = "\r\n" if first_end > 0 and source.text[first_end - 1] == "\r" else "\n"
    text = "".join(f"{line}{end}" for line in lines)
    _verify(file, text)
    return text, []


def _verify(file: File, text: str) -> None:
    """Fail rather than hand out a text that says anything else; that would be a bug of ours."""
    after, diagnostics = parse(Source(file.source.name, text))
    before = replace(file, comments=_stripped(file))
    assert not diagnostics, "the layout does not parse"
    assert replace(after, comments=_stripped(after)) == before, "the layout says something else"


def _stripped(file: File) -> tuple[Comment, ...]:
    """The comments without the blanks at their ends."""
    return tuple(replace(comment, text=comment.text.rstrip()) for comment in file.comments)


def _lines(nodes: list[Readable], words: WordReader) -> Iterator[Line]:
    layout = Statements(words)
    before: Readable | None = None
    for node in nodes:
        word = words.next
        yield from _between(before, node, words.take_before(), blank=word.blank)
        yield from printed(layout.statement(node))
        before = node
    yield from _comments(words.last)


def _between(before: Readable | None, node: Readable, comments: list[Remark], *, blank: bool) -> Iterator[Line]:
    """The comments and blank lines between two statements."""
    apart = isinstance(before, ScenarioName | Experiment) or (before and isinstance(node, Experiment))
    close = before is None or isinstance(before, Edition)
    if apart and not blank and not any(own.blank for own in comments):
        yield Line(0, "")
    yield from _comments(comments, close=close)
    if blank and not (close and not comments):
        yield Line(0, "")


def _comments(comments: list[Remark], *, close: bool = False) -> Iterator[Line]:
    """Comments on lines of their own; the first one follows closely if `close`."""
    for number, own in enumerate(comments):
        if own.blank and not (close and number == 0):
            yield Line(0, "")
        yield Line(0, own.text)
