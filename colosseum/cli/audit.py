"""`colosseum audit`."""

import gc
from pathlib import Path

from colosseum.campaign.auditing import AuditOutcome, carry_out, writing
from colosseum.campaign.folder import Folder
from colosseum.campaign.signals import exit_code
from colosseum.campaign.work import Request, plan_work
from colosseum.cli.pilot import Pilot, goes_on
from colosseum.cli.report import report_folder
from colosseum.cli.words import checked_spec, note
from colosseum.evidence.gate import Gate
from colosseum.model.check import Checked

LEFT = 4
"""The exit code where runs are left for the sake of money."""


def audit_file(request: Request, gate: Gate, pilot: Pilot | None, *, as_json: bool) -> int:
    """Run an experiment's trials and report.

    Exit 3 when some runs failed, 4 without money or after a pilot, 100 at a shut gate, 130 when interrupted.
    """
    gc.enable()
    checked = checked_spec(request.file, params=request.params)
    folder = Folder(request.place(checked))
    try:
        with writing(folder):
            made = _made(checked, request, pilot, folder, as_json=as_json)
    except KeyboardInterrupt:
        note(f"interrupted; {going_on(folder.path)}")
        return exit_code()
    if made is None:
        return LEFT
    request.say(made.words(folder))
    code = report_folder(folder.path, as_json=as_json, keep=True, gate=gate)
    if made.left and not made.tally.gave_up:
        return LEFT
    return max(code, 3 if made.left or made.verdicts.missing else 0)


def _made(
    checked: Checked, request: Request, pilot: Pilot | None, folder: Folder, *, as_json: bool
) -> AuditOutcome | None:  # fmt: skip
    """What became of the runs; None where a pilot ends here. Raises ColosseumError."""
    work = plan_work(checked, request, folder)
    if pilot is not None:
        made = carry_out(work.pilot(pilot.blocks))
        if made.tally["halted"]:
            return made
        if not goes_on(work, checked, pilot, as_data=as_json):
            return None
    return carry_out(work)


def going_on(path: Path) -> str:
    """What a user who stopped us can do."""
    return f"all that was answered is kept in {path}: run the same command to go on"
