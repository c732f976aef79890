"""Mappings of foreign runs. In: the `trace from` statements of a spec; out: what in them the scenario does not have.

The names of fields are a source's own; whether it has them is known when runs are imported.
"""

from collections.abc import Iterator

from colosseum.diagnostics import Diagnostic, closest, report
from colosseum.language import syntax
from colosseum.model.spec import Declared

MAPPED = ("agent", "arm", "channel", "decide", "model", "param", "post", "repeat", "round", "run", "seed")
"""What an entry may begin with."""
ALONE = ("model", "post", "repeat", "round", "run", "seed")
"""Those that name nothing of the scenario."""


def mapping_faults(spec: Declared) -> Iterator[Diagnostic]:
    """Unknown words, arms, channels, params and variables."""
    arms = {arm.name for statement in spec.of(syntax.Experiment) for arm in statement.arms} or {"baseline"}
    known = {"arm": arms}
    for kind, of in (("channel", "channel"), ("param", "param"), ("decide", "variable")):
        known[kind] = {symbol.name for symbol in spec.symbols.values() if symbol.kind == of}
    for entry in (entry for statement in spec.of(syntax.Trace) for entry in statement.mapped):
        what = entry.what.base if isinstance(entry.what, syntax.Lookup) else entry.what
        if entry.kind not in MAPPED:
            help_ = closest(entry.kind, MAPPED) or f"words: {', '.join(MAPPED)}"
            yield report("C011", entry.span, f"`{entry.kind}` maps nothing", help=help_)
        elif (entry.what is None) != (entry.kind in ALONE):
            shown = f"{entry.kind} is …" if entry.kind in ALONE else f"{entry.kind} NAME is …"
            yield report("C011", entry.span, f"expected `{shown}`")
        elif entry.what and not all(isinstance(n, syntax.Name | syntax.Lookup) for n in syntax.walk(entry.what)):
            yield report("C011", entry.what.span, "expected a name, or a name with indices")
        elif isinstance(what, syntax.Name) and what.id not in known.get(entry.kind, {what.id}):
            kind = "variable" if entry.kind == "decide" else entry.kind
            help_ = closest(what.id, known[entry.kind])
            yield report("C041", what.span, f"there is no {kind} `{what.id}`", help=help_)
