"""Which private rows an instance of a statement was computed from."""

from pathlib import Path

from specs_made import TEAM, said

OWNED = """
private table owns[agents] ~ integer(1, 3)
private table worth[a in agents, n in 1..owns[a]] ~ integer(0, 9)
private table most[a in agents] = max(worth[a, n] for n in 1..owns[a])
reward r[a in agents] when move[a] == left: most[a]
"""


def test_an_index_that_one_reads_from_its_own_row_is_its_own_business(tmp_path: Path) -> None:
    found, words = said(tmp_path, TEAM + OWNED)
    assert found is not None, words


def test_an_index_from_anothers_row_tells_of_it(tmp_path: Path) -> None:
    found, words = said(tmp_path, TEAM + OWNED.replace("worth[a in agents, n in 1..owns[a]]",
                                                       "worth[a in agents, n in 1..owns[A]]"))  # fmt: skip
    assert found is None
    assert "`worth[B, 1]` is computed from `owns[A]`, which fewer agents may see" in words


def test_a_public_table_has_no_index_from_a_private_row(tmp_path: Path) -> None:
    found, words = said(tmp_path, TEAM + OWNED.replace("private table worth", "table worth"))
    assert found is None
    assert "which entries the public table `worth` has depends on a private one" in words
