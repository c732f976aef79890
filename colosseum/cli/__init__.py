"""The command line. In: arguments; out: words, and an exit code. No logic lives here.

Results go to stdout, everything else to stderr. `colosseum guide ci` lists the exit codes.
"""

import atexit
import gc
import os
import signal
import sys


def leave(number: int, frame: object) -> None:
    """End at a signal that comes before any command has begun."""
    os.write(2, b"interrupted\n")
    os._exit(128 + number)


def main() -> None:
    """Run the `colosseum` command."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, leave)  # a command sets it back: imports take a while
    gc.disable()  # a short command makes little garbage; `audit`, which is long, turns it on again
    atexit.register(gc.freeze)  # Python looks for garbage once more as it ends: a sixth of `compile`
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # idle threads of NumPy took a fourth of `compile`
    sys.stdout, sys.stderr = (each or open(os.devnull, "w") for each in (sys.stdout, sys.stderr))  # noqa: SIM115
    from errno import EDQUOT, EIO, ENOSPC

    from colosseum.cli.commands import app
    from colosseum.cli.words import complain
    from colosseum.diagnostics import stop

    try:
        app()
    except OSError as error:
        if error.errno not in (ENOSPC, EDQUOT, EIO) or error.filename is not None:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python writes what is left, and fails again
        sys.exit(complain(stop("C122", f"cannot write the output: {error.strerror}")))
