"""The table of codes. In: codes.toml; out: every code with its title and what its kind of mistake is about."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Code:
    """A stable code and the one line that names its kind of mistake."""

    code: str
    title: str
    group: str
    """What its kind of mistake is about."""


_FILE = Path(__file__).with_name("codes.toml").read_text(encoding="utf-8")
CODES: dict[str, Code] = {
    code: Code(code, title, group) for group, titles in tomllib.loads(_FILE).items() for code, title in titles.items()
}
