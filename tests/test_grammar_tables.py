"""The reference's tables and lists against the code. In: grammar/README.md; out: none of them has drifted."""

import math
import re
from dataclasses import fields
from pathlib import Path

import pytest
from reference import HEAD, PAGE, PIECE, expression, rows, words

from colosseum.diagnostics import Source
from colosseum.language import compose, csv_files, failure, files, parse, shipped, syntax
from colosseum.language.tables import tables
from colosseum.language.words import FUNCTIONS, PARAMETERS
from colosseum.model import (
    experiment,
    networks,
    operations,
    prompts,
    world,
)
from colosseum.model.check import check
from colosseum.model.settings import READERS, SETTINGS, Settings, read_setting
from colosseum.model.values import Fault, flatten
from colosseum.model.world import Environment
from colosseum.players.scripted.players import SCRIPTED
from colosseum.solve.lowering import lower, program
from colosseum.solve.lowering.rules import DEFAULT_LIMITS


def test_reserved_words_are_those_of_the_grammar() -> None:
    listed = next(piece["code"] for piece in PIECE.finditer(PAGE) if piece["info"] == "words")
    assert listed.split() == sorted(word for word in tables()["written"].values() if word.isalpha())


def test_functions_graphs_filters_and_players_are_listed() -> None:
    listed = [name for row in rows("Functions") for name in words(row[0])]
    assert sorted(listed) == sorted(FUNCTIONS)
    assert [words(row[0])[0] for row in rows("network")] == ["complete", "path", "ring", "star", "edges", *RANDOM]
    assert {*GRAPHS, *RANDOM} == set(PARAMETERS)
    said = re.search(r"the filters (.*) and the tests (.*); nothing else", PAGE)
    assert said is not None
    assert words(said[1]) == sorted(prompts.FILTERS)
    assert words(said[2]) == sorted(prompts.TESTS)
    assert sorted(words(row[0])[0] for row in rows("Scripted players")) == sorted(SCRIPTED)


RANDOM = ("erdos_renyi", "watts_strogatz", "barabasi_albert")
GRAPHS = ("complete", "path", "ring", "star", "edges")


@pytest.mark.parametrize("kind", GRAPHS)
def test_a_graph_joins_what_the_page_says(kind: str, tmp_path: Path) -> None:
    row = next(row for row in rows("network") if words(row[0])[0] == kind)
    spec = f"{HEAD}agents A, B, C, D\nvariable v[agents]: 1..2\nnetwork {row[0].strip('`')}\n"
    (tmp_path / "spec.colo").write_text(spec, encoding="utf-8")
    checked, _ = check(tmp_path / "spec.colo")
    assert checked is not None
    assert ", ".join("".join(map(str, flatten((link,)))) for link in checked.expansion.world.sets["links"]) == row[2]


def test_shared_prompts_are_listed_with_their_variants() -> None:
    found = []
    for path in (shipped("specs") / "lib").glob("*.colo"):
        file, _ = parse(Source(path.name, path.read_text(encoding="utf-8")))
        told = [s for s in file.statements if isinstance(s, syntax.Prompt)]
        found.append([f"lib/{path.name}", *(p.name for p in told), *(v.name for p in told for v in p.variants)])
    listed = [re.findall(r"`([^`]+)`", " ".join(row)) for row in rows("use and override")]
    assert sorted(listed) == sorted(found)


# ---- settings, limits, codes ---------------------------------------------------------------------------------------


def test_every_setting_is_listed_with_its_default() -> None:
    listed = {words(row[0])[0]: row for row in rows("Settings")}
    assert sorted(listed) == sorted(SETTINGS)
    defaults = {f.name: getattr(Settings(), f.name) for f in fields(Settings)}
    for name, (field, _) in READERS.items():
        assert listed[name][1] == shown(defaults[field]), name


def shown(default: object) -> str:
    match default:
        case None:
            return "none"
        case bool():
            return "`on`" if default else "`off`"
        case ((_, model),):
            return f"`{model}`"
        case _:
            return f"`{default:g}`" if isinstance(default, float) else f"`{default}`"


@pytest.mark.parametrize("name", READERS)
def test_a_setting_takes_what_the_page_says(name: str, tmp_path: Path) -> None:
    row = next(row for row in rows("Settings") if words(row[0])[0] == name)
    example = re.search(r"`\w+ ([^`]*)`", row[0])
    assert example is not None
    told = f'{HEAD}agents A\nvariable v[agents]: 1..2\nprompt p for agents {{ both: paraphrases "Be kind." "Be." }}\n'
    (tmp_path / "spec.colo").write_text(told, encoding="utf-8")
    (tmp_path / "mine").mkdir()
    checked, _ = check(tmp_path / "spec.colo")
    assert checked is not None
    env = Environment(checked.expansion.world)
    read_setting(Settings(), name, expression(example[1]), env)
    with pytest.raises(Fault) as refused:
        read_setting(Settings(), name, expression('"what is not!"'), env)
    assert row[2].replace("`", "") in refused.value.message.replace("`", "")


def test_limits_are_those_of_the_code() -> None:
    listed = {row[0]: row[1] for row in rows("Limits")}
    known = {
        "a spec file": f"{files.LARGEST // 2**20} MiB",
        "a CSV file": f"{csv_files.LARGEST_FILE // 2**20} MiB",
        "files that use each other in a chain": compose.DEEPEST,
        "brackets inside each other": failure.DEEPEST,
        "brackets and operators of one expression, together": failure.LONGEST_CHAIN,
        "numbers in a range": operations.LARGEST_RANGE,
        "rounds of all loops of an expansion, with the terms that they leave": world.MOST_STEPS,
        "levels of terms after derived tables are substituted": operations.DEEPEST,
        "combinations of an experiment's sweeps": experiment.MOST_POINTS,
        "runs of an experiment: sweeps × arms × seeds × repeats": experiment.MOST_RUNS,
        "tries for a connected random network": networks.MOST_REDRAWS,
        "characters of a rendered prompt": prompts.LONGEST_PROMPT,
        "joint values of a term that no rule of the integer program fits": DEFAULT_LIMITS.table,
        "columns of the integer program": program.MOST_COLUMNS,
        "how far the sum of payoffs may reach": lower.FARTHEST,
        "how far one number in the integer program may reach, such as the payoff in a product": program.LARGEST,
        "coefficients of all its rows": program.MOST_WEIGHTS,
    }
    assert listed == {name: bounded(limit) for name, limit in known.items()}


def bounded(limit: float | str) -> str:
    """A limit as the page writes it."""
    if isinstance(limit, float):
        return f"10^{round(math.log10(limit))}"
    return f"{limit:,}".replace(",", " ") if isinstance(limit, int) else limit
