"""`colosseum log`: list, show, verify, export."""

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from colosseum.api.reading import read_campaign
from colosseum.campaign.folder import Damaged, Folder
from colosseum.campaign.listing import Overview, overviews
from colosseum.campaign.money import dollars
from colosseum.campaign.rows import WRITERS, rows
from colosseum.campaign.runs import SHORT, find_run, run_words
from colosseum.campaign.verifying import Fault, SoFar, Verified, misfit, so_far, verify
from colosseum.cli.words import file_errors, note, say_json, wants_color
from colosseum.diagnostics import counted, stop
from colosseum.report.conversation import show_conversation
from colosseum.report.page import Grid, list_facts, page_on, say, show_grid
from colosseum.run import events as ev
from colosseum.run.trace import BrokenTrace
from colosseum.run.trial import Listed

MOST_FAILURES = 20
"""Reasons that a list gives."""


def list_runs(path: Path, *, as_json: bool) -> int:
    """One line a run."""
    plan = read_campaign(path)
    with file_errors(path, verb="read", code="C123"):
        found = list(overviews(Folder(path), plan))
    if as_json:
        say_json({"schema": 1, "runs": [_plain(run) for run in found]})
        return 0
    states = Counter(run.state for run in found)
    models = sorted({run.listed.model for run in found})
    with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
        say(console, f"{plan.scenario}, experiment {plan.experiment}", style="bold")
        words = ", ".join(f"{number} {state}" for state, number in states.items())
        list_facts(console, [("runs", words), *([("model", models[0])] if len(models) == 1 else [])])
        console.print()
        show_grid(console, _grid(found))
        failures = [(run.listed.trial[:SHORT], run.reason) for run in found if run.reason]
        if failures:
            console.print()
            list_facts(console, failures[:MOST_FAILURES])
            if len(failures) > MOST_FAILURES:
                say(console, f"… and {len(failures) - MOST_FAILURES} more: `--json` has all")
    return 0


def _grid(found: Sequence[Overview]) -> Grid:
    """The columns in which runs differ, and what happened in them."""
    same = {name: len({getattr(run.listed, name) for run in found}) < 2 for name in ("point", "repeat", "model")}
    columns = ("point", "arm", "seed", "repeat", "model", "status", "posts", "mistakes", "decided", "calls", "cost")
    shown = [name for name in columns if not same.get(name)]
    cells = [tuple(_cells(run)[name] for name in shown) for run in found]
    return Grid(tuple(run.listed.trial[:SHORT] for run in found), tuple(shown), tuple(cells), turns=False)


def _cells(run: Overview) -> dict[str, str]:
    listed, events = run.listed, run.events
    happened = {name: "" if events is None else str(events[kind]) for name, kind in KINDS.items()}
    unpriced = run.expense.unpriced if run.expense else 0
    cost = "" if run.expense is None else "unknown" if unpriced else dollars(run.expense.cost)
    return {
        "point": listed.point, "arm": listed.arm, "seed": str(listed.seed), "repeat": str(listed.repeat),
        "model": listed.model, "status": run.state, **happened, "decided": happened["decisions"],
        "calls": "" if run.expense is None else str(run.expense.calls), "cost": cost,
    }  # fmt: skip


KINDS = {"posts": "post", "mistakes": "mistake", "decisions": "decide"}


def _plain(run: Overview) -> dict[str, object]:
    happened = {name: None if run.events is None else run.events[kind] for name, kind in KINDS.items()}
    expense = run.expense
    cost = expense.cost if expense is not None and not expense.unpriced else None
    unknown = "it has not ended" if expense is None else f"{counted(expense.unpriced, 'answer')} of unknown price"
    return {
        **_heading(run.listed),
        "status": run.state,
        **({"reason": run.reason} if run.reason else {}),
        **happened,
        "refused": None if run.events is None else run.events["refused"],
        "calls": None if expense is None else expense.calls,
        "cost": cost,
        **({} if cost is not None else {"cost_reason": unknown}),
    }


def _heading(listed: Listed) -> dict[str, object]:
    return {
        "run": listed.trial, "arm": listed.arm, "point": listed.point, "seed": listed.seed, "repeat": listed.repeat,
        "model": listed.model, "players": listed.players,
    }  # fmt: skip


def show_run(path: Path, words: str, *, prompts: bool, thoughts: bool, as_json: bool) -> int:
    """One run as a conversation; exit 1 where its trace cannot be trusted."""
    plan, folder = read_campaign(path), Folder(path)
    listed = find_run(plan, words)
    trace = folder.trace(listed.trial)
    try:
        found = so_far(trace)
        doubt = found.broken or _doubt(folder, listed, found)
    except FileNotFoundError:
        raise stop("C122", f"the run {run_words(listed)} has not begun: there is no {trace.name}") from None
    except OSError as error:
        raise stop("C123", f"cannot read {trace}: {error.strerror}") from None
    if doubt:
        note(f"this trace cannot be trusted: {doubt}")
    if as_json:
        state = {"whole": not found.half, **({"doubt": doubt} if doubt else {})}
        events = [event for event in found.events if thoughts or event.get("event") != "thought"]
        say_json({"schema": 1, **_heading(listed), **state, "events": events})
    else:
        _show(listed, found, prompts=prompts, thoughts=thoughts)
    return 1 if doubt else 0


def _doubt(folder: Folder, listed: Listed, found: SoFar) -> str:
    """Why a trace whose chain holds is not to be trusted all the same."""
    try:
        result = folder.result(listed.trial)
    except Damaged as damaged:
        return str(damaged)
    wrong = next((words for event in found.events if (words := misfit(event))), "")
    if wrong or result is None:
        return wrong
    last = found.events[-1]["chain"] if found.events else ""
    sealed = (len(found.events), last) == (result.trace.events, result.trace.chain)
    return "" if sealed and not found.half else "it is not the one that its result seals"


def _show(listed: Listed, found: SoFar, *, prompts: bool, thoughts: bool) -> None:
    players = Counter(listed.players.values())
    same = len(players) == 1
    who = next(iter(players)) if same else ", ".join(f"{agent}: {player}" for agent, player in listed.players.items())
    readable = [ev.read_event(event) for event in found.events if not misfit(event)]
    with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
        say(console, run_words(listed), style="bold")
        list_facts(console, [("run", listed.trial), ("players", who)])
        show_conversation(readable, console, prompts=prompts, thoughts=thoughts)


def verify_folder(path: Path, *, as_json: bool) -> int:
    """Everything that is not as it was written; exit 1 where there is anything."""
    folder = Folder(path)
    try:
        found = verify(folder, folder.plan())
    except Damaged as damaged:
        found = Verified([Fault(folder.plan_path.name, str(damaged).removeprefix(f"{folder.plan_path} "))])
    except OSError:
        read_campaign(path)  # says what to name in place of a folder that is no campaign
        raise
    if as_json:
        counts = {name: value for name, value in asdict(found).items() if name != "faults"}
        say_json({"schema": 1, **counts, "faults": [asdict(fault) for fault in found.faults]})
    else:
        with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
            for fault in found.faults:
                say(console, f"{fault.file}: {fault.words}")
            say(console, _looked_at(found))
    return 1 if found.faults else 0


def _looked_at(found: Verified) -> str:
    parts = [f"{counted(found.ended, 'run')} as {'it was' if found.ended == 1 else 'they were'} sealed"]
    parts += [f"{found.unlisted} of them of an earlier plan"] if found.unlisted else []
    parts += [f"{counted(found.open, 'run')} not ended"] if found.open else []
    parts += [f"{counted(found.calls, 'call')} on file"] if found.calls else []
    parts += [f"{counted(found.judged, 'run')} judged"] if found.judged else []
    parts += [counted(found.scenarios, "scenario"), f"{counted(found.files, 'file')} of the spec"]
    faults = f"{counted(len(found.faults), 'fault')}: " if found.faults else "nothing was changed: "
    return faults + ", ".join(parts)


def export_rows(path: Path, output: Path, *, thoughts: bool) -> int:
    """Messages and decisions as a table, thoughts on request, in a file that appears when it is whole."""
    write = WRITERS.get(output.suffix.lower())
    if write is None:
        raise stop("C122", f"`-o {output}` ends in none of {', '.join(WRITERS)}", help="as in `-o messages.csv`")
    plan, folder = read_campaign(path), Folder(path)
    part = output.with_name(f"{output.name}.{os.getpid()}.part")
    try:
        with open(part, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            number = write(rows(folder, plan, thoughts=thoughts), file)
        part.replace(output)
    except (BrokenTrace, Damaged) as fault:
        raise stop("C123", str(fault), help="`colosseum log verify` lists all that was changed") from None
    except OSError as error:
        raise stop("C122", f"cannot write {output}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    note(f"{counted(number, 'row')} written to {output}")
    return 0
