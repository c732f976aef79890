"""Short advice about one token. In: the facts of a failure; out: the right form, or an empty string.

What `habits` does not know whole is told in general words; this adds what the token most likely stands for.
"""

from collections.abc import Callable

from colosseum.language.failure import ReadingFailure
from colosseum.language.forms import form, opener
from colosseum.language.habits import INDEXED, NAMED

LOOPS = "loops are written `sum(e for i in S, j in T where c when d)` and `all(i in S where c when d)`"
SET = "a set is written `{a, b, c}`"
CHOICE = "a choice is written `x if condition else y`"
QUANTIFIERS = {"forall": "all", "every": "all", "foreach": "all", "exists": "any", "some": "any"}
"""Their words for ours."""
LONGEST_REWRITE = 100
"""Characters of a line that a help repeats in other words."""


def hint(f: ReadingFailure) -> str:
    """Did-you-mean for a token that does not fit, or an empty string."""
    token, before = f.token, f.around(-1)
    if token is None:
        return ""
    for habit in HINTS.get(token.type, ()):
        words = habit(f)
        if words:
            return words
    if before is not None and before.type == "FOR" and token.type != "NAME" and f.opened:
        return f"a loop names each element: `for a in {token}`" if token.type == "AGENTS" else LOOPS
    if f.accepts <= {"IN", "COMMA"} and before is not None and before.type == "NAME" and f.around(-2) is not None:
        return f"a loop names each element: `for a in {before}`" if f.tokens[f.stop - 2].type == "FOR" else ""
    return ""


def _if(f: ReadingFailure) -> str:
    """`if c then x else y`, `reward r if c`, `for a in agents if c`."""
    if "WHERE" in f.accepts and f.opened:
        return "in a loop, `where` tests data and `when` tests decisions"
    if "WHEN" in f.accepts:
        return "a condition stands after `when`, before the `:`"
    words = [t for t in f.tokens[f.stop :] if t.type in ("ELSE",) or t == "then"][:2]
    line_end = f.place.source.text.find("\n", f.place.start)
    line_end = len(f.place.source.text) if line_end < 0 else line_end
    if not words or words[0] != "then" or f.at(words[0]).start > line_end:
        return CHOICE
    text = f.place.source.text
    stop = f.at(words[1]).start if len(words) == 2 and f.at(words[1]).start < line_end else line_end
    condition = text[f.place.end : f.at(words[0]).start].strip()
    then = text[f.at(words[0]).end : stop].partition("#")[0].strip()
    otherwise = text[stop:line_end].partition("#")[0].removeprefix("else").partition("endif")[0].strip("; ") or "0"
    rewritten = f"{then} if {condition} else {otherwise}"
    return f"write `{rewritten}`" if len(rewritten) <= LONGEST_REWRITE else CHOICE


def _bracket(f: ReadingFailure) -> str:
    """`[a, b]` as Python and MiniZinc write sets and lists."""
    before, earlier = f.around(-1), f.around(-2)
    if before is not None and before.type == "LPAR" and earlier is not None and earlier.type == "NAME":
        return f"leave the square brackets out: `{earlier}(… for a in S)`"
    if "IN" in f.accepts and "PLUS" not in f.accepts:
        return LOOPS
    match opener(f):
        case "EXPERIMENT" | "SWEEP" | "ARM":
            return "write several values with commas, without brackets: `1, 2, 3`"
        case "TABLE":
            return "values are given by label, as in `{A: 1, B: 2}`, in a grid, or in a CSV file"
        case "AGENTS":
            return form(f)
    return SET


def _comma(f: ReadingFailure) -> str:
    before, after = f.around(-1), f.around(1)
    if before is not None and after is not None and before.type == after.type == "NUMBER" and not f.opened:
        return f"decimals are written with a point: `{before}.{after}`"
    if opener(f) in ("CHANNEL", "SET", "MEMBERS") and not {"LPAR", "LSQB"} & {t.type for t in f.opened}:
        return SET if opener(f) == "SET" else "write several agents in braces: `{A, B}`"
    return ""


def _when(f: ReadingFailure) -> str:
    if opener(f) in NAMED and not f.opened and "PLUS" in f.accepts:
        return f"`when` stands before the `:`, as in `{opener(f).lower()} NAME when …: …`"
    if f.opened and f.opened[-1].type == "LSQB" and "RSQB" in f.accepts:
        return "`]` is missing; a test of data stands inside the brackets, after `where`"
    if f.opened and f.opened[-1].type == "LPAR":
        called = f.tokens[f.tokens.index(f.opened[-1], f.start) - 1]
        return f"write `{QUANTIFIERS[called]}(…)`" if called in QUANTIFIERS else LOOPS
    return ""


def _where(f: ReadingFailure) -> str:
    if "WHEN" in f.accepts and not f.opened:
        return "a filter stands inside the brackets, `[a in agents where …]`; `when` tests decisions"
    return ""


def _compare(f: ReadingFailure) -> str:
    if f.opened and f.opened[-1].type == "LSQB" and "WHERE" in f.accepts | {"WHERE"} and "IN" in f.accepts:
        return "leave elements out with `where`, as in `[a in agents where a != A]`"
    return ""


def _colon(f: ReadingFailure) -> str:
    before, after = f.around(-1), f.around(1)
    if before is not None and after is not None and before.type == after.type == "NUMBER":
        return f"a range is written `{before}..{after}`"
    inside = f.opened and f.opened[-1].type == "LPAR" and {"FOR", "WHEN"} & f.accepts
    return LOOPS if inside else ""


def _equal(f: ReadingFailure) -> str:
    if f.opened and f.opened[-1].type == "LBRACE" and opener(f) == "TABLE":
        return "labels and values are joined by `:`, as in `{A: 1, B: 2}`"
    return "a sweep is written `sweep n in 4, 6, 8`" if opener(f) == "SWEEP" else ""


def _parenthesis(f: ReadingFailure) -> str:
    before = f.around(-1)
    return LOOPS if before is not None and before.type == "RPAR" else ""


def _of(f: ReadingFailure) -> str:
    if opener(f) == "VARIABLE" and not f.opened:
        return "the owner stands before the `:`, as in `variable NAME of A: 0..9`"
    return ""


def _string(f: ReadingFailure) -> str:
    before = f.around(-1)
    return "everybody is `agents`" if before is not None and before.type == "ALL" else ""


def _to(f: ReadingFailure) -> str:
    if f.opened or "PLUS" not in f.accepts:
        return ""
    if opener(f) == "TABLE":
        return "say who sees it before the `=`, as in `private table NAME to A = …`"
    return "say who is paid before the `:`, as in `reward NAME to a: …`" if opener(f) == "REWARD" else ""


def _number(f: ReadingFailure) -> str:
    before = f.around(-1)
    if opener(f) not in INDEXED or before is None or before.type != "LSQB" or "PLUS" in f.accepts:
        return ""
    text, start = f.place.source.text, f.place.start
    return f"an index of numbers has a name: `[i in {text[start : text.find(']', start)]}]`"


def _is(f: ReadingFailure) -> str:
    return "write `==`" if "COMPARE" in f.accepts else ""


def _else(f: ReadingFailure) -> str:
    return "leave `else` out: `… penalty 5`" if "PENALTY" in f.accepts else ""


def _for(f: ReadingFailure) -> str:
    return LOOPS if "PLUS" in f.accepts or {"NUMBER", "LPAR"} <= f.accepts else ""


def _brace(f: ReadingFailure) -> str:
    """`amr a { … }`: an arm whose word is misspelt reads like a setting and its value."""
    before, earlier = f.around(-1), f.around(-2)
    if before is None or earlier is None or f.tokens[f.start].type != "EXPERIMENT":
        return ""
    return f"an arm is written `arm {before} {{ … }}`" if earlier.type == before.type == "NAME" else ""


def _closing(f: ReadingFailure) -> str:
    """`arm a { aside  pitch bent }`: names and values out of step."""
    if f.tokens[f.start].type != "EXPERIMENT" or "LPAR" not in f.accepts:
        return ""
    return "every setting is followed by its value, as in `aside on  rounds 4`; one of these has none"


def _members(f: ReadingFailure) -> str:
    """`for a in members`: the set has the coalition's name."""
    name = f.tokens[f.start + 1] if f.tokens[f.start].type == "COALITION" else None
    return f"its members are the set `{name}`" if name is not None and f.opened else ""


HINTS: dict[str, tuple[Callable[[ReadingFailure], str], ...]] = {
    "IF": (_if,),
    "LSQB": (_bracket,),
    "LBRACE": (_brace,),
    "COMMA": (_comma,),
    "WHEN": (_when,),
    "WHERE": (_where,),
    "COMPARE": (_compare,),
    "COLON": (_colon,),
    "EQUAL": (_equal,),
    "LPAR": (_parenthesis,),
    "IS": (_is,),
    "OF": (_of,),
    "STRING": (_string,),
    "LONG_STRING": (_string,),
    "ELSE": (_else,),
    "TO": (_to,),
    "NUMBER": (_number,),
    "FOR": (_for,),
    "RBRACE": (_closing,),
    "MEMBERS": (_members,),
}
"""What to say of a token that stands where it cannot."""
