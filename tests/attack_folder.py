"""Attacks on a campaign's folder. In: a seed; out: by kind of file, how many changes `log verify` finds.

    python tests/attack_folder.py --changes 400 --seed 1

Each change flips bits of one byte, or deletes a file, of a folder with models, a budget, judges and labels.
"""

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from audited import Wild, spec
from chat_server import ChatServer
from conftest import KEY
from test_cli_commands import colosseum
from test_cli_judge import says_nothing_of_tampering

from colosseum.campaign.folder import Damaged, Folder
from colosseum.campaign.verifying import heads, verify
from colosseum.evidence.findings import read_campaign
from colosseum.evidence.judges import draw_questions

MONEY = ("--budget", "5", "--price", "1,1")


def attacked(place: Path) -> Path:
    """A folder that has every kind of file."""
    place.mkdir(parents=True, exist_ok=True)
    folder = place / "runs"
    with ChatServer(Wild()) as server:
        done = colosseum(
            "audit", spec(place), "--model", "openai/test", "--api-base", server.url, *MONEY, "--out", folder,
            "--seeds", "1..2", OPENAI_API_KEY=KEY,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with ChatServer(says_nothing_of_tampering) as server:
        done = colosseum(
            "judge", folder, "--judge", "openai/judge", "--api-base", server.url, *MONEY, OPENAI_API_KEY=KEY
        )  # fmt: skip
    assert done.returncode == 3, done.stderr  # it fails at one of the questions
    draw_questions(folder, read_campaign(folder), runs=2)
    return folder


def kind_of(path: Path, folder: Path) -> str:
    """A file's kind, as the guide lists them."""
    name = path.relative_to(folder).as_posix()
    if "/" not in name:
        return name
    ending = "calls.jsonl" if name.endswith(".calls.jsonl") else path.suffix[1:]
    return f"{name.partition('/')[0]}/*.{ending}" if path.name not in ("judges.json", "labels.json") else name


@dataclass(frozen=True)
class Attack:
    """One change."""

    kind: str
    how: str
    alone: bool
    """Whether it is found without a root or head."""
    noted: bool
    """Whether it is found with both."""


def attacks(folder: Path, changes: int, seed: int) -> Iterator[Attack]:
    """Change a file, verify, and put it back; every kind of file in turn."""
    draw, (root, ledger) = random.Random(seed), heads(Folder(folder)).values()
    files: dict[str, list[Path]] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        files.setdefault(kind_of(path, folder), []).append(path)
    for number in range(changes):
        kind = list(files)[number % len(files)]
        path = draw.choice(files[kind])
        was = bytes(path.read_bytes())
        how = "deleted" if draw.random() < 0.2 or not was else "changed"
        if how == "deleted":
            path.unlink()
        else:
            at = draw.randrange(len(was))
            path.write_bytes(was[:at] + bytes([was[at] ^ draw.randrange(1, 256)]) + was[at + 1 :])
        yield Attack(kind, how, found(folder), found(folder, root, ledger))
        path.write_bytes(was)


def found(folder: Path, root: str = "", ledger: str = "") -> bool:
    """Whether verifying finds something."""
    try:
        return bool(verify(Folder(folder), Folder(folder).plan(), root=root, ledger=ledger).faults)
    except (Damaged, OSError):  # the plan itself
        return True


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--changes", type=int, default=400)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = attacked(Path(place))
        every = list(attacks(folder, given.changes, given.seed))
    print(f"{'file':24}{'changes':>9}{'found':>8}{'with root and head':>20}")  # noqa: T201
    for kind in (*dict.fromkeys(each.kind for each in every), "all"):
        of = [each for each in every if kind in (each.kind, "all")]
        missed = Counter(each.how for each in of if not each.alone)
        words = "  unseen without: " + ", ".join(f"{n} {how}" for how, n in missed.items()) if missed else ""
        print(f"{kind:24}{len(of):9}{sum(a.alone for a in of):8}{sum(a.noted for a in of):20}{words}")  # noqa: T201


if __name__ == "__main__":
    main()
