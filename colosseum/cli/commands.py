"""The command `colosseum`. In: arguments; out: a call of one of its commands, which import what they need."""

from typing import Annotated

import typer

from colosseum import __version__
from colosseum.cli.campaign_commands import campaigns
from colosseum.cli.folder_commands import folders_app
from colosseum.cli.guide import guides
from colosseum.cli.log_commands import log
from colosseum.cli.spec_commands import specs

app = typer.Typer(
    name="colosseum",
    help="Audit teams of AI agents for collusion: scenarios as plain text, provable optima, honest statistics.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

for each in (guides, specs, campaigns, folders_app, log):
    app.add_typer(each)


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """Options that stand before the command."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
