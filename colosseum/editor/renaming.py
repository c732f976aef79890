"""Uses of a name in all specs that read its file. In: a name and a new one; out: places to change, or a refusal."""

from pygls.exceptions import JsonRpcInvalidParams

from colosseum.diagnostics import Span
from colosseum.editor.analysis import WORD, Analysis, Meaning
from colosseum.language.words import FUNCTIONS, KEYWORDS
from colosseum.model.settings import SETTINGS
from colosseum.model.spec import BUILT_IN


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
