"""The command line. In: arguments; out: words, and an exit code. No logic lives here.

Results go to stdout, everything else to stderr. `colosseum guide ci` lists the exit codes.
"""

__all__ = ["main"]


def main() -> None:
    """Run the `colosseum` command."""
    import gc

    gc.disable()  # a short command makes little garbage; `audit`, which is long, turns it on again
    from colosseum.cli.commands import app

    app()
