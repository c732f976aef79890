"""What must not reach a file. In: the environment; out: lines of JSON in which the values of keys are blanked out.

Values are looked for as they are, not by what keys look like: agents may talk about keys as they like.
"""

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
"""How names of variables end whose values are secret."""
USER = re.compile(r"://([^/?#\s]+)@")
"""What stands before the host of an address: a user and a password, or a token."""
SHOWN = "[redacted]"
SHORTEST = 8
"""Characters of a value that is looked for: shorter ones stand in all sorts of words."""


@dataclass(frozen=True)
class Redaction:
    """Secrets as they would stand in JSON, longest first."""

    secrets: tuple[str, ...] = ()

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ, others: Iterable[str] = ()) -> "Redaction":
        """The values of variables that hold keys, and others."""
        held = {value for name, value in environment.items() if name.upper().endswith(SECRET_NAMES)}
        users = secrets(environment.values())
        found = {value.strip() for value in (*held, *users, *others) if len(value.strip()) >= SHORTEST}
        written = {json.dumps(value, ensure_ascii=ascii_)[1:-1] for value in found for ascii_ in (True, False)}
        return cls(tuple(sorted(written | found, key=lambda value: (-len(value), value))))

    def clean(self, line: str) -> str:
        """The line without a secret."""
        for secret in self.secrets:
            if secret in line:
                line = line.replace(secret, SHOWN)
        return line


def secrets(addresses: Iterable[str]) -> Iterator[str]:
    """What addresses hold before their host, in every way in which it may come back: `user:password`, the password
    alone, both without the escapes of an address, and as the header of a request has it."""
    for address in addresses:
        for written in USER.findall(address):
            for user in {written, unquote(written)}:
                yield user
                yield user.partition(":")[2]
                named = user if ":" in user else f"{user}:"
                yield b64encode(named.encode("utf-8", "surrogateescape")).decode()
