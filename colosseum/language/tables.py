"""The parser's tables, from the grammar or from the user's cache folder. In: nothing; out: what `splitting` goes by.

Lark makes them in a second, and is imported for nothing else. They are kept as JSON, in a folder that is ours alone to
write; whatever cannot be read is made anew.
"""

import json
import os
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, TypedDict

from colosseum.language.files import shipped

Rule: TypeAlias = tuple[str, int, str, list[int | None]]
"""A symbol, how many symbols it stands for, the name of its node, and which of their values the node gets.

The name is empty where the rule only chooses a value, and begins with `_` where its values go to the rule around. `~i`
are all values of such a rule at place i; None is a part that is absent.
"""


class Tables(TypedDict):
    """The parser of a statement."""

    rows: list[dict[str, int]]
    """For each state, by symbol, the state that follows; `~i` where rule i is complete."""
    rules: list[Rule]
    start: int
    end: int
    """The state in which a statement is complete."""
    pattern: str
    """All terminals behind blanks, each a group of its name."""
    keywords: dict[str, dict[str, str]]
    """By terminal, the words of it that are terminals of their own."""
    written: dict[str, str]
    """The terminals that are typed as they stand in the grammar."""


@cache
def tables() -> Tables:
    """Those of edition 1."""
    return cached_tables((shipped("grammar") / "colosseum.lark").read_text(encoding="utf-8"), cache_folder())


def cache_folder() -> Path | None:
    """`$XDG_CACHE_HOME/colosseum` or `~/.cache/colosseum`; None when the user has no home."""
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(chosen):
        return Path(chosen) / "colosseum"
    try:
        return Path.home() / ".cache" / "colosseum"
    except RuntimeError:
        return None


def cached_tables(grammar: str, folder: Path | None) -> Tables:
    """Load the tables of a grammar from `folder`, or build them and leave them there."""
    if folder is None or not is_ours(folder):
        return build_tables(grammar)
    path = folder / f"grammar-{sha256(grammar.encode() + Path(__file__).read_bytes()).hexdigest()[:24]}.tables"
    with suppress(OSError, TypeError, ValueError):
        found: Tables = json.loads(path.read_bytes())
        if {*found} == {*Tables.__annotations__}:
            return found
    made, part = build_tables(grammar), path.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        part.write_text(json.dumps(made), encoding="utf-8")
        part.replace(path)
    part.unlink(missing_ok=True)
    return made


def import_lark() -> ModuleType:
    """Import Lark without two packages that it would load where they are: `regex`, and `interegular`.

    It never uses the first, and with the second it would compare words for a minute whenever it makes tables.
    """
    hidden = [name for name in ("regex", "interegular") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        import lark
    finally:
        for name in hidden:
            del sys.modules[name]
    return lark


def build_tables(grammar: str) -> Tables:
    """Make the tables from the grammar's text. Lark does not type its own, hence Any."""
    parser = import_lark().Lark(grammar, parser="lalr", lexer="basic", start="statement").parse_interactive()
    lexer: Any = parser.lexer_thread.lexer
    table: Any = parser.parser_state.parse_conf
    rules = {rule: ~number for number, rule in enumerate(table.callbacks)}
    terminals = "|".join(f"(?P<{each.name}>{each.pattern.to_regexp()})" for each in lexer.scanner.terminals)
    return Tables(
        rows=[
            {symbol: rules.get(target, target) for symbol, (_, target) in table.states[number].items()}
            for number in range(len(table.states))
        ],
        rules=[_rule(rule, callback) for rule, callback in table.callbacks.items()],
        start=table.start_state,
        end=table.end_state,
        pattern=rf"\s*(?:{terminals})",
        keywords={
            kind: {each.pattern.value: each.name for each in unless.scanner.terminals}
            for kind, unless in lexer.callback.items()
        },
        written={each.name: each.pattern.value for each in lexer.terminals if each.pattern.type == "str"},
    )


def _rule(rule: Any, make: Any) -> Rule:
    """A rule of Lark's: it is tried on the places of its symbols, those of rules with `_` wrapped."""
    tree: Any = import_lark().Tree
    inner = [not symbol.is_term and symbol.name[0] == "_" for symbol in rule.expansion]
    made = make([tree("", [~place]) if wrapped else place for place, wrapped in enumerate(inner)])
    named = isinstance(made, tree)
    return rule.origin.name, len(inner), str(made.data) if named else "", made.children if named else [made]


def is_ours(folder: Path) -> bool:
    """Whether the folder exists (or could be made) and nobody else may write there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return os.name != "posix" or (found.st_uid == os.getuid() and not found.st_mode & 0o022 and not folder.is_symlink())
