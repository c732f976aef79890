"""Tables of posts and decisions. In: CSV, JSON lines or Parquet, a row each; out: a ForeignRun for each run."""

import csv
import hashlib
import json
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from math import inf
from pathlib import Path
from typing import Any

from colosseum.imports.foreign_run import Fields, ForeignRun, Refusal, Source, Utterance, json_of, sound
from colosseum.imports.foreign_trace import TraceMapping, evaluate, number, whole
from colosseum.model.values import text

CELL = ("arm", "point", "seed", "repeat")
"""Entries of a mapping, or columns, that tell runs apart where nothing names them."""
GUARD = "'"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""How a text begins that a spreadsheet would compute, also by full-width signs."""


def guarded(cell: Any) -> Any:
    """A cell with GUARD before a text that a spreadsheet would compute, or that begins so itself; read back without."""
    return f"{GUARD}{cell}" if isinstance(cell, str) and cell.startswith((*FORMULA, GUARD)) else cell


def read_table(path: Path, mapping: TraceMapping) -> Source:
    """The runs of a file, streamed twice: its end tells which are whole. Raises Refusal where it is no table."""
    places, told, columns, held = Counter[str](), set[str](), _columns(mapping), set[str]()
    torn = Refusal("its rows do not stand together in the file: sort it by run")

    def name_of(row: Fields) -> str:
        held.update(row)
        cell = " ".join(str(row[column]) for column in columns if row.get(column) not in (None, ""))
        return run_name(row, mapping, cell or "run")

    with suppress(Refusal):  # damage is told below, after the runs before it
        places.update(name for name, _ in groupby(rows_of(path), key=name_of))
    for name, group in groupby(rows_of(path), key=name_of):
        if name not in told:
            told.add(name)
            lacks = ["messages"] * held.isdisjoint(mapping.read("post") or ["text"])
            yield name, torn if places[name] > 1 else partial(run_of, path.name, name, list(group), mapping, *lacks)


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
                    raise Refusal(f"{where} is no object: each line holds one")
                yield where, row


def _csv_rows(path: Path) -> Iterator[Fields]:
    """Some spreadsheets set semicolons or tabs between cells."""
    csv.field_size_limit(2**24)
    with sound(path.name), open(path, encoding="utf-8-sig", newline="") as file:
        delimiter = max(",;\t", key=file.readline().count)
        file.seek(0)
        for row in (table := csv.DictReader(file, delimiter=delimiter)):
            if None in row or None in row.values():
                raise Refusal(f"line {table.line_num} has another number of cells than the header")
            guard = GUARD if "turn_order" in row else ""
            yield {name: None if cell == "" else cell.removeprefix(guard) for name, cell in row.items()}


def _parquet_rows(path: Path) -> Iterator[Fields]:
    """A batch after the other, so that a large file is not held."""
    with sound(path.name, "parquet"):
        from pyarrow import parquet

        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(1_000):
                yield from batch.to_pylist()


def _columns(mapping: TraceMapping) -> list[str]:
    """What the mapping reads of CELL."""
    return list(dict.fromkeys(name for kind in CELL for name in mapping.read(kind) or [kind]))


def run_name(row: Fields, mapping: TraceMapping, otherwise: str) -> str:
    """The name of a row's run, as its mapping or its column `run` has it."""
    found = mapping.value("run", row)
    return otherwise if found in (None, "") else str(found)


def run_of(source: str, name: str, rows: Sequence[Fields], mapping: TraceMapping, *lacks: str) -> ForeignRun:
    """The run that rows of a file tell, which `lacks` these things. A row without an author tells fields.

    Of fields the first value counts, of those of an agent the last. Raises Refusal.
    """
    lines = "\n".join(json.dumps(row, sort_keys=True) for row in rows)
    fields = dict[str, Any].fromkeys(key for row in rows for key in row)
    fields |= {key: cell for row in reversed(rows) for key, cell in row.items() if cell is not None}
    mapping.held.update(dict.fromkeys(fields))
    own, said, decisions = _gathered(rows, mapping)
    for column in _columns(mapping):
        values = dict.fromkeys(str(row[column]) for row in rows if row.get(column) not in (None, ""))
        if len(values) > 1:
            words = f"rows of several runs have one name: `{column}` is {' and '.join(values)}"
            raise Refusal(f"{words}; map what tells runs apart, as in `run is game`, or leave `run` out")
    order = tuple(shlex.split(str(fields.get("turn_order") or "")))
    live = shlex.split(str(fields.get("channels") or "")) if order else ()
    used = dict.fromkeys((*live, *(each.channel for each in said if each.channel is not None and not each.failed)))
    spoken = [each for each in said if each.usage is None]
    decided, model = decisions or any(mapping.of("decide")), mapping.column("model", "model")
    known = {"turn order": order, "prompts": False, "rounds": not spoken or any(each.round for each in spoken),
             "decisions": decided, "memberships": not spoken}  # fmt: skip
    return ForeignRun(
        name, {source: hashlib.sha256(lines.encode()).hexdigest()}, fields | {"decisions": decisions}, own,
        order or None, dict.fromkeys(used, (None, False)), tuple(said),
        models={agent: text(cells[model]) if model in cells else None for agent, cells in own.items()},
        missing=(*(what for what, is_known in known.items() if not is_known), *lacks),
    )  # fmt: skip


def _gathered(
    rows: Sequence[Fields], mapping: TraceMapping
) -> tuple[dict[str, dict[str, Any]], list[Utterance], dict[str, Any]]:
    """By agent its fields, then what was said, and by variable what was decided."""
    own, said, decisions = dict[str, dict[str, Any]](), list[Utterance](), dict[str, Any]()
    author, deciding = mapping.column("agent", "agent"), {*mapping.read("decide")}
    if not any(author in row for row in rows):
        raise Refusal(f"there is no column `{author}`: map it, as in `agent a is author`")
    for row in rows:
        agent, variable, heard = row.get(author), row.get("variable"), list(_said(row, author, mapping))
        if agent is None and (heard or variable is not None):
            raise Refusal("a message or a decision has no agent")
        said += heard
        if agent is None or row.get("failed"):
            continue
        known, fresh = own.setdefault(str(agent), {}), {key: cell for key, cell in row.items() if cell is not None}
        for key in (key for key in fresh.keys() & deciding if known.get(key, fresh[key]) != fresh[key]):
            raise Refusal(f"`{agent}` decides twice: `{key}` is `{known[key]}`, then `{fresh[key]}`")
        known.update(fresh)
        if variable is not None and str(variable) in decisions:
            apart = "map what tells runs apart, as in `run is game`"
            mend = apart if "[" in str(variable) else f"write each agent's own as `{variable}[{agent}]`"
            raise Refusal(f"`{variable}` is decided twice: {mend}")
        decisions |= {} if variable is None else {str(variable): row.get("value")}
    return own, said, decisions


def _said(row: Fields, author: str, mapping: TraceMapping) -> Iterator[Utterance]:
    """What the answer that a row tells took, and its message or thought."""
    agent, kind, words = str(row.get(author)), row.get("kind"), mapping.value("post", row, "text")
    words = row.get("text") if kind == "thought" and words is None else words
    spoken = words is not None and kind in (None, "post", "thought") and row.get("variable") is None
    usage = usage_of(row.get("input_tokens"), row.get("output_tokens"), row.get("cost"))
    turn = whole(mapping.value("round", row)) or None
    if usage:
        yield Utterance(agent, "", None, turn, usage=usage)
    if spoken:
        named = (name for (name, *_), source in mapping.of("channel") if evaluate(source, row) is True)
        channel = next(named, "public" if row.get("channel") is None else str(row["channel"]))
        failed = str(row.get("failed") or "")
        yield Utterance(agent, str(words), None if kind == "thought" else channel, turn, failed=failed)


def usage_of(read: Any, written: Any, cost: Any = None) -> dict[str, Any] | None:
    """What an answer of a model took, as a trace has it; None where no tokens are known."""
    numbers = map(number, (read, written, cost))
    *tokens, cost = (each if isinstance(each, int | float) and 0 <= each < inf else None for each in numbers)
    prompt, completion = (None if each is None else int(each) for each in tokens)
    told = {"prompt_tokens": prompt, "completion_tokens": completion, "cost": cost}
    return told | {"seconds": None, "served_model": ""} if (prompt, completion) != (None, None) else None
