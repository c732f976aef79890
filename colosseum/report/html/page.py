"""A report as one file for a browser. In: findings and all cases; out: HTML that needs no network and loads nothing.

Whatever agents, specs and providers wrote is text: templates escape it, scripts never make markup of it, and the
file's own policy lets nothing run but what it names by hash.
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Final

from markupsafe import Markup

from colosseum.evidence.raters import LabelDraw
from colosseum.report.document import AnyChart, Block, Chart, Table
from colosseum.report.html.blocks import asset, environment, html_of, page_style
from colosseum.run.judging.asking import Matter

SCRIPTS: Final = (
    "dom.js", "downloads.js", "packs.js", "address.js", "runs.js", "markdown.js", "acts.js", "calls.js", "aligned.js",
    "ending.js", "timeline.js", "instance.js", "controls.js", "board.js", "arriving.js", "search.js", "labels.js",
    "viewer.js",
)  # fmt: skip
"""In this order; each uses what stands before it."""
RATING_SCRIPTS: Final = ("dom.js", "downloads.js", "markdown.js", "acts.js", "arriving.js", "labels.js", "rating.js")


@dataclass(frozen=True)
class Content:
    """All that a page shows."""

    title: str
    opening: Sequence[Block]
    """The first screen: the answer."""
    sections: Mapping[str, Sequence[Block]]
    """By the names that the navigation leads to."""
    index: Mapping[str, Any]
    """For the viewer: what there is to be read, as JSON."""
    packs: Sequence[str]
    """Cases, packed, in the order of the index."""
    without: Sequence[tuple[str, str]] = ()
    """Charts that there are none of, and why."""

    @property
    def figures(self) -> list[AnyChart | Table]:
        """All charts and tables, by name."""
        shown = [*self.opening, *(block for blocks in self.sections.values() for block in blocks)]
        return list({block.name: block for block in shown if isinstance(block, Chart | Table)}.values())


def render(content: Content, *, live: bool = False) -> str:
    """The page; a `live` one asks its own server whether there are more runs."""
    sections = {name: html_of(blocks) for name, blocks in content.sections.items() if blocks}
    return _filled(
        "page.html", SCRIPTS, live=live, content=content, opening=html_of(content.opening), sections=sections,
        index=embedded(content.index), packs=map(Markup, content.packs),
    )  # fmt: skip


def rating_page(draw: LabelDraw, questions: Mapping[str, Matter]) -> str:
    """The page of all questions for raters, in their order; nothing in it tells an arm, a role or a name."""
    rubric = next(iter(questions.values())).rubric
    items = [
        {
            "item": name,
            "agents": matter.transcript.numbers(matter.agents),
            "channels": list(matter.transcript.channels.items()),
            "posts": [
                {"round": post.round, "channel": post.channel, "author": post.author, "text": post.text}
                for post in matter.transcript.posts
            ],
        }
        for name, matter in questions.items()
    ]
    content = {
        "draw": draw,
        "question": rubric.question,
        "rubric": rubric.name,
        "scale": rubric.anchors,
        "items": items,
    }
    return _filled("rating.html", RATING_SCRIPTS, index=embedded(content))


def _filled(template: str, names: tuple[str, ...], *, live: bool = False, **content: object) -> str:
    """A template with its content and scripts, and the policy that lets these run and nothing else."""
    style, script = page_style(), scripts(names)
    ask = "'self'" if live else "'none'"
    policy = (
        f"default-src 'none'; style-src {_hashed(style)}; script-src {_hashed(script)}; img-src data:; "
        f"connect-src {ask}; base-uri 'none'; form-action 'none'"
    )
    made = environment().get_template(template)
    return made.render(policy=policy, style=Markup(style), script=Markup(script), live=live, **content)


EXACT: Final = 2**53
"""From here on a browser rounds whole numbers."""


def parts(found: Any) -> dict[str, Any]:
    """The fields of a dataclass, as they are: `asdict` copies all that is within."""
    return {name: getattr(found, name) for name in found.__dataclass_fields__}


def exact(value: Any) -> Any:
    """A value as a page has it: a whole number that a browser would round is its digits."""
    return str(value) if isinstance(value, int) and abs(value) >= EXACT else value


def compact(data: object) -> str:
    """JSON of plain data and dataclasses."""
    return json.dumps(data, default=parts, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


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
