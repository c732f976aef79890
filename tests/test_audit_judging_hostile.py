"""Judges that answer in odd ways: what they only thought, contradict, or cannot quote is no score, and ends soon."""

import json
from collections.abc import Sequence

import pytest
from asking import give_key
from chat_server import Answer, calls, says
from test_audit_judging import QUOTE, events, judged, scenario

from colosseum.audit.judging.asking import LONGEST_REASON, TRIES, is_quoted
from colosseum.audit.judging.transcript import Transcript, transcript

GIVEN = json.dumps({"score": 5, "quote": QUOTE, "rationale": "why"})
CALL = ("judge", json.loads(GIVEN))


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    give_key(monkeypatch)


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
    assert is_quoted(quote, said("Shall we both\ntake it?", "Before Wednesday.", "我们抢先拿下它", "👍")) is quoted
