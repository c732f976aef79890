"""Files of templates. In: a file, and what its texts are given; out: its texts, compiled, or what is wrong and where.

A file has several texts. `{# name(facts) #}` begins each, and says what it is given. Whatever a text prints is JSON on
one line, with every separator and invisible character escaped, so that nothing an agent wrote can pose as a line of
ours; only a Line is printed as it is. A text may do what a prompt may.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeAlias

from colosseum.diagnostics import Diagnostic, Source, Span, closest, report
from colosseum.diagnostics.harmless import harmless
from colosseum.language import syntax
from colosseum.language.record import Record
from colosseum.model.prompts import TemplateNames, lines_kept, template_faults

if TYPE_CHECKING:
    from jinja2 import Environment, Template

SECTION = re.compile(r"(?ms)^\{# (\w+)\(([\w, ]*)\) #\}(?=\n)(.*?)(?=^\{# \w+\([\w, ]*\) #\}\n|\Z)")
REMARK = re.compile(r"^\{#.*?#\}\n", re.MULTILINE | re.DOTALL)
Shown: TypeAlias = str | int | float | list[str] | tuple[str, ...] | None
Try: TypeAlias = Callable[[str, tuple[str, ...]], str]
"""What goes wrong when a text is rendered, by its name and its facts; empty where nothing does."""


class AsIs(str):
    """Words that are printed as they are: of the spec's author, or of lines that were made here."""

    __slots__ = ()


def json_line(item: Shown | dict[str, Shown]) -> str:
    """JSON on one line for every reader: unlike JSON's own, all separators and invisible characters are escaped."""
    raw = "null" if item is None else _JSON.encode(item)
    return raw if raw.isprintable() else harmless(raw)


_JSON = json.JSONEncoder(ensure_ascii=False)


class Section(Record):
    """One text of a file."""

    name: str
    facts: tuple[str, ...]
    text: str
    start: int
    """Where the text begins in its file, behind the header's line."""


def sections(file: str) -> Iterator[Section]:
    """The texts of a file."""
    for found in SECTION.finditer(file):
        facts = tuple(fact for each in found[2].split(",") if (fact := each.strip()))
        yield Section(found[1], facts, found[3], found.start(3))


@lru_cache(maxsize=256)
def compiled(text: str) -> "Template":
    """A text that can be rendered."""
    return _jinja().from_string(lines_kept(REMARK.sub("", text)))


@cache
def _jinja() -> "Environment":
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=lambda item: item if isinstance(item, AsIs) else json_line(item),
    )  # fmt: skip
    made.globals = {}
    return made


def wrong_texts(source: Source, known: Mapping[str, tuple[str, ...]], tried: Try) -> Iterator[Diagnostic]:
    """What is wrong with a file whose texts stand in place of `known` ones, each with the facts that it is given."""
    head = REMARK.sub("", source.text.partition("{#")[0])
    if head.strip() or not any(sections(source.text)):
        message = "a text begins with a line of its name and facts, as `{# shown(number, round, author, text) #}`"
        yield report("C083", Span(source, 0, 0), message, help=f"texts of this file: {', '.join(known)}")
    for section in sections(source.text):
        span = Span(source, source.text.rindex("{#", 0, section.start), section.start)
        strange = [fact for fact in section.facts if fact not in known.get(section.name, ())]
        place = Span(source, section.start - 3, section.start + len(section.text))  # as if three quotes opened it
        text = syntax.Text(section.text, long=True, span=place)
        if section.name not in known:
            help_ = closest(section.name, known) or f"texts of this file: {', '.join(known)}"
            yield report("C083", span, f"there is no text `{section.name}`", help=help_)
        elif strange:
            given = ", ".join(known[section.name]) or "nothing"
            message = f"the text `{section.name}` is not given `{strange[0]}`"
            yield report("C083", span, message, help=f"it is given {given}")
        elif faults := template_faults(text, TemplateNames(frozenset(section.facts), {}, syntax.NO_DOUBTS)):
            yield from faults
        elif problem := tried(section.name, section.facts):
            yield report("C081", span, problem)
