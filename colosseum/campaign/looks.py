"""Looks at a study before its plan is reached. In: a folder, how many seeds have ended; out: all looks, kept there.

A look is a line of looks.jsonl, chained by hash to the one before it. Looks at a copy elsewhere are not seen.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from pydantic import TypeAdapter, ValidationError

from colosseum.campaign.folder import Damaged, Folder, replace_file

NAME: Final = "looks.jsonl"
MOST: Final = 100
"""Looks of a study: those at less than a hundredth of the plan more than before are one look."""


@dataclass(frozen=True)
class Look:
    """One line."""

    seeds: int
    """That had ended by then."""
    at: str
    """When, in UTC."""
    chain: str
    """SHA-256 of the chain before, the seeds and the time."""


LINE: Final = TypeAdapter(Look)


def read_looks(folder: Folder) -> list[Look]:
    """All that are on file; a line that was cut off is none. Raises Damaged and OSError."""
    path, found, before = folder.path / NAME, list[Look](), ""
    if not path.exists():
        return []
    for line in path.read_bytes().rpartition(b"\n")[0].splitlines():
        try:
            look = LINE.validate_json(line)
        except ValidationError:
            look = Look(0, "", "")
        if look.chain != _chain(before, look):
            raise Damaged(f"{path} was changed: its line {len(found) + 1} does not follow from the lines before it")
        found.append(look)
        before = look.chain
    return found


def looked(folder: Folder, seeds: int, planned: int) -> list[int]:
    """How many seeds there were at each look, now included; kept where the folder can be written. Raises Damaged."""
    found = read_looks(folder)
    known = {look.seeds for look in found if 0 < look.seeds <= seeds}
    if seeds >= planned or not seeds or (known and (seeds - max(known)) * MOST < planned):
        return sorted(known | {planned} if seeds >= planned else known)
    with suppress(OSError):  # a folder that cannot be written keeps no looks
        _write(folder, [*found, Look(seeds, datetime.now(UTC).isoformat(timespec="seconds"), "")])
    return sorted(known | {seeds})


def join_looks(folders: Iterable[Folder], into: Folder) -> None:
    """Keep the looks at several folders in one, by their time. Raises Damaged and OSError."""
    if found := {(look.at, look.seeds): look for folder in folders for look in read_looks(folder)}:
        _write(into, [found[key] for key in sorted(found)])


def _write(folder: Folder, looks: Iterable[Look]) -> None:
    lines, before = "", ""
    for look in looks:
        before = _chain(before, look)
        lines += json.dumps(asdict(replace(look, chain=before))) + "\n"
    replace_file(folder.path / NAME, lines.encode())


def _chain(before: str, look: Look) -> str:
    return sha256(f"{before}\n{look.seeds}\n{look.at}".encode()).hexdigest()
