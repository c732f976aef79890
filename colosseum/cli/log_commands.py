"""The commands of `colosseum log` and their options. In: arguments; out: a call of what does the work."""

from typing import Annotated

import typer

from colosseum.cli.command import registering
from colosseum.cli.options import AsJson, Campaign, Thoughts

log = typer.Typer(name="log", help="Look into the runs of a folder.", no_args_is_help=True)
command = registering(log)


@command
def list_(folder: Campaign, json: AsJson = False) -> int:
    """List the runs, how each ended and what it cost."""
    from colosseum.cli.words import output
    from colosseum.report.log import list_blocks, list_folder

    found, plan = list_folder(folder)
    output(lambda: list_blocks(found.runs, plan), "runs", lambda: found, json)
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
    from colosseum.campaign.listing import find_run, read_run
    from colosseum.cli.words import output
    from colosseum.evidence.findings import read_campaign
    from colosseum.report.log import log_blocks

    found = read_run(folder, find_run(read_campaign(folder), run), thoughts=thoughts)
    output(lambda: log_blocks(found, folder, prompts=prompts), "run", lambda: found, json)
    return 1 if found.doubt else 0


@command
def verify(
    folder: Campaign,
    root: Annotated[str | None, typer.Option(metavar="D", help="The runs root you noted down.")] = None,
    ledger: Annotated[str | None, typer.Option(metavar="D", help="A ledger head you noted down.")] = None,
    json: AsJson = False,
) -> int:
    """Check that no file was changed. Plan, spec, runs, calls, judgements, report; exit code 1 where one was."""
    from colosseum.cli.words import output
    from colosseum.diagnostics import stop
    from colosseum.report.log import verified_blocks, verify_folder

    if "" in (root, ledger):
        raise stop("C122", "`--root` or `--ledger` is empty", help="leave it out, or give what you noted down")
    found = verify_folder(folder, root=root or "", ledger=ledger or "")
    output(lambda: verified_blocks(found), "verify", lambda: found, json)
    return 1 if found.faults else 0
