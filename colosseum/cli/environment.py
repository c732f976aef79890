"""Options that are not typed. In: `COLOSSEUM_…` variables and a `.env`; out: values of options, and where each is from.

`colosseum guide ci` says which place wins. An empty variable counts as none, and hides that of the `.env`. A JSON
object is one value, and so is what stands in double quotes. What else a `.env` sets, such as keys of providers, holds
while the command runs.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from colosseum.campaign.dotenv import added, read_env
from colosseum.cli.words import complain, say_diagnostics
from colosseum.diagnostics import ColosseumError, Diagnostic, closest, report

PREFIX = "COLOSSEUM_"
FILE = Path(".env")
KEY = "colosseum.origins"
"""Under which name a context keeps where its options come from."""
SWITCH, RIVALS = "no_budget", ("budget", "run_budget")
"""A switch and the options that contradict it: what is said in the stronger place wins."""


class ConfiguredCommand(TyperCommand):
    """A command whose options may be set by variables."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # whose context it is depends on typer's version
        """Read what is typed, and what is not."""
        asked = not (ctx.resilient_parsing or "--help" in args)
        with ExitStack() as stack:
            try:
                new = stack.enter_context(added(read_env(FILE) if asked else {}))
            except ColosseumError as broken:
                raise typer.Exit(complain(broken)) from None
            for each in _options(self):
                each.envvar = variable_of(each.opts)
                each.show_envvar = asked and each.envvar in os.environ  # in errors; help has a line for all of them
                if getattr(each, "multiple", False):
                    each.value_from_envvar = partial(_several, each.envvar)
            if asked:
                say_diagnostics(misspelt(os.environ, _variables(ctx)))
            rest = super().parse_args(ctx, args)
            found = {str(each.name): _place(each, ctx, new) for each in _options(self)}
            ctx.meta[KEY] = found
            _settle(ctx.params, found)
            ctx.call_on_close(stack.pop_all().close)
        return list(rest)


def _options(command: Any) -> list[Any]:
    return [each for each in command.params if each.param_type_name == "option"]


def _variables(ctx: Any) -> Iterator[str]:
    """Those of the options of all commands that have some: those of another command are no mistake here."""
    for command in getattr(ctx.parent.command, "commands", {}).values() if ctx.parent else ():
        if isinstance(command, ConfiguredCommand):
            yield from (variable_of(each.opts) for each in _options(command))


def _several(variable: str, ctx: Any) -> list[str] | None:
    """The values of an option that may be repeated."""
    return values_in(os.environ.get(variable, "")) or None


def origins(context: typer.Context) -> Mapping[str, str]:
    """Where the values of a Configured command's parameters come from: flag, a variable's name, .env, or default."""
    found: Mapping[str, str] = context.meta[KEY]
    return found


def allowed(context: typer.Context) -> tuple[str, ...]:
    """Modules whose agents may run: those of agents that options name, but not a `.env`, which may come with a spec."""
    from colosseum.players.own_source import module_of

    own = [name for name in ("model", "allow_python") if origins(context)[name] != ".env"]
    return tuple(module_of(words.rpartition("=")[2]) for name in own for words in context.params[name] or ())


def variable_of(spellings: Sequence[str]) -> str:
    """The variable of an option that is spelt so."""
    return PREFIX + max(spellings, key=len).lstrip("-").replace("-", "_").upper()


def values_in(words: str) -> list[str]:
    """The values of an option that may be repeated, with spaces between them."""
    from json import JSONDecoder

    found = []
    while words := words.strip():
        quoted = re.match(r'"([^"]*)"(?!\S)', words)
        if quoted:
            found.append(quoted[1])
            words = words[quoted.end() :]
            continue
        end = len(words.split(maxsplit=1)[0])
        brace = words.find("{", 0, end)
        if brace >= 0:
            try:
                end = JSONDecoder().raw_decode(words, brace)[1]
            except ValueError:
                end = len(words)  # whoever reads it says what is wrong with it
        found.append(words[:end])
        words = words[end:]
    return found


@contextmanager
def unconfigured() -> Iterator[None]:
    """Within the block no variable sets an option: an example is run as it is written."""
    hidden = {name: words for name, words in os.environ.items() if name.startswith(PREFIX)}
    for name in hidden:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(hidden)


def misspelt(environment: Iterable[str], known: Iterable[str]) -> list[Diagnostic]:
    """A warning for every variable that looks like one of an option and is none."""
    known, keys = sorted(known), "keys have the names that their providers give them, such as OPENAI_API_KEY"
    unknown = (name for name in sorted(environment) if name.startswith(PREFIX) and name not in known)
    helped = ((name, keys if name.endswith(("_KEY", "_TOKEN")) else closest(name, known)) for name in unknown)
    return [report("W011", None, f"no option has the variable {name}", help=help_) for name, help_ in helped]


def _place(option: Any, ctx: Any, new: frozenset[str]) -> str:
    """Where the value of an option is from."""
    match ctx.get_parameter_source(option.name).name:
        case "COMMANDLINE":
            return "flag"
        case "ENVIRONMENT":
            return ".env" if option.envvar in new else str(option.envvar)
        case _:
            return "default"


def _settle(values: dict[str, Any], found: dict[str, str]) -> None:
    """Of `--no-budget` and a budget, drop what is said in the weaker place."""
    for option in RIVALS:
        if values.get(SWITCH) and values.get(option) is not None:
            weaker, stronger = sorted((option, SWITCH), key=lambda name: _strength(found[name]))
            if _strength(found[weaker]) < _strength(found[stronger]):
                values[weaker], found[weaker] = (False if weaker == SWITCH else None), found[stronger]


def _strength(place: str) -> int:
    return {"default": 0, ".env": 1, "flag": 3}.get(place, 2)  # 2: a variable
