"""Options of models. In: options as typed; out: a model's Endpoint, and settings in place of a spec's.

`[M=]VALUE` gives an option to one model, by its name or by whoever it plays; without `M=` to all that have none of
their own. The value `none` leaves a temperature or a limit of tokens out.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, TypeAlias, TypeVar, cast, get_args
from urllib.parse import urlsplit, urlunsplit

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter

from colosseum.diagnostics import closest, one_of, stop
from colosseum.model.check import Checked
from colosseum.model.experiment import Conditions, Design
from colosseum.model.serial import Json, adapter
from colosseum.model.settings import MODEL, Settings
from colosseum.players.models.call import MARKED
from colosseum.players.models.messages import Dialect
from colosseum.players.models.request import Endpoint, Price
from colosseum.players.own_source import Unplayable, is_own, mark_of, module_of
from colosseum.run.redaction import secrets

T = TypeVar("T")
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Heat, Most = Annotated[float, Field(ge=0, le=2)], Annotated[int, Field(ge=1, le=10**7)]
NONE = BeforeValidator(lambda text: None if text == "none" else text)


def _price(amounts: tuple[float, float]) -> Price:
    return Price(*amounts)


KINDS: Mapping[str, tuple[Any, str, str]] = {
    "temperature": (Annotated[Heat | None, NONE], "a number from 0 to 2, or none", "0.2"),
    "max_tokens": (Annotated[Most | None, NONE], "a whole number from 1, or none", "4000"),
    "timeout": (Annotated[float, Field(ge=0.001, le=86_400)], "a number of seconds, up to a day", "600"),
    "extra_body": (Annotated[dict[str, Any], BeforeValidator(json.loads)], "a JSON object", """'{"top_k": 20}'"""),
    "price": (
        Annotated[tuple[Amount, Amount], BeforeValidator(lambda text: text.split(",")), AfterValidator(_price)],
        "two amounts for a million tokens, of prompt and of answer", "0.15,0.60",
    ),
    "tools": (Dialect, f"one of {', '.join(get_args(Dialect))}", "text"),
}  # fmt: skip
"""By option, without the dashes: how it is read, what it is in words, and an example."""
Names: TypeAlias = str | Sequence[str] | Mapping[str, str]
"""A model for all, or models by whom they play, also written `WHO=provider/model`."""
WRITTEN = 1.25  # the price of a prompt's token that Claude writes to its cache, as we ask it to, over any other's
HEADER = re.compile(r"[A-Za-z0-9-]+")


@dataclass(frozen=True)
class Wanted:
    """Options of models as they were typed."""

    models: tuple[str, ...] = ()
    """`provider/model` for everybody, or `WHO=provider/model`."""
    api_base: tuple[str, ...] = ()
    extra_body: tuple[str, ...] = ()
    price: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    temperature: tuple[str, ...] = ()
    max_tokens: tuple[str, ...] = ()
    timeout: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    """Modules whose agents may be loaded."""

    @classmethod
    def typed(cls, **options: Iterable[str] | None) -> "Wanted":
        """Options as a command line has them: None where one was not typed."""
        return cls(**{name: tuple(words or ()) for name, words in options.items()})


def wanted_of(models: Names | None, options: Mapping[str, object]) -> Wanted:
    """Options as Python has them: a value is for all models, a mapping for some. Raises ColosseumError."""
    if not isinstance(options, Mapping):
        raise stop("C122", f"`asking` has to be a mapping of options to values, not {options!r}"[:300])
    named = _typed("models", models) if models else ()
    names = [*(each.name for each in fields(Wanted) if each.name not in ("models", "python")), "allow_python"]
    found = {one_of("option", option, names): _typed(option, value) for option, value in options.items()}
    python = (*(module_of(words.rpartition("=")[2]) for words in named), *found.pop("allow_python", ()))
    return Wanted(models=named, python=python, **found)


def _typed(option: str, value: object) -> tuple[str, ...]:
    """A value as it would be typed."""
    match option, value:
        case (("extra_body" | "header"), Mapping()) if not all(isinstance(each, Mapping) for each in value.values()):
            headers = tuple(f"{name}: {each}" for name, each in value.items())
            return headers if option == "header" else (json.dumps(value),)
        case _, Mapping():
            return tuple(f"{who}={words}" for who, each in value.items() for words in _typed(option, each))
        case (("models" | "allow_python"), list() | tuple()):
            return tuple(map(str, value))
        case "price", (prompt, completion):
            return (f"{prompt},{completion}",)
    return ("none" if value is None else str(value),)


@dataclass(frozen=True)
class Asking:
    """The same, read and checked."""

    models: tuple[tuple[str, str], ...]
    """(who, model) in place of the spec's; empty where none was named."""
    temperature: Mapping[str, float | None] = field(default_factory=dict)
    """By model, or whoever it plays, as all that follow; the empty name is everybody else's."""
    max_tokens: Mapping[str, int | None] = field(default_factory=dict)
    timeout: Mapping[str, float | None] = field(default_factory=dict)
    headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    api_base: Mapping[str, str] = field(default_factory=dict)
    extra_body: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    price: Mapping[str, Price] = field(default_factory=dict)
    tools: Mapping[str, Dialect] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Of users' own agents, by name, what tells their versions apart."""

    def adjust(self, conditions: Conditions) -> Conditions:
        """An arm's conditions with what was asked for in place of what the spec says."""
        settings = conditions.settings
        if self.models:
            settings = replace(settings, model=self.models)
        settings = settings.told("temperature", self.temperature).told("max_tokens", self.max_tokens)
        return replace(conditions, settings=settings, planted=conditions.planted and not self.models)

    def endpoint(self, model: str, settings: Settings) -> Endpoint:
        """How a model is asked in an arm."""
        price = self.price.get(model) if is_own(model) else _of(self.price, model, settings)
        if price and MARKED.search(model):
            price = replace(price, stored=WRITTEN * price.prompt)
        return Endpoint(
            model,
            temperature=settings.of("temperature", model),
            max_tokens=settings.of("max_tokens", model),
            extra_body=_of(self.extra_body, model, settings) or {},
            dialect=_of(self.tools, model, settings) or cast(Dialect, settings.tools),
            api_base=_of(self.api_base, model, settings),
            timeout=_of(self.timeout, model, settings) or Endpoint.timeout,
            price=price,
            own=self.own.get(model),
            headers=_of(self.headers, model, settings) or {},
        )

    @property
    def secrets(self) -> list[str]:
        """What reaches no file: users and passwords of addresses, and what looks secret in headers."""
        return [*secrets(self.api_base.values(), self.headers.values())]

    @property
    def options(self) -> dict[str, Json]:
        """As campaign.json keeps them: all that it takes to make the same trials again, and where they were asked."""
        return {
            "model": ", ".join(model if who == "agents" else f"{who}={model}" for who, model in self.models),
            "temperature": _plain(self.temperature),
            "max_tokens": _plain(self.max_tokens),
            "extra_body": {model: dict(body) for model, body in self.extra_body.items()},
            "tools": dict(self.tools),
            "own": {name: dict(mark) for name, mark in self.own.items()},
            "timeout": _plain(self.timeout),
            "header": {model: list(each) for model, each in self.headers.items()},
            "api_base": {model: _address(url) for model, url in self.api_base.items()},
            "price": {model: [price.prompt, price.completion] for model, price in self.price.items()},
        }

    @classmethod
    def from_options(cls, options: Mapping[str, object]) -> "Asking":
        """What asks for the same trials; where, how long and at what price is not needed. Raises ValueError."""
        names = ("temperature", "max_tokens", "extra_body", "tools", "own")
        if not {"model", *names[:-1]} <= options.keys():
            raise ValueError("it is not said how models are asked")
        kept = {name: each for name in names if (each := options.get(name)) is not None}
        found = {name: each if isinstance(each, dict) else {"": each} for name, each in kept.items()}
        models = _models(str(options["model"]).split(", ")) if options["model"] else ()
        return TypeAdapter(cls).validate_python({**found, "models": models})


def _address(url: str) -> str:
    """An address without what may be secret in it: a user's name and password, and what stands behind `?`."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "no address"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _of(given: Mapping[str, T | None], model: str, settings: Settings) -> T | None:
    """The value for a model: the last that means it, or else everybody's."""
    known = settings.known_as(model)
    return [given.get(""), *(value for who, value in given.items() if who in known)][-1]


def _plain(given: Mapping[str, float | None]) -> Json:
    """The one value for everybody, where that is all; null where there is none."""
    alone = given.get("")
    return dict(given) if len(given) > 1 or (given and alone is None) else alone


def read_asking(wanted: Wanted, checked: Checked, design: Design | None = None) -> Asking:
    """Check the options; users' own agents are looked up for the design they are to play. Raises ColosseumError."""
    models = _models(wanted.models)
    _check_groups([who for who, _ in models], checked)
    known = _known(checked, models)
    headers: dict[str, dict[str, str]] = {}
    for who, text in _by_model(wanted.header, known):
        headers.setdefault(who, {}).update([_header(text)])
    own, read = _own(models, design) if design else {}, {name: _read(name, wanted, known) for name in KINDS}
    return Asking(models, headers=headers, api_base=dict(_by_model(wanted.api_base, known)), own=own, **read)


def _own(models: Sequence[tuple[str, str]], design: Design) -> dict[str, dict[str, str]]:
    """What tells versions of each own agent apart: of those named, or else of the spec's. Raises ColosseumError."""
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
    """Raises ColosseumError where nobody of the spec is meant."""
    scenario = checked.expansion.scenario
    known = ["agents", *(c.name for c in scenario.coalitions), *scenario.task.agents]
    for who in groups:
        symbol = checked.spec.symbols.get(who)
        if who not in known and not (symbol and symbol.kind == "set"):
            help_ = closest(who, known) or "as in `--model cabal=provider/model`; without `cabal=` it is for everybody"
            raise stop("C122", f"`--model {who}=…`: `{who}` is not a coalition, an agent or `agents`", help=help_)


def _known(checked: Checked, models: Sequence[tuple[str, str]]) -> list[str]:
    """By which names, besides those of models, a model may be meant: its name without provider, or whoever it plays."""
    spoken = [pair for d in checked.designs.values() for cell in d.cells for pair in cell.conditions.settings.model]
    return ["agents"] + [word for who, model in [*spoken, *models] for word in (who, model.partition("/")[2]) if word]


def _by_model(given: Sequence[str], known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Who is meant, and by what: what stands before `=` is a model where it looks like one."""
    for words in given:
        who, equals, value = words.partition("=")
        likely = who in known or is_own(who) or ("/" in who and ":" not in who.partition("/")[0])
        named = equals and likely and MODEL.match(who)
        yield (who if who != "agents" else "", value) if named else ("", words)


def _read(name: str, wanted: Wanted, known: Collection[str]) -> dict[str, Any]:
    """By who is meant, what was typed as a value. Raises ColosseumError, also where nobody is meant."""
    (kind, what, example), found, option = KINDS[name], dict[str, Any](), f"--{name.replace('_', '-')}"
    for who, text in _by_model(getattr(wanted, name), known):
        try:
            found[who] = adapter(kind).validate_python(text)
        except ValueError:
            meant, equals, value = text.partition("=")
            if equals and MODEL.match(meant):
                words = f"`{option} {text}`: `{meant}` is no model, and plays with none of its own"
                help_ = closest(meant, [*known]) or f"as in `{option} provider/model={value}`"
                raise stop("C122", words, help=help_) from None
            raise stop("C122", f"`{option}` is {what}, not `{text}`", help=f"as in `{option} {example}`") from None
    return found


def _header(text: str) -> tuple[str, str]:
    name, colon, value = (part.strip() for part in text.partition(":"))
    if not (colon and HEADER.fullmatch(name)) or not value.isprintable():
        help_ = "as in `--header 'X-Team: audits'`, or `--header provider/model=X-Team:audits`"
        raise stop("C122", "`--header` is a name and a value, with a colon between them", help=help_)
    return name, value
