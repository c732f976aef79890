"""`colosseum guide`. In: a topic; out: its page of `cli/guide`, at most 100 columns wide, 80 in a pipe."""

import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from colosseum.cli.command import registering
from colosseum.cli.words import wants_color
from colosseum.diagnostics import one_of
from colosseum.language import shipped

guides = typer.Typer()
command = registering(guides)

PAGES = Path(__file__).parent / "guide"


@command
def guide(
    topic: Annotated[str | None, typer.Argument(metavar="[TOPIC]", help="Default: a list.", show_default=False)] = None,
) -> int:
    """Print a guide, as in `colosseum guide start`."""
    pages = guide_pages()
    text = (pages[one_of("guide", topic, pages)] if topic else PAGES / "README.md").read_text(encoding="utf-8")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(no_color=not wants_color(sys.stdout.isatty()))
    console.print(Markdown(text, code_theme="ansi_dark"), width=min(console.width, 100))
    return 0


def guide_pages() -> dict[str, Path]:
    """The pages by topic; the language and the shipped studies are described beside them."""
    topics = {page.stem: page for page in sorted(PAGES.glob("*.md")) if page.stem != "README"}
    return {**topics, "language": shipped("grammar") / "README.md", "studies": shipped("specs") / "README.md"}
