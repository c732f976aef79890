"""How commands are registered. In: a Typer app; out: a decorator that turns a function into one of its commands."""

import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import typer
from typer.core import TyperCommand

from colosseum.campaign.signals import INTERRUPTED, exit_code, obeying
from colosseum.cli import leave
from colosseum.cli.completion import completing
from colosseum.cli.words import complain, note
from colosseum.diagnostics import ColosseumError, stop

P = ParamSpec("P")
USAGE: Any = typer.BadParameter.__base__  # what Typer raises where arguments are wrong, whatever module it has it from


class PlainCommand(TyperCommand):
    """A command that tells wrong arguments as every other error is told."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # whose context it is depends on typer's version
        """Read what is typed."""
        try:
            return list(super().parse_args(ctx, args))
        except USAGE as wrong:
            words = wrong.format_message().rstrip(".").replace("'", "`")
            add = f"add `{wrong.param.opts[0]} {wrong.param.metavar}`; " if words.startswith("Missing option") else ""
            help_ = f"{add}`{ctx.command_path} --help` says what it takes"
            raise typer.Exit(complain(stop("C122", words[:1].lower() + words[1:], help=help_))) from None


def registering(
    app: typer.Typer, *, cls: type[TyperCommand] = PlainCommand
) -> Callable[[Callable[P, int]], Callable[P, None]]:
    """A decorator: a result is the exit code, errors are told in words, signals have exit codes of their own."""

    def command(function: Callable[P, int]) -> Callable[P, None]:
        completing(function)

        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            with obeying():
                try:
                    if signal.getsignal(signal.SIGINT) is leave:
                        signal.signal(signal.SIGINT, signal.default_int_handler)
                    code = function(*args, **kwargs)
                    sys.stdout.flush()
                except ColosseumError as fault:
                    code = complain(fault)
                except BrokenPipeError:
                    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # `… | head` has read enough: end without a word
                    code = 141
                except KeyboardInterrupt:
                    note(INTERRUPTED + ", without `--fresh`" * ("--fresh" in sys.argv))
                    code = exit_code()
                    exec("")  # else Python, if it was within another `exec`, ends `python -m colosseum` by SIGINT
            raise typer.Exit(code)

        return app.command(name=function.__name__.rstrip("_"), cls=cls)(run)

    return command
