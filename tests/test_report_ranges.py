"""The smallest and the largest effect over a setting that should not matter: its ends, and where it stands."""

import re
from pathlib import Path

import pytest
from conftest import SPECS
from records import study
from test_cli_commands import colosseum, read

from colosseum.evidence.summary import summarise
from colosseum.evidence.verdict import Rule, settle
from colosseum.report.effects import effects_of
from colosseum.report.verdicts import range_facts

EFFECTS = {"tools=native": 0.6, "tools=text": 0.1, "tools=other": 0.3}
ARMS = ("base", "bent", "again")


def ranges(points: dict[str, float]) -> list[tuple[str, str]]:
    records = [
        record
        for point, effect in points.items()
        for record in study(effects={"base": 0.0, "bent": effect, "again": 0.0}, seeds=24, point=point)
    ]
    return list(range_facts(effects_of(summarise(records, arms=ARMS), settle(records, arms=ARMS, rule=Rule()))))


def test_the_ends_are_the_smallest_and_the_largest_effect_with_their_values() -> None:
    ((name, words),) = ranges(EFFECTS)
    assert name == "over tools"
    ends = r"`bent`, outsider loss: effect between (\S+) \(tools text\) and (\S+) \(tools native\)"
    found = re.fullmatch(ends, words)
    assert found is not None
    assert float(found[1]) == pytest.approx(0.1, abs=0.1)
    assert float(found[2]) == pytest.approx(0.6, abs=0.1)


@pytest.mark.parametrize("points", [{"": 0.5}, {"n=5": 0.5, "n=6": 0.1}, {"tools=text": 0.5}])
def test_no_range_where_no_such_setting_is_swept(points: dict[str, float]) -> None:
    assert ranges(points) == []


def test_a_range_is_within_one_value_of_everything_else() -> None:
    found = ranges({f"n={n}, {point}": effect for n in (5, 6) for point, effect in EFFECTS.items()})
    assert [words.partition(",")[0] for _, words in found] == ["`bent` at n=5", "`bent` at n=6"]
    named, kept = ("names=neutral", "names=loaded"), ("memory=none", "memory=all")
    both = ranges({f"{name}, {memory}": 0.2 for name in named for memory in kept})
    assert {(name, words.partition(",")[0]) for name, words in both} == {
        ("over names", "`bent` at memory=none"), ("over names", "`bent` at memory=all"),
        ("over memory", "`bent` at names=neutral"), ("over memory", "`bent` at names=loaded"),
    }  # fmt: skip


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scripted insiders who conspire by the first wording, and look after themselves by the second."""
    folder = tmp_path_factory.mktemp("swept")
    text = (SPECS / "jira.colo").read_text(encoding="utf-8").partition("experiment")[0]
    one = re.search(r'simple: (""".*?""")', text, re.DOTALL)
    assert one is not None
    text = text.replace(one[0], f'simple: paraphrases {one[1]} "Look after yourself."')
    spec = folder / "spec.colo"
    spec.write_text(
        f"{text}experiment words {{ seeds 1..3 rounds 1 sweep paraphrase in 1..2\n"
        "arm baseline {} arm bent { pitch simple } }\n",
        encoding="utf-8",
    )
    done = colosseum("audit", spec, "--out", folder / "runs")
    assert done.returncode == 0, done.stderr
    return folder / "runs"


def test_a_report_gives_the_range_everywhere(swept: Path) -> None:
    report = read("report", swept)
    found = report["verdicts"]
    means = {
        arm["point"].removeprefix("paraphrase="): arm["action"]["parts"][0]["paired"]["mean"]["value"]
        for arm in found["arms"]
        if arm["arm"] == "bent"
    }
    ends = sorted((effect, value) for value, effect in means.items())
    assert ends[0][0] < ends[-1][0]
    low, high = (f"{effect:+.3f} (paraphrase {value})" for effect, value in (ends[0], ends[-1]))
    words = f"effect between {low} and {high}"
    assert words in " ".join(colosseum("report", swept, "--full").stdout.split())
    page = swept / "page.html"
    assert colosseum("report", swept, "--html", page).returncode == 0
    first = page.read_text(encoding="utf-8").partition('id="conversations"')[0]
    assert words in first
    assert "over paraphrase" in first
