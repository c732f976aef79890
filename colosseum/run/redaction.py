"""Secrets kept out of files. In: the environment; out: lines of JSON in which the values of keys are blanked out.

Values are looked for as they are, not by what keys look like: agents may talk about keys as they like.
"""

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, unquote

from colosseum.players.models.failure import SECRET_NAME

USER = re.compile(r"://([^/?#\s]+)@")
"""What stands before the host of an address: a user and a password, or a token."""
NUMBER = re.compile(r"[-+.0-9eE]+")
WORDS = re.compile(r'"(?:[^"\\]|\\.)*"')  # a string of JSON
ESCAPES = ("\\u", "\\/", "%", "&#")  # with which a character begins that is written otherwise
SHOWN = "[redacted]"
SHORTEST = 8  # characters of a value that is looked for: shorter ones stand in all sorts of words
SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|pass", re.IGNORECASE)
LONG_VALUE = 20  # characters from which on a header's value without a space is taken for a secret


@dataclass(frozen=True)
class Redaction:
    """Secrets as they would stand in JSON, longest first."""

    secrets: tuple[str, ...] = ()

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ, others: Iterable[str] = ()) -> "Redaction":
        """The values of variables that hold keys, and others."""
        held = {value for name, value in environment.items() if SECRET_NAME.search(name)}
        users = secrets(environment.values())
        given = {value.strip() for value in (*held, *users, *others)}
        coded = {b64encode(value.encode("utf-8", "surrogateescape")).decode().rstrip("=") for value in given}
        found = {v for v in (*given, *coded, *(quote(value, safe="") for value in given)) if len(v) >= SHORTEST}
        written = {json.dumps(value, ensure_ascii=ascii_)[1:-1] for value in found for ascii_ in (True, False)}
        return cls(tuple(sorted(written | found, key=lambda value: (-len(value), value))))

    def clean(self, line: str) -> str:
        """The line without a secret."""
        for secret in self.secrets:
            if secret in line:
                line = _in_words(secret, line) if NUMBER.fullmatch(secret) else line.replace(secret, SHOWN)
        if self.secrets and any(sign in line for sign in ESCAPES):
            line = self._escaped.sub(SHOWN, line)
        return line

    @cached_property
    def _escaped(self) -> re.Pattern[str]:
        """Any secret some of whose characters are escaped, as in the text of a call's arguments within JSON."""
        return re.compile("|".join("".join(map(_character, secret)) for secret in self.secrets))


def _in_words(secret: str, line: str) -> str:
    """The line without a secret that looks like a number; numbers of the line itself are none of it."""
    if not line.startswith("{"):
        return line.replace(secret, SHOWN)
    return WORDS.sub(lambda found: found[0].replace(secret, SHOWN), line)


def _character(character: str) -> str:
    """A character as it is or escaped: as of an address, of a page, or of JSON, however often written as such."""
    coded, number = "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogateescape")), ord(character)
    return rf"(?:\\*{re.escape(character)}|\\+u(?i:{number:04x})|(?i:{coded}|&#{number};|&#x0*{number:x};))"


def secrets(addresses: Iterable[str], headers: Iterable[Mapping[str, str]] = ()) -> Iterator[str]:
    """What addresses hold before their host, in every way in which it may come back: `user:password`, the password
    alone, both without the escapes of an address, and as the header of a request has it; and behind `?`. What looks
    secret in headers: whole values, and what stands behind `Bearer`."""
    for address in addresses:
        for part in (address.partition("?")[2] if "://" in address else "").split("&"):
            yield from (part.rpartition("=")[2], unquote(part.rpartition("=")[2]))
        for written in USER.findall(address):
            for user in {written, unquote(written)}:
                yield from (user, user.partition(":")[2], f"{user}:")  # the last is what a header has, in base64
    for name, value in (header for each in headers for header in each.items()):
        coded = any(len(word) >= SHORTEST and re.search(r"\d", word) for word in value.split())
        if SECRET_HEADER.search(name) or coded or (len(value) >= LONG_VALUE and " " not in value):
            yield from (value, value.rpartition(" ")[2])
