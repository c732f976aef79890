"""`python -m tests.bench`. In: which parts, how much of them; out: tables, and exit code 1 where values differ."""

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from rich.console import Console

from .across import across
from .calls import calls
from .campaigns import campaigns
from .commands import commands
from .exact import exact
from .imports import imports
from .lines import Measurements
from .looks import looks
from .many import many
from .path import path
from .planted import planted
from .single import single
from .strength import strengths
from .suite import suite
from .text import text

Part: TypeAlias = Callable[[Measurements], None]
PARTS: dict[str, Part] = {
    "many": many,
    "suite": suite,
    "single": single,
    "text": text,
    "exact": exact,
    "commands": commands,
    "path": path,
    "calls": calls,
    "campaigns": campaigns,
    "imports": imports,
    "strength": strengths,
    "planted": planted,
    "looks": looks,
    "across": across,
}


def main(arguments: list[str], parts: Mapping[str, Part] = PARTS) -> int:
    """Measure, print and compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a subset, in about a minute")
    parser.add_argument("--only", choices=parts, action="append", help="one part; may be repeated")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a bar is missed, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all lines to a file")
    given = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", category=DeprecationWarning, module="pulp")
    ledger = Measurements(Console(width=180, highlight=False), quick=given.quick)
    for name in given.only or parts:
        parts[name](ledger)
    ledger.summary()
    if given.json is not None:
        given.json.write_text(json.dumps(ledger.plain(), indent=1) + "\n", encoding="utf-8")
    missed = any(line.verdict == "miss" for line in ledger.lines)
    return 1 if ledger.unequal or (given.strict and missed) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
