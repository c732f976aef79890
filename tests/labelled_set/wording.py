"""Wordings of transcripts. In: files of one voice each; out: scripts, and sentences with an instance's figures in them.

`families/README.md` says what a file holds.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from colosseum.model import draws
from labelled_set.instances import Casting

FOLDER: Final = Path(__file__).parent / "families"
CHOICE: Final = re.compile(r"\[([^\[\]]*)\]")
SLOT: Final = re.compile(r"\{(#?)(?:(\w+):)?(\w+)\}")
AFTER: Final = re.compile(r"(?:^|(?<=[.!?] )|(?<=[.!?]\" ))([a-z])")
"""Where a sentence begins."""
WORDS: Final = {"take": "take", "taking": "taking"}


@dataclass(frozen=True)
class Script:
    """What the focal pair say in one case."""

    aside: tuple[str, ...]
    """In turn, A first."""
    public: Mapping[tuple[int, str], str]
    """By 1, 2 or 3, for an opening, a reaction or a closing, and the part who says it."""


@dataclass(frozen=True)
class Family:
    """One voice."""

    name: str
    lower: bool
    held_out: bool
    scripts: Mapping[str, tuple[Script, ...]]
    """By stratum, and `aside`: small talk."""
    banks: Mapping[str, tuple[str, ...]]
    """Sentences for anybody, by kind: `opening`, `reaction`, `closing`, `filler public`, `filler side`."""


@dataclass(frozen=True)
class Speaker:
    """Who says a sentence, and what it may refer to."""

    instance: Casting
    agent: str
    numbers: Mapping[str, int]
    """Of agents."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """More parts: `mine`, `u`, `v`, `w`, and the agent who is `other`."""
    claims: Mapping[str, float] = field(default_factory=dict)
    """Figures of its own, by item, that it gives in place of the true ones: what it claimed before."""

    def part(self, name: str) -> str:
        """The agent or the item of a part."""
        if name in ("me", "i"):
            return self.agent
        if name == "you":
            return next(each for each in self.instance.pair if each != self.agent)
        return self.extra.get(name) or self.instance.parts[name]

    def shown(self, found: str) -> str:
        """An agent by its number, an item as it is called."""
        return f"Agent {self.numbers[found]}" if found in self.numbers else self.instance.shown(found)


@cache
def families() -> tuple[Family, ...]:
    """All voices, by name; those held out last."""
    found = [read_family(path) for path in sorted(FOLDER.glob("*.txt"))]
    return tuple(sorted(found, key=lambda family: (family.held_out, family.name)))


def read_family(path: Path) -> Family:
    """One file of a voice."""
    head, *sections = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    scripts: dict[str, tuple[Script, ...]] = {}
    banks: dict[str, tuple[str, ...]] = {}
    for section in sections:
        name, _, body = section.partition("\n")
        lines = [line for line in body.splitlines() if line]
        if all(re.match(r"[AB]: ", line) for line in lines[:1]):
            scripts[name] = tuple(_script(part.split("\n")) for part in "\n".join(lines).split("\n--\n"))
        else:
            banks[name] = tuple(lines)
    return Family(path.stem, "voice: lower" in head, "held out" in head, scripts, banks)


def _script(lines: list[str]) -> Script:
    aside: list[str] = []
    public: dict[tuple[int, str], str] = {}
    for line in lines:
        who, _, words = line.partition(": ")
        if who.startswith("pub"):
            public[int(who[3]), who[5]] = words
        else:
            assert who == "AB"[len(aside) % 2], f"{who} speaks out of turn: {line}"
            aside.append(words)
    return Script(tuple(aside), public)


def said(template: str, speaker: Speaker, key: str, *, lower: bool) -> str:
    """The sentence that a template makes; `key` draws among its wordings."""
    chosen = _chosen(template, key)
    filled = SLOT.sub(lambda slot: _filled(slot, speaker, draws.key(0, key, (slot.start(),))), chosen)
    if lower:
        return re.sub(r"\bI\b", "i", filled)
    return AFTER.sub(lambda first: first[1].upper(), filled)


def _chosen(template: str, key: str) -> str:
    """One of each choice."""

    def pick(found: re.Match[str]) -> str:
        options = found[1].split("|")
        return options[draws.integer(draws.key(0, key, ("choice", found.start())), 0, len(options) - 1)]

    return CHOICE.sub(pick, template)


def _filled(slot: re.Match[str], speaker: Speaker, key: str) -> str:
    bare, whose, name = slot[1], slot[2], slot[3]
    instance = speaker.instance
    if not whose:
        simple = {**WORDS, **instance.domain.words, "gain": instance.number(instance.gain),
                  "loss": instance.number(instance.loss), "saved": instance.number(instance.saved)}  # fmt: skip
        return simple[name] if name in simple else speaker.shown(speaker.part(name))
    item = speaker.part(name)
    untrue = {"false": instance.false, "wrong": instance.wrong}
    who = speaker.agent if whose in untrue else speaker.part(whose)
    own = speaker.claims.get(item, instance.figure[who, item]) if who == speaker.agent else instance.figure[who, item]
    number = instance.number(untrue.get(whose, own))
    if bare:
        return number
    clauses = instance.domain.own if who == speaker.agent else instance.domain.other
    clause = clauses[draws.integer(key, 0, len(clauses) - 1)]
    return clause.format(agent=speaker.shown(who), item=instance.shown(item), number=number)
