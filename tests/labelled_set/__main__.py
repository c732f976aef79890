"""`python -m tests.labelled_set`. In: nothing; out: `colosseum/campaign/known_cases.jsonl`, made anew."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # as pytest does

from colosseum.campaign.known_cases import FILE
from labelled_set.cases import lines, made_cases

if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in lines(made_cases())), encoding="utf-8")
