"""Tables of messages and decisions. In: CSV or JSON lines, a row a post or a decision; out: a ForeignRun for each run.

Rows of one run stand together. Columns that are not mapped have the names that `colosseum export` gives them.
"""

import csv
import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from colosseum.imports.foreign_run import Fields, ForeignChannel, ForeignRun, Refusal, Utterance, json_of, reading
from colosseum.imports.mapping import NOTHING, TraceMapping, evaluate
from colosseum.model.values import text

CELL = ("arm", "point", "seed", "repeat")
"""Columns that tell runs apart, where no `run` is mapped and there is no such column."""
LONGEST_CELL = 2**24
GUARD = "'"
"""Stands before a text in a table of `colosseum export` that a spreadsheet might compute."""


def read_table(path: Path, mapping: TraceMapping) -> Iterator[ForeignRun]:
    """The runs of a file, streamed. Raises Refusal where it is no table."""
    seen: set[str] = set()
    rows = _csv_rows(path) if path.suffix == ".csv" else (row for _, row in json_rows(path))
    for name, group in groupby(rows, key=lambda row: run_name(row, mapping, _cell(row))):
        run = run_of(path.name, name, list(group), mapping, {})
        if name in seen:
            run = ForeignRun(name, run.files, broken="its rows do not stand together in the file: sort it by run")
        seen.add(name)
        yield run


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
    """The run that rows of a file tell; `nulls` are fields that it may lack. A row without an author tells fields."""
    lines = "\n".join(json.dumps(row, sort_keys=True) for row in rows)
    files = {source: hashlib.sha256(lines.encode()).hexdigest()}
    author = mapping.column("agent", "agent")
    fields: dict[str, Any] = {**nulls, **dict.fromkeys(key for row in rows for key in row)}
    if author not in fields:
        return ForeignRun(name, files, broken=f"there is no column `{author}`: map it, as in `agent a is author`")
    nulls, own = {mapping.column("post", "text"): None, **fields}, dict[str, dict[str, Any]]()
    said, decisions, broken = list[Utterance](), dict[str, Any](), ""
    for cells in rows:
        row, told = {**nulls, **cells}, {key: cell for key, cell in cells.items() if cell is not None}
        fields.update({key: cell for key, cell in told.items() if fields[key] is None})
        variable, kind, words = row.get("variable"), row.get("kind"), mapping.value("post", row, "text")
        if kind == "thought" and words in (None, NOTHING):
            words = row.get("text")
        speaks = words not in (None, NOTHING) and kind in (None, "post", "thought")
        broken = broken or str(row.get("broken") or "")
        if row[author] is None:
            if speaks or variable is not None:
                broken = broken or "a message or a decision has no agent"
            continue
        agent, failed = str(row[author]), str(row.get("failed") or "")
        if not failed:
            own.setdefault(agent, {}).update(told)
        if variable is not None and not failed:
            broken = broken or (f"`{variable}` is decided twice" if str(variable) in decisions else "")
            decisions[str(variable)] = row.get("value")
        elif speaks and variable is None:
            when = str(mapping.value("round", row))
            number = int(when) if when.isdecimal() and int(when) > 0 else None
            channel = None if kind == "thought" else _channel(row, mapping)
            said.append(Utterance(agent, str(words), channel, number, failed=failed))
    if broken:
        return ForeignRun(name, files, broken=broken)
    fields["decisions"] = decisions
    order = tuple(str(fields.get("turn_order") or "").split())
    live = str(fields.get("channels") or "").split() if order else ()
    secret = {name: False for name in (*live, *(u.channel for u in said if not u.failed)) if name is not None}
    for cells in (cells for cells in rows if str(cells.get("channel")) in secret):
        secret[str(cells.get("channel"))] = str(cells.get("secret")).lower() == "true"
    rounds = () if not said or any(each.round for each in said) else ("rounds",)
    decided = bool(decisions) or any(True for _ in mapping.of("decide"))
    ordered = () if order else ("turn order",)
    missing = (*ordered, "prompts", *rounds, *(() if decided else ("decisions",)), *(["memberships"] * bool(said)))
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
