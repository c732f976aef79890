"""The commands about folders of runs, and their options. In: arguments; out: a call of what does the work."""

from pathlib import Path
from typing import Annotated

import typer

from colosseum.cli.command import registering
from colosseum.cli.options import AsJson, Campaign, Experiment, Folders, Sets, SpecFile

folders_app = typer.Typer()
command = registering(folders_app)


@command
def import_(
    file: SpecFile,
    sources: Annotated[list[Path], typer.Argument(metavar="SOURCE…", help="Files or folders.", show_default=False)],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder; may exist.", show_default=False)],
    reader: Annotated[str | None, typer.Option("--from", metavar="NAME", help="Default: as mapped.")] = None,
    experiment: Experiment = None,
    set_: Sets = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what was found, and write nothing.")] = False,
    json: AsJson = False,
) -> int:
    """Bring in runs that others made. Exit code 1 if one was refused."""
    from colosseum.cli.words import checked_spec, output
    from colosseum.imports.importing import import_runs
    from colosseum.report.log import imported_blocks

    checked = checked_spec(file, set_)
    found = import_runs(checked, sources, out, experiment=experiment, reader=reader, dry_run=dry_run)
    output(lambda: imported_blocks(found), "import", lambda: found, json)
    return 1 if found.refused else 0


@command
def export(
    folder: Campaign,
    to: Annotated[str, typer.Option(metavar="eval|otlp|csv", help="The format.", show_default=False)],
    out: Annotated[Path | None, typer.Option(metavar="PATH", help="Default: the folder's name, here.")] = None,
    without: Annotated[str, typer.Option(metavar="thoughts,raw", help="Leave these out.")] = "",
) -> int:
    """Write the complete runs for other tools. Import reads them back; raw are posts that were not delivered."""
    from colosseum.api.campaign import Campaign as Runs
    from colosseum.cli.words import note

    note(str(Runs(folder).export(to, out, without=without)))
    return 0


@command
def replay(folder: Campaign, json: AsJson = False) -> int:
    """Play every run again from recorded answers. Needs no network; exit code 1 if a byte differs."""
    import gc
    from functools import partial

    from colosseum.cli.live_view import progress_lines
    from colosseum.cli.words import note, output
    from colosseum.report.log import replay_blocks, replay_folder

    gc.enable()
    found = replay_folder(folder, tell=partial(progress_lines(note), "runs"))
    output(lambda: replay_blocks(found), "replay", lambda: found, json)
    return found.code


@command
def doctor(
    folder: Campaign,
    repair: Annotated[bool, typer.Option("--repair", help="Repair what costs nothing.")] = False,
    json: AsJson = False,
) -> int:
    """Say what a crash left in a folder, and what its repair costs. Nothing is written without `--repair`."""
    from colosseum.cli.words import output
    from colosseum.report.log import defect_blocks, examine_folder

    found = examine_folder(folder, repair=repair)
    output(lambda: defect_blocks(found), "doctor", lambda: found, json)
    return 1 if found.left else 0


@command
def compare(folders: Folders, json: AsJson = False) -> int:
    """Compare campaigns on equal instances."""
    from colosseum.cli.words import output
    from colosseum.evidence.comparing import compare as compared
    from colosseum.evidence.findings import read_report
    from colosseum.report.verdicts import comparison_blocks

    found = compared([(folder, read_report(folder)) for folder in folders])
    output(lambda: comparison_blocks(found), "compare", lambda: found, json)
    return 0


@command
def merge(
    folders: Folders,
    output: Annotated[Path, typer.Option("-o", metavar="OUT", help="The new folder; may exist.", show_default=False)],
    json: AsJson = False,
) -> int:
    """Join folders of one configuration, such as shards."""
    import gc

    from colosseum.api.campaign import merge as join
    from colosseum.cli import words
    from colosseum.report.log import merged_blocks

    gc.enable()
    found = join(folders, output)
    words.output(lambda: merged_blocks(found, output), "merge", lambda: found, json)
    return 1 if found.faults else 0
