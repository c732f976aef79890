"""What a player may write for a value of a domain."""

import pytest

from colosseum.model.values import Value
from colosseum.run.turn import matches


@pytest.mark.parametrize(
    ("given", "value", "same"),
    [
        (None, None, True),
        ("none", None, True),
        ("4", 4, True),
        (4, 4, True),
        (True, 1, False),
        ("(4, 6)", (4, 6), True),
        (" (4,6)", (4, 6), True),
        ("(4 , 6)", (4, 6), True),
        ([4, 6], (4, 6), True),
        (["4", 6], (4, 6), True),
        (["Ada B.", 2], ("Ada B.", 2), True),
        ("(Ada B.,2)", ("Ada B.", 2), True),
        ([4, 6, 8], (4, 6), False),
        ([6, 4], (4, 6), False),
        ("(46)", (4, 6), False),
        (46, (4, 6), False),
        ([4, 6], 4, False),
        ({"4": 6}, (4, 6), False),
    ],
)
def test_a_json_value_stands_for_a_value_of_the_domain(given: object, value: Value, same: bool) -> None:
    assert matches(given, value) is same
