"""Chromium for tests of pages. In: files or addresses; out: pages whose trouble is kept, or a skip with its reason."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which
from typing import Any

import pytest

CHROMIUM = Path(which("chromium-headless-shell") or "/usr/bin/chromium")
"""The shell opens a page for a third of what the whole browser takes, which has the same engine."""
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE = 120_000
"""Milliseconds until something that does not come is missing."""


@dataclass
class Browser:
    """One browser; each page is a context of its own."""

    made: Any
    troubles: list[str] = field(default_factory=list)
    """Errors, dialogs and requests that no page may make."""

    def open(self, path: Path, hash_: str = "", *, width: int = 1280, height: int = 900, dark: bool = False) -> Any:
        """A page of a file, once its viewer is there."""
        return self.visit(path.as_uri() + hash_, allowed=path.as_uri(), width=width, height=height, dark=dark)

    def visit(
        self, address: str, *, allowed: str, width: int = 1280, height: int = 900, dark: bool = False
    ) -> Any:  # fmt: skip
        """A page that may ask for nothing whose address does not begin as allowed."""
        scheme = "dark" if dark else "light"
        page = self.made.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda said: self._note(said.type in ("error", "warning"), f"console: {said.text}"))
        page.on("pageerror", lambda error: self._note(True, f"error: {error}"))
        page.on("request", lambda asked: self._note(not asked.url.startswith(allowed), f"request: {asked.url}"))
        page.on("dialog", lambda dialog: (self._note(True, f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(address)
        page.wait_for_selector("#viewer:not([hidden])")
        return page

    def close(self) -> list[str]:
        """Close all pages; what went wrong since the last time."""
        for context in self.made.contexts:
            context.close()
        found, self.troubles = self.troubles, []
        return found

    def _note(self, wrong: bool, words: str) -> None:
        if wrong:
            self.troubles.append(words)


def driver() -> Any:
    """What drives browsers. Skips where there is none, or no browser."""
    found = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: `pip install playwright`")
    if not CHROMIUM.exists():
        assert not os.environ.get("CI"), f"there is no {CHROMIUM}: what is skipped is not checked"
        pytest.skip(f"there is no {CHROMIUM}")
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window. Skips where there is none."""
    with driver().sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(ARGUMENTS))
        yield Browser(made)
        made.close()
