"""Where a report comes from. In: a campaign's folder and its plan; out: blocks: the spec, what was asked for, and
commands that make it again.
"""

import shlex
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Final

from colosseum import __version__
from colosseum.campaign.folder import Folder, Plan
from colosseum.campaign.part import seed_words
from colosseum.report.commands import audit_command, option_value
from colosseum.report.document import Block, Definitions, Listing, Paragraph

LIBRARIES: Final = ("highspy", "litellm", "numpy", "pulp", "scipy")
"""Whose versions figures, and runs of models, may depend on."""


def provenance_blocks(folder: Path, plan: Plan, judges: Sequence[str]) -> Iterator[Block]:
    """Everything that made the runs of a folder."""
    yield Definitions(tuple(_facts(plan)))
    yield Definitions(tuple(_commands(folder, plan, judges)), "Commands")
    asked = [(name, option_value(value)) for name, value in sorted(plan.options.items()) if value not in (None, {}, [])]
    yield Definitions(tuple(asked), "What was asked for, resolved")
    for name, digest in plan.files.items():
        yield _source(Folder(folder), name, digest)


def _source(folder: Folder, name: str, digest: str) -> Block:
    try:
        content = (folder.spec / name).read_bytes()
        text = content.decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as wrong:
        return Paragraph(f"{name} cannot be read: {wrong.__class__.__name__}", "bad")
    if sha256(content).hexdigest() != digest:
        return Paragraph(f"{name} was changed since the runs were made ({digest[:12]})", "bad")
    return Listing(f"{name} ({digest[:12]})", text)


def _facts(plan: Plan) -> Iterator[tuple[str, str]]:
    yield "experiment", plan.experiment
    yield "seeds", seed_words(sorted({listed.seed for listed in plan.trials}))
    yield "arms", ", ".join(plan.arms)
    for name, value in plan.params.items():
        yield f"param {name}", option_value(value)
    yield "made with", f"colosseum {plan.colosseum}"
    yield "report by", f"colosseum {__version__} on Python {python_version()}"
    yield "libraries", ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    yield "configuration", plan.configuration
    if plan.registered is not None:
        yield "rule settled", plan.registered.digest


def _commands(folder: Path, plan: Plan, judges: Sequence[str]) -> Iterator[tuple[str, str]]:
    place, seeds = shlex.quote(str(folder)), {listed.seed for listed in plan.trials}
    again = audit_command(folder, plan, sorted(seeds), judges=judges, out=Path(f"{folder}-again"))
    yield "make the runs again, in another folder", f"`{again}`"
    yield "check that every figure follows from the files", f"`colosseum replay {place}`"
    yield "check that no file was changed", f"`colosseum log verify {place}`"
