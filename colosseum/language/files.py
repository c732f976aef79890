"""Spec files from the disk. In: paths as people write them; out: sources, or diagnostics that say why not."""

import os
import stat
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path, PurePosixPath, PureWindowsPath

from colosseum.diagnostics import Diagnostic, Source, Span, nearest, report

LARGEST = 1024 * 1024  # bytes. A spec is read whole.
BUFFERS: ContextVar[Mapping[Path, str]] = ContextVar("buffers")
"""Texts that are read in place of files, by resolved path: those that an editor has open."""


def shipped(folder: str) -> Path:
    """The folder `grammar` or `specs`: inside the package in a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    packed = package / "_shipped" / folder
    return packed if packed.is_dir() else package.parent / folder


def read_source(
    path: Path, *, name: str, span: Span | None, codes: tuple[str, str] = ("C030", "C031"), largest: int = LARGEST
) -> Source | Diagnostic:
    """Read a UTF-8 text (a byte order mark is dropped); `span` is where the file is named, if anywhere.

    `codes` are those of a file that cannot be read, and of one that is no text or too large.
    """
    if (buffer := BUFFERS.get({}).get(path)) is not None:
        return decoded(buffer.encode(errors="replace"), path=path, name=name, span=span, code=codes[1], largest=largest)
    try:
        # A pipe or a device may block or never end, so the kind is looked at before anything is read.
        if path.is_dir():
            return report(codes[0], span, f"`{name}` is a folder, not a file")
        if not stat.S_ISREG(path.stat().st_mode):
            return report(codes[0], span, f"`{name}` is not a regular file")
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except FileNotFoundError:
        beside = f"it is looked for in the folder of `{Path(span.source.name).name}`" if span else ""
        return report(codes[0], span, f"there is no file `{name}`", help=_nearby(path, name) or beside)
    except OSError as refusal:
        return report(codes[0], span, f"`{name}` cannot be read: {refusal.strerror or 'the system refuses'}")
    except ValueError:
        return report(codes[0], span, "this path has a character that no path can have")
    return decoded(content, path=path, name=name, span=span, code=codes[1], largest=largest)


def decoded(
    content: bytes, *, path: Path | None, name: str, span: Span | None, code: str = "C031", largest: int = LARGEST
) -> Source | Diagnostic:
    """The text of a file's bytes."""
    if len(content) > largest:
        return report(code, span, f"`{name}` is larger than {largest // 1024 // 1024} MiB")
    try:
        return Source(name=name, text=content.decode("utf-8-sig"), path=path)
    except UnicodeDecodeError as stop:
        line = content.count(b"\n", 0, stop.start) + 1
        return report(code, span, f"`{name}` is not UTF-8 text (line {line})", help="save it in the encoding UTF-8")


def forbidden(path: str) -> str:
    """Why `use` does not even look for this path, or an empty string."""
    if "://" in path:
        return "`use` reads files of this folder, nothing from the web"
    if PurePosixPath(path).is_absolute() or PureWindowsPath(path).drive or path.startswith("~"):
        return "the path must be relative to the file that names it"
    if "\\" in path:
        return "folders are separated by `/`"
    if not path.strip():
        return "the path is empty"
    return ""


def within(path: Path, folder: Path) -> Path | None:
    """The path with symbolic links followed when that is below `folder`, else None."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, or no path at all
        return None
    return real if real.is_relative_to(folder) else None


def _nearby(path: Path, name: str) -> str:
    """Did you mean …, among the files of this kind in the same folder, written as the missing one was."""
    try:
        beside = [Path(entry) for entry in os.listdir(path.parent) if entry.endswith(path.suffix or ".colo")]
    except OSError:
        return ""
    near = nearest(path.stem, sorted(entry.stem for entry in beside))
    return f"did you mean `{Path(name).with_name(near + (path.suffix or '.colo'))}`?" if near else ""
