"""Tables of messages and decisions. In: CSV or JSON lines, a row a post or a decision; out: a ForeignRun for each run.

Rows of one run stand together. Columns that are not mapped have the names that `colosseum export` gives them.
"""

import csv
import hashlib
import json
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from math import inf
from pathlib import Path
from typing import Any

from colosseum.imports.foreign_run import (
    Fields,
    ForeignChannel,
    ForeignRun,
    Refusal,
    Source,
    Utterance,
    json_of,
    reading,
)
from colosseum.imports.mapping import NOTHING, TraceMapping, evaluate, number
from colosseum.model.values import text

CELL = ("arm", "point", "seed", "repeat")
"""Columns that tell runs apart, where no `run` is mapped and there is no such column."""
LONGEST_CELL = 2**24
GUARD = "'"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""How a text begins that a spreadsheet would compute, also by full-width signs."""


def guarded(cell: Any) -> Any:
    """A cell with GUARD before a text that a spreadsheet would compute, or that begins so itself; read back without."""
    return f"{GUARD}{cell}" if isinstance(cell, str) and cell.startswith((*FORMULA, GUARD)) else cell


def read_table(path: Path, mapping: TraceMapping) -> Source:
    """The runs of a file, streamed. Raises Refusal where it is no table."""
    seen: set[str] = set()
    for name, group in groupby(rows_of(path), key=lambda row: run_name(row, mapping, _cell(row))):
        rows = list(group)
        if name in seen:
            rows[0] = {**rows[0], "broken": "its rows do not stand together in the file: sort it by run"}
        seen.add(name)
        yield name, partial(run_of, path.name, name, rows, mapping, {})


def rows_of(path: Path) -> Iterator[Fields]:
    """The rows of CSV, or of JSON lines. Raises Refusal."""
    return _csv_rows(path) if path.suffix == ".csv" else (row for _, row in json_rows(path))


def json_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of JSON lines, each with its place. Raises Refusal."""
    with reading(path.name), open(path, encoding="utf-8-sig", newline="") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                where = f"{path.name} line {number}"
                row = json_of(line, where)
                if not isinstance(row, dict):
                    raise Refusal(f"{where} is no object")
                yield where, row


def _csv_rows(path: Path) -> Iterator[Fields]:
    csv.field_size_limit(LONGEST_CELL)
    with reading(path.name), open(path, encoding="utf-8-sig", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            if None in row or None in row.values():
                raise Refusal(f"line {number} has another number of cells than the header")
            cells = {name: None if cell == "" else cell for name, cell in row.items()}
            if "turn_order" in row and (words := cells.get("text")) is not None:
                cells["text"] = words.removeprefix(GUARD)
            yield cells


def _cell(row: Fields) -> str:
    return " ".join(str(row[name]) for name in CELL if row.get(name) not in (None, "")) or "run"


def run_name(row: Fields, mapping: TraceMapping, otherwise: str) -> str:
    """The name of a row's run, as its mapping or its column `run` has it."""
    found = mapping.value("run", row)
    return otherwise if found in (NOTHING, None, "") else str(found)


def run_of(source: str, name: str, rows: Sequence[Fields], mapping: TraceMapping, nulls: Fields) -> ForeignRun:
    """The run that rows of a file tell; `nulls` are fields that it may lack. A row without an author tells fields.

    Raises Refusal.
    """
    lines = "\n".join(json.dumps(row, sort_keys=True) for row in rows)
    files = {source: hashlib.sha256(lines.encode()).hexdigest()}
    author = mapping.column("agent", "agent")
    fields: dict[str, Any] = {**nulls, **dict.fromkeys(key for row in rows for key in row)}
    if author not in fields:
        raise Refusal(f"there is no column `{author}`: map it, as in `agent a is author`")
    nulls, own = {mapping.column("post", "text"): None, **fields}, dict[str, dict[str, Any]]()
    said, decisions = list[Utterance](), dict[str, Any]()
    for cells in rows:
        row, told = {**nulls, **cells}, {key: cell for key, cell in cells.items() if cell is not None}
        fields.update({key: cell for key, cell in told.items() if fields[key] is None})
        variable, kind, words = row.get("variable"), row.get("kind"), mapping.value("post", row, "text")
        if kind == "thought" and words in (None, NOTHING):
            words = row.get("text")
        speaks = words not in (None, NOTHING) and kind in (None, "post", "thought")
        if row.get("broken"):
            raise Refusal(str(row["broken"]))
        if row[author] is None:
            if speaks or variable is not None:
                raise Refusal("a message or a decision has no agent")
            continue
        agent, failed = str(row[author]), str(row.get("failed") or "")
        usage = usage_of(row.get("input_tokens"), row.get("output_tokens"), row.get("cost"))
        when = str(mapping.value("round", row)) if usage or speaks else ""
        turn = int(when) if when.isdecimal() and int(when) > 0 else None
        said += [Utterance(agent, "", None, turn, usage=usage)] if usage else []
        if not failed:
            own.setdefault(agent, {}).update(told)
        if variable is not None and not failed:
            if str(variable) in decisions:
                raise Refusal(f"`{variable}` is decided twice")
            decisions[str(variable)] = row.get("value")
        elif speaks and variable is None:
            channel = None if kind == "thought" else _channel(row, mapping)
            said.append(Utterance(agent, str(words), channel, turn, failed=failed))
    fields["decisions"] = decisions
    order = tuple(shlex.split(str(fields.get("turn_order") or "")))
    live = shlex.split(str(fields.get("channels") or "")) if order else ()
    secret = {name: False for name in (*live, *(u.channel for u in said if not u.failed)) if name is not None}
    for cells in (cells for cells in rows if str(cells.get("channel")) in secret):
        secret[str(cells.get("channel"))] = str(cells.get("secret")).lower() == "true"
    spoken = [each for each in said if each.usage is None]
    rounds = () if not spoken or any(each.round for each in spoken) else ("rounds",)
    decided = bool(decisions) or any(True for _ in mapping.of("decide"))
    ordered = () if order else ("turn order",)
    missing = (*ordered, "prompts", *rounds, *(() if decided else ("decisions",)), *(["memberships"] * bool(spoken)))
    column = mapping.column("model", "model")
    return ForeignRun(
        name, files, fields, own, tuple(own), order or None,
        channels=tuple(ForeignChannel(each, None, hidden) for each, hidden in secret.items()), said=tuple(said),
        models={agent: text(cells[column]) for agent, cells in own.items() if cells.get(column) is not None},
        decided=decided, missing=missing,
    )  # fmt: skip


def _channel(row: Fields, mapping: TraceMapping) -> str:
    """The channel that an entry says is the row's: by a condition, or by a column's value."""
    for (name, *_), source in mapping.of("channel"):
        if evaluate(source, row) is True:
            return name
    found = row.get("channel", NOTHING)
    return "public" if found in (None, NOTHING) else str(found)


def usage_of(read: Any, written: Any, cost: Any = None) -> dict[str, Any] | None:
    """What an answer of a model took, as a trace has it; None where no tokens are known."""
    found = [number(each) for each in (read, written, cost)]
    known = [each if isinstance(each, int | float) and 0 <= each < inf else None for each in found]
    told = [None if each is None else int(each) for each in known[:2]]
    own = {"prompt_tokens": told[0], "completion_tokens": told[1], "cost": known[2]}
    return {**own, "seconds": None, "served_model": ""} if told != [None, None] else None
