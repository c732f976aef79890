"""The grammar's terminals by what they do, and in plain words. In: terminals of the grammar; out: words for messages.

Every reserved word stands in exactly one class here; a test compares them with the grammar."""

from collections.abc import Set
from functools import cache
from pathlib import Path
from typing import Any, TypedDict, cast

from colosseum.diagnostics import nearest
from colosseum.language.tables import tables


class Token(str):
    """A word of a text as it is written, and where: from `start` to before `end`."""

    __slots__ = ("end", "start", "type")
    type: str
    """The grammar's terminal."""
    start: int
    end: int


NOTHING = Token()  # stands for the word before the first one and after the last one
NOTHING.type, NOTHING.start, NOTHING.end = "NOTHING", 0, 0
QUOTE = '"'
LONG_QUOTE = '"""'


def terminals(names: str) -> frozenset[str]:
    """The grammar's terminals of these names."""
    return frozenset(names.split())


MODIFIERS = terminals("OVERRIDE PRIVATE SECRET")  # what stands before a word that opens a statement
DECLARING = terminals(
    "SCENARIO PARAM SET TABLE VARIABLE REWARD REQUIRE COALITION OBJECTIVE CHANNEL CLAIM PROMPT RUBRIC EXPERIMENT ARM"
)
"""Words that a name follows, which they declare."""
SURE_OPENERS = (MODIFIERS | DECLARING | terminals("COLOSSEUM USE TRACE")) - {"OBJECTIVE", "ARM"}
"""Words that open a statement wherever they stand."""
OPENERS = SURE_OPENERS | {"AGENTS", "NETWORK"}
"""All that open one; `agents` is also a set's name and `network` also a setting."""
PARTS = terminals("ARM SWEEP OBJECTIVE MEMBERS")  # words that open a part of a statement between braces
LINKS = terminals("TO EACH OF FROM FOR IS PENALTY PER_UNIT WHEN WHERE")
WORD_OPERATORS = terminals("IF ELSE AND OR NOT IN NOT_IN")
CONSTANTS = terminals("NONE ON OFF")
QUANTIFIERS = terminals("COUNT ANY ALL")
KEYWORDS = OPENERS | PARTS | LINKS | WORD_OPERATORS | CONSTANTS | QUANTIFIERS | {"UNDISCLOSED"}
FUNCTIONS = ("abs", "choice", "integer", "max", "min", "normal", "pairs", "sample", "shuffle", "size", "steps", "sum",
             "uniform")  # fmt: skip
PARAMETERS: dict[str, tuple[str, ...]] = {
    "complete": (), "path": (), "ring": (), "star": ("center",), "erdos_renyi": ("p",), "watts_strogatz": ("k", "p"),
    "barabasi_albert": ("m",), "edges": ("edges",),
}  # fmt: skip
"""The kinds of graph and the arguments each takes; all but `center` are needed."""
GRAPHS = tuple(kind for kind, arguments in PARAMETERS.items() if arguments)
"""Networks that are called. These and the functions are names to the grammar."""
CLOSERS = {"RPAR": "LPAR", "RBRACE": "LBRACE", "RSQB": "LSQB"}
STARTS_EXPRESSION = terminals("NAME AGENTS NETWORK NUMBER STRING MONEY NONE ON OFF COUNT ANY ALL NOT MINUS LPAR LBRACE "
                              "UNDISCLOSED")  # fmt: skip
OPERATORS = terminals("PLUS MINUS STAR SLASH AMP COMPARE IN NOT_IN AND OR IF _DOTS LSQB LPAR UNDISCLOSED")
SHORTEST_TYPO = 3  # a shorter word is near to everything and means nothing


class Phrases(TypedDict):
    """The tables of `mistakes.toml`, which says what each holds."""

    forms: dict[str, list[str]]
    signs: dict[str, str]
    tongues: dict[str, str]
    kinds: dict[str, str]
    belongs: dict[str, str]
    clues: dict[str, list[dict[str, Any]]]


@cache
def phrases() -> Phrases:
    """The tables of `mistakes.toml`."""
    import tomllib  # what most texts do without

    return cast(Phrases, tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text(encoding="utf-8")))


def spelled(terminal: str) -> str:
    """A keyword or a sign as it stands in a text: `not in` for NOT_IN."""
    return tables()["written"].get(terminal) or terminal.lower().replace("_", " ")


def said(terminal: str) -> str:
    """A terminal as a reader would call it, in back-quotes where it is to be typed as it stands."""
    return phrases()["kinds"].get(terminal) or f"`{spelled(terminal)}`"


def found(token: Token) -> str:
    """The token as it stands in the text, shortened."""
    if token.type in ("STRING", "LONG_STRING"):
        return "a text"
    return f"`{token}`" if len(token) <= 40 else f"`{token[:37]}…`"


def expected(accepts: Set[str]) -> list[str]:
    """What could stand here, grouped: `an expression` for all that begins one, no operators beside other choices."""
    named = "NAME" in accepts and accepts & {"$END", "LONG_STRING"}  # can only be `as`, `reads` or `paraphrases`
    rest = set(accepts) - ({"NAME"} if named else set())
    words = []
    if {"NAME", "NUMBER", "LPAR"} <= rest:
        words.append("an expression")
        rest -= STARTS_EXPRESSION
    elif {"NAME", "NUMBER", "STRING"} <= rest:
        words.append("a cell")
        rest -= STARTS_EXPRESSION
    elif {"NAME", "ARM"} <= rest:
        words.append("a setting")
        rest -= {"NAME", "NETWORK"}
    elif "NAME" in rest:
        rest -= {"AGENTS", "LABEL", "UNDISCLOSED"}
    if {"PLUS", "STAR"} <= rest:
        rest -= OPERATORS
        words += [] if rest - {"$END"} else ["an operator"]
    if {"PARAM", "TABLE"} <= rest:
        rest -= OPENERS
        words.append("a statement")
    order = ["NAME", "NUMBER", "STRING", "COLON", "EQUAL", "COMMA", "RPAR", "RBRACE", "RSQB"]
    ranked = sorted(rest, key=lambda t: (order.index(t) if t in order else len(order), t == "$END", t))
    return list(dict.fromkeys(words + [said(t) for t in ranked]))


def listed(words: list[str]) -> str:
    """`a, b or c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def meant_opener(word: str) -> str:
    """The statement word that a newcomer's word may stand for, or an empty string."""
    low = word.lower()
    ours = next((ours for ours, theirs in phrases()["tongues"].items() if low in theirs.split()), "")
    return ours or _nearest(low, OPENERS)


def meant_keyword(word: str, accepts: Set[str]) -> str:
    """The accepted keyword that a misspelt one may stand for, or an empty string."""
    return _nearest(word.lower(), accepts & KEYWORDS)


def _nearest(word: str, terminals: Set[str]) -> str:
    if len(word) < SHORTEST_TYPO:
        return ""
    return nearest(word, sorted(map(spelled, terminals)))
