"""The canonical layout of a spec. In: a text; out: the same statements and comments, laid out in the one way.

The result depends on the words, the comments and a few choices of the author (single blank lines, blocks and rules
that begin on a new line); names mean nothing here, so it works on any file by itself.
"""

from collections.abc import Iterator

from colosseum.diagnostics import Diagnostic, Source
from colosseum.language.builder import Readable
from colosseum.language.layout.document import cat
from colosseum.language.layout.printing import Line, lined_up, printed
from colosseum.language.layout.statements import Statements
from colosseum.language.layout.words import WordReader
from colosseum.language.parser import lex, parse
from colosseum.language.syntax import Edition, Experiment, ScenarioName


def lay_out(source: Source) -> tuple[str | None, list[Diagnostic]]:
    """The text in canonical layout; None, with the reasons, for a text that has errors."""
    file, diagnostics = parse(source)
    if diagnostics or file.edition is None or file.scenario is None:
        return None, diagnostics
    words = WordReader(source.text, lex(source).tokens, file.comments)
    lines = lined_up(list(_lines([file.edition, file.scenario, *file.statements], words)))
    first_end = source.text.find("\n")
    end = "\r\n" if first_end > 0 and source.text[first_end - 1] == "\r" else "\n"
    text = "".join(f"{line}{end}" for line in lines)
    after, found = parse(Source(file.source.name, text))
    assert not found, "the layout does not parse: this is a bug of ours"
    assert after == file, "the layout says something else: this is a bug of ours"
    return text, []


def _lines(nodes: list[Readable], words: WordReader) -> Iterator[Line]:
    layout = Statements(words)
    for before, node in zip([None, *nodes], nodes, strict=False):
        apart = isinstance(before, ScenarioName | Experiment) or isinstance(node, Experiment)
        between = words.separator("", first=before is None or isinstance(before, Edition), apart=apart)
        yield from printed(cat(between, layout.statement(node)))
    yield from printed(words.take_last(first=False))


__all__ = ["lay_out"]
