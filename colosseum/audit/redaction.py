"""What must not reach a file. In: the environment; out: lines of JSON in which the values of keys are blanked out.

Values are looked for as they are, not by what keys look like: agents may talk about keys as they like.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
"""How names of variables end whose values are secret."""
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
        found = {value.strip() for value in (*held, *others) if len(value.strip()) >= SHORTEST}
        written = {json.dumps(value, ensure_ascii=ascii_)[1:-1] for value in found for ascii_ in (True, False)}
        return cls(tuple(sorted(written | found, key=lambda value: (-len(value), value))))

    def clean(self, line: str) -> str:
        """The line without a secret."""
        for secret in self.secrets:
            if secret in line:
                line = line.replace(secret, SHOWN)
        return line
