"""Tables of messages and decisions. In: CSV or JSON lines, a row a post or a decision; out: a ForeignRun for each run.

Rows of one run stand together. Columns that are not mapped have the names that `colosseum log export` gives them.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from colosseum.imports.foreign_run import ForeignChannel, ForeignRun, Refusal, Utterance, digest, json_of
from colosseum.imports.mapping import NOTHING, TraceMapping, evaluate
from colosseum.language import syntax
from colosseum.model.values import text

CELL = ("arm", "point", "seed", "repeat")
"""Columns that tell runs apart, where no `run` is mapped and there is no such column."""
LONGEST_CELL = 2**24
Entry = Mapping[str, Any]


def read_table(path: Path, mapping: TraceMapping) -> Iterator[ForeignRun]:
    """The runs of a file, streamed. Raises Refusal where it is no table."""
    seen: set[str] = set()
    for name, group in groupby(_rows(path), key=lambda row: _run_name(row, mapping)):
        run = _run(path, name, list(group), mapping)
        if name in seen:
            run = ForeignRun(name, run.files, broken="its rows do not stand together in the file: sort it by run")
        seen.add(name)
        yield run


def _rows(path: Path) -> Iterator[Entry]:
    csv.field_size_limit(LONGEST_CELL)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            if path.suffix == ".csv":
                yield from _csv_rows(file)
                return
            for number, line in enumerate(file, start=1):
                if line.strip():
                    row = json_of(line.encode("utf-8", "surrogatepass"), f"{path.name} line {number}")
                    if not isinstance(row, dict):
                        raise Refusal(f"{path.name} line {number} is no object")
                    yield row
    except UnicodeDecodeError:
        raise Refusal(f"{path.name} is not UTF-8 text") from None
    except csv.Error as error:
        raise Refusal(f"{path.name} is not CSV: {error}") from None
    except OSError as error:
        raise Refusal(f"cannot read {path.name}: {error.strerror}") from None


def _csv_rows(file: Any) -> Iterator[Entry]:
    for number, row in enumerate(csv.DictReader(file), start=2):
        if None in row or None in row.values():
            raise Refusal(f"line {number} has another number of cells than the header")
        yield {name: None if cell == "" else cell for name, cell in row.items()}


def _run_name(row: Entry, mapping: TraceMapping) -> str:
    if mapping.source("run") is not None:
        return str(mapping.value("run", row))
    if row.get("run"):
        return str(row["run"])
    return " ".join(str(row[name]) for name in CELL if row.get(name) not in (None, "")) or "run"


def _run(path: Path, name: str, rows: list[Entry], mapping: TraceMapping) -> ForeignRun:
    files = {path.name: digest("\n".join(json.dumps(row, sort_keys=True) for row in rows).encode())}
    author, words = mapping.column("agent", "agent"), mapping.column("post", "text")
    if author not in rows[0]:
        return ForeignRun(name, files, broken=f"there is no column `{author}`: map it, as in `agent a is author`")
    fields: dict[str, Any] = dict.fromkeys(rows[0])
    own: dict[str, dict[str, Any]] = {}
    said, decisions, twice = list[Utterance](), dict[str, Any](), ""
    for row in rows:
        fields.update({key: cell for key, cell in row.items() if cell is not None and fields.get(key) is None})
        agent = str(row.get(author))
        own.setdefault(agent, {}).update({key: cell for key, cell in row.items() if cell is not None})
        variable, kind = row.get("variable"), row.get("kind")
        if variable is not None:
            twice = str(variable) if str(variable) in decisions else twice
            decisions[str(variable)] = row.get("value")
        elif row.get(words) is not None and kind in (None, "post", "thought"):
            said.append(_utterance(row, agent, str(row[words]), mapping, thought=kind == "thought"))
    if twice:
        return ForeignRun(name, files, broken=f"`{twice}` is decided twice")
    fields["decisions"] = decisions
    secret = {u.channel: False for u in said if u.channel is not None}
    for row in (row for row in rows if str(row.get("channel")) in secret):
        secret[str(row.get("channel"))] = str(row.get("secret")).lower() == "true"
    rounds = () if not said or any(each.round for each in said) else ("rounds",)
    decided = bool(decisions) or any(True for _ in mapping.of("decide"))
    missing = ("turn order", "prompts", *rounds, *(() if decided else ("decisions",)), *(["memberships"] * bool(said)))
    column = mapping.column("model", "model")
    return ForeignRun(
        name, files, fields, own, tuple(own),
        channels=tuple(ForeignChannel(each, None, hidden) for each, hidden in secret.items()), said=tuple(said),
        models={agent: text(cells[column]) for agent, cells in own.items() if cells.get(column) is not None},
        decided=decided, missing=missing,
    )  # fmt: skip


def _utterance(row: Entry, agent: str, words: str, mapping: TraceMapping, *, thought: bool) -> Utterance:
    when = mapping.value("round", row)
    number = int(when) if str(when).isdecimal() and int(when) > 0 else None
    return Utterance(agent, words, None if thought else _channel(row, mapping), number)


def _channel(row: Entry, mapping: TraceMapping) -> str:
    """The channel that an entry says is the row's: by a condition, or by a column's value."""
    for each in mapping.of("channel"):
        if isinstance(each.what, syntax.Name) and evaluate(each.source, row) is True:
            return each.what.id
    found = row.get("channel", NOTHING)
    return "public" if found in (None, NOTHING) else str(found)
