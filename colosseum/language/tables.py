"""The parser's tables, from the grammar or from the user's cache folder. In: nothing; out: a Lark parser.

Building the tables takes as long as everything else together, so Lark keeps them between runs. A cached file is
trusted only in a folder that is ours alone to write; whatever cannot be read is built anew.
"""

import os
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from colosseum.language.files import shipped

if TYPE_CHECKING:
    from lark import Lark


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
    return build_tables(grammar, cache=str(folder / f"lark-{sha256(grammar.encode()).hexdigest()[:24]}.tables"))


def import_lark() -> ModuleType:
    """Import Lark without two packages that it would load where they are: `regex`, and `interegular`.

    It never uses the first, and with the second it would compare words for a minute whenever it makes tables.
    """
    hidden = [name for name in ("regex", "interegular") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        import lark
    finally:
        for name in hidden:
            del sys.modules[name]
    return lark


def build_tables(grammar: str, *, cache: str | bool = False) -> "Lark":
    """Make the tables from the grammar's text, or load them from the file `cache` where Lark left them for it."""
    made: Lark = import_lark().Lark(grammar, parser="lalr", lexer="basic", start=["start", "statement"], cache=cache)
    return made


def is_ours(folder: Path) -> bool:
    """Whether the folder exists (or could be made) and nobody else may write there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return os.name != "posix" or (found.st_uid == os.getuid() and not found.st_mode & 0o022 and not folder.is_symlink())
