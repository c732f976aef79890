"""Where a report comes from. In: a campaign's folder and its plan; out: the spec, what was asked for, and commands that
make it again.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Final

from pygments import highlight
from pygments.formatters import HtmlFormatter

from colosseum import __version__
from colosseum.campaign.folder import Folder, Plan
from colosseum.campaign.part import seed_words
from colosseum.language.highlight import ColosseumLexer
from colosseum.report.commands import audit_command, option_value

LIBRARIES: Final = ("highspy", "litellm", "numpy", "pulp", "scipy")
"""Whose versions figures, and runs of models, may depend on."""
LONGEST: Final = 200_000
"""Characters of a file that are shown."""


@dataclass(frozen=True)
class Source:
    """A file of the spec."""

    name: str
    digest: str
    """SHA-256, in hexadecimal."""
    marked: str
    """Its text as HTML, in classes of Pygments; empty where it cannot be read."""
    fault: str
    """Why not."""


@dataclass(frozen=True)
class Provenance:
    """All of it."""

    sources: tuple[Source, ...]
    facts: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...]
    """What was asked for, resolved."""
    commands: tuple[tuple[str, str], ...]
    """What each does, and the command."""


def provenance(folder: Path, plan: Plan) -> Provenance:
    """Everything that made the runs of a folder."""
    return Provenance(
        tuple(_source(Folder(folder), name, digest) for name, digest in plan.files.items()),
        tuple(_facts(plan)),
        tuple(
            (name, option_value(value)) for name, value in sorted(plan.options.items()) if value not in (None, {}, [])
        ),
        tuple(_commands(folder, plan)),
    )


def _source(folder: Folder, name: str, digest: str) -> Source:
    try:
        content = (folder.spec / name).read_bytes()
        text = content.decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as wrong:
        return Source(name, digest, "", f"cannot be read: {wrong.__class__.__name__}")
    if sha256(content).hexdigest() != digest:
        return Source(name, digest, "", "was changed since the runs were made")
    shown = text if len(text) <= LONGEST else text[:LONGEST] + "\n…"
    seen = "".join(sign if sign.isprintable() or sign in "\n\t" else "\N{REPLACEMENT CHARACTER}" for sign in shown)
    return Source(name, digest, highlight(seen, ColosseumLexer(), HtmlFormatter(nowrap=True)), "")


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


def _commands(folder: Path, plan: Plan) -> Iterator[tuple[str, str]]:
    place, seeds = shlex.quote(str(folder)), {listed.seed for listed in plan.trials}
    again = audit_command(folder, plan, sorted(seeds), out=Path(f"{folder}-again"))
    yield "play the same again, in another folder", again
    yield "check that all figures follow from what is on file", f"colosseum replay {place}"
    yield "check that no file was changed", f"colosseum log verify {place}"
