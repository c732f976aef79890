"""`python -m tests.frameworks`. In: names of frameworks, all by default; out: their environments, and their tests run.

An environment is made once for each list of requirements, below `build/frameworks`. What we need ourselves and a list
does not have comes of the environment that makes it.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
NAMES = tuple(sorted(path.stem for path in HERE.glob("*.txt")))
TEAMS = tuple(name for name in NAMES if (HERE / f"{name}_team.py").exists())
"""With an agent that plays for `colosseum audit`."""
SPANS = tuple(name for name in NAMES if (HERE / f"{name}_spans.py").exists())
"""With a program of its own that OpenTelemetry watches."""
KEEP = "COLOSSEUM_KEEP_SPANS"
"""A variable of the environment: set where the spans that teams make are to be kept."""


def python_of(name: str) -> Path:
    """The interpreter of a framework's environment, whether it was made or not."""
    digest = hashlib.sha256((HERE / f"{name}.txt").read_bytes()).hexdigest()[:12]
    return ROOT / "build" / "frameworks" / f"{name}-{digest}" / "bin" / "python"


def make(name: str) -> None:
    """Make an environment, unless it is there."""
    python = python_of(name)
    made = python.parent.parent / "made"
    if not made.exists():
        venv.create(python.parent.parent, clear=True)
        pip = (sys.executable, "-m", "pip", "--python", python)  # one of its own would take 2 CPU s to install
        options = ("--quiet", "--no-deps", "--no-compile", "--disable-pip-version-check")
        subprocess.run([*pip, "install", *options, "-r", HERE / f"{name}.txt"], check=True)
        theirs = Path(sysconfig.get_path("purelib", vars={"base": str(made.parent)}))
        (theirs / "ours.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")  # behind their own
        made.touch()


def main(arguments: list[str]) -> int:
    """Make the environments, and run the tests in them."""
    parser = argparse.ArgumentParser(prog="python -m tests.frameworks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(NAMES)}; default: all")
    parser.add_argument("--keep", action="store_true", help="keep the spans of teams, in place of those at hand")
    asked = parser.parse_args(arguments)
    names = asked.names or NAMES
    for name in names:
        make(name)
    chosen = " or ".join(f"{name}_team or {name}_spans or {name}_log or {name}_run" for name in names)
    tests = ("-n", "0", "-m", "frameworks", "-k", chosen, "tests/test_frameworks.py")
    kept = {**os.environ, **({KEEP: "1"} if asked.keep else {})}
    return subprocess.run([sys.executable, "-m", "pytest", *tests], cwd=ROOT, env=kept, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
