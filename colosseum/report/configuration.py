"""`colosseum audit --show-config`. In: what was asked for; out: every value that holds, and where it comes from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colosseum.campaign.model_options import Asking, read_asking
from colosseum.campaign.part import read_design, seed_words
from colosseum.campaign.work import Request
from colosseum.language import syntax
from colosseum.model.check import Checked
from colosseum.model.experiment import Design
from colosseum.model.json_text import Json
from colosseum.players.models.failure import redact
from colosseum.players.models.request import Endpoint
from colosseum.report.cells import described
from colosseum.report.document import Block, Paragraph
from colosseum.report.provenance import option_value
from colosseum.run.redaction import Redaction

SETTINGS = ("model", "temperature", "max_tokens", "budget", "judge")
"""Options that stand in place of a spec's settings of the same name."""


@dataclass(frozen=True)
class HeldOption:
    """A value that holds."""

    option: str
    value: Any
    """As JSON has it."""
    origin: str
    """flag, the name of a variable, .env, spec, or default."""


@dataclass(frozen=True)
class ConfigFile:
    """Every option that holds."""

    spec: Path
    options: tuple[HeldOption, ...]
    dotenv: tuple[str, ...]
    """What `.env` sets besides."""


def configuration(
    checked: Checked, request: Request, values: Mapping[str, object], places: Mapping[str, str], dotenv: Sequence[str]
) -> ConfigFile:
    """What would hold, by the `places` where options are given. Raises ColosseumError."""
    design = read_design(checked, request.part, file=str(request.file), say=request.warn)
    asking = read_asking(request.wanted, checked)
    known = {**values, "out": request.place(checked), "timeout": values["timeout"] or Endpoint.timeout}
    holds = {name: (known[name], place) for name, place in places.items() if name != "show_config"}
    for name, found in _specified(checked, design, asking).items():
        if holds[name][1] == "default" and not (name == "budget" and request.budget.none):
            holds[name] = found
    redaction = Redaction.of(others=asking.secrets)
    spelt = {name: "set" if name == "sets" else name.replace("_", "-") for name in holds}
    options = (HeldOption(spelt[n], _shown(value, redaction), where) for n, (value, where) in holds.items())
    return ConfigFile(request.file, tuple(options), tuple(dotenv))


def configuration_blocks(found: ConfigFile) -> Iterator[Block]:
    """A row an option: its value, and where it is from."""
    every = [(each, each.value if isinstance(each.value, list) else [each.value]) for each in found.options]
    words = ((o, " ".join(map(option_value, v)) if v not in ([None], []) else "—") for o, v in every)
    yield described("options", ((option.option, value, option.origin) for option, value in words), most=None)
    if found.dotenv:
        yield Paragraph(f".env also sets {', '.join(found.dotenv)}")


def _specified(checked: Checked, design: Design, asking: Asking) -> dict[str, tuple[object, str]]:
    """What the spec says where no option does, or the language where the spec does not."""
    statement = next(each for each in checked.spec.of(syntax.Experiment) if each.name == design.name)
    said = {each.name for settings in (statement.settings, *(a.settings for a in statement.arms)) for each in settings}
    said |= {sweep.name for sweep in statement.sweeps}
    found: dict[str, tuple[object, str]] = {
        "experiment": (design.name, "spec"), "seeds": (seed_words(design.seeds), "spec"), "arm": (design.arms, "spec")
    }  # fmt: skip
    settings = [asking.adjust(cell.conditions).settings for cell in design.cells]
    for name in SETTINGS:
        every = list(dict.fromkeys(getattr(each, name) for each in settings))
        if name == "model":
            every = [" ".join(m if who == "agents" else f"{who}={m}" for who, m in each) for each in every]
        found[name] = every[0] if len(every) == 1 else every, "spec" if name in said else "default"
    return found


def _shown(value: object, redaction: Redaction) -> Json:
    """A value without what is secret in it."""
    if isinstance(value, list | tuple):
        return [_shown(each, redaction) for each in value]
    return value if value is None or isinstance(value, int | float) else redact(redaction.clean(str(value)))
