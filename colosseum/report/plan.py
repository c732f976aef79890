"""What an audit settles before its first run, as a page. In: an AuditPlan; out: facts."""

from collections.abc import Iterator

from colosseum.campaign.folder import Folder
from colosseum.campaign.registering import Registered
from colosseum.campaign.screening import screening_words
from colosseum.evidence.audit_plan import AuditPlan
from colosseum.evidence.seeds import POWER, Needed
from colosseum.evidence.statistics import ENOUGH_NONZERO
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
    measured = [each for each in found.power if each.smallest.value is not None]
    share = found.smallest_in_deviations
    if measured:
        yield from map(_needed, measured)
    elif share.value is None:
        yield share.reason
    else:
        yield (
            f"{found.seeds} seeds see an effect of {share.value:.2f} standard deviations of the paired differences in "
            f"{POWER:.0%} of studies; runs of an arm `again` in the folder would say what that is in fair shares"
            f"{_few(found.seeds)}"
        )


def _needed(each: Needed) -> str:
    place = f"{each.point}: " if each.point else ""
    seeds = f"{each.seeds_to_see.value:,.0f} seeds" if each.seeds_to_see.value else each.seeds_to_see.reason
    return (
        f"{place}by `{each.arm}`, {each.planned} seeds see an effect of {each.smallest.value or 0:.3g} u in "
        f"{POWER:.0%} of studies; for one as large as the margin: {seeds}{_few(each.planned)}"
    )


def _few(seeds: int) -> str:
    """What it means that there are few."""
    if seeds >= ENOUGH_NONZERO:
        return ""
    return f". That is by Student's t: of fewer than {ENOUGH_NONZERO} seeds exact tests of signs decide, which see less"
