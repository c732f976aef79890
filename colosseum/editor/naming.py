"""Answers about names. In: analyses of specs, a name or a text; out: Markdown, places to change, what may follow."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

from lsprotocol.types import CompletionItem
from lsprotocol.types import CompletionItemKind as Kind

from colosseum.diagnostics import Source, Span
from colosseum.editor.analysis import WORD, Analysis, Meaning
from colosseum.language.builder import Builder
from colosseum.language.parser import lex
from colosseum.language.splitting import Machine
from colosseum.language.words import DECLARING, FUNCTIONS, KEYWORDS, OPENERS, PARAMETERS, SURE_OPENERS, Token, spelled
from colosseum.model.check import READABLE
from colosseum.model.draws import DRAWS
from colosseum.model.realise import Realiser
from colosseum.model.settings import SETTINGS
from colosseum.model.spec import BUILT_IN
from colosseum.model.values import Elements, Fault, instance_name, text

_OPEN_BRACES = re.compile(r"\{[{%](?:(?![}%]\}).)*\Z", re.DOTALL)
MOST_SHOWN = 12  # values of one name, and lines of a declaration


def hover_text(analysis: Analysis, meaning: Meaning) -> str:
    """Markdown, with the values at the seed of the analysis; empty where nothing is known."""
    symbol, declared = analysis.spec.symbols.get(meaning.name), analysis.declaration(meaning)
    symbol = None if meaning.kind else symbol  # which is of a name that holds everywhere
    kind = meaning.kind or ("element" if declared else "")
    shown = declared.source.line(declared.line).strip() if declared else DRAWS.get(meaning.name, "")
    if symbol:
        kind, shown = f"private {symbol.kind}" if symbol.private else symbol.kind, symbol.statement.span.text
    if not kind:
        return ""
    try:
        values = _block("text", _lines(symbol.kind, symbol.name, analysis.facts) if symbol else ())
        values = values and f"\n\nat seed {analysis.facts.seed}:{values}"
    except Fault:
        values = f"\n\nits values at seed {analysis.facts.seed} are not known: the spec has an error"
    return f"**{kind}** `{meaning.name}`{_block('colo', shown.splitlines())}{values}"


def _block(language: str, lines: Iterable[str]) -> str:
    """The first lines as a block of code; none for no lines."""
    shown = list(islice(lines, MOST_SHOWN + 1))
    shown[MOST_SHOWN:] = ["…" for _ in shown[MOST_SHOWN:]]
    return "\n".join(("", "", f"```{language}", *shown, "```")) if shown else ""


def _lines(kind: str, name: str, facts: Realiser) -> Iterator[str]:
    """A line for each value."""
    match kind:
        case "param":
            yield text(facts.param(name))
        case "set" | "coalition" | "channel":
            items = facts.members(name).items
            yield f"{len(items)}: {text(Elements(items[:MOST_SHOWN]))}{', …' if len(items) > MOST_SHOWN else ''}"
        case "table":
            yield from (f"{instance_name(name, key)} = {text(v)}" for key, v in facts.table(name).entries.items())
        case "variable":
            domains = facts.decided(name).domains.items()
            yield from (f"{instance_name(name, key)}: {text(Elements(domain[:MOST_SHOWN]))}" for key, domain in domains)


def uses(meaning: Meaning, specs: list[Analysis]) -> list[Span]:
    """Every place of a name, by file and in order."""
    found = {(o.span.source.path, o.span.start): o.span for each in specs for o in each.occurrences
             if o.meaning == meaning and o.span.source.path}  # fmt: skip
    return [span for _, span in sorted(found.items())]


def refusal(meaning: Meaning, new: str, specs: list[Analysis]) -> str:
    """Why a name cannot be changed in a spec and in all that read its file, or an empty string."""
    name, declared = meaning.name, specs[0].declaration(meaning)
    words = (*BUILT_IN, *FUNCTIONS, *SETTINGS, *map(str.lower, KEYWORDS))
    if name in words or new in words or meaning.kind == "trace":
        return f"`{new if new in words else name}` is a word of the language"
    if not WORD.fullmatch(new):
        return f"`{new}` is no name: names are letters, digits and `_`"
    if any(each.spec.doubts for each in specs):
        return "some statements cannot be read, and may have the name: correct their errors first"
    if declared is None:
        return f"nothing here declares `{name}`"
    if declared.source.path is None or declared.source.path.suffix != ".colo" or declared.text.strip('"') != name:
        return f"`{name}` is made by `{' '.join(declared.text.split())}` in `{declared.source.name}`: change it there"
    for each in specs:  # two loops, prompts or experiments may have their own names that are alike
        alike = {o.meaning.place for o in each.occurrences if o.meaning.name == new}
        alike |= {""} if new in each.spec.symbols or new in each.facts.births else set()
        if alike & {"", meaning.place} or (alike and not meaning.place):
            return f"`{new}` already means something in `{each.spec.composition.source.name}`: choose another name"
    return ""


def completions(text: str, analysis: Analysis | None) -> list[CompletionItem]:
    """What may follow a text; a word that it ends with is taken as begun."""
    found = dict[str, Kind]()
    for kind, words in _suggested(re.sub(r"[^\W\d]\w*\Z", "", text), analysis):
        found = dict.fromkeys(words, kind) | found
    return [CompletionItem(label=word, kind=kind) for word, kind in found.items()]


def _suggested(text: str, analysis: Analysis | None) -> Iterator[tuple[Kind, Iterable[str]]]:
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


def _names(statement: list[Token], accepts: frozenset[str], analysis: Analysis) -> Iterator[tuple[Kind, Iterable[str]]]:
    """The names that may stand where a name may; none where one is to be invented."""
    first, last = statement[0].type, statement[-1]
    if first == "EXPERIMENT" and (("NETWORK" in accepts and accepts & {"ARM", "RBRACE"}) or last == "sweep"):
        yield Kind.Property, [*SETTINGS, "compare"]
        yield Kind.Constant, _declared(analysis, "channel", "prompt", "param")
    if last == "~":
        yield Kind.Function, DRAWS
    elif last.type == "NETWORK":
        yield Kind.Function, PARAMETERS
    elif first == "EXPERIMENT":  # the variants of a prompt, or the arms that are compared
        yield Kind.EnumMember, [o.meaning.name for o in analysis.occurrences if o.declares and o.meaning.place == last]
        yield Kind.Constant, [n for w, n in pairwise(statement) if w.type == "ARM" and "compare" in statement[-3::2]]
        yield Kind.Keyword, ["with"] if statement[-2:][0] == "compare" else []
    elif last.type not in DECLARING:
        yield Kind.Variable, [name for name, word in pairwise(statement) if word.type == "IN" and name.type == "NAME"]
        yield Kind.Constant, _declared(analysis, "param", "set", "table", "variable", "coalition", "channel")
        yield Kind.EnumMember, analysis.facts.births
        yield Kind.Function, [word for word in FUNCTIONS if word not in DRAWS]


def _declared(analysis: Analysis, *kinds: str) -> list[str]:
    return [symbol.name for symbol in analysis.spec.symbols.values() if symbol.kind in kinds]
