"""Specs made by chance, for tests that must hold for every spec. In: hypothesis's choices; out: texts.

`specs()` gives whole texts that are well formed, if rarely sensible: every production of the grammar can occur, with
white space and comments wherever they may stand. `relaid(text)` gives a real spec in another layout.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from hypothesis import strategies as st

from colosseum.diagnostics import Source
from colosseum.language import parse
from colosseum.language.parser import lex


class Gap(Enum):
    """What may stand before a word."""

    ANY = auto()
    """Whatever white space, with or without comments."""
    ROW = auto()
    """Blanks: the word belongs to the line of a grid."""
    LINE = auto()
    """A line break: a grid's header or row begins."""
    START = auto()
    """A line break and nothing more: a statement begins."""
    NEXT = auto()
    """A statement begins that may do so anywhere."""


@dataclass(frozen=True, slots=True)
class SpecToken:
    """A token and what may stand before it."""

    text: str
    gap: Gap = Gap.ANY


Words: TypeAlias = tuple[SpecToken, ...]
Some: TypeAlias = st.SearchStrategy[Words]


# ---- combining ---------------------------------------------------------------------------------------------


def word(text: str, gap: Gap = Gap.ANY) -> Some:
    return st.just((SpecToken(text, gap),))


def words(text: str) -> Some:
    """Several words, blanks between them."""
    return st.just(tuple(SpecToken(each) for each in text.split()))


def chosen(texts: Iterable[str]) -> Some:
    return st.sampled_from([(SpecToken(text),) for text in texts])


def flat(parts: Iterable[Words]) -> Words:
    return tuple(each for part in parts for each in part)


def row(*parts: Some) -> Some:
    """One after the other."""
    return st.tuples(*parts).map(flat)


def maybe(*parts: Some) -> Some:
    return st.just(()) | row(*parts)


def several(part: Some, *, between: str = "", least: int = 1, most: int = 3) -> Some:
    def join(parts: list[Words]) -> Words:
        sign = (SpecToken(between),) if between else ()
        return flat(each if number == 0 else (*sign, *each) for number, each in enumerate(parts))

    return st.lists(part, min_size=least, max_size=most).map(join)


# ---- words --------------------------------------------------------------------------------------------------

NAME_LIST = (
    *("a", "b", "x1", "move", "pick", "cost", "payoff", "total", "links", "true", "e3", "ticket_12", "überlänge", "_"),
    *("order", "note", "innings", "offset", "forest", "units", "iffy", "private_matter", "whenever", "nonesuch"),
    "a_very_long_name_that_takes_much_of_a_line_by_itself",
)
NAMES = chosen(NAME_LIST)
NUMBERS = chosen(["0", "3", "17", "007", "0.50", "2.5E-1", "1e3", "12345678901234567890", "1e308"])
LETTERS = "ab z#{}()|=,.:'-%é\u4e2d\t \u00a0\\\""


def quoted(text: str) -> Words:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return (SpecToken(f'"{escaped}"'),)


STRINGS = (
    chosen(['""', '"t"', r'"say \"no\"\n\tand \\ go"', '"{{ me }} # no comment"', '"""one"""'[2:-2]])
    | st.text(LETTERS, max_size=12).map(quoted)
    | st.integers(60, 120).map(lambda length: quoted("long " * (length // 5)))
)
TEXT_LINES = st.sampled_from(
    ["", "  ", "one", "  two", "    three {{ me }}", "\tfour", " \tfive", '"six" \\n', "seven  ", "# 8", "nine\r", "|"]
)


def long_quoted(lines: list[str], end: str, head: str) -> Words:
    return (SpecToken('"""' + head + "".join(end + line for line in lines) + '"""'),)


def _closes_well(found: Words) -> bool:
    return not found[0].text[3:-3].endswith('"')


LONG_STRINGS = st.builds(
    long_quoted,
    st.lists(TEXT_LINES, max_size=5),
    st.sampled_from(["\n", "\n", "\r\n"]),
    st.sampled_from(["", " ", "head"]),
).filter(_closes_well)
TEXTS = STRINGS | LONG_STRINGS

# ---- expressions -----------------------------------------------------------------------------------------------

TERNARY, OR, AND, NOT, COMPARISON, RANGE, SUM, PRODUCT, UNARY, POSTFIX, ATOM = range(11)
Leveled: TypeAlias = tuple[int, Words]
"""How tightly an expression binds, and its words."""
Expressions: TypeAlias = st.SearchStrategy[Leveled]


def fitted(expression: Leveled, least: int) -> Words:
    """The words, in brackets if it binds less than needed."""
    level, inside = expression
    return inside if level >= least else (SpecToken("("), *inside, SpecToken(")"))


def at(inner: Expressions, least: int = TERNARY) -> Some:
    return inner.map(lambda expression: fitted(expression, least))


def leveled(level: int, some: Some) -> Expressions:
    return some.map(lambda found: (level, found))


def chain(inner: Expressions, level: int, operators: Iterable[str]) -> Expressions:
    return leveled(level, row(at(inner, level), chosen(operators), at(inner, level + 1)))


COMPARISONS = chosen(["==", "!=", "<", "<=", ">", ">=", "in", "not in", "not \n in"])
ATOMS: Expressions = leveled(
    ATOM, NAMES | NAMES | NUMBERS | chosen(["agents", "none", "on", "off", "$20", "$0.5", "{}", "f()"]) | STRINGS
)


def binders(inner: Expressions) -> Some:
    pattern = NAMES | row(word("("), several(NAMES, between=",", least=2), word(")"))
    binder = row(pattern, word("in"), at(inner, RANGE))
    return row(several(binder, between=",", most=2), maybe(word("where"), at(inner)))


def braces(inner: Expressions) -> Some:
    key = NAMES | NUMBERS | STRINGS | word("agents")
    pairs = several(row(key, word(":"), at(inner)), between=",")
    inside = several(at(inner), between=",", least=0, most=9) | row(at(inner), word("for"), binders(inner)) | pairs
    return row(word("{"), inside, word("}"))


def calls(inner: Expressions) -> Some:
    argument = at(inner) | row(NAMES, word("="), at(inner))
    return row(NAMES, word("("), several(argument, between=",", least=0), word(")"))


def extended(inner: Expressions) -> Expressions:
    """An expression one level deeper."""
    when = maybe(word("when"), at(inner))
    over = row(NAMES, word("("), at(inner), word("for"), binders(inner), when, word(")"))
    holds = row(chosen(["count", "any", "all"]), word("("), binders(inner), when, word(")"))
    tupled = row(word("("), several(at(inner), between=",", least=2), word(")"))
    item = inner.map(lambda found: found[1] if found[0] == TERNARY else fitted(found, RANGE))
    looked_up = row(at(inner, POSTFIX), word("["), several(item, between=","), word("]"))
    ternary = row(at(inner, OR), word("if"), at(inner, OR), word("else"), at(inner))
    compared = row(at(inner, RANGE), several(row(COMPARISONS, at(inner, RANGE)), most=2))
    return st.one_of(
        leveled(ATOM, calls(inner) | over | holds | braces(inner) | tupled),
        leveled(ATOM, row(word("("), at(inner), word(")"))),
        leveled(POSTFIX, looked_up),
        leveled(TERNARY, ternary),
        leveled(COMPARISON, compared),
        leveled(NOT, row(word("not"), at(inner, NOT))),
        leveled(UNARY, row(word("-"), at(inner, UNARY))),
        leveled(RANGE, row(at(inner, SUM), word(".."), at(inner, SUM))),
        chain(inner, OR, ["or"]),
        chain(inner, AND, ["and"]),
        chain(inner, SUM, ["+", "-", "&"]),
        chain(inner, PRODUCT, ["*", "/"]),
    )


INNER: Expressions = st.recursive(ATOMS, extended, max_leaves=8)
EXPRESSION = at(INNER)
WHEN = maybe(word("when"), EXPRESSION)

# ---- statements ------------------------------------------------------------------------------------------------

INDEX = (
    NAMES
    | word("agents")
    | row(NAMES | row(word("("), several(NAMES, between=",", least=2), word(")")), word("in"), at(INNER, RANGE))
)
INDICES = maybe(word("["), several(INDEX, between=","), maybe(word("where"), EXPRESSION), word("]"))
TO = maybe(word("to"), EXPRESSION | row(words("each ("), binders(INNER), WHEN, word(")")))
GIVEN = row(word("="), EXPRESSION)
DRAWN = row(word("~"), calls(INNER))
LOADED = row(word("from"), STRINGS)


def in_row(found: Words) -> Words:
    return tuple(SpecToken(each.text, Gap.ROW) for each in found)


KEYS = (NAMES | NUMBERS | STRINGS | row(word("-"), NUMBERS)).map(in_row)
CELLS = KEYS | chosen(["none", "on", "off"]).map(in_row)
LABEL_PARTS = (NAMES | STRINGS | chosen(["3", "-17", "0", "agents", "when"])).map(lambda found: found[0].text)
LABELS = st.builds(
    lambda parts, comma: (SpecToken(comma.join(parts), Gap.LINE),),
    st.lists(LABEL_PARTS, min_size=1, max_size=3),
    st.sampled_from([", ", ",", " \t, "]),
)
GRID = row(
    word("|", Gap.LINE),
    several(KEYS, most=4),
    several(row(LABELS, word("|", Gap.ROW), several(CELLS, most=4)), most=4),
)
VALUE = GIVEN | DRAWN | LOADED
TABLE = row(maybe(word("private")), word("table"), NAMES, INDICES, TO, maybe(word("of"), EXPRESSION))
PENALTY = maybe(word("penalty"), EXPRESSION, maybe(word("per unit") | word("per \t\n unit")))
UNDISCLOSED = maybe(word("undisclosed"))
OBJECTIVE = row(word("objective"), NAMES, INDICES, WHEN, word(":"), EXPRESSION)
VARIANT = row(NAMES, word(":"), TEXTS | row(word("paraphrases"), several(TEXTS, least=2)))
SETTING = row(NAMES | word("network"), several(EXPRESSION, between=","))
ARM = row(word("arm"), NAMES, word("{"), several(SETTING, least=0), word("}"))
SWEPT = row(NAMES | word("network"), word("in"), several(EXPRESSION, between=","))
SWEEP = row(word("sweep"), SWEPT, maybe(word("where"), EXPRESSION))
CONTRAST = row(word("compare"), NAMES | STRINGS, word("with"), NAMES | STRINGS)
PART = SETTING | ARM | SWEEP | CONTRAST
EXPERIMENT = row(words("experiment e"), maybe(STRINGS), word("{"), several(PART, most=4), word("}"))
MAPPED = row(
    row(NAMES, maybe(EXPRESSION)) | row(word("arm") | word("channel") | word("param"), NAMES),
    word("is"), EXPRESSION,
)  # fmt: skip
TRACE = row(words("trace from"), STRINGS, word("{"), several(MAPPED, most=4), word("}"))

DECLARATIONS: dict[str, Some] = {
    "param": row(word("param"), NAMES, GIVEN),
    "agents": row(word("agents"), several(EXPRESSION, between=",")),
    "set": row(word("set"), NAMES, VALUE),
    "set with columns": row(word("set"), NAMES, GRID),
    "table": row(TABLE, VALUE),
    "table of a grid": row(TABLE, GRID),
    "variable": row(word("variable"), NAMES, INDICES, maybe(word("of"), EXPRESSION), word(":"), EXPRESSION),
    "reward": row(word("reward"), NAMES, INDICES, TO, WHEN, word(":"), EXPRESSION, UNDISCLOSED),
    "require": row(word("require"), NAMES, INDICES, TO, WHEN, word(":"), EXPRESSION, PENALTY, UNDISCLOSED),
    "coalition": row(
        word("coalition"), NAMES, words("{ members"), GIVEN | DRAWN, several(OBJECTIVE, least=0, most=2), word("}")
    ),
    "network": row(word("network"), EXPRESSION),
    "channel": row(maybe(word("secret")), word("channel"), NAMES, row(word("for"), EXPRESSION) | DRAWN),
    "claim": row(word("claim"), NAMES, INDICES, word(":"), TEXTS, word("is"), EXPRESSION),
    "prompt": row(
        word("prompt"), NAMES, word("for"), EXPRESSION, TEXTS | row(word("{"), several(VARIANT, most=3), word("}"))
    ),
    "rubric": row(
        word("rubric"), NAMES, maybe(words("reads thoughts")), TEXTS,
        word("{"), several(row(NUMBERS, word(":"), TEXTS), most=3), word("}"),
    ),
    "experiment": EXPERIMENT,
    "trace": TRACE,
}
STATEMENTS: dict[str, Some] = {
    **DECLARATIONS,
    "use": row(word("use"), STRINGS),
    "override": row(word("override"), st.one_of(*DECLARATIONS.values())),
}
"""The words of each kind of statement."""
STATEMENT = st.one_of(*STATEMENTS.values())
HEAD = row(words("colosseum 1 scenario"), NAMES, maybe(STRINGS))


def opened(statement: Words, before: Words) -> Words:
    """A statement whose first word stands where it begins one, whatever came before."""
    anywhere = statement[0].text not in ("agents", "network") and all(each.gap is Gap.ANY for each in before)
    return (SpecToken(statement[0].text, Gap.NEXT if anywhere else Gap.START), *statement[1:])


def whole(head: Words, statements: list[Words]) -> Words:
    found, before = [head], head
    for statement in statements:
        found.append(opened(statement, before))
        before = statement
    return flat(found)


SPEC_WORDS = st.builds(whole, HEAD, st.lists(STATEMENT, min_size=1, max_size=4))

# ---- layouts ------------------------------------------------------------------------------------------------------

REMARKS = ("#", "# a remark", "#no blank", '# """ " { ( [', "# over  ", "# \t|", "#: é 中", "# agents A")
BLANKS = (" ", " ", "  ", "\t", " \t ", "\u00a0")
LINES = ("\n", "\n  ", "\n\n", "\n\n\n ", "\r\n ", " \n\t", "\n\f ")


def plain(made: Words) -> str:
    """One blank between words, line breaks where they must be."""
    breaks = {Gap.LINE: "\n  ", Gap.START: "\n", Gap.NEXT: "\n"}
    return "".join(breaks.get(each.gap, " ") + each.text for each in made).removeprefix(" ") + "\n"


def laid_out(made: Words, seed: int) -> str:
    """Some layout of the words, the plain one for seed 0."""
    if seed == 0:
        return plain(made)
    chance = random.Random(seed)
    share = chance.choice([0.02, 0.1, 0.4, 1])
    text = chance.choice(["", "", "\ufeff", "# first\n", "\n \n", "#\n\n# a\n"])
    for each in made:
        text += _gap(each, text, chance, share)
        text += each.text
    return text + chance.choice(["", "\n", "\n\n# last", " # last\r\n", "\n#\n\n  #"])


def _gap(each: SpecToken, before: str, chance: random.Random, share: float) -> str:
    unusual = chance.random() < share
    match each.gap:
        case Gap.ROW:
            found = chance.choice(["", " ", "  ", "\t"]) if unusual else " "
            return found or ("" if _apart(before, each.text) else " ")
        case Gap.LINE:
            return (_comments(chance) if unusual else "\n") + chance.choice(["", " ", "  ", "\t "])
        case Gap.START:
            return (_comments(chance) if unusual else "\n").rstrip("\t \f") + "\n"
        case Gap.NEXT if not unusual:
            return "\n"
    found = ""
    if unusual:
        found = chance.choice(["", "", *BLANKS, *LINES, _comments(chance) + "  ", _comments(chance) + " "])
        found += " " if found.endswith("\n") else ""  # a word at the very left might begin a statement
    elif each.gap is not Gap.NEXT:
        found = chance.choice(["", " ", " "])
    return found or ("" if _apart(before, each.text) else " ")


def _comments(chance: random.Random) -> str:
    """One to three comments, the first perhaps at the end of the line, and a line break."""
    found = ""
    for _ in range(chance.choice([1, 1, 2, 3])):
        found += chance.choice(["", " ", "  ", "\n", "\n\n", "\n  ", "\r\n"]) + chance.choice(REMARKS)
        found += chance.choice(["\n", "\n", "\r\n", "\n\n"])
    return found


def _apart(before: str, text: str) -> bool:
    """Whether two words stay two without a blank between them."""
    left, right = before[-1:], text[:1]
    sticky = '_"$'
    return not ((left.isalnum() or left in sticky) and (right.isalnum() or right in sticky))


def specs() -> st.SearchStrategy[str]:
    """Whole texts, well formed, in any layout; they shrink to plain ones."""
    return st.builds(laid_out, SPEC_WORDS, st.integers(0, 2**32))


def relaid(text: str, seed: int) -> str:
    """A well-formed text with other white space and other comments."""
    return laid_out(words_of(text), seed)


def words_of(text: str) -> Words:
    """The words of a well-formed text, each with what may stand before it."""
    source = Source("text.colo", text)
    file, diagnostics = parse(source)
    assert not diagnostics
    starts = {statement.span.start for statement in file.statements}
    found: list[SpecToken] = []
    in_grid = False
    for token in lex(source).tokens:
        gap = Gap.ANY
        header = token.type == "VBAR" and found[-1].gap is not Gap.LINE
        if token.start in starts:
            gap, in_grid = Gap.START, False
        elif header or (token.type == "LABEL" and found[-1].text != "set"):
            gap, in_grid = Gap.LINE, True
        elif in_grid:
            gap = Gap.ROW
        found.append(SpecToken(str(token), gap))
    return tuple(found)
