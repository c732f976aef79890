"""A report as one file for a browser. In: findings and all cases; out: HTML that needs no network and loads nothing.

Whatever agents, specs and providers wrote is text: templates escape it, scripts never make markup of it, and the
file's own policy lets nothing run but what it names by hash.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Final

from markupsafe import Markup

from colosseum.report.document import AnyChart, Block, Chart, Table
from colosseum.report.html.blocks import asset, environment, html_of, page_style

SCRIPTS: Final = (
    "dom.js", "downloads.js", "packs.js", "address.js", "runs.js", "markdown.js", "acts.js", "calls.js", "aligned.js",
    "ending.js", "timeline.js", "instance.js", "controls.js", "board.js", "arriving.js", "search.js", "labels.js",
    "viewer.js",
)  # fmt: skip
"""In this order; each uses what stands before it."""


@dataclass(frozen=True)
class Section:
    """A part of a page, which its navigation leads to."""

    slug: str
    name: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Content:
    """All that a page shows."""

    title: str
    opening: Sequence[Block]
    """The first screen: the answer."""
    sections: Sequence[Section]
    index: Mapping[str, Any]
    """For the viewer: what there is to be read, as JSON."""
    packs: Sequence[str]
    """Cases, packed, in the order of the index."""
    without: Sequence[tuple[str, str]] = ()
    """Charts that there are none of, and why."""

    @property
    def figures(self) -> list[AnyChart | Table]:
        """All charts and tables, by name."""
        shown = [*self.opening, *(block for section in self.sections for block in section.blocks)]
        return list({block.name: block for block in shown if isinstance(block, Chart | Table)}.values())


def render(content: Content, *, live: bool = False) -> Iterator[str]:
    """The page, piece by piece; a `live` one asks its own server whether there are more runs."""
    shown = [(section.slug, section.name, html_of(section.blocks)) for section in content.sections if section.blocks]
    yield from filled(
        "page.html", live=live, content=content, opening=html_of(content.opening), sections=shown,
        index=embedded(content.index), packs=map(Markup, content.packs),
    )  # fmt: skip


def filled(
    template: str, names: tuple[str, ...] = SCRIPTS, *, live: bool = False, **content: object
) -> Iterator[str]:  # fmt: skip
    """A template with its content and scripts, and the policy that lets these run and nothing else."""
    style, script = page_style(), scripts(names)
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
    yield from (
        environment()
        .get_template(template)
        .generate(policy=words, style=Markup(style), script=Markup(script), live=live, **content)
    )


def compact(data: object) -> str:
    """JSON of plain data and dataclasses."""
    return json.dumps(data, default=asdict, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def embedded(data: object) -> Markup:
    """JSON that stands in a page and closes no element, whatever it holds."""
    words = compact(data)
    for sign in "<>&\u2028\u2029":
        words = words.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(words)


@cache
def scripts(names: tuple[str, ...] = SCRIPTS) -> str:
    """All of a page's script: one block, so that its names are nobody else's."""
    own = "\n".join(asset(f"assets/{name}") for name in names)
    return f'"use strict";\n{{\n{own}}}\n'


def _hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
