"""The command line. In: arguments; out: words, and an exit code. No logic lives here.

Results go to stdout, everything else to stderr. `colosseum guide ci` lists the exit codes.
"""

__all__ = ["main"]


def main() -> None:
    """Run the `colosseum` command."""
    import gc
    import os
    import sys

    gc.disable()  # a short command makes little garbage; `audit`, which is long, turns it on again
    sys.stdout, sys.stderr = (each or open(os.devnull, "w") for each in (sys.stdout, sys.stderr))  # noqa: SIM115
    from colosseum.cli.commands import app

    app()
