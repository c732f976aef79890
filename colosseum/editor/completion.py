"""What may stand at a place. In: the text before it and an analysis of the spec; out: words with their kinds.

Keywords come from the grammar's tables; functions, networks and settings from the tables that checks read.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from lsprotocol.types import CompletionItem
from lsprotocol.types import CompletionItemKind as Kind

from colosseum.diagnostics import Source
from colosseum.editor.analysis import Analysis
from colosseum.language import syntax
from colosseum.language.builder import Builder
from colosseum.language.lexing import lex
from colosseum.language.machine import Machine, table
from colosseum.language.tables import tables
from colosseum.language.vocabulary import vocabulary
from colosseum.language.words import KEYWORDS, OPENERS, SURE_OPENERS, Token
from colosseum.model.draws import DRAWS
from colosseum.model.expand import READABLE
from colosseum.model.functions import FUNCTIONS
from colosseum.model.names import AGGREGATES
from colosseum.model.networks import PARAMETERS
from colosseum.model.settings import SETTINGS

_OPEN_BRACES = re.compile(r"\{[{%](?:(?![}%]\}).)*\Z", re.DOTALL)
_BEGUN = re.compile(r"[^\W\d]\w*\Z")


def completions(text: str, analysis: Analysis | None) -> list[CompletionItem]:
    """What may follow a text; a word that it ends with is taken as begun."""
    before = _BEGUN.sub("", text)
    found = {word: kind for kind, words in reversed(list(_suggested(before, analysis))) for word in words}
    return [CompletionItem(label=word, kind=kind) for word, kind in found.items()]


def _suggested(text: str, analysis: Analysis | None) -> Iterator[tuple[Kind, list[str]]]:
    lexed = lex(Source("", text), tables())
    commented = lexed.comments and lexed.comments[-1].span.end == len(text)
    if commented or any(end > len(text.rstrip()) - 1 for _, end in lexed.skipped):  # within a comment or a text
        if _OPEN_BRACES.search(text) and not commented:
            yield Kind.Constant, [*_declared(analysis, *READABLE), "me", "allies", "payoffs"]
        return
    statement, accepts = _statement(text, lexed.tokens)
    yield Kind.Keyword, sorted(word.lower().replace("_", " ") for word in accepts & KEYWORDS)
    if "NAME" in accepts and statement:
        yield from _names(statement, accepts, analysis)


def _statement(text: str, tokens: list[Token]) -> tuple[list[Token], frozenset[str]]:
    """The tokens of the statement that a text ends in, and the terminals that may follow."""
    starts = [i for i, token in enumerate(tokens) if token.type in OPENERS]
    sure = [i for i in starts if tokens[i].type in SURE_OPENERS]
    for start in (*sure[-1:], *starts[-1:]):  # `agents` and `network` open a statement, or stand in one
        machine = Machine(table(tables()), Builder(Source("", text)))
        if all(machine.feed(t.type, t, t.start, t.end) for t in tokens[start:]):
            accepts = machine.accepts()
            return tokens[start:], accepts | (OPENERS if "$END" in accepts else frozenset())
    return [], OPENERS


def _names(
    statement: list[Token], accepts: frozenset[str], analysis: Analysis | None
) -> Iterator[tuple[Kind, list[str]]]:
    """The names that may stand where a name may; none where one is to be invented."""
    first, last = statement[0].type, statement[-1]
    if first == "EXPERIMENT" and (("NETWORK" in accepts and accepts & {"ARM", "RBRACE"}) or last == "sweep"):
        yield Kind.Property, list(SETTINGS)
        yield Kind.Constant, _declared(analysis, "channel", "prompt", "param")
    if last == "~":
        yield Kind.Function, list(DRAWS)
    elif last.type == "NETWORK":
        yield Kind.Function, list(PARAMETERS)
    elif first == "EXPERIMENT":
        symbol = analysis.spec.symbols.get(last) if analysis else None
        if symbol and isinstance(symbol.statement, syntax.Prompt):
            yield Kind.EnumMember, [variant.name for variant in symbol.statement.variants]
    elif last not in vocabulary().declaring:
        bound = [str(name) for name, word in pairwise(statement) if word.type == "IN" and name.type == "NAME"]
        yield Kind.Variable, bound
        yield Kind.Constant, _declared(analysis, "param", "set", "table", "variable", "coalition", "channel")
        yield Kind.EnumMember, list(analysis.facts.births) if analysis else []
        yield Kind.Function, [word for word in dict.fromkeys((*FUNCTIONS, *AGGREGATES)) if word not in DRAWS]


def _declared(analysis: Analysis | None, *kinds: str) -> list[str]:
    return [symbol.name for symbol in analysis.spec.symbols.values() if symbol.kind in kinds] if analysis else []
