"""Where a report comes from. In: a campaign's folder and its plan; out: what was asked for, commands for the shell that
make it again or go on, and the spec.
"""

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Final

from colosseum import __version__
from colosseum.campaign.calls import Expense, read_paid
from colosseum.campaign.folder import Folder, Plan
from colosseum.campaign.judged import read_judges
from colosseum.campaign.money import money
from colosseum.campaign.part import seed_words
from colosseum.campaign.verifying import heads
from colosseum.diagnostics import counted
from colosseum.report.document import Block, Definitions, Listing, Paragraph
from colosseum.run.judging.asking import BASELINE

LIBRARIES: Final = ("highspy", "litellm", "numpy", "pulp", "scipy")
"""Whose versions figures, and runs of models, may depend on."""


def provenance_blocks(folder: Path, plan: Plan, judges: Sequence[str]) -> Iterator[Block]:
    """Everything that made the runs of a folder."""
    seeds, place = sorted({listed.seed for listed in plan.trials}), shlex.quote(str(folder))
    facts = {
        "arms": ", ".join(plan.arms),
        "made with": f"colosseum {plan.colosseum}",
        "report by": f"colosseum {__version__} on Python {python_version()}",
        "libraries": ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
        "configuration": plan.configuration,
        **({"rule settled": plan.registered.digest} if plan.registered else {}),
        **heads(Folder(folder)),
        **dict(_spent(Folder(folder), plan)),
    }
    again = audit_command(folder, plan, seeds, judges=judges, out=Path(f"{folder}-again"))
    commands = {
        "make the runs again, in another folder": again,
        "check that every figure follows from the files": f"colosseum replay {place}",
        "check that no file was changed": f"colosseum log verify {place}",
    }
    yield Definitions(tuple(facts.items()))
    yield Definitions(tuple((purpose, f"`{command}`") for purpose, command in commands.items()), "Commands")
    for name, digest in plan.files.items():
        yield _source(Folder(folder), name, digest)


def _spent(folder: Folder, plan: Plan) -> Iterator[tuple[str, str]]:
    """Calls, tokens and money of all runs, and of judges; nothing where no model was asked."""
    runs = [result.expense for each in plan.trials if (result := folder.result(each.trial))]
    judges = [Expense.of([paid for _, paid in read_paid(folder.judging(each.trial))]) for each in plan.trials]
    for whose, parts in (("", runs), (" of judges", judges)):
        spent = Expense(*map(sum, zip(astuple(Expense.summed([], 0)), *map(astuple, parts), strict=True)))
        unknown = f"; {counted(spent.uncounted, 'answer')} not counted" * bool(spent.uncounted)
        if spent.calls:
            yield f"calls{whose}", f"{spent.calls:,}, {counted(spent.retries, 'attempt')} more"
            yield f"tokens{whose}", f"{spent.prompt_tokens:,} read, {spent.completion_tokens:,} written{unknown}"
            yield f"cost{whose}", money(spent.cost, None, spent.unpriced)


def _source(folder: Folder, name: str, digest: str) -> Block:
    try:
        content = (folder.spec / name).read_bytes()
        text = content.decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as wrong:
        return Paragraph(f"{name} cannot be read: {wrong.__class__.__name__}", "bad")
    if sha256(content).hexdigest() != digest:
        return Paragraph(f"{name} was changed since the runs were made ({digest[:12]})", "bad")
    return Listing(f"{name} ({digest[:12]})", text)


def audit_command(folder: Path, plan: Plan, seeds: Sequence[int], *, judges: Sequence[str], out: Path) -> str:
    """The command that makes the runs of these seeds, in ascending order, by the spec that the folder keeps."""
    arms = plan.options.get("arms")
    models, panel = option_value(plan.options.get("model") or "").split(", "), read_judges(Folder(folder))
    asked = [
        ("experiment", plan.experiment), ("seeds", seed_words(seeds)), *(("model", each) for each in models if each),
        *(("arm", option_value(arm)) for arm in (arms if isinstance(arms, list) else ())), *_changed(plan),
        *(("judge", judge) for judge in judges if judge != BASELINE),
        *([("judge-repeats", str(panel.repeats))] if panel and panel.repeats > 1 else []), ("out", str(out)),
    ]  # fmt: skip
    return " ".join(["colosseum audit", shlex.quote(str(folder / "spec" / plan.spec)), *map(_typed, asked)])


def changed_words(plan: Plan) -> str:
    """Options besides models and arms that hold in place of what the spec says, as they are typed."""
    return " ".join(map(_typed, _changed(plan)))


def _typed(asked: tuple[str, str]) -> str:
    """An option for the shell; a flag has no value."""
    name, value = asked
    return f"--{name} {shlex.quote(value)}" if value else f"--{name}"


def _changed(plan: Plan) -> Iterator[tuple[str, str]]:
    """Params, and options that may have a value for each model or agent; `none` stands for the provider's default."""
    for name in ("api_base", "tools", "extra_body", "price", "temperature", "max_tokens", "budget", "run_budget"):
        given = plan.options.get(name)
        for who, value in (given if isinstance(given, dict) else {} if given is None else {"": given}).items():
            words = ",".join(map(option_value, value)) if isinstance(value, list) else option_value(value)
            yield name.replace("_", "-"), f"{who}={words}" if who else words
    yield from (("set", f"{name}={option_value(value)}") for name, value in plan.params.items())
    yield from ((name.replace("_", "-"), "") for name in ("no_budget",) if plan.options.get(name) is True)


def option_value(value: object) -> str:
    """As it is typed."""
    words = "none" if value is None else value
    return words if isinstance(words, str) else json.dumps(words, ensure_ascii=False, default=str)
