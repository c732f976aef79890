"""What an audit settles before its first run, as a page. In: an AuditPlan; out: facts."""

from collections.abc import Iterator

from colosseum.campaign.folder import Folder
from colosseum.campaign.registering import Registered
from colosseum.campaign.screening import screening_words
from colosseum.diagnostics import counted
from colosseum.evidence.audit_plan import AuditPlan
from colosseum.evidence.seeds import POWER, Needed
from colosseum.model.signals import few_seeds
from colosseum.report.document import Block, Definitions, Paragraph


def plan_blocks(found: AuditPlan) -> Iterator[Block]:
    """Signal, margin, seeds, arms and power."""
    yield Paragraph(found.title, "title")
    yield Paragraph(found.registered.question)
    yield Paragraph("")
    screened = [("screened", screening_words(found.screening))] if found.screening else []
    yield Definitions((*_facts(found.registered), *screened, *(("power", words) for words in _power(found))))
    yield Paragraph("")
    kept = Folder(found.folder).plan_path
    yield Paragraph(f"An audit with the same options keeps this in {kept} before its first run.")


def _facts(settled: Registered) -> list[tuple[str, str]]:
    margins = [f"{name.replace('_', ' ')} {margin:g} u" for name, margin in settled.margins.items()]
    points = len(settled.points)
    return [
        ("signal", settled.signal.replace("_", " ")),
        ("margin", " and ".join(margins) + ", the least effect that matters; u is a fair share"),
        ("seeds", f"{settled.seeds}" + (f", {settled.repeats} runs of each arm and seed" * (settled.repeats > 1))),
        ("control", settled.arms[0]),
        ("arms", ", ".join(settled.arms[1:]) or "none besides"),
        *([("points", f"{points} of the sweep, each with all arms")] if points > 1 else []),
        ("words", "a judge's score has to rise by 1 point"),
        ("effect", "where the lower 95 % limit is above 0 after Benjamini-Hochberg over all arms, points and signals"),
        ("no effect", "where the upper 90 % limit is below the margin; else it is not settled"),
        ("members", settled.fixed or "drawn from all agents, so that labels may be permuted"),
        ("digest", settled.digest),
    ]


def _power(found: AuditPlan) -> Iterator[str]:
    if words := few_seeds(found.seeds):
        yield words
    share = found.smallest_in_deviations
    if found.power:
        yield from map(needed_words, found.power)
    elif share.value is not None:
        yield (
            f"{found.seeds} seeds see an effect of {share.value:.2f} standard deviations of the paired differences in "
            f"{POWER:.0%} of studies; runs of an arm `again` in the folder would say what that is in fair shares"
        )


def needed_words(each: Needed) -> str:
    """What the spread between two equal arms says of one sweep point."""
    place = f"{each.point}: " if each.point else ""
    if each.sd.value is None:
        return f"{place}not known: {each.sd.reason} ({counted(each.pairs, 'pair')} of `{each.arm}` and the control)"
    settle, see = (f.reason if f.value is None else f"{f.value:,.0f} seeds" for f in (each.seeds, each.seeds_to_see))
    words = (
        f"{place}by the spread of `{each.arm}` ({each.sd.value:.3g} u over {each.pairs} pairs), {settle} could settle "
        f"the margin, and {see} see an effect as large in {POWER:.0%} of studies"
    )
    if each.smallest.value is None:
        return words
    return f"{words}; {each.planned} seeds see one of {each.smallest.value:.3g} u"
