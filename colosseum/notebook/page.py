"""What a notebook shows. In: the name of a template and what it is about; out: HTML without scripts that loads nothing.

Every text is escaped, and signs that nobody would see, or that turn the writing round, are spelled out. The style
holds within its own element; it follows the notebook from light to dark.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter

from colosseum.language.highlight import ColosseumLexer
from colosseum.report.html.page import DARK, LIGHT, ticked
from colosseum.report.html.provenance import LONGEST as LONGEST_SPEC

WRAPPER: Final = ".colosseum"
NIGHT: Final = ':is([data-jp-theme-light="false"] *, .vscode-dark *, .vscode-high-contrast *, [theme="dark"] *)'
DAY: Final = ':is([data-jp-theme-light="true"] *, .vscode-light *, [theme="light"] *)'
"""How notebooks say what they look like; where they say nothing the system's choice holds."""
UNSEEN: Final = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
"""Categories of signs that nobody sees."""
PREFIX: Final = "colo-"
"""Of the classes of words in a spec, which other cells may have, too."""
TOKEN: Final = re.compile(rf'class="({PREFIX}\w+)"')
RULE: Final = re.compile(rf"\.source \.({PREFIX}\w+) \{{")
JOINER, PICTURE = "\u200d", ("So", "Sk")
"""Between two pictures the joiner makes one of them."""
FOLDED: Final = 1_200
"""Characters from which on a text is folded."""
BEGINNING: Final = 200
"""Characters of a folded text that are seen."""
LONGEST: Final = 20_000
"""Characters of a text that are there at all; tables have it whole."""
MOST_NAMES: Final = 40
"""Names of one list that are there."""


def html(template: str, **content: object) -> str:
    """The page: one element, with the style it needs."""
    return _environment().get_template(template).render(**content)


def spelled(text: str) -> str:
    """The text with U+… in brackets for every sign that nobody would see, or that turns the writing round."""
    if not any(map(_unseen, set(text))):
        return text
    return "".join(_spelled(text, place) for place in range(len(text)))


def _unseen(sign: str) -> bool:
    return sign not in "\n\t" and unicodedata.category(sign) in UNSEEN


def _spelled(text: str, place: int) -> str:
    sign = text[place]
    if not _unseen(sign):
        return sign
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if sign == JOINER and before and after and _pictured(before) and _pictured(after):
        return sign
    return f"[U+{ord(sign):04X}]"


def _pictured(sign: str) -> bool:
    return sign == "\ufe0f" or unicodedata.category(sign) in PICTURE


def named(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - MOST_NAMES
    shown = ", ".join(names[:MOST_NAMES]) or "nobody"
    return f"{shown}, … ({more:,} more)" if more > 0 else shown


def marked(spec: str) -> Markup:
    """The text of a spec in colours, by classes of Pygments."""
    shown = spelled(spec if len(spec) <= LONGEST_SPEC else f"{spec[:LONGEST_SPEC]}\n…")
    return Markup(highlight(shown, ColosseumLexer(), HtmlFormatter(nowrap=True, classprefix=PREFIX)))


@cache
def style() -> Markup:
    """The style of all pages."""
    own, dark = _text("assets/notebook.css"), _text("assets/dark.css").strip()
    return Markup("\n".join([
        own,
        f"{WRAPPER}{NIGHT} {{ {dark} }}",
        f"@media (prefers-color-scheme: dark) {{ {WRAPPER}:not({DAY}) {{ {dark} }} }}",
    ]))  # fmt: skip


def spec_style(texts: Iterable[Markup]) -> Markup:
    """The colours of what stands in specs that are marked."""
    used = set(TOKEN.findall("".join(texts)))
    light, dark, other = (_of_specs(*each, used) for each in ((LIGHT, ""), (DARK, NIGHT), (DARK, f":not({DAY})")))
    return Markup(f"{light}\n{dark}\n@media (prefers-color-scheme: dark) {{\n{other}\n}}")


def _of_specs(name: str, where: str, used: AbstractSet[str]) -> str:
    rules = HtmlFormatter(style=name, classprefix=PREFIX).get_token_style_defs([f"{WRAPPER}{where} .source"])
    return "\n".join(rule for rule in rules if (found := RULE.search(rule)) and found[1] in used)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FunctionLoader(lambda name: _text(f"templates/{name}")), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, finalize=_finished,
    )  # fmt: skip
    made.filters |= {"ticked": _ticked, "named": named}
    made.globals |= {"style": style, "spec_style": spec_style}
    made.globals |= {"folded": FOLDED, "beginning": BEGINNING, "longest": LONGEST}
    return made


def _ticked(words: str) -> Markup:
    """With names between backticks marked."""
    return ticked(spelled(words))


def _finished(value: object) -> object:
    """A text as it may be seen; markup of ours as it is."""
    return spelled(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _text(name: str) -> str:
    return (files("colosseum.notebook") / name).read_text(encoding="utf-8")
