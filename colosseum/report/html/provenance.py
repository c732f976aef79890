"""Where a report comes from. In: a campaign's folder and its plan; out: blocks: what was asked for, commands that make
it again, and the spec.
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
    seeds, place = sorted({listed.seed for listed in plan.trials}), shlex.quote(str(folder))
    facts = {
        "experiment": plan.experiment,
        "seeds": seed_words(seeds),
        "arms": ", ".join(plan.arms),
        **{f"param {name}": option_value(value) for name, value in plan.params.items()},
        "made with": f"colosseum {plan.colosseum}",
        "report by": f"colosseum {__version__} on Python {python_version()}",
        "libraries": ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
        "configuration": plan.configuration,
        **({"rule settled": plan.registered.digest} if plan.registered else {}),
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


def _source(folder: Folder, name: str, digest: str) -> Block:
    try:
        content = (folder.spec / name).read_bytes()
        text = content.decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as wrong:
        return Paragraph(f"{name} cannot be read: {wrong.__class__.__name__}", "bad")
    if sha256(content).hexdigest() != digest:
        return Paragraph(f"{name} was changed since the runs were made ({digest[:12]})", "bad")
    return Listing(f"{name} ({digest[:12]})", text)
