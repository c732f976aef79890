"""The `.env` of a folder. In: its path; out: variables, which hold within a block.

What the environment sets already stays; PYTHON…, LD_… and DYLD_… are never set: a spec that brings a
`.env` runs no code.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from colosseum.diagnostics import file_errors, stop


def read_env(path: Path) -> dict[str, str]:
    """What a `.env` sets; nothing where there is none, or a folder of that name. Raises ColosseumError."""
    if not path.exists() or path.is_dir():
        return {}
    from io import StringIO

    from dotenv.parser import parse_stream

    with file_errors(path, verb="read", code="C126"):
        text = path.read_bytes().decode("utf-8-sig", "replace")
    found: dict[str, str] = {}
    for binding in parse_stream(StringIO(text)):
        part = binding.original.string
        if binding.error or (binding.key is not None and binding.value is None) or {"\0", "\ufffd"} & {*part}:
            line = binding.original.line + part[: -len(part.lstrip()) or None].count("\n")
            help_ = "a line is NAME=value in UTF-8, or # and a remark; a quote that opens must close"
            raise stop("C126", f"{path}, line {line}: this sets no variable", help=help_)  # its words may be a key
        if binding.key is not None:
            found[binding.key] = binding.value or ""
    return found


@contextmanager
def added(variables: Mapping[str, str]) -> Iterator[frozenset[str]]:
    """Within the block the environment has these variables, too, but none that may run code. Gives the new ones."""
    new = frozenset(n for n in variables if n not in os.environ and not n.startswith(("PYTHON", "LD_", "DYLD_")))
    os.environ.update({name: variables[name] for name in new})
    try:
        yield new
    finally:
        for name in new:
            os.environ.pop(name, None)
