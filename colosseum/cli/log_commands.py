"""The commands of `colosseum log` and their options. In: arguments; out: a call of what does the work."""

from pathlib import Path
from typing import Annotated

import typer

from colosseum.cli.command import registering
from colosseum.cli.options import AsJson, Campaign, Thoughts

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
    from colosseum.campaign.folder import Folder
    from colosseum.campaign.listing import overviews
    from colosseum.cli.words import output
    from colosseum.evidence.findings import in_words, read_campaign
    from colosseum.report.log import RunsFile, list_blocks

    plan = read_campaign(folder)
    with in_words(folder):
        found = list(overviews(Folder(folder), plan))
    output(lambda: list_blocks(found, plan), "runs", lambda: RunsFile(tuple(found)), json)
    return 0


@command
def show(
    folder: Campaign,
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="The start of its name, or ARM:SEED[:REPEAT].", show_default=False)
    ],
    prompts: Annotated[bool, typer.Option("--prompts", help="Also what each agent was told at the beginning.")] = False,
    thoughts: Thoughts = False,
    json: AsJson = False,
) -> int:
    """Show a run as a conversation. Also one that still goes on, or was cut off."""
    from colosseum.campaign.listing import find_run
    from colosseum.cli.words import output
    from colosseum.evidence.findings import read_campaign
    from colosseum.report.log import log_blocks, read_run

    found = read_run(folder, find_run(read_campaign(folder), run), thoughts=thoughts)
    output(lambda: log_blocks(found, prompts=prompts), "run", lambda: found, json)
    return 1 if found.doubt else 0


@command
def verify(
    folder: Campaign,
    root: Annotated[str, typer.Option(metavar="D", help="The root that was noted down.", show_default=False)] = "",
    json: AsJson = False,
) -> int:
    """Check that no file was changed. Traces, results, scenarios, calls, spec; exit code 1 where one was."""
    from colosseum.campaign.verifying import Fault
    from colosseum.cli.words import output
    from colosseum.report.log import verified_blocks, verify_folder

    found = verify_folder(folder)
    if root and found.root != root:
        found.faults.append(Fault("campaign.json", f"the runs have the root {found.root or 'of no plan'}, not {root}"))
    output(lambda: verified_blocks(found), "verify", lambda: found, json)
    return 1 if found.faults else 0


@command
def export(
    folder: Campaign,
    output: Annotated[Path, typer.Option("-o", metavar="FILE", help="Ends in .csv or .jsonl.", show_default=False)],
    thoughts: Thoughts = False,
) -> int:
    """Write messages and decisions to a table. One row each, of all runs that ended."""
    from colosseum.cli.words import note
    from colosseum.report.files import write_acts

    note(write_acts(folder, output, thoughts=thoughts))
    return 0
