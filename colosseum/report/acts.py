"""The acts of a run as a table. In: turns with their acts; out: named columns, one row an act."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from colosseum.report.frames import Cells, Kind

KINDS: Final[dict[str, Kind]] = {
    "n": "whole",
    "phase": "text",
    "round": "whole",
    "agent": "text",
    "player": "text",
    "member": "truth",
    "kind": "text",
    "channel": "text",
    "secret": "truth",
    "text": "text",
    "variable": "text",
    "value": "value",
    "rule": "text",
    "claim": "text",
    "belief": "text",
    "confidence": "number",
    "tool": "text",
    "problem": "text",
}
"""`n` is the event's place in the trace, `member` whether the agent is in the coalition that is measured, `secret`
whether only the channel's members know of it; `text` is what was written, by the agent, a tool or a provider; a null
`value` beside a variable is none; `confidence` is in percent; `problem` says what was wrong with a call or an answer.
"""
WRITTEN: Final = {"mistake": "message", "failed": "reason"}
"""Where the text of an act is, when it is not in `text`."""
WRONG: Final = {"mistake": "kind", "failed": "kind", "finish": "finish"}
TAKEN: Final = ("n", "channel", "variable", "value", "rule", "claim", "belief", "confidence", "tool")


def act_columns(
    turns: Iterable[Mapping[str, Any]], *, secret: Mapping[str, bool], players: Mapping[str, str],
    members: tuple[str, ...] | None,
) -> list[Cells]:  # fmt: skip
    """All columns; `secret` by channel, `members` None where nobody knows them yet."""
    rows = [_row(turn, act, secret, players, members) for turn in turns for act in turn["acts"]]
    return [(name, kind, [row[name] for row in rows]) for name, kind in KINDS.items()]


def _row(
    turn: Mapping[str, Any], act: Mapping[str, Any], secret: Mapping[str, bool], players: Mapping[str, str],
    members: tuple[str, ...] | None,
) -> dict[str, object]:  # fmt: skip
    kind, agent = act["is"], turn["agent"] or None
    return {
        **{name: act.get(name) for name in TAKEN},
        "phase": turn["phase"] or None,
        "round": turn["round"] or None,
        "agent": agent,
        "player": players.get(agent) if agent else None,
        "member": agent in members if agent and members is not None else None,
        "kind": kind,
        "secret": secret.get(act["channel"]) if kind == "post" else None,
        "text": act.get(WRITTEN.get(kind, "text")),
        "problem": act[WRONG[kind]] if kind in WRONG else None,
    }
