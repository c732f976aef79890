"""The commands of `colosseum log` and their options. In: arguments; out: a call of what does the work."""

from pathlib import Path
from typing import Annotated

import typer

from colosseum.cli.command import registering
from colosseum.cli.options import AsJson, Campaign

log = typer.Typer(
    name="log",
    help="Look into the runs of a folder.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
command = registering(log)


@command
def list_(folder: Campaign, json: AsJson = False) -> int:
    """List the runs, how each ended and what it cost."""
    from colosseum.cli.log import list_runs

    return list_runs(folder, as_json=json)


@command
def show(
    folder: Campaign,
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="The start of its name, or ARM:SEED[:REPEAT].", show_default=False)
    ],
    prompts: Annotated[bool, typer.Option("--prompts", help="Also what each agent was told at the beginning.")] = False,
    thoughts: Annotated[bool, typer.Option("--thoughts", help="Also what each model thought.")] = False,
    json: AsJson = False,
) -> int:
    """Show a run as a conversation. Also one that still goes on, or was cut off."""
    from colosseum.cli.log import show_run

    return show_run(folder, run, prompts=prompts, thoughts=thoughts, as_json=json)


@command
def verify(folder: Campaign, json: AsJson = False) -> int:
    """Check that no file was changed. Traces, results, scenarios, calls, spec; exit code 1 where one was."""
    from colosseum.cli.log import verify_folder

    return verify_folder(folder, as_json=json)


@command
def export(
    folder: Campaign,
    output: Annotated[Path, typer.Option("-o", metavar="FILE", help="Ends in .jsonl or .csv.", show_default=False)],
    thoughts: Annotated[bool, typer.Option("--thoughts", help="Also what each model thought.")] = False,
) -> int:
    """Write messages and decisions to a table. One row each, of all runs that ended."""
    from colosseum.cli.log import export_rows

    return export_rows(folder, output, thoughts=thoughts)
