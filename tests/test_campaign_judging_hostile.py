"""Judges that answer in odd ways, and files of theirs that were edited: what cannot be is no score, and ends soon."""

import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer
from typing import Literal

import pytest
from audited import file_of, scripted
from chat_server import Answer, calls, says
from conftest import MATCH
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st
from test_campaign_judging import QUOTE, events, fails_all, fair, figure, have_judged, judged, judgements, scenario
from test_cli_commands import colosseum

from colosseum.campaign.folder import Damaged, Folder
from colosseum.campaign.judged import Judges, keep_judges, read_judged, read_judges, write_judged, write_judges
from colosseum.players.models.request import Endpoint
from colosseum.run.judging.asking import LONGEST_REASON, SCHEMA, TRIES, Judged, Judgement
from colosseum.run.judging.transcript import Transcript, places, transcript

GIVEN = json.dumps({"score": 5, "quote": QUOTE, "rationale": "why"})
CALL = ("judge", json.loads(GIVEN))

pytestmark = pytest.mark.usefixtures("key")


@pytest.mark.parametrize(
    "answer",
    [
        says(f"<think>{GIVEN}</think> I need more time."),
        calls(CALL, ("judge", {**CALL[1], "score": 0})),
        calls(("judge", {**CALL[1], "score": "five"}), CALL),
        says("{" * 1_000_000),
        says('{"a":' * 200_000),
        calls(("judge", '{"a":' * 200)),
    ],
)
def test_what_is_no_clear_judgement_is_unreadable_and_asked_for_again(answer: Answer) -> None:
    found, asker = judged([answer])
    assert (found.status, found.score, found.asked) == ("unreadable", None, TRIES)
    assert asker.asked[-1].size < 30_000, "a long answer is not sent back whole"


def test_the_same_judgement_twice_is_one() -> None:
    assert judged([calls(CALL, CALL)])[0].score == 5


def test_the_words_of_a_refusal_are_kept_short() -> None:
    found, _ = judged([says(None, refusal="I will not.\n" * 10_000)])
    assert found.status == "refused"
    assert len(found.reason) <= LONGEST_REASON
    assert "\n" not in found.reason


def said(*posts: str) -> Transcript:
    shown: Sequence[tuple[str, str, str]] = [("engineer3", "public", text) for text in posts]
    return transcript(events(shown), scenario(), "a")


@pytest.mark.parametrize(
    ("quote", "quoted"),
    [
        ("we both take it", True),
        ("We both - take “it”…", True),
        ("we both\\ntake it", True),
        ("we\u200b both\u00a0take it", True),
        ("ｗｅ both take it", True),
        ("e both tak", False),
        ("t", False),
        (".", False),
        ("we b\u043eth take it", False),
        ("take it before Wednesday", False),
        ("抢先拿下", True),
        ("👍", True),
        ("", False),
        ("\u200b", False),
    ],
)
def test_a_quote_is_of_whole_words_of_one_post(quote: str, quoted: bool) -> None:
    found = places(quote, said("Shall we both\ntake it?", "Before Wednesday.", "我们抢先拿下它", "👍"))
    assert bool(found) is quoted


@pytest.mark.parametrize(
    ("quote", "original"),
    [
        ("Agent 3 and I both take it", "engineer4 and I both take it"),
        ("and i BOTH - take “it”", "and I both take it"),
        ("caf\u00e9 at\\nnine", "caf\u00e9) at\nnine"),
        ("cafe\u0301 at\\nnine", "Before (caf\u00e9) at\nnine."),
        ("at nine", "at\nnine"),
        ("抢先", "抢先"),
        ("👍", "👍"),
    ],
)
def test_a_quote_is_found_in_the_words_as_they_were_written(quote: str, original: str) -> None:
    """Judges read numbers for names, and copy more or less exactly."""
    posts = ["Shall engineer4 and I both take it?", "Before (caf\u00e9) at\nnine.", "我们抢先拿下它", "👍"]
    read = said(*posts)
    quote = quote.replace("Agent 3", f"Agent {read.agents['engineer4']}")
    ((post, first, last),) = places(quote, read)
    assert unicodedata.normalize("NFC", posts[post][first:last]) == original
    assert places(quote, read)


def test_marks_without_end_keep_nobody_busy() -> None:
    marks = "\u0301\u0323" * 100_000
    """What grows with the square of their number would take hours."""
    assert places("we take it", said(f"Shall a{marks} we take\n{marks}it?", "no")) == [(0, 200_008, 400_018)]


FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
SIGNS = st.sampled_from([
    *"abc XYZ09_-.,!\n\t\\\"/", "\\n", "\\u00e9", "\\u0041", "\\ud83d", "\u0301", "\u0323", "e\u0301", "\u00e9",
    "\ufb01", "\u00df", "\u0130", "\u03a3", "\u03c2", "\u0345", "\u200b", "\u200d", "\u00ad", "\u202e", "\U0001d400",
    "\U0001f600", "\u6211", "\ud55c", "\u1112", "\u1161", "\u09c7", "\u09be", "\u00bd", "\ud800", "\udc00", "\x00",
    "\u2028", "\u0f71\u0f72", "\u3099", "\u304b", "\uff76", "engineer4", "Engineer 4", "\u0301" * 40,
])  # fmt: skip


@given(st.lists(SIGNS, max_size=14).map("".join), st.data())
def test_whatever_is_quoted_has_a_place_that_reads_like_it(post: str, data: st.DataObject) -> None:
    read = said(post)
    text = read.posts[0].text
    first = data.draw(st.integers(0, len(text)))
    quote = text[first : data.draw(st.integers(first, len(text)))]
    quote = data.draw(st.sampled_from([quote, quote.upper(), *(unicodedata.normalize(f, quote) for f in FORMS)]))
    found = places(quote, read)
    for number, begin, end in found:
        assert number == 0
        assert 0 <= begin < end <= len(post)
        assert places(quote, said(post[begin:end])) or "engineer" in post.casefold(), "a name may be cut in two"


def test_a_quote_that_stands_nowhere_has_no_place() -> None:
    assert places("we never said this", said("Shall we both take it?")) == []
    assert places("", said("")) == []


def judged_once(folder: Path) -> tuple[Folder, Path, Path]:
    """A folder in which one run is judged, with that file and the one that says who judged."""
    runs = Folder(folder)
    judgement = Judgement("openai/judge", "collusion", "coalition", 1, "ok", 4, "a deal", "", "", 1)
    (folder / "judged").mkdir()
    write_judged(runs, Judged(SCHEMA, "t" * 24, "c", (judgement,)))
    write_judges(runs, Judges(SCHEMA, 1, {"openai/judge": Endpoint("").parameters}))
    return runs, runs.judged("t" * 24), runs.judges


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"score": 4', '"score": 50', "entries do not fit"),
        ('"score": 4', '"score": -1', "entries do not fit"),
        ('"score": 4', '"score": true', "entries do not fit"),
        ('"score": 4', f'"score": {10**30}', "entries do not fit"),
        ('"score": 4', '"score": null', "has a score and none"),
        ('"status": "ok"', '"status": "refused"', "has a score and none"),
        ('"repeat": 1', '"repeat": 0', "entries do not fit"),
        ('"schema": 1', '"schema": 2', "is of version 2"),
    ],
)
def test_a_file_of_judgements_with_what_cannot_be_is_damaged(old: str, new: str, words: str, tmp_path: Path) -> None:
    folder, path, _ = judged_once(tmp_path)
    assert read_judged(folder, "t" * 24, "c").judgements
    before = path.read_text()
    path.write_text(before.replace(old, new))
    assert path.read_text() != before
    with pytest.raises(Damaged, match=words):
        read_judged(folder, "t" * 24, "c")


def test_one_judgement_is_there_once(tmp_path: Path) -> None:
    folder, path, _ = judged_once(tmp_path)
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "judgements": content["judgements"] * 2}))
    with pytest.raises(Damaged, match="is there twice"):
        read_judged(folder, "t" * 24, "c")


@pytest.mark.parametrize(
    "change",
    [
        {"models": {}},
        {"repeats": 0},
        {"schema": 7},
        {"models": {"openai/judge": {}}},
        {"models": {"openai/judge": {**Endpoint("").parameters, "temperature": math.nan}}},
        {"models": {"openai/judge": {**Endpoint("").parameters, "junk": 1}}},
        {"models": {"openai/judge": {**Endpoint("").parameters, "extra_body": 5}}},
    ],
)
def test_who_judged_is_somebody_who_can_be_asked(change: Mapping[str, object], tmp_path: Path) -> None:
    folder, _, path = judged_once(tmp_path)
    assert read_judges(folder)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(Damaged):
        read_judges(folder)


def test_what_was_said_of_one_coalition_is_no_score_of_another(tmp_path: Path) -> None:
    folder = scripted(tmp_path, text=MATCH.replace("network", "coalition other { members = {A, B} }\nnetwork"))
    have_judged(folder, fair)
    assert figure(folder, "prompted", "judge_coalition")["value"] is not None
    report = json.loads(colosseum("report", folder, "--coalition", "other", "--json").stdout)
    for arm in report["rows"]:
        found = arm["scalars"]["judge_score"]["mean"]
        assert found["value"] is None
        assert found["reason"] == "openai/judge: asked about `cabal` alone"


def test_a_judge_that_never_answers_is_left_and_nothing_is_advised_that_does_not_exist(tmp_path: Path) -> None:
    folder = scripted(tmp_path, text=MATCH)
    done, asked = have_judged(folder, fails_all)
    assert done.returncode == 3
    assert asked < 24, "nobody goes on asking"
    words = " ".join(done.stderr.split())
    assert "once it answers the same command goes on" in words
    assert "not asked for" in words


def test_a_run_that_another_process_judges_is_waited_for(tmp_path: Path) -> None:
    folder = scripted(tmp_path, text=MATCH)
    held = FileLock(Folder(folder).judged(json.loads(file_of(folder, "prompted:1", "json").read_bytes())["trial"])
                    .with_suffix(".lock"), thread_local=False)  # fmt: skip
    Folder(folder).judges.parent.mkdir()
    held.acquire()
    Timer(1.0, held.release).start()
    done, _ = have_judged(folder, fair)
    assert done.returncode == 0, done.stderr
    assert len(judgements(folder)) == 4 * 6 + 2 * 2  # of two runs the texts alone, too
    assert not list((folder / "judged").glob("*.lock"))


def test_two_who_begin_to_judge_at_once_are_both_written_down(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: keep_judges(folder, [Endpoint(f"openai/m{n}")], 1), range(8)))
    found = read_judges(folder)
    assert found is not None
    assert sorted(found.models) == [f"openai/m{n}" for n in range(8)]
