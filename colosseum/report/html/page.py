"""Blocks as HTML. In: blocks, or all that a page shows; out: markup for a notebook, or one file that loads nothing.

Whatever agents, specs and providers wrote is text: it is escaped, and signs that nobody sees are replaced.
Scripts never make markup of it, and the policy of the file lets nothing run but what it names by hash.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from typing import Any, Final, TypeVar, cast

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter

from colosseum.diagnostics.harmless import clean
from colosseum.evidence.judges import LabelDraw
from colosseum.language.highlight import ColosseumLexer
from colosseum.report.document import AnyChart, Block, Chart, Table, TableCell, numbers
from colosseum.report.page import cell_words, table_notes, text_of
from colosseum.report.pictures import FORMS, LEFT, RIGHT, WIDTH, drawn, shortened, width_of
from colosseum.report.words import signed
from colosseum.run.judging.asking import Matter

HERE: Final = files("colosseum.report.html")
MOST_OPEN: Final = 24  # rows of a table; a longer one is folded
TICKED: Final = re.compile(r"`([^`]+)`")


def html_of(blocks: Iterable[Block]) -> Markup:
    """The blocks from top to bottom."""
    return Markup(environment().get_template("blocks.html").render(blocks=list(blocks)))


def cell_of(blocks: Iterable[Block]) -> str:
    """The same as one element for a notebook, with style that holds in it alone and follows from light to dark."""
    style = f".colosseum {{ {_css('colors', 'notebook', 'blocks', 'picture')} }}"
    return f'<div class="colosseum"><style>{style}</style>{html_of(blocks)}</div>'


def ticked(words: str) -> Markup:
    """Words in which names stand between backticks, with these marked."""
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(TICKED.split(clean(words)))
    )


def marked(text: str) -> Markup:
    """A spec in colours, by classes of Pygments."""
    return Markup(highlight("\n".join(map(clean, text.splitlines())), ColosseumLexer(), HtmlFormatter(nowrap=True)))


def groups(table: Table) -> Iterator[tuple[str, list[tuple[TableCell, ...]]]]:
    """The rows by their headings, which are empty where there is none."""
    if not table.grouped:
        yield "", list(table.rows)
        return
    for heading, rows in groupby(table.rows, key=lambda row: row[0]):
        yield cell_words(heading), [row[1:] for row in rows]


def svg(chart: AnyChart) -> Markup:
    """The chart as inline SVG of WIDTH; a page needs `picture.css` besides."""
    return Markup(environment().get_template("picture.svg.j2").render(chart=chart, at=drawn(chart)))


@cache
def environment() -> Environment:
    """Of all templates; everything is escaped, and cleaned before."""
    made = Environment(
        loader=FunctionLoader(lambda name: asset(f"templates/{name}")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) or not isinstance(value, str) else clean(value),
    )
    made.filters |= {each.__name__: each for each in (ticked, marked, groups, numbers, svg)}
    made.globals |= {"words": cell_words, "table_notes": table_notes, "most_open": MOST_OPEN}
    made.globals |= {"width": WIDTH, "left": LEFT, "right": RIGHT, "forms": FORMS}
    made.globals |= {each.__name__: each for each in (shortened, signed, width_of)}
    return made


@cache
def page_style() -> str:
    """Of a page: light, dark and in print."""
    return f":root {{ {_css('colors')} }}\n{_css('page', 'blocks', 'viewer', 'picture')}"


def _css(*names: str) -> str:
    return "\n".join(asset(f"assets/{name}.css") for name in names)


def asset(name: str) -> str:
    """The text of a file that is shipped beside this one."""
    return (HERE / name).read_text(encoding="utf-8")


SCRIPTS: Final = tuple(asset("assets/page.txt").split())  # in this order; each uses what stands before it
RATING_SCRIPTS: Final = tuple(asset("assets/rating.txt").split())


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


def render(content: Content) -> str:
    """The page."""
    sections = {name: html_of(blocks) for name, blocks in content.sections.items() if blocks}
    return _filled(
        "page.html", SCRIPTS, content=content, opening=html_of(content.opening), sections=sections,
        index=embedded(content.index), packs=map(Markup, content.packs),
    )  # fmt: skip


def rating_page(draw: LabelDraw, questions: Mapping[str, Matter]) -> str:
    """The page of all questions for raters, in their order; nothing in it tells an arm, a role or a name."""
    rubric, shown = next(iter(questions.values())).rubric, ("round", "channel", "author", "text")
    items = [
        {
            "item": name,
            "agents": matter.transcript.numbers(matter.agents),
            "channels": list(matter.transcript.channels.items()),
            "posts": [{part: getattr(post, part) for part in shown} for post in matter.transcript.posts],
        }
        for name, matter in questions.items()
    ]
    asked = {"question": rubric.question, "rubric": rubric.name, "scale": rubric.anchors}
    return _filled("rating.html", RATING_SCRIPTS, index=embedded({"draw": draw, **asked, "items": items}))


def _filled(template: str, names: tuple[str, ...], **content: object) -> str:
    """A template with its content and scripts, and the policy that lets these run and nothing else."""
    style, script = page_style(), scripts(names)
    policy = (
        f"default-src 'none'; style-src {_hashed(style)}; script-src {_hashed(script)}; img-src data:; "
        f"connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    made = environment().get_template(template)
    return made.render(policy=policy, style=Markup(style), script=Markup(script), **content)


EXACT: Final = 2**53  # from here on a browser rounds whole numbers


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


T = TypeVar("T")


def paged(found: T, blocks: Callable[[T], Iterable[Block]]) -> T:
    """An equal value; `print` shows the page that the command line prints, a notebook's cell the same as HTML.

    A copy in another process is a plain value.
    """
    kind: Any = type(found)

    made = type(kind.__name__, (kind,), {
        "__repr__": lambda self: text_of(blocks(self)),
        "_repr_html_": lambda self: cell_of(blocks(self)),
        "__eq__": lambda self, other: isinstance(other, kind) and parts(self) == parts(other),
        "__hash__": kind.__hash__,
        "__reduce__": lambda self: (kind, tuple(parts(self).values())),
    })  # fmt: skip
    return cast("T", made(**parts(found)))
