"""The ledger of a folder. In: what is judged, labelled and looked at; out: DIR/ledger.jsonl, a chain that only grows.

A line is `{"n", "event": "file", "file", "bytes", "sha256", "chain"}`, what a file holds from now on (null where it was
removed), or `{"n", "event": "look", "runs", "ended", "seeds", "chain"}`, a report of so many seeds, with
`"merged": true` in a folder that was joined to this one.
"""

import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from filelock import FileLock

from colosseum.model.serial import Json, encode
from colosseum.run.trace import GENESIS, link


def seal(place: Path, path: Path) -> None:
    """Note what a file below `place` holds from now on, or that it was removed. Raises OSError."""

    def holds() -> Mapping[str, Json]:
        content = path.read_bytes() if path.exists() else None
        size, digest = (None, None) if content is None else (len(content), sha256(content).hexdigest())
        return {"bytes": size, "sha256": digest}

    append(place, {"event": "file", "file": path.relative_to(place).as_posix()}, holds)


def append(place: Path, about: Mapping[str, Json], find: Callable[[], Mapping[str, Json]]) -> None:
    """Add a line with what is found while no other process adds one, unless the last says the same. Raises OSError."""
    with FileLock(place / "ledger.lock") as lock, open(place / "ledger.jsonl", "a+b") as file:
        file.seek(0)
        known = file.read()
        known = known[: known.rfind(b"\n") + 1]  # a killed process may have left half a line
        fact, last = find(), known.rfind(encode(about)[1:-1].encode())
        if last < 0 or encode(fact)[1:-1].encode() not in known[last : known.index(b"\n", last)]:
            line = encode({"n": known.count(b"\n"), **about, **fact})
            chain = link(known[-67:-3].decode("utf-8", "replace") or GENESIS, line)
            file.truncate(len(known))
            file.write(f'{line[:-1]},"chain":"{chain}"}}\n'.encode())
            file.flush()
            os.fsync(file.fileno())
        Path(lock.lock_file).unlink(missing_ok=True)
