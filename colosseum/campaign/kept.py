"""Cache of what was computed of runs. In: digests of what it depends on; out: the same again, if it is known.

What is kept stands under a digest of all files that it was computed from, and of this program: it is never out of date.
It is kept in the user's own cache folder and not beside the runs, so that nobody can send anybody figures; a cache that
cannot be read or written only costs time.
"""

import sqlite3
import sys
import zlib
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

import colosseum
from colosseum.language.tables import cache_folder, is_ours

NAME: Final = "figures.sqlite"
MOST: Final = 100_000
"""Figures that are kept, some 200 MB; past them the oldest go."""
PATIENCE: Final = 2.0
"""Seconds to wait for another process that writes."""
SOURCES: Final = ("model", "solve", "run", "campaign", "evidence", "report")
"""Packages on which what is kept depends."""
ENGINES: Final = ("highspy", "networkx", "numpy", "pulp", "pydantic", "scipy")
"""Libraries on which they do."""
T = TypeVar("T")
FORGET: Final = "DELETE FROM measured WHERE rowid <= (SELECT max(rowid) FROM measured) - ?"
TABLE: Final = "CREATE TABLE IF NOT EXISTS measured (key BLOB UNIQUE, content BLOB, digest BLOB)"


class Kept:
    """What is known, by key; what is new is written by `write`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._new: dict[bytes, bytes] = {}
        self.misses = 0
        """Questions whose answer was not there."""

    @classmethod
    def of_user(cls) -> "Kept | None":
        """In the user's cache folder; none where there is none that is the user's alone."""
        folder = cache_folder()
        return cls(folder / NAME) if folder is not None and is_ours(folder) else None

    def recall(self, adapter: TypeAdapter[T], make: Callable[[], T], *asked: str) -> T:
        """What was made before where the same was asked, else what `make` makes, which is to be written with others."""
        key = blake2b("\0".join((program(), *asked)).encode(), digest_size=24).digest()
        try:
            return adapter.validate_json(self._find(key))
        except (LookupError, ValidationError):
            self.misses += 1
            made = make()
            self._new[key] = zlib.compress(adapter.dump_json(made), 1)
            return made

    def _find(self, key: bytes) -> bytes:
        """Raises LookupError if nothing is there."""
        try:
            with _open(self.path) as store:
                found = store.execute("SELECT content, digest FROM measured WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            found = None
        if found is None or blake2b(found[0], digest_size=16).digest() != found[1]:
            raise LookupError(key)
        return zlib.decompress(found[0])

    def write(self) -> None:
        """Write what is new, and forget the oldest where there is too much."""
        rows = [(key, content, blake2b(content, digest_size=16).digest()) for key, content in self._new.items()]
        self._new.clear()
        if not rows:
            return
        try:
            with _open(self.path) as store:
                store.executemany("INSERT OR REPLACE INTO measured VALUES (?, ?, ?)", rows)
                store.execute(FORGET, (MOST,))
        except sqlite3.Error:
            return


@cache
def _open(path: Path) -> sqlite3.Connection:
    store = sqlite3.connect(path, timeout=PATIENCE)
    store.execute(TABLE)
    return store


@cache
def program() -> str:
    """A digest of everything that figures depend on but what they are of."""
    digest = blake2b(f"{sys.version}\0{[(name, version(name)) for name in ENGINES]}".encode(), digest_size=24)
    root = Path(colosseum.__file__).parent
    for file in sorted(file for package in SOURCES for file in (root / package).rglob("*.py")):
        content = file.read_bytes()
        digest.update(f"\0{file.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
