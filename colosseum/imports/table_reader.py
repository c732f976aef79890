"""Tables of posts and decisions. In: CSV, JSON lines or Parquet, a row each; out: a ForeignRun for each run."""

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

from colosseum.imports.foreign_run import Fields, ForeignChannel, ForeignRun, Refusal, Source, Utterance, json_of, sound
from colosseum.imports.mapping import NOTHING, TraceMapping, evaluate, number
from colosseum.model.values import text

CELL = ("arm", "point", "seed", "repeat")
"""Columns that tell runs apart, where no `run` is mapped and there is no such column."""
LONGEST_CELL = 2**24
MOST_ROWS = 1_000
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
    """The rows of CSV, of Parquet, or of JSON lines. Raises Refusal."""
    own = {".csv": _csv_rows, ".parquet": _parquet_rows}.get(path.suffix)
    return own(path) if own else (row for _, row in json_rows(path))


def json_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of JSON lines, each with its place. Raises Refusal."""
    with sound(path.name), open(path, encoding="utf-8-sig", newline="") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                where = f"{path.name} line {number}"
                row = json_of(line, where)
                if not isinstance(row, dict):
                    raise Refusal(f"{where} is no object")
                yield where, row


def _csv_rows(path: Path) -> Iterator[Fields]:
    csv.field_size_limit(LONGEST_CELL)
    with sound(path.name), open(path, encoding="utf-8-sig", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            if None in row or None in row.values():
                raise Refusal(f"line {number} has another number of cells than the header")
            cells = {name: None if cell == "" else cell for name, cell in row.items()}
            if "turn_order" in row and (words := cells.get("text")) is not None:
                cells["text"] = words.removeprefix(GUARD)
            yield cells


def _parquet_rows(path: Path) -> Iterator[Fields]:
    """A batch after the other, so that a large file is not held."""
    with sound(path.name, "parquet"):
        from pyarrow import parquet

        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(MOST_ROWS):
                yield from batch.to_pylist()


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
    told = _Told(mapping, {**nulls, **dict.fromkeys(key for row in rows for key in row)})
    for row in rows:
        told.add(row)
    order = tuple(shlex.split(str(told.fields.get("turn_order") or "")))
    live = shlex.split(str(told.fields.get("channels") or "")) if order else ()
    secret = {str(row.get("channel")): str(row.get("secret")).lower() == "true" for row in rows}
    used = dict.fromkeys((*live, *(each.channel for each in told.said if each.channel is not None and not each.failed)))
    spoken = [each for each in told.said if each.usage is None]
    decided, column = bool(told.decisions) or mapping.source("decide") is not None, mapping.column("model", "model")
    known = {"turn order": order, "prompts": False, "rounds": not spoken or any(each.round for each in spoken),
             "decisions": decided, "memberships": not spoken}  # fmt: skip
    return ForeignRun(
        name, {source: hashlib.sha256(lines.encode()).hexdigest()}, told.fields | {"decisions": told.decisions},
        told.own, tuple(told.own), order or None, said=tuple(told.said), decided=decided,
        channels=tuple(ForeignChannel(channel, None, secret.get(channel, False)) for channel in used),
        models={agent: text(cells[column]) for agent, cells in told.own.items() if cells.get(column) is not None},
        missing=tuple(what for what, is_known in known.items() if not is_known),
    )  # fmt: skip


class _Told:
    """What the rows of a run have told so far: fields by their first value, those of an agent by their last."""

    def __init__(self, mapping: TraceMapping, nulls: dict[str, Any]) -> None:
        self.mapping, self.author = mapping, mapping.column("agent", "agent")
        if self.author not in nulls:
            raise Refusal(f"there is no column `{self.author}`: map it, as in `agent a is author`")
        self.nulls, self.fields = {mapping.column("post", "text"): None, **nulls}, nulls
        self.own, self.said, self.decisions = dict[str, dict[str, Any]](), list[Utterance](), dict[str, Any]()

    def add(self, cells: Fields) -> None:
        """Hear one more row. Raises Refusal."""
        row, known = {**self.nulls, **cells}, {key: cell for key, cell in cells.items() if cell is not None}
        self.fields.update({key: cell for key, cell in known.items() if self.fields[key] is None})
        variable, words = row.get("variable"), _words(row, self.mapping)
        if row.get("broken"):
            raise Refusal(str(row["broken"]))
        if row[self.author] is None:
            if words is not None or variable is not None:
                raise Refusal("a message or a decision has no agent")
            return
        agent, failed = str(row[self.author]), str(row.get("failed") or "")
        usage = usage_of(row.get("input_tokens"), row.get("output_tokens"), row.get("cost"))
        when = str(self.mapping.value("round", row)) if usage or words is not None else ""
        turn = int(when) if when.isdecimal() and int(when) > 0 else None
        self.said += [Utterance(agent, "", None, turn, usage=usage)] if usage else []
        if not failed:
            self.own.setdefault(agent, {}).update(known)
        if variable is not None and not failed:
            if str(variable) in self.decisions:
                raise Refusal(f"`{variable}` is decided twice")
            self.decisions[str(variable)] = row.get("value")
        elif variable is None and words is not None:
            channel = None if row.get("kind") == "thought" else _channel(row, self.mapping)
            self.said.append(Utterance(agent, words, channel, turn, failed=failed))


def _words(row: Fields, mapping: TraceMapping) -> str | None:
    """The message or thought of a row; None where it has none."""
    kind, words = row.get("kind"), mapping.value("post", row, "text")
    if kind == "thought" and words in (None, NOTHING):
        words = row.get("text")
    return str(words) if words not in (None, NOTHING) and kind in (None, "post", "thought") else None


def _channel(row: Fields, mapping: TraceMapping) -> str:
    """The channel that an entry says is the row's: by a condition, or by a column's value."""
    named = (name for (name, *_), source in mapping.of("channel") if evaluate(source, row) is True)
    return next(named, "public" if row.get("channel") is None else str(row["channel"]))


def usage_of(read: Any, written: Any, cost: Any = None) -> dict[str, Any] | None:
    """What an answer of a model took, as a trace has it; None where no tokens are known."""
    numbers = map(number, (read, written, cost))
    *tokens, cost = (each if isinstance(each, int | float) and 0 <= each < inf else None for each in numbers)
    prompt, completion = (None if each is None else int(each) for each in tokens)
    told = {"prompt_tokens": prompt, "completion_tokens": completion, "cost": cost}
    return told | {"seconds": None, "served_model": ""} if (prompt, completion) != (None, None) else None
