"""The parser's tables, from the grammar or from the user's cache folder. In: nothing; out: a Lark parser.

Building the tables takes as long as everything else together, so they are kept between runs. A cached file is
trusted only in a folder that is ours alone to write, and only with its digest; anything odd means building anew.
"""

import os
import sys
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from colosseum.language.shipped import shipped

if TYPE_CHECKING:
    from lark import Lark

DIGEST_LENGTH = 32
"""Bytes of SHA-256 that stand before the saved tables."""


@cache
def tables() -> "Lark":
    """The parser of edition 1 with the start symbols `start` (a file) and `statement` (one of its statements)."""
    return cached_tables((shipped("grammar") / "colosseum.lark").read_text(encoding="utf-8"), cache_folder())


def cache_folder() -> Path | None:
    """`$XDG_CACHE_HOME/colosseum` or `~/.cache/colosseum`; None when the user has no home."""
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(chosen):
        return Path(chosen) / "colosseum"
    try:
        return Path.home() / ".cache" / "colosseum"
    except RuntimeError:
        return None


def cached_tables(grammar: str, folder: Path | None) -> "Lark":
    """Load the tables of a grammar from `folder`, or build them and leave them there."""
    if folder is None or not is_ours(folder):
        return build_tables(grammar)
    lark = import_lark()
    recipe = f"{grammar}\0{lark.__version__}\0{sys.version}"
    file = folder / f"grammar-{sha256(recipe.encode()).hexdigest()[:24]}.tables"
    saved = _read(file)
    if saved is None:
        built = build_tables(grammar)
        _write(file, built)
        return built
    return lark.Lark.load(BytesIO(saved))  # type: ignore[no-any-return]


def import_lark() -> ModuleType:
    """Import Lark without the package `regex`, which it would load if it is there (litellm brings it) and never use."""
    hidden = "regex" not in sys.modules
    if hidden:
        sys.modules["regex"] = None  # type: ignore[assignment]
    try:
        import lark
    finally:
        if hidden:
            del sys.modules["regex"]
    return lark


def build_tables(grammar: str) -> "Lark":
    """Make the tables from the grammar's text."""
    from lark import Lark

    return Lark(grammar, parser="lalr", lexer="basic", start=["start", "statement"], propagate_positions=True)


def is_ours(folder: Path) -> bool:
    """Whether the folder exists (or could be made) and nobody else may write there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return os.name != "posix" or (found.st_uid == os.getuid() and not found.st_mode & 0o022 and not folder.is_symlink())


def _read(file: Path) -> bytes | None:
    """The saved tables, or None unless they are whole: a digest first, so that unpickling cannot meet a torn file."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    digest, saved = content[:DIGEST_LENGTH], content[DIGEST_LENGTH:]
    return saved if sha256(saved).digest() == digest else None


def _write(file: Path, built: "Lark") -> None:
    """Leave the tables for the next run; a folder that cannot be written only costs time."""
    saved = BytesIO()
    built.save(saved)
    content = saved.getvalue()
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        part.write_bytes(sha256(content).digest() + content)
        os.replace(part, file)
    except OSError:
        part.unlink(missing_ok=True)
