"""Reports of records made by hand. In: run records, blocks; out: findings, cells of tables, printed words."""

import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console

from colosseum.campaign.folder import Plan
from colosseum.campaign.registering import Registered
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.findings import Findings
from colosseum.evidence.judges import Bench
from colosseum.evidence.summary import summarise
from colosseum.evidence.verdict import Rule, settle
from colosseum.report.document import Amount, Block, Definitions, Paragraph, Table
from colosseum.report.page import cell_words, show
from colosseum.run.trial import Listed

SETTLED = Registered(
    question="", signal="outsider_loss", margins={"outsider_loss": 0.04}, seeds=40, repeats=1, arms=(), points=("",),
    fixed="", configuration="", digest="",
)  # fmt: skip
HOSTILE = "[bold red]x[/] [link=http://evil]\x1b[31m\x07\u202e:smile: [/oops]"
"""A name that would take over a terminal, or be read as Rich's markup."""


def found(
    records: Sequence[RunRecord], *, arms: Sequence[str] = (), rule: Rule | None = None, bench: Bench | None = None,
    settled: Registered | None = SETTLED, missing: Sequence[Listed] = (), **plan: Any,
) -> Findings:  # fmt: skip
    """What a report of these runs is made of; `missing` are planned, too."""
    arms = tuple(arms or dict.fromkeys(r.arm for r in records))
    ended = [Listed(r.trial, r.arm, r.point, r.seed, r.repeat, r.model, r.players, "") for r in records]
    whole = Plan(2, "", "jira", "A title", "e", "Do they?", arms, ("cabal",), "", "jira.colo", {}, {}, {},
                 (*ended, *missing))  # fmt: skip
    verdicts = settle(records, arms=arms, rule=rule or Rule())
    summary = summarise(records, arms=arms)
    return Findings(replace(whole, **plan), records, summary, verdicts, ("sim/judge",), bench or Bench(), settled)


def printed(blocks: Iterable[Block], *, width: int = 80) -> str:
    """A page without colour."""
    console = Console(file=(stream := io.StringIO()), width=width, highlight=False, color_system=None)
    show(console, blocks)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def flat(text: str) -> str:
    """All on one line."""
    return " ".join(text.split())


def words(table: Table | None) -> list[list[str]]:
    """The cells of each row as they are read, without their notes."""
    assert table is not None
    return [[cell_words(cell) for cell in row] for row in table.rows]


def notes(table: Table | None) -> list[str]:
    """Why cells have no number, or what they lack, row by row."""
    assert table is not None
    return [note for row in table.rows for cell in row if (note := getattr(cell, "note", ""))]


def column(table: Table | None, name: str) -> list[str]:
    """The cells below a heading."""
    assert table is not None
    return [row[table.columns.index(name)] for row in words(table)]


def meanings(block: Definitions | None) -> dict[str, str]:
    """What each word means."""
    assert block is not None
    return dict(block.items)


def told(blocks: Iterable[Block]) -> list[str]:
    """All paragraphs."""
    return [block.text for block in blocks if isinstance(block, Paragraph)]


def known(table: Table | None) -> list[float | None]:
    """All amounts of a table, in full."""
    assert table is not None
    return [cell.value for row in table.rows for cell in row if isinstance(cell, Amount)]


def walk(node: Any) -> list[dict[str, Any]]:
    """All objects of some JSON."""
    if isinstance(node, dict):
        return [node, *(each for value in node.values() for each in walk(value))]
    return [each for value in node for each in walk(value)] if isinstance(node, list) else []
