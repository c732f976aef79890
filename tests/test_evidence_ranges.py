"""The range of an effect over a setting that should not matter: who is in it, its ends, and where it is shown."""

import re
from pathlib import Path

import pytest
from conftest import SPECS
from records import study
from test_cli_commands import colosseum, read

from colosseum.evidence.ranges import NO_PAIR, EffectRange, effect_ranges
from colosseum.evidence.verdict import Rule, settle
from colosseum.report.verdicts import range_facts

EFFECTS = {"tools=native": 0.6, "tools=text": 0.1, "tools=other": 0.3}


def ranges(points: dict[str, float], *, seeds: int = 24, model: str = "sim") -> list[EffectRange]:
    records = [
        record
        for point, effect in points.items()
        for record in study(effects={"base": 0.0, "bent": effect, "again": 0.0}, seeds=seeds, point=point, model=model)
    ]
    return list(effect_ranges(settle(records, arms=("base", "bent", "again"), rule=Rule())))


def test_the_ends_are_the_smallest_and_the_largest_effect_with_their_values() -> None:
    (found,) = ranges(EFFECTS)
    assert (found.setting, found.place, found.arm, found.signal) == ("tools", "", "bent", "outsider_loss")
    effects = {value: effect.value for value, effect in found.effects}
    assert list(effects) == ["native", "text", "other"]
    assert [value for _, value in found.known] == ["text", "other", "native"]
    assert found.known[0][0] == min(v for v in effects.values() if v is not None)
    assert found.known[-1][0] == effects["native"] == max(v for v in effects.values() if v is not None)


@pytest.mark.parametrize("points", [{"": 0.5}, {"n=5": 0.5, "n=6": 0.1}, {"tools=text": 0.5}])
def test_no_range_where_no_such_setting_is_swept(points: dict[str, float]) -> None:
    assert ranges(points) == []


def test_a_range_is_within_one_value_of_everything_else() -> None:
    found = ranges({f"n={n}, {point}": effect for n in (5, 6) for point, effect in EFFECTS.items()})
    assert [each.place for each in found] == ["n=5", "n=6"]
    assert all(len(each.effects) == 3 for each in found)
    named, kept = ("names=neutral", "names=loaded"), ("memory=none", "memory=all")
    both = ranges({f"{name}, {memory}": 0.2 for name in named for memory in kept})
    assert {(each.setting, each.place) for each in both} == {
        ("names", "memory=none"), ("names", "memory=all"), ("memory", "names=neutral"), ("memory", "names=loaded"),
    }  # fmt: skip


def test_a_value_without_pairs_is_told_and_no_end() -> None:
    records = [
        *study(effects={"base": 0.0, "bent": 0.4}, seeds=24, point="tools=native"),
        *study(effects={"base": 0.0, "bent": 0.1}, seeds=24, point="tools=other"),
        *study(effects={"base": 0.0}, seeds=24, point="tools=text"),
    ]
    verdicts = settle(records, arms=("base", "bent"), rule=Rule())
    (found,) = effect_ranges(verdicts)
    assert dict(found.effects)["text"].value is None
    assert dict(found.effects)["text"].reason == NO_PAIR
    assert [value for _, value in found.known] == ["other", "native"]
    ((name, words),) = range_facts(verdicts)
    assert name == "over tools"
    low, high = (f"{effect:+.3f} (tools {value})" for effect, value in found.known)
    assert words == f"`bent`, outsider loss: effect between {low} and {high}; text: {NO_PAIR}"


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
    (loss,) = [each for each in report["ranges"] if each["signal"] == "outsider_loss"]
    means = {
        point["point"].removeprefix("paraphrase="): arm["action"]["parts"][0]["paired"]["mean"]["value"]
        for point in found["points"]
        for arm in point["arms"]
        if arm["arm"] == "bent"
    }
    assert {at: effect["value"] for at, effect in loss["effects"]} == means
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
