"""Who judges, and what became of it. In: options as typed, and an experiment; out: judges' Endpoints, words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from colosseum.audit.campaign.folder import Folder
from colosseum.audit.campaign.judged import Judges, read_judges, write_judges
from colosseum.audit.campaign.judging import Verdicts
from colosseum.audit.judging.judgement import SCHEMA
from colosseum.audit.judging.lexical import NAME
from colosseum.audit.models.request import Endpoint
from colosseum.cli.asking import Asking
from colosseum.cli.words import stop
from colosseum.diagnostics import counted
from colosseum.model.experiment import Design
from colosseum.model.settings import MODEL, Settings


@dataclass(frozen=True)
class Judged:
    """Options of judges as they were typed."""

    models: tuple[str, ...] = ()
    repeats: int | None = None
    temperature: float | None = None


def judges_of(wanted: Judged, design: Design, asking: Asking) -> tuple[list[Endpoint], int]:
    """How each judge is asked, and how often; none where the baseline reads for free. Raises Stop.

    Those of the command line win over the spec's. They are asked at temperature 0, unless another one is said.
    """
    spoken = next((cell.conditions.settings.judge for cell in design.cells), None)
    names = list(dict.fromkeys(wanted.models or ([spoken] if spoken else [])))
    settings = Settings(temperature=0.0 if wanted.temperature is None else wanted.temperature)
    found: list[Endpoint] = []
    for name in names:
        if not MODEL.match(name) or (name.startswith("sim") and name != NAME):
            raise stop("C122", f"`{name}` is no judge", help=f"as in `{NAME}`, a baseline, or `provider/model`")
        if name != NAME:
            found.append(replace(asking, max_tokens=None).endpoint(name, settings))
    return found, wanted.repeats or 1


def keep_judges(folder: Folder, endpoints: Sequence[Endpoint], repeats: int) -> Judges:
    """Write down who judges. Raises Stop where one was asked in another way before, OSError, and Damaged."""
    fresh = Judges(SCHEMA, repeats, {each.model: each.parameters for each in endpoints})
    earlier = read_judges(folder)
    if earlier is not None and not fresh.like(earlier):
        unlike = next(n for n, how in fresh.models.items() if n in earlier.models and dict(earlier.models[n]) != how)
        help_ = f"ask in the same way, or remove {folder.judges.parent} to begin anew"
        raise stop("C122", f"`{unlike}` has judged runs in {folder.path} with other parameters", help=help_)
    judges = fresh if earlier is None else earlier.joined(fresh)
    write_judges(folder, judges)
    return judges


def verdict_words(verdicts: Verdicts) -> str:
    """What became of the judgements; empty where none was asked for."""
    asked = verdicts.made + sum(verdicts.missing.values()) + verdicts.left
    if not (asked or verdicts.found or verdicts.busy):
        return ""
    words = counted(verdicts.made + verdicts.found, "judgement")
    words += f", {verdicts.found} of them from before" if verdicts.found and verdicts.made else ""
    if verdicts.missing:
        kinds = ", ".join(f"{number} {status}" for status, number in sorted(verdicts.missing.items()))
        words += f"; without a score: {kinds}: `colosseum judge` asks for them again"
    words += f"; {counted(verdicts.left, 'judgement')} not asked for" if verdicts.left else ""
    words += f"; another process is at {counted(verdicts.busy, 'run')}" if verdicts.busy else ""
    return words
