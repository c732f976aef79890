"""Folders that ship with the package. In: a folder's name; out: its path, from a wheel or a checkout."""

from pathlib import Path


def shipped(folder: str) -> Path:
    """The folder `grammar` or `specs`: inside the package in a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    packed = package / "_shipped" / folder
    return packed if packed.is_dir() else package.parent / folder
