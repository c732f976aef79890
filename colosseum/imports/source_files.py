"""Files of a source. In: a path, or JSON; out: what is in it, or a Refusal that says what is wrong with it."""

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from colosseum.imports.foreign_run import Refusal

LARGEST = 256 * 1024 * 1024
"""Bytes of a file that is read whole."""
MALFORMED = (AttributeError, KeyError, TypeError, ValueError, RecursionError)
"""What JSON of another layout raises where it is taken apart."""


@contextmanager
def laid_out(name: str, layout: str) -> Iterator[None]:
    """Within the block, JSON of another layout is a Refusal."""
    try:
        yield
    except MALFORMED as error:
        raise Refusal(f"{name} is not laid out as {layout}: {type(error).__name__}: {str(error)[:120]}") from None


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Within the block, what is wrong with a file is a Refusal."""
    try:
        yield
    except UnicodeDecodeError:
        raise Refusal(f"{name} is not UTF-8 text; `--from inspect` reads what Inspect writes") from None
    except csv.Error as error:
        raise Refusal(f"{name} is not CSV: {error}") from None
    except OSError as error:
        raise Refusal(f"cannot read {name}: {error.strerror}") from None


def content_of(path: Path) -> bytes:
    """A whole file. Raises Refusal, also where it is too large."""
    with reading(path.name):
        if path.stat().st_size > LARGEST:
            raise Refusal(f"{path.name} is larger than {LARGEST // 2**20} MiB")
        return path.read_bytes()


def json_of(content: str | bytes, name: str) -> Any:
    """The value of a JSON text; what is no number of JSON, such as NaN, is null. Raises Refusal."""
    try:
        return json.loads(content, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise Refusal(f"{name} is not JSON: {str(error)[:120]}") from None
