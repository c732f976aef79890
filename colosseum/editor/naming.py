"""The meaning and the uses of a name. In: specs and a name; out: Markdown with its values, and the places to change."""

from collections.abc import Iterable
from itertools import islice

from pygls.exceptions import JsonRpcInvalidParams

from colosseum.diagnostics import Span
from colosseum.editor.analysis import WORD, Analysis, Meaning
from colosseum.language.words import FUNCTIONS, KEYWORDS
from colosseum.model.draws import DRAWS
from colosseum.model.realise import Realiser
from colosseum.model.settings import SETTINGS
from colosseum.model.spec import BUILT_IN
from colosseum.model.values import Elements, Fault, instance_name, text

MOST_SHOWN = 12  # values of one name, and lines of a declaration


def hover_text(analysis: Analysis, meaning: Meaning) -> str:
    """Markdown; empty where nothing is known."""
    symbol, declared = analysis.symbol(meaning), analysis.declaration(meaning)
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


def _lines(kind: str, name: str, facts: Realiser) -> Iterable[str]:
    """A line for each value."""
    match kind:
        case "param":
            return [text(facts.param(name))]
        case "set" | "coalition" | "channel":
            items = facts.members(name).items
            return [f"{len(items)}: {text(Elements(items[:MOST_SHOWN]))}{', …' if len(items) > MOST_SHOWN else ''}"]
        case "table":
            return (f"{instance_name(name, key)} = {text(v)}" for key, v in facts.table(name).entries.items())
        case "variable":
            domains = facts.decided(name).domains.items()
            return (f"{instance_name(name, key)}: {text(Elements(domain[:MOST_SHOWN]))}" for key, domain in domains)
    return []


def uses(meaning: Meaning, specs: list[Analysis]) -> list[Span]:
    """Every place of a name, by file and in order."""
    found = {(o.span.source.path, o.span.start): o.span for each in specs for o in each.occurrences
             if o.meaning == meaning and o.span.source.path}  # fmt: skip
    return [span for _, span in sorted(found.items())]


def renamed(meaning: Meaning, new: str, specs: list[Analysis]) -> list[Span]:
    """The places to change in a spec and all that read its file. Raises JsonRpcInvalidParams with a reason."""
    if reason := _refusal(meaning, new, specs):
        raise JsonRpcInvalidParams(reason)
    return uses(meaning, specs)


def _refusal(meaning: Meaning, new: str, specs: list[Analysis]) -> str:
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
