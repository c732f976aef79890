"""Options that are not typed. In: `COLOSSEUM_…` variables and a `.env`; out: values of options.

`colosseum guide ci` says which place wins. An empty variable hides that of the `.env`. A JSON object is one value, and
so is what stands in double quotes. What else a `.env` sets, such as keys, holds while the command runs.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import typer

from colosseum.campaign.dotenv import added, read_env
from colosseum.cli.command import PlainCommand
from colosseum.cli.words import complain, say_diagnostics
from colosseum.diagnostics import ColosseumError, Diagnostic, closest, report

PREFIX = "COLOSSEUM_"
FILE = Path(".env")
KEY = "colosseum.dotenv"  # under which name a context keeps the variables that a `.env` set
SWITCH, RIVALS = "no_budget", {"budget", "run_budget"}  # a switch and the options that contradict it


class ConfiguredCommand(PlainCommand):
    """A command whose options may be set by variables."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
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
                    each.value_from_envvar = lambda _, name=each.envvar: values_in(os.environ.get(name, "")) or None
            if asked:
                say_diagnostics(misspelt(os.environ, _variables(ctx)))
            rest = super().parse_args(ctx, args)
            ctx.meta[KEY] = new
            _settle(ctx)
            ctx.call_on_close(stack.pop_all().close)
        return rest


def _options(command: Any) -> list[Any]:
    return [each for each in command.params if each.param_type_name == "option"]


def _variables(ctx: Any) -> Iterator[str]:
    """Those of the options of all commands that have some: those of another command are no mistake here."""
    for command in getattr(ctx.parent.command, "commands", {}).values() if ctx.parent else ():
        if isinstance(command, ConfiguredCommand):
            yield from (variable_of(each.opts) for each in _options(command))


def allowed(context: typer.Context) -> tuple[str, ...]:
    """Modules whose agents may run: those of agents that options name, but not a `.env`, which may come with a spec."""
    from colosseum.players.own_source import module_of

    typed, kept = _typed(context), context.meta[KEY]
    own = [name for name in ("model", "allow_python") if name in typed or variable_of([name]) not in kept]
    return tuple(module_of(words.rpartition("=")[2]) for name in own for words in context.params[name] or ())


def variable_of(spellings: Sequence[str]) -> str:
    """The variable of an option that is spelt so."""
    return PREFIX + max(spellings, key=len).lstrip("-").replace("-", "_").upper()


def values_in(words: str) -> list[str]:
    """The values of an option that may be repeated, with spaces between them."""
    from json import JSONDecoder

    found = []
    while words := words.strip():
        if quoted := re.match(r'"([^"]*)"(?!\S)', words):
            found.append(quoted[1])
            words = words[quoted.end() :]
            continue
        end = len(words.split(maxsplit=1)[0])
        brace = words.find("{", 0, end)
        if brace >= 0:
            end = len(words)  # where it is no JSON, whoever reads it says what is wrong with it
            with suppress(ValueError):
                end = JSONDecoder().raw_decode(words, brace)[1]
        found.append(words[:end])
        words = words[end:]
    return found


@contextmanager
def unconfigured() -> Iterator[None]:
    """Within the block no variable sets an option: an example is run as it is written."""
    hidden = {name: os.environ.pop(name) for name in [*os.environ] if name.startswith(PREFIX)}
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


def _typed(ctx: Any) -> set[str]:
    return {name for name in ctx.params if ctx.get_parameter_source(name).name == "COMMANDLINE"}


def _settle(ctx: Any) -> None:
    """Of `--no-budget` and a budget, the one that was typed wins."""
    typed = _typed(ctx)
    if SWITCH in typed:
        ctx.params |= dict.fromkeys((RIVALS & ctx.params.keys()) - typed)
    elif RIVALS & typed:
        ctx.params[SWITCH] = False
