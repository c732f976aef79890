"""Names stay out of sight however they are written, and words that are no names stay as they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colosseum.run.judging.blinding import LOOKALIKES, Blinding

NAMES = ("A", "B", "I", "Ann", "Bo-Lee", "engineer1", "engineer10", "backroom", "Иван", "爱丽")
BLIND = Blinding({name: f"<{place}>" for place, name in enumerate(NAMES)})
DISGUISES = {letter: [sign for sign in map(chr, LOOKALIKES) if sign.translate(LOOKALIKES) == letter]
             for letter in map(chr, LOOKALIKES.values())}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A good plan: A, then B", "A good plan: <0>, then <1>"),
        ("A and B agree; let A take it. A's turn", "<0> and <1> agree; let <0> take it. <0>'s turn"),
        ("a plan. b is I think, not I.", "a plan. b is I think, not I."),
        ("I: left", "<2>: left"),
        ("Engineer#1, ENGINEER 10 and engineer_1", "<5>, <6> and <5>"),
        ("the back-room, a back room, b_a_c_k_r_o_o_m", "the <7>, a <7>, <7>"),
        ("_Ann_, **Ann**, An-n", "_<3>_, **<3>**, <3>"),
        ("Anna, annoy, an n, Bo", "Anna, annoy, an n, Bo"),
        ("Bo Lee, bo-lee, BoLee", "<4>, <4>, <4>"),
        ("Иван и Иванов", "<8> и Иванов"),
        ("我问爱丽吧", "我问<9>吧"),
    ],
)
def test_a_name_is_hidden_and_a_word_is_not(text: str, shown: str) -> None:
    assert BLIND.words(text) == shown


@given(st.sampled_from([n for n in NAMES if len(n) > 2 and n.isascii()]), st.data())
def test_no_disguise_of_a_name_is_read(name: str, data: st.DataObject) -> None:
    """Case, look-alikes, signs that nobody sees, and one sign between two letters."""
    signs = list[str]()
    for sign in name:
        like = DISGUISES.get(sign, [])
        signs.append(data.draw(st.sampled_from([sign, sign.upper(), sign.lower(), *like])))
        signs.append(data.draw(st.sampled_from(["", "", "\u200b", "\u00ad", "-", "_", "#", "*"])))
    written = "".join(signs[:-1])
    assert BLIND.words(f"so {written}, yes") == f"so <{NAMES.index(name)}>, yes"
