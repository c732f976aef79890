"""Cache of what was computed of runs. In: digests of what it depends on; out: the same again, if it is known.

What is kept stands under a digest of all files that it was computed from, and of this program. It is in the user's own
cache folder and not beside the runs, so that nobody can send anybody figures; without a cache all only takes longer.
"""

import gc
import os
import sqlite3
import sys
import zlib
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache, lru_cache
from hashlib import blake2b, sha256
from importlib.metadata import version
from pathlib import Path
from types import NoneType
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast, get_args, get_type_hints

from pydantic import TypeAdapter

import colosseum
from colosseum.language.tables import cache_folder, is_ours

NAME: Final = "figures.sqlite"
MOST: Final = 500_000
"""Figures that are kept, some 700 MB; past them the oldest go, and a campaign of more runs is read anew each time."""
CROWD: Final = 1_000  # new figures after which what computed them is thrown away
SHARED: Final = 256  # values of a field that are remembered in order to be shared
PATIENCE: Final = 2.0  # seconds to wait for another process that writes
SOURCES: Final = ("model", "solve", "run", "campaign", "evidence", "report")  # packages on which what is kept depends
ENGINES: Final = ("highspy", "numpy", "pulp", "pydantic", "scipy")  # libraries on which they do
T = TypeVar("T")
FORGET: Final = "DELETE FROM measured WHERE rowid <= (SELECT max(rowid) FROM measured) - ?"
TABLE: Final = """PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;
CREATE TABLE IF NOT EXISTS measured (key BLOB UNIQUE, content BLOB, digest BLOB)"""  # what a crash damages is not found


class SharedParts(Generic[T]):
    """A dataclass, or none, as lines of JSON, one a field; values that were read lately are not made again.

    Runs of one campaign have most of their figures in common: 10 002 of three scripted players take 8 MB, and took 72.
    """

    def __init__(self, kind: type[T], apart: bytes = b"\n") -> None:
        self.kind, self.apart, hints = kind, apart, get_type_hints(kind)
        self.formats: dict[str, Format[Any]] = {name: _format(hints[name]) for name in kind.__match_args__}  # type: ignore[attr-defined]
        self.read = [lru_cache(SHARED)(each.validate_json) for each in self.formats.values()]

    def validate_json(self, data: bytes, /) -> T:
        """Read it. Raises ValidationError."""
        lines = data.split(self.apart)
        if lines == [b"null"]:
            return cast(T, None)
        return self.kind(*(read(line) for read, line in zip(self.read, lines, strict=True)))

    def dump_json(self, instance: T, /) -> bytes:
        """Write it."""
        parts = self.formats.items() if instance is not None else ()
        return self.apart.join(each.dump_json(getattr(instance, name)) for name, each in parts) or b"null"


Format: TypeAlias = TypeAdapter[T] | SharedParts[T]  # how something is kept


def _format(hint: Any) -> Format[Any]:
    """Of a field; a dataclass that may be absent has parts of its own, between tabs, which JSON does not write."""
    match get_args(hint):
        case (type() as kind, none) if none is NoneType and is_dataclass(kind):
            return SharedParts(kind, b"\t")
    return TypeAdapter(hint)


class Kept:
    """What is known, by key. Without a path nothing is."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.misses = 0
        """Answers that were not there."""

    @classmethod
    def of_user(cls) -> "Kept":
        """In the user's cache folder, where there is one that is the user's alone."""
        folder = cache_folder()
        return cls(folder / NAME if folder is not None and is_ours(folder) else None)

    def key(self, *asked: str) -> bytes:
        """Of a question, by all that its answer depends on, and by this program."""
        return blake2b("\0".join((program(), *asked)).encode(), digest_size=24).digest()

    def find(self, adapter: Format[T], key: bytes) -> T | None:
        """The answer that was kept; None where there is none, as where the file is damaged in whatever way."""
        with suppress(sqlite3.Error, ValueError, TypeError):
            asked = "SELECT content, digest FROM measured WHERE key = ?"
            found = _open(self.path, os.getpid()).execute(asked, (key,)).fetchone() if self.path else None
            if found is not None and _digest(found[0]) == found[1]:
                return adapter.validate_json(zlib.decompress(found[0]))
        return None

    def keep(self, adapter: Format[T], key: bytes, made: T) -> T:
        """An answer as it will be found; the oldest are forgotten where there are too many."""
        if self.path is None:
            return made
        self.misses += 1
        packed = zlib.compress(content := adapter.dump_json(made), 1)
        with suppress(sqlite3.Error, ValueError):
            store = _open(self.path, os.getpid())
            store.execute("INSERT OR REPLACE INTO measured VALUES (?, ?, ?)", (key, packed, _digest(packed)))
            store.execute(FORGET, (MOST,))
        if self.misses % CROWD == 0:
            gc.collect()  # solvers: a report turns the collector off
        return adapter.validate_json(content)


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def digest_of(path: Path) -> str:
    """The SHA-256 of a file; empty where there is none. Raises OSError."""
    return sha256(path.read_bytes()).hexdigest() if path.exists() else ""


@cache
def _open(path: Path, process: int) -> sqlite3.Connection:  # none may be used by another process than opened it
    store = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    store.executescript(TABLE)
    return store


@cache
def program() -> str:
    """A digest of everything that figures depend on but what they are of."""
    digest = blake2b(f"{sys.version}\0{[(name, version(name)) for name in ENGINES]}".encode(), digest_size=24)
    root = Path(colosseum.__file__).parent
    files = [file for package in SOURCES for kind in ("*.py", "*.toml") for file in (root / package).rglob(kind)]
    for file in sorted(files):
        content = file.read_bytes()
        digest.update(f"\0{file.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
