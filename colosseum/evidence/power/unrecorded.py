"""A run of scripted players that leaves no file. In: a trial; out: its events, as its trace would hold them."""

import os
from pathlib import Path
from typing import Any

from colosseum.players.scripted.players import SCRIPTED
from colosseum.run.event_loop import completed
from colosseum.run.run import LiveRun
from colosseum.run.trace import VERSION, TraceWriter
from colosseum.run.trial import Trial


def play(trial: Trial) -> list[dict[str, Any]]:
    """Play a trial whose players are all scripts."""
    events: list[dict[str, Any]] = []
    trace = TraceWriter(Path(os.devnull), heard=lambda event, content: events.append({"event": event, **content}))
    trace.write("start", version=VERSION, trial=trial.identity, **trial.description())
    team = {agent: SCRIPTED[name] for agent, name in trial.roles.items()}
    try:
        completed(LiveRun(trial.stage, team, trial.instance.library, trial.instance.rules, trace).play())
    finally:
        trace.close()
    return events
