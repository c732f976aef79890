"""How commands are registered. In: a Typer app; out: a decorator that turns a function into one of its commands."""

import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer
from typer.core import TyperCommand

from colosseum.campaign.signals import exit_code, obeying
from colosseum.cli import leave
from colosseum.cli.completion import completing
from colosseum.cli.words import complain
from colosseum.diagnostics import ColosseumError

P = ParamSpec("P")


def registering(
    app: typer.Typer, *, cls: type[TyperCommand] = TyperCommand
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
                except ColosseumError as stop:
                    code = complain(stop)
                except BrokenPipeError:
                    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # `… | head` has read enough: end without a word
                    code = 141
                except KeyboardInterrupt:
                    typer.echo("interrupted", err=True)
                    code = exit_code()
                    exec("")  # else Python, if it was within another `exec`, ends `python -m colosseum` by SIGINT
            raise typer.Exit(code)

        return app.command(name=function.__name__.rstrip("_"), cls=cls)(run)

    return command
