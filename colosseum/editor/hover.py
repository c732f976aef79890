"""The meaning of a name, for a reader. In: a spec and a name; out: Markdown with its values at the seed."""

from collections.abc import Iterable
from itertools import islice

from colosseum.editor.analysis import Analysis, Meaning
from colosseum.model.draws import DRAWS
from colosseum.model.realise import Realiser
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
