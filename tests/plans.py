"""Plans of folders as data. In: a folder; out: its list of trials, and the same with other trials in it."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def list_of(folder: Path) -> Path:
    """The file of its trials."""
    plan = json.loads((folder / "campaign.json").read_bytes())
    return folder / f"trials-{plan['configuration'][:24]}.jsonl"


def trials_of(folder: Path) -> list[dict[str, Any]]:
    """The trials that are listed."""
    if trials := json.loads((folder / "campaign.json").read_bytes()).get("trials"):
        return list(trials)
    return [json.loads(line) for line in list_of(folder).read_bytes().splitlines()]


def relist(folder: Path, trials: Iterable[Mapping[str, Any]]) -> None:
    """List others in their place."""
    lines = [json.dumps(trial, separators=(",", ":")) + "\n" for trial in trials]
    list_of(folder).write_text("".join(lines), encoding="utf-8")


def as_before(folder: Path, schema: int) -> None:
    """As an earlier version wrote it: the list stands in the plan."""
    plan, trials, path = json.loads((folder / "campaign.json").read_bytes()), trials_of(folder), list_of(folder)
    content = json.dumps({**plan, "schema": schema, "trials": trials}, indent=1) + "\n"
    (folder / "campaign.json").write_text(content, encoding="utf-8")
    path.unlink()
