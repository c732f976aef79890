"""Tool calls that stand in text. In: what a model wrote, and the tools there are; out: its calls, and the rest.

A call is a JSON object with a tool's name and its arguments, in any of the shapes that open models write: alone, in a
list, in fences or tags, among prose. Prose, and JSON that calls no tool, is none. Where something calls a tool and
cannot be read, as JSON that is broken or a call in another notation, its text stands for its arguments, so that the
run can say so. What a model wrote as its thoughts is left out, or a call that it only pondered would be made.
"""

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

Known: TypeAlias = Mapping[str, Collection[str]]  # tools and the names of their arguments
Arguments: TypeAlias = dict[str, object] | str  # by name, or the text of what cannot be read

TOOL_KEYS = ("tool", "name", "tool_name", "function", "function_name", "recipient_name", "action")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "params", "input", "tool_input", "action_input", "tool_args")
WRAPPERS = ("tool_calls", "function_calls", "calls", "actions", "tool_call", "function_call", "call", "action")
"""Keys as open models write them, the best known first."""
CLEAR = frozenset(("tool", "function", *ARGUMENT_KEYS))
"""Keys of which a call has one; no others tell it from JSON about something of the same name."""
ASIDE = frozenset(("type", "id", "index"))  # keys of a call that say nothing about it
NEEDED = ("{", "<", "[TOOL_CALLS]", "to=functions.")
"""A text without any of these, and without a tool's name before a bracket, has no call in it: 4 kB in 9 µs, not 400."""
DEEPEST = 4  # wrappers within each other
MOST_BROKEN = 2_000
"""Braces at which no JSON can be read, before the rest of a text is given up: who sends a million takes hours."""

OPENED = re.compile(r"^[ \t]*<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL | re.MULTILINE)
UNOPENED = re.compile(r"\A(?:(?!<think).)*</think(?:ing)?>[ \t]*(?=\n|\Z)", re.DOTALL)
"""Thoughts, whose opening tag some templates write for the model."""
TAG = re.compile(r"</?think(?:ing)?>")
LEFT_OVER = re.compile(r"```\w*\s*```|<(\w+)>\s*</\1>|\[[\s,]*\]")
"""Fences, tags and brackets around calls that were taken out."""


@dataclass(frozen=True, slots=True)
class Written:
    """One call in a text."""

    tool: str
    arguments: Arguments
    start: int
    end: int
    """Where it stands; calls in one list stand at one place."""


def calls_in(text: str, known: Known) -> list[Written]:
    """The calls in a text, in order: of known tools, and those of others that are clearly meant as calls."""
    if not any(sign in text for sign in (*NEEDED, *(f"{tool}(" for tool in known))):
        return []
    return list(_scan(_blanked(text), known))


def without(text: str, calls: Sequence[Written]) -> str:
    """The text around the calls."""
    parts, place = [], 0
    for call in calls:
        if call.start >= place:
            parts.append(text[place : call.start])
            place = call.end
    note = "".join((*parts, text[place:]))
    while calls and (shorter := LEFT_OVER.sub("", note)) != note:
        note = shorter
    return note.strip()


def split_thoughts(text: str) -> tuple[str, str]:
    """What the model wrote as its thoughts, without tags, and the rest; all of a text without thoughts."""
    thoughts: list[str] = []
    if "think" in text:
        for pattern in (UNOPENED, OPENED):
            thoughts += (TAG.sub("", found[0]).strip() for found in pattern.finditer(text))
            text = pattern.sub("", text)
    return "\n".join(thoughts), text.strip() if thoughts else text


def thoughtless(text: str) -> str:
    """The text without what the model wrote as its thoughts."""
    return split_thoughts(text)[1].strip()


def arguments(raw: str) -> Arguments:
    """The JSON object in the text ({} for none at all), or the text when there is no such object in it."""
    raw = writable(raw)
    if not raw.strip():
        return {}
    try:
        read = _STRICT.decode(raw)
        read = _writable_json(read) if "\\u" in raw else read
    except (ValueError, RecursionError):
        return raw
    return read if isinstance(read, dict) else raw


def writable(words: str) -> str:
    """Half characters, which no file can hold, become question marks."""
    return words.encode("utf-8", "replace").decode("utf-8")


def _writable_json(read: object) -> object:
    return json.loads(writable(json.dumps(read, ensure_ascii=False)))


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _number(written: str) -> float:
    """A number; one that is too large to be any, as 1e999, is none."""
    read = float(written)
    if math.isinf(read):
        raise ValueError(f"{written} is too large")
    return read


_STRICT = json.JSONDecoder(parse_constant=_no_constant, parse_float=_number)
_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_number, strict=False)
"""A line break within a string is none of JSON's, but it can mean one thing only."""


def _blanked(text: str) -> str:
    """The text with blanks in place of its thoughts."""
    for pattern in (UNOPENED, OPENED) if "think" in text else ():
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    return text


@dataclass(frozen=True)
class Signs:
    """What shows in a text that a tool is called."""

    start: re.Pattern[str]
    """Where to look closer: at a brace, or at a call in another notation (its tool is the group that matched)."""
    named: re.Pattern[str]
    """A tool's name where JSON that is broken has it."""
    end: re.Pattern[str]
    """Where what cannot be read ends: with its fence or tag, or where the next call begins."""


@lru_cache(maxsize=16)
def _signs(tools: tuple[str, ...]) -> Signs:
    name, keys = f"({'|'.join(map(re.escape, tools))})", "|".join(TOOL_KEYS)
    python = rf"^[ \t>`\[]*(?:print\()?(?:\w+\.)?{name}\((?:\s*(?:['\"\[{{]|\w+\s*=)[^\n]*)?\)[)\]`;, \t]*$"
    opening = r"<function(?:=|\s+name=)\"?|<invoke\s+name=\"|<tool_call>\s*|\[TOOL_CALLS\]\s*|<[|｜][^|｜>\n]*[|｜]>\s*"
    tagged = rf"(?:(?:{opening})(?:functions\.)?|\bto=functions\.){name}\b"
    return Signs(
        re.compile(rf"\{{|{python}|{tagged}", re.MULTILINE),
        re.compile(rf"\b(?:{keys})[\"']?\s*:\s*[\"']?(?:functions\.)?{name}\b"),
        re.compile(
            rf"\n```|</(?:tool|function|invoke)\w*>|\n[ \t]*(?=\{{\s*[\"'](?:{keys}|type|id)[\"'])|\n\s*(?=<|\[TOOL)"
        ),
    )


def _scan(text: str, known: Known) -> Iterator[Written]:
    signs, place, broken = _signs(tuple(known)), 0, 0
    while broken < MOST_BROKEN and (found := signs.start.search(text, place)):
        start = found.start()
        if found[0] == "{":
            whole = _whole(text, start, known)
            if whole is not None:
                place, made = whole
                yield from (Written(tool, given, start, place) for tool, given in made)
                continue
            broken += 1
            brace = text.find("{", start + 1)
            found = signs.named.search(text, start, brace if brace > 0 else len(text))
            if found is None:
                place = start + 1
                continue
        ended = signs.end.search(text, found.end())
        place = ended.start() if ended else len(text)
        yield Written(next(filter(None, found.groups())), writable(text[start:place].strip()), start, place)


def _whole(text: str, start: int, known: Known) -> tuple[int, list[tuple[str, Arguments]]] | None:
    """Where the JSON object that begins here ends, and its calls; None where there is no such object."""
    try:
        read, end = _DECODER.raw_decode(text, start)
        made = list(_made(_writable_json(read), known, 0))
    except (ValueError, RecursionError):
        return None
    hidden = None if made else _hidden(read, known)
    return end, [(hidden, writable(text[start:end]))] if hidden else made


def _made(read: object, known: Known, depth: int) -> Iterator[tuple[str, Arguments]]:
    """The calls in JSON: the object itself, or those that it or a list wraps."""
    match read:
        case list() if depth < DEEPEST:
            for item in read:
                yield from _made(item, known, depth + 1)
        case dict() if (call := _call(read, known)) is not None:
            yield call
        case dict() if depth < DEEPEST:
            for key in WRAPPERS:
                yield from _made(read.get(key), known, depth + 1)


def _call(read: dict[str, object], known: Known) -> tuple[str, Arguments] | None:
    """The call that an object is."""
    inner = read.get("function")
    if isinstance(inner, dict):
        read = inner
    names = {key: name.removeprefix("functions.") for key in TOOL_KEYS if isinstance(name := read.get(key), str)}
    key = next((key for key, name in names.items() if name in known), next(iter(names), None))
    if key is None:
        return None
    tool, given = names[key], next((k for k in ARGUMENT_KEYS if k in read), None)
    if tool in known and given is None:
        named = {k: v for k, v in read.items() if k in known[tool]}
        return (tool, named) if named or key == "tool" or read.keys() <= ASIDE | {key} else None
    if given is None or (tool not in known and given not in ARGUMENT_KEYS[:2]):
        return None
    match read[given]:
        case dict() as by_name:
            return tool, by_name
        case str() as raw:
            return tool, arguments(raw)
        case None:
            return tool, {}
        case other:
            return tool, json.dumps(other, ensure_ascii=False)


def _hidden(read: object, known: Known) -> str | None:
    """The known tool that is clearly called somewhere within JSON of another shape."""
    left = [read]
    while left:
        match left.pop():
            case dict() as item:
                call = _call(item, known)
                if call and call[0] in known and not CLEAR.isdisjoint(item):
                    return call[0]
                left.extend(item.values())
            case list() as items:
                left.extend(items)
    return None
