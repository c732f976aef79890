"""The command line. In: arguments; out: words, and an exit code. No logic lives here.

Results go to stdout, everything else to stderr. Exit codes:

* 0: all is well; of a campaign: every run is complete
* 1: an internal error, or a check that was asked for has found something: `fmt --check`,
  `compile --verify`, `log verify`, `replay`
* 2: a mistake in the spec, an option, a variable or a `.env`, or a model that cannot play; nothing was run
* 3: some runs failed; the others are complete, or left since a model no longer answers
* 4: the budget is reached; what is left can be gone on with
* 100: the gate of `--fail-on` or `--fail-on-inconclusive` is shut
* 130, 143: interrupted by Ctrl-C or SIGTERM; the same command goes on
"""

__all__ = ["main"]


def main() -> None:
    """Run the `colosseum` command."""
    import gc
    import signal

    gc.disable()  # a short command makes little garbage; `audit`, which is long, turns it on again
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `… | head` ends us without a word, as it ends other tools
    from colosseum.cli.commands import app

    app()
