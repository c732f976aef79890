"""Where a report comes from. In: a campaign's folder and its plan; out: the spec, what was asked for, and commands that
make it again.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
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
from colosseum.language.highlight import ColosseumLexer
from colosseum.report.numbers import seed_words

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
        tuple((name, _value(value)) for name, value in sorted(plan.options.items()) if value not in (None, {}, [])),
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
        yield f"param {name}", _value(value)
    yield "made with", f"colosseum {plan.colosseum}"
    yield "report by", f"colosseum {__version__} on Python {python_version()}"
    yield "libraries", ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    yield "configuration", plan.configuration
    if plan.registered is not None:
        yield "rule settled", plan.registered.digest


def _commands(folder: Path, plan: Plan) -> Iterator[tuple[str, str]]:
    place = shlex.quote(str(folder))
    spec = shlex.quote(str(folder / "spec" / plan.spec))
    parts = ["colosseum", "audit", spec, "--experiment", shlex.quote(plan.experiment)]
    parts += ["--seeds", seed_words(sorted({listed.seed for listed in plan.trials}))]
    for option, value in (*_asked(plan.options), *(("set", f"{n}={_value(v)}") for n, v in plan.params.items())):
        parts += [f"--{option}", shlex.quote(value)] if value else [f"--{option}"]
    yield "play the same again, in another folder", " ".join([*parts, "--out", f"{place}-again"])
    yield "check that all figures follow from what is on file", f"colosseum replay {place}"
    yield "check that no file was changed", f"colosseum log verify {place}"


def _asked(options: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Options with their values, as they are typed; a flag has none."""
    for model in filter(None, _value(options.get("model") or "").split(", ")):
        yield "model", model
    for name in ("api_base", "tools", "extra_body", "price"):
        given = options.get(name)
        for model, value in given.items() if isinstance(given, dict) else ():
            words = ",".join(map(_value, value)) if isinstance(value, list) else _value(value)
            yield name.replace("_", "-"), f"{model}={words}" if model else words
    for name in ("temperature", "max_tokens"):
        given = options.get(name)
        for who, value in (given if isinstance(given, dict) else {"": given}).items():
            if value is not None or isinstance(given, dict):
                words = "none" if value is None else _value(value)
                yield name.replace("_", "-"), f"{who}={words}" if who else words
    arms = options.get("arms")
    yield from (("arm", _value(arm)) for arm in (arms if isinstance(arms, list) else ()))
    yield from ((name.replace("_", "-"), "") for name in ("couple", "no_budget") if options.get(name) is True)


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
