"""Which models are asked, and how. In: options as typed; out: a model's Endpoint, and settings in place of a spec's.

`[MODEL=]VALUE` gives an option to one model, without `MODEL=` to all that have none of their own.
"""

import asyncio
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast, get_args
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel

from colosseum.audit.campaign.retry import Provider
from colosseum.cli.words import stop
from colosseum.diagnostics import closest
from colosseum.model.check import Checked
from colosseum.model.experiment import Conditions, Design
from colosseum.model.json_text import Json
from colosseum.model.settings import MODEL, Settings
from colosseum.players.models.preflight import preflight
from colosseum.players.models.reply import Price
from colosseum.players.models.request import Dialect, Endpoint
from colosseum.players.own_source import Unplayable, is_own, mark_of

T = TypeVar("T")


@dataclass(frozen=True)
class Wanted:
    """Options of models as they were typed."""

    models: tuple[str, ...] = ()
    """`provider/model` for everybody, or `WHO=provider/model`."""
    api_base: tuple[str, ...] = ()
    extra_body: tuple[str, ...] = ()
    price: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float = 120.0
    python: tuple[str, ...] = ()
    """Modules whose agents may be loaded."""


@dataclass(frozen=True)
class Asking:
    """The same, read and checked."""

    models: tuple[tuple[str, str], ...]
    """(who, model) in place of the spec's; empty where none was named."""
    temperature: float | None
    max_tokens: int | None
    timeout: float
    api_base: Mapping[str, str] = field(default_factory=dict)
    """By model; the empty name is everybody else's."""
    extra_body: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    price: Mapping[str, Price] = field(default_factory=dict)
    tools: Mapping[str, Dialect] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Of users' own agents, by name, what tells their versions apart."""

    def adjust(self, conditions: Conditions) -> Conditions:
        """An arm's conditions with what was asked for in place of what the spec says."""
        settings = conditions.settings
        if self.models:
            settings = replace(settings, model=self.models)
        if self.temperature is not None:
            settings = replace(settings, temperature=self.temperature)
        if self.max_tokens is not None:
            settings = replace(settings, max_tokens=self.max_tokens)
        return replace(conditions, settings=settings)

    def endpoint(self, model: str, settings: Settings) -> Endpoint:
        """How a model is asked in an arm."""
        return Endpoint(
            model,
            temperature=settings.temperature,
            max_tokens=settings.max_tokens,
            extra_body=_of(self.extra_body, model) or {},
            dialect=_of(self.tools, model) or cast(Dialect, settings.tools),
            api_base=_of(self.api_base, model),
            timeout=self.timeout,
            price=self.price.get(model) if is_own(model) else _of(self.price, model),
            own=self.own.get(model),
        )

    @property
    def words(self) -> str:
        """The models as they were named."""
        return ", ".join(model if who == "agents" else f"{who}={model}" for who, model in self.models)

    @property
    def options(self) -> dict[str, Json]:
        """As campaign.json keeps them: all that it takes to make the same trials again, and where they were asked."""
        return {
            "model": self.words,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "extra_body": {model: dict(body) for model, body in self.extra_body.items()},
            "tools": dict(self.tools),
            "own": {name: dict(mark) for name, mark in self.own.items()},
            "timeout": self.timeout,
            "api_base": {model: _address(url) for model, url in self.api_base.items()},
            "price": {model: [price.prompt, price.completion] for model, price in self.price.items()},
        }

    @classmethod
    def from_options(cls, options: Mapping[str, object]) -> "Asking":
        """What asks for the same trials; where, how long and at what price is not needed. Raises ValueError."""
        kept = _Kept.model_validate(options)
        models = _models(kept.model.split(", ")) if kept.model else ()
        asked = (models, kept.temperature, kept.max_tokens, Wanted.timeout)
        return cls(*asked, extra_body=kept.extra_body, tools=kept.tools, own=kept.own)


class _Kept(BaseModel):
    """Of the options that campaign.json keeps, those that make trials what they are."""

    model: str
    temperature: float | None
    max_tokens: int | None
    extra_body: dict[str, dict[str, Any]]
    tools: dict[str, Dialect]
    own: dict[str, dict[str, str]] = {}


def _address(url: str) -> str:
    """An address without what may be secret in it: a user's name and password, and what stands behind `?`."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "no address"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _of(given: Mapping[str, T], model: str) -> T | None:
    return given.get(model, given.get(""))


def read_asking(wanted: Wanted, checked: Checked, design: Design | None = None) -> Asking:
    """Check the options; users' own agents are looked up for the design that they are to play. Raises Stop."""
    models = _models(wanted.models)
    _check_groups([who for who, _ in models], checked)
    if wanted.max_tokens is not None and wanted.max_tokens < 1:
        raise stop("C122", f"`--max-tokens` is a whole number of at least 1, not `{wanted.max_tokens}`")
    return Asking(
        models=models,
        temperature=_within(wanted.temperature, "--temperature", 0.0, 2.0),
        max_tokens=wanted.max_tokens,
        timeout=_within(wanted.timeout, "--timeout", 0.001, 86_400.0) or 120.0,
        api_base=_by_model(wanted.api_base),
        extra_body={model: _body(text) for model, text in _by_model(wanted.extra_body).items()},
        price={model: _price(text) for model, text in _by_model(wanted.price).items()},
        tools={model: _dialect(text) for model, text in _by_model(wanted.tools).items()},
        own=_own(models, design) if design else {},
    )


def _own(models: Sequence[tuple[str, str]], design: Design) -> dict[str, dict[str, str]]:
    """What tells versions of each own agent apart: of those that were named, or else of the spec's. Raises Stop."""
    named = models or [pair for cell in design.cells for pair in cell.conditions.settings.model]
    try:
        return {name: mark_of(name) for _, name in named if is_own(name)}
    except Unplayable as fault:
        raise stop("C128", str(fault), help=fault.help) from None


def _models(given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Who is played by which model."""
    found: dict[str, str] = {}
    for words in given:
        who, equals, model = words.partition("=")
        who, model = (who, model) if equals else ("agents", words)
        if not MODEL.match(model):
            raise stop("C122", f"`{model}` is not the name of a model", help="as in `sim` or `provider/model`")
        if who in found:
            swept = ", ".join(f'"{m}"' for m in (found[who], model))
            help_ = f"to compare models, write `sweep model in {swept}` in the experiment; a team of several is "
            raise stop("C122", f"`--model` names two models for `{who}`", help=help_ + "`--model WHO=provider/model`")
        found[who] = model
    return tuple(found.items())


def _check_groups(groups: Sequence[str], checked: Checked) -> None:
    """Raises Stop where nobody of the spec is meant."""
    scenario = checked.expansion.scenario
    known = ["agents", *(c.name for c in scenario.coalitions), *scenario.task.agents]
    for who in groups:
        symbol = checked.spec.symbols.get(who)
        if who not in known and not (symbol and symbol.kind == "set"):
            help_ = closest(who, known) or "as in `--model cabal=provider/model`; without `cabal=` it is for everybody"
            raise stop("C122", f"`--model {who}=…`: `{who}` is not a coalition, an agent or `agents`", help=help_)


def _by_model(given: Sequence[str]) -> dict[str, str]:
    """Values by model: what stands before `=` is a model where it looks like one."""
    found: dict[str, str] = {}
    for words in given:
        model, equals, value = words.partition("=")
        likely = is_own(model) or ("/" in model and ":" not in model.partition("/")[0])
        named = equals and likely and MODEL.match(model)
        found[model if named else ""] = value if named else words
    return found


def _within(value: float | None, name: str, low: float, high: float) -> float | None:
    if value is not None and not low <= value <= high:
        raise stop("C122", f"`{name}` is a number from {low:g} to {high:g}, not `{value:g}`")
    return value


def _body(text: str) -> Mapping[str, Json]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        help_ = """as in `--extra-body '{"top_k": 20}'`"""
        raise stop("C122", f"`--extra-body {text}` is not a JSON object", help=help_)
    return found


def _price(text: str) -> Price:
    parts = text.split(",")
    try:
        prompt, completion = (float(part) for part in parts)
    except ValueError:
        prompt = completion = math.nan
    if not (prompt >= 0 and completion >= 0) or math.inf in (prompt, completion):
        help_ = "two amounts for a million tokens, of prompt and of answer, as in `--price 0.15,0.60`"
        raise stop("C122", f"`--price {text}` is not a price", help=help_)
    return Price(prompt, completion)


def _dialect(text: str) -> Dialect:
    for dialect in get_args(Dialect):
        if text == dialect:
            found: Dialect = dialect
            return found
    help_ = "as in `--tools text`, or `--tools provider/model=text` for one of several models"
    raise stop("C122", f"`--tools {text}` is none of {', '.join(get_args(Dialect))}", help=help_)


def asking_words(models: Collection[str], part: str) -> str:
    """That models are asked first, and what."""
    return f"asking {', '.join(models)} whether {'it' if len(models) == 1 else 'they'} can {part} …"


def ask_whether_they_can(models: Mapping[str, Endpoint]) -> None:
    """Ask every model once, before the first run, whether it can play. Raises Stop."""

    async def ask_all() -> list[str | None]:
        return list(await asyncio.gather(*(preflight(endpoint, Provider()) for endpoint in models.values())))

    wrong = [w for w in asyncio.run(ask_all()) if w]
    if wrong:
        raise stop("C124", wrong[0], help="no run was started and nothing was spent on one")
