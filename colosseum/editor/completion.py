"""What may stand at a place. In: the text before it and an analysis of the spec; out: words with their kinds."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias

from lsprotocol.types import CompletionItem
from lsprotocol.types import CompletionItemKind as Kind

from colosseum.diagnostics import Source
from colosseum.editor.analysis import Analysis
from colosseum.language.builder import Builder
from colosseum.language.lexing import lex
from colosseum.language.machine import Machine
from colosseum.language.words import DECLARING, FUNCTIONS, KEYWORDS, OPENERS, SURE_OPENERS, Token, spelled
from colosseum.model.draws import DRAWS
from colosseum.model.expand import READABLE
from colosseum.model.networks import PARAMETERS
from colosseum.model.settings import SETTINGS

Suggestions: TypeAlias = Iterator[tuple[Kind, Iterable[str]]]
_OPEN_BRACES = re.compile(r"\{[{%](?:(?![}%]\}).)*\Z", re.DOTALL)


def completions(text: str, analysis: Analysis | None) -> list[CompletionItem]:
    """What may follow a text; a word that it ends with is taken as begun."""
    found = dict[str, Kind]()
    for kind, words in _suggested(re.sub(r"[^\W\d]\w*\Z", "", text), analysis):
        found = dict.fromkeys(words, kind) | found
    return [CompletionItem(label=word, kind=kind) for word, kind in found.items()]


def _suggested(text: str, analysis: Analysis | None) -> Suggestions:
    lexed = lex(Source("", text))
    if lexed.comments and lexed.comments[-1].span.end == len(text):
        return
    if any(end >= len(text.rstrip()) for _, end in lexed.skipped):  # within a text
        if analysis and _OPEN_BRACES.search(text):
            yield Kind.Constant, [*_declared(analysis, *READABLE), "me", "allies", "payoffs"]
        return
    statement, accepts = _statement(text, lexed.tokens)
    yield Kind.Keyword, sorted(map(spelled, accepts & KEYWORDS))
    if "NAME" in accepts and statement and analysis:
        yield from _names(statement, accepts, analysis)


def _statement(text: str, tokens: list[Token]) -> tuple[list[Token], frozenset[str]]:
    """The tokens of the statement that a text ends in, and the terminals that may follow."""
    starts = [i for i, token in enumerate(tokens) if token.type in OPENERS]
    sure = [i for i in starts if tokens[i].type in SURE_OPENERS]
    for start in (*sure[-1:], *starts[-1:]):  # `agents` and `network` open a statement, or stand in one
        machine = Machine(Builder(Source("", text)))
        if all(map(machine.feed, tokens[start:])):
            accepts = machine.accepts()
            return tokens[start:], accepts | (OPENERS if "$END" in accepts else frozenset())
    return [], OPENERS


def _names(statement: list[Token], accepts: frozenset[str], analysis: Analysis) -> Suggestions:
    """The names that may stand where a name may; none where one is to be invented."""
    first, last = statement[0].type, statement[-1]
    if first == "EXPERIMENT" and (("NETWORK" in accepts and accepts & {"ARM", "RBRACE"}) or last == "sweep"):
        yield Kind.Property, SETTINGS
        yield Kind.Constant, _declared(analysis, "channel", "prompt", "param")
    if last == "~":
        yield Kind.Function, DRAWS
    elif last.type == "NETWORK":
        yield Kind.Function, PARAMETERS
    elif first == "EXPERIMENT":  # the variants of a prompt
        yield Kind.EnumMember, [o.meaning.name for o in analysis.occurrences if o.declares and o.meaning.place == last]
    elif last.type not in DECLARING:
        yield Kind.Variable, [name for name, word in pairwise(statement) if word.type == "IN" and name.type == "NAME"]
        yield Kind.Constant, _declared(analysis, "param", "set", "table", "variable", "coalition", "channel")
        yield Kind.EnumMember, analysis.facts.births
        yield Kind.Function, [word for word in FUNCTIONS if word not in DRAWS]


def _declared(analysis: Analysis, *kinds: str) -> list[str]:
    return [symbol.name for symbol in analysis.spec.symbols.values() if symbol.kind in kinds]
