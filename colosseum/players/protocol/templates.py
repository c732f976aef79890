"""The words of the protocol. In: Jinja files, those that ship or a spec's own in their place; out: Templates.

All that a text is given comes from a View, or is what a call came to.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from colosseum.model.serial import Json
from colosseum.model.template_files import compiled, sections
from colosseum.players.view import CallFailed

VERSION = 2  # of the files that ship; raised with every change of their words
SHIPPED = Path(__file__).parent
PLAYED = ("system", "state", "tools", "answers")
FILES = (*PLAYED, "judge")  # what players are told, and what a judge is, whose words change no run


@dataclass(frozen=True, eq=False)
class Templates:
    """The texts that are in force. Two are equal only when they are one: they are keys of what is remembered."""

    texts: Mapping[str, str]
    digest: str
    """SHA-256 of all that players are told by."""

    def say(self, name: str, /, **facts: object) -> str:
        """A text. Raises CallFailed where a spec's own cannot be rendered."""
        from jinja2 import TemplateError

        try:
            return compiled(self.texts[name]).render(facts).strip("\n")
        except (TemplateError, TypeError, ValueError) as error:
            raise CallFailed("bad_request", f"the template `{name}` cannot be rendered: {error}") from None

    def tool(self, name: str, **facts: object) -> dict[str, Json]:
        """A tool: its name, its description and its arguments. Raises ValueError where it is none."""
        found = json.loads(self.say(name, **facts))
        match found:
            case {"name": str(named), "description": str(), "arguments": dict()} if named == name:
                return {key: found[key] for key in ("name", "description", "arguments")}
        raise ValueError(f"it has a `name`, which is `{name}`, a `description` and `arguments`")


@cache
def shipped() -> Templates:
    """Those that ship."""
    return templates({})


def templates(own: Mapping[str, str]) -> Templates:
    """Those that ship, with the texts of a spec's `own` files, by name, in place of theirs."""
    files = {name: (shipped_file(name), own.get(name, "")) for name in FILES}
    digest = hashlib.sha256(json.dumps([files[name] for name in PLAYED]).encode()).hexdigest()
    return Templates({s.name: s.text for both in files.values() for file in both for s in sections(file)}, digest)


@cache
def shipped_file(name: str) -> str:
    """A file that ships."""
    return (SHIPPED / f"{name}.jinja").read_text(encoding="utf-8")
