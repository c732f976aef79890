"""`colosseum audit`, and `audit --pilot N`: some blocks are made first, and whether to go on is asked.

A pilot shows no result, nor does a shard: who saw one before deciding whether to go on would choose by it.
"""

import gc
import sys
from dataclasses import replace

from colosseum.campaign.auditing import AuditOutcome, carry_out
from colosseum.campaign.folder import Folder, writing_to
from colosseum.campaign.part import silent
from colosseum.campaign.verifying import heads
from colosseum.campaign.work import Request, Work, plan_work
from colosseum.cli.report import NO_GATE, report_folder
from colosseum.cli.words import note, output, show
from colosseum.diagnostics import counted, stop
from colosseum.evidence.arms import one_instance
from colosseum.evidence.audit_plan import forecast
from colosseum.evidence.verdict import Gate
from colosseum.model.check import Checked
from colosseum.report.forecast import bill

LEFT = 4  # the exit code where runs are left for the sake of money


def audit_file(checked: Checked, request: Request, gate: Gate, *, pilot: int | None, yes: bool, as_json: bool) -> int:
    """Run an experiment's trials and report; after `pilot` blocks go on where the user agrees, or said `yes` before.

    Exit 3 when some runs failed, 4 without money or after a pilot, 100 at a shut gate, 130 when interrupted.
    """
    if request.part.is_shard and (as_json or gate != NO_GATE):
        raise stop("C122", "`--shard` reports nothing", help="`colosseum merge` joins shards for `colosseum report`")
    gc.set_threshold(50_000)  # runs leave little garbage: looking for it more often takes 5 % of scripted ones
    gc.enable()
    folder = Folder(request.place(checked))
    with writing_to(folder.path):
        made = _made(checked, request, folder, pilot=pilot, yes=yes, as_json=as_json)
    if made is None:
        return LEFT
    gc.disable()  # as for every report: nearly all that it makes lasts to its end
    request.say(made.words)
    if request.part.is_shard:
        note(f"a shard shows no result: `colosseum merge` joins shards, and `colosseum report {folder.path}` is a look")
    code = 0 if request.part.is_shard else report_folder(folder.path, gate=gate, as_json=as_json, keep=True)
    request.say("\n".join(f"{name}  {head}" for name, head in heads(folder).items()))
    if made.left and not made.tally.gave_up:
        return LEFT
    return max(code, 3 if made.left or made.tally.failed or made.verdicts.missing else 0)


def _made(
    checked: Checked, request: Request, folder: Folder, *, pilot: int | None, yes: bool, as_json: bool
) -> AuditOutcome | None:  # fmt: skip
    """What became of the runs; None where a pilot ends here. Raises ColosseumError."""
    work = plan_work(checked, request, folder)
    if words := one_instance(checked.spec, work.design):
        request.warn(words)
    if pilot is not None:
        made = carry_out(work.pilot(pilot))
        if made.tally["halted"]:
            return made
        if not _goes_on(work, checked, yes=yes, as_json=as_json):
            return None
    return carry_out(work)


def _goes_on(work: Work, checked: Checked, *, yes: bool, as_json: bool) -> bool:
    """Print what the other blocks will take, and ask; without a terminal, `--yes` answers. Raises OSError, Damaged."""
    if not work.left:
        return True
    found = forecast(checked, replace(work.request, fresh=False, out=work.folder.path, warn=silent))
    costs = [bill(found, f"What the {counted(found.runs.missing, 'run')} left will take")]
    if yes or (sys.stdin.isatty() and sys.stderr.isatty()):
        show(costs, sys.stderr)
        if not yes:
            note("Go on? [y/N]")
        return yes or sys.stdin.readline().strip().lower() in ("y", "yes")
    output(lambda: costs, "forecast", lambda: found, as_json)
    going_on = "the same command with `--yes`, or without `--pilot`, goes on"
    note(f"the pilot is done, and its runs count; {counted(len(work.left), 'run')} left: {going_on}")
    return False
