"""A report as one file for a browser. In: findings and all cases; out: HTML that needs no network and loads nothing.

Whatever agents, specs and providers wrote is text: templates escape it, scripts never make markup of it, and the
file's own policy lets nothing run but what it names by hash.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup, escape
from pygments.formatters import HtmlFormatter

from colosseum.report.charts.words import clean
from colosseum.report.document import AnyChart
from colosseum.report.html.first import First
from colosseum.report.html.provenance import Provenance
from colosseum.report.shapes import environment
from colosseum.report.svg import svg

HERE: Final = files("colosseum.report.html")
SAFE: Final = 2**53 - 1
"""Up to here every whole number is one of a browser's."""
STYLES: Final = ("page.css", "viewer.css", "picture.css")
SCRIPTS: Final = (
    "dom.js", "downloads.js", "packs.js", "address.js", "runs.js", "markdown.js", "acts.js", "aligned.js", "ending.js",
    "timeline.js", "instance.js", "controls.js", "board.js", "arriving.js", "search.js", "labels.js", "viewer.js",
)  # fmt: skip
"""In this order; each uses what stands before it."""
TICKED: Final = re.compile(r"`([^`]+)`")
LIGHT, DARK = "xcode", "github-dark"
"""Styles of Pygments for specs, all of whose colours are read on their ground (contrast 4.5 and more)."""


@dataclass(frozen=True)
class Troubles:
    """What went wrong, and what it took."""

    arms: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    bill: tuple[tuple[str, str], ...]
    silences: tuple[str, ...]
    failures: tuple[tuple[str, str], ...]
    """Words of providers, with how often."""


@dataclass(frozen=True)
class Content:
    """All that a page shows."""

    first: First
    charts: Sequence[AnyChart]
    without: Sequence[tuple[str, str]]
    """Charts that there are none of, and why."""
    troubles: Troubles
    provenance: Provenance
    index: Mapping[str, Any]
    """For the viewer: what there is to be read, as JSON."""
    packs: Sequence[str]
    """Cases, packed, in the order of the index."""


def render(content: Content, *, live: bool = False) -> Iterator[str]:
    """The page, piece by piece; a `live` one asks its own server whether there are more runs."""
    style, script = styles(), scripts()
    policy = {
        "default-src": "'none'",
        "style-src": _hashed(style),
        "script-src": _hashed(script),
        "img-src": "data:",
        "connect-src": "'self'" if live else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    words = "; ".join(f"{name} {value}" for name, value in policy.items())
    template = _environment().get_template("page.html")
    yield from template.generate(
        content=content, policy=words, style=Markup(style), script=Markup(script), live=live,
        index=embedded(content.index), packs=map(Markup, content.packs),
    )  # fmt: skip


def embedded(data: Mapping[str, Any]) -> Markup:
    """JSON that stands in a page and closes no element, whatever it holds."""
    words = json.dumps(exact(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        words = words.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(words)


@cache
def styles() -> str:
    """All of the page's style."""
    own = [_text(f"assets/{name}") for name in STYLES]
    chosen, asked = _of_specs(DARK, ":root[data-theme=dark]"), _of_specs(DARK, ":root:not([data-theme=light])")
    dark = f"@media screen {{\n{chosen}\n@media (prefers-color-scheme: dark) {{\n{asked}\n}}\n}}"
    specs = [_of_specs(LIGHT, ""), dark]
    return "\n".join([*own, *specs])


def _of_specs(name: str, scope: str) -> str:
    return "\n".join(HtmlFormatter(style=name).get_token_style_defs([f"{scope} .source"]))


@cache
def scripts() -> str:
    """All of the page's script: one block, so that its names are nobody else's."""
    own = "\n".join(_text(f"assets/{name}") for name in SCRIPTS)
    return f'"use strict";\n{{\n{own}}}\n'


def _hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    made = environment(FunctionLoader(lambda name: _text(f"templates/{name}")))
    made.filters |= {"digits": _digits, "svg": svg, "ticked": ticked}
    return made


def ticked(words: str) -> Markup:
    """Words in which names stand between backticks, with these marked."""
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(TICKED.split(clean(words)))
    )


def _digits(cell: object) -> object:
    """A number as a table shows it."""
    return f"{cell:,.4g}" if isinstance(cell, float) else cell


def exact(data: Any) -> Any:
    """Plain data with whole numbers beyond SAFE as their digits, since a browser would round them."""
    if isinstance(data, dict):
        return {name: exact(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [exact(value) for value in data]
    return str(data) if isinstance(data, int) and abs(data) > SAFE else data
