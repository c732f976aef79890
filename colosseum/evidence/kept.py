"""Cache of what was computed of scenarios. In: a scenario's seal, a coalition, an outcome; out: JSON, if known.

What is kept stands under a digest of scenario, coalition, outcome and this program: it is never out of date.
It is kept in the user's own cache folder and not beside the runs, so that nobody can send anybody figures; a cache that
cannot be read or written only costs time.
"""

import json
import sqlite3
import sys
import zlib
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import colosseum
from colosseum.evidence.figures import Figure
from colosseum.evidence.metrics import Measured
from colosseum.language.tables import cache_folder, is_ours
from colosseum.optimum.scoring import Score

NAME: Final = "figures.sqlite"
MOST: Final = 50_000
"""Outcomes that are kept, about 40 MB of them; the oldest go first."""
PATIENCE: Final = 2.0
"""Seconds to wait for another process that writes."""
SOURCES: Final = ("model", "optimum", "evidence")
"""Packages on which figures depend."""
ENGINES: Final = ("highspy", "networkx", "numpy", "pulp", "pydantic", "scipy")
"""Libraries on which they do."""
TABLE: Final = "CREATE TABLE IF NOT EXISTS measured (key BLOB UNIQUE, content BLOB, digest BLOB)"


class Kept:
    """What is known of outcomes, by key, as JSON; what is new is written by `write`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._new: dict[bytes, bytes] = {}
        self.misses = 0
        """Outcomes that were not there."""

    @classmethod
    def of_user(cls) -> "Kept | None":
        """In the user's cache folder; none where there is none that is the user's alone."""
        folder = cache_folder()
        return cls(folder / NAME) if folder is not None and is_ours(folder) else None

    def find(self, key: bytes) -> Any:
        """What is kept under a key; None if nothing is."""
        try:
            with _open(self.path) as store:
                found = store.execute("SELECT content, digest FROM measured WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        if found is None or blake2b(found[0], digest_size=16).digest() != found[1]:
            return None
        return json.loads(zlib.decompress(found[0]))

    def keep(self, key: bytes, content: Any) -> None:
        """To be written with others; it was not there."""
        self.misses += 1
        self._new[key] = zlib.compress(json.dumps(content).encode(), 1)

    def write(self) -> None:
        """Write what is new, and forget the oldest beyond MOST."""
        rows = [(key, content, blake2b(content, digest_size=16).digest()) for key, content in self._new.items()]
        self._new.clear()
        if not rows:
            return
        try:
            with _open(self.path) as store:
                store.executemany("INSERT OR REPLACE INTO measured VALUES (?, ?, ?)", rows)
                store.execute("DELETE FROM measured WHERE rowid <= (SELECT max(rowid) FROM measured) - ?", (MOST,))
        except sqlite3.Error:
            return


@cache
def _open(path: Path) -> sqlite3.Connection:
    store = sqlite3.connect(path, timeout=PATIENCE)
    store.execute(TABLE)
    return store


def key_of(seal: str, *asked: str) -> bytes:
    """Of what is asked of a scenario with this seal, for this program."""
    return blake2b("\0".join((program(), seal, *asked)).encode(), digest_size=24).digest()


@cache
def program() -> str:
    """A digest of everything that figures depend on but what they are of."""
    digest = blake2b(f"{sys.version}\0{[(name, version(name)) for name in ENGINES]}".encode(), digest_size=24)
    root = Path(colosseum.__file__).parent
    for file in sorted(file for package in SOURCES for file in (root / package).rglob("*.py")):
        content = file.read_bytes()
        digest.update(f"\0{file.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


# ---- as JSON, in which whole numbers and fractions stay what they are -----------------------------------------------


def encoded(measured: Measured) -> list[Any]:
    """The figures of an outcome."""
    scored = measured.score
    groups = (measured.scalars, measured.best_response_regret, measured.sequential_regret)
    return [
        [scored.value, scored.payoff, scored.violations, scored.broken, scored.feasible],
        *({name: [figure.value, figure.reason] for name, figure in group.items()} for group in groups),
    ]


def decoded(kept: list[Any]) -> Measured:
    """The same, read again."""
    (value, payoff, violations, broken, feasible), *groups = kept
    scalars, best, sequential = ({name: Figure(*pair) for name, pair in group.items()} for group in groups)
    return Measured(Score(value, payoff, violations, tuple(broken), feasible), scalars, {}, best, sequential)
