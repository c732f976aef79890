"""`colosseum explain`."""

import contextlib
import io
import re
import sys
import tempfile
from pathlib import Path

from colosseum.cli.words import checked_spec, show
from colosseum.diagnostics import CODES, closest, render_text, stop
from colosseum.diagnostics.exception import EXPLAIN
from colosseum.diagnostics.page import SPEC, Example, read_page
from colosseum.evidence.figures import REGISTRY, looked_up
from colosseum.model.check import check
from colosseum.model.lint import flow_lines
from colosseum.report.document import Listing
from colosseum.report.explanation import code_blocks, figure_blocks, list_blocks, word_blocks
from colosseum.report.words import MEANINGS

CODE = re.compile(r"(?:error|warning)?\[?([CW]?)([0-9]{1,3})\]?", re.IGNORECASE)
"""A code as people type or paste it: `C041`, `c41`, `41`, `error[C041]`."""


def explain_code(words: str | None, flows: Path | None) -> int:
    """Explain one code, figure or word of a report, or list all of them; or who can learn what in a spec."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without `…` shows `?`
    word = (words or "").strip().casefold().replace("_", " ").replace("lambda", "λ")
    word = word if word in MEANINGS else word.removesuffix("s")
    if flows:
        told = "\n".join(flow_lines(checked_spec(flows).expansion.sheets)) or "nothing is private"
        show([Listing("", told)])
    elif words is None:
        show(list_blocks(CODES.values()))
    elif figure := looked_up(words):
        show(figure_blocks(figure))
    elif word in MEANINGS:
        show(word_blocks(word))
    else:
        page = read_page(_code(words))
        show(code_blocks(page, said(page.wrong)))
    return 0


def said(example: Example) -> str:
    """What Colosseum says about an example, which is really run, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="colosseum-") as folder, contextlib.chdir(folder):
        for file in example.files:
            Path(file.name).parent.mkdir(parents=True, exist_ok=True)
            Path(file.name).write_bytes(file.content)
        if not example.commands:
            return render_text(check(SPEC)[1])
        return [_run(arguments) for arguments in example.commands][-1]


def _run(arguments: tuple[str, ...]) -> str:
    """What a command says on stderr, but for the pointer to its explanation: that is where we are."""
    from rich.text import Text

    from colosseum.cli.commands import app
    from colosseum.cli.environment import unconfigured

    with contextlib.redirect_stderr(io.StringIO()) as heard, contextlib.redirect_stdout(io.StringIO()), unconfigured():
        app(list(arguments), standalone_mode=False)
    return "\n".join(
        line for line in Text.from_ansi(heard.getvalue()).plain.splitlines() if not line.startswith(EXPLAIN)
    )


def _code(words: str) -> str:
    """The code that is meant. Raises ColosseumError."""
    match = CODE.fullmatch(words.strip())
    code = f"{match[1].upper() or 'C'}{int(match[2]):03d}" if match else words.strip()
    if code in CODES:
        return code
    about = [c.code for c in CODES.values() if code and code.casefold() in c.title.casefold()]
    known = (*REGISTRY, *MEANINGS)
    near = closest(code.upper(), CODES) or closest(code.casefold(), known) or closest(code.replace(" ", "_"), known)
    help_ = (f"codes about `{code}`: {', '.join(about)}" if about else near) or "`colosseum explain` lists all codes"
    raise stop("C122", f"there is no code, figure or word `{code}`", help=help_)
