"""What people write out of habit. In: the facts of a failure; out: a diagnostic that says how it is written here.

The habits are those of Python, MiniZinc, YAML, JSON, C and Markdown, and slips that are as sure.
"""

import re
from collections.abc import Callable

from colosseum.diagnostics import Diagnostic, Span, report
from colosseum.language.failure import Failure, Reason
from colosseum.language.forms import form, opener, opening
from colosseum.language.words import INNER_WORDS, KEYWORDS, STARTS_EXPRESSION, found

LOOPS = "loops are written `sum(e for i in S, j in T where c when d)` and `all(i in S where c when d)`"
SET = "a set is written `{a, b, c}`"
CHOICE = "a choice is written `x if condition else y`"
QUANTIFIERS = {"forall": "all", "every": "all", "foreach": "all", "exists": "any", "some": "any"}
"""Their words for ours."""
INDEXED = frozenset({"TABLE", "VARIABLE", "REWARD", "REQUIRE", "CLAIM", "OBJECTIVE"})
NAMED = frozenset({"REWARD", "REQUIRE"})
MODEL = re.compile(r"[\w.:@/+-]+")
LONGEST_VALUE = 40
"""Characters of a value that a help repeats."""
LONGEST_REWRITE = 100
"""Characters of a line that a help repeats in other words."""


def prefix(f: Failure) -> Diagnostic | None:
    """`private` and `secret` before something that cannot be either, or behind what they belong before."""
    token, before = f.token, f.around(-1)
    if token is None or before is None:
        return None
    if token.type in ("PRIVATE", "SECRET") and before.type in ("TABLE", "CHANNEL") and f.stop == f.start + 1:
        after = f.around(1)
        help_ = f"write `{token} {before} {after if after is not None and after.type == 'NAME' else 'NAME'} …`"
        return report("C011", f.at(before).to(f.at(token)), f"`{token}` stands before `{before}`", help=help_)
    if before.type not in ("PRIVATE", "SECRET"):
        return None
    kind = "table" if before.type == "PRIVATE" else "channel"
    help_ = f"write `{before} {kind} {token} …`" if token.type == "NAME" else ""
    if token.type == "OVERRIDE":
        help_ = f"write `override {before} {kind}`"
    return report("C011", f.at(token), f"`{before}` stands before `{kind}`, not before {found(token)}", help=help_)


def foreign_sign(f: Failure) -> Diagnostic | None:
    """Signs that mean something in other languages."""
    token, before = f.token, f.around(-1)
    if token is None or f.reason is Reason.END:
        return None
    if token.type in ("VBAR", "LABEL") and "VBAR" not in f.accepts:
        return _bar(f)
    if before is None or f.at(before).end != f.at(token).start:
        return None
    both = f.at(before).to(f.place)
    match f"{before}{token}":
        case "//":
            return report("C011", both, "`//` does not begin a comment", help="a comment begins with `#`")
        case "&&":
            return report("C011", both, "`&&` has no meaning", help="write `and`")
        case "**":
            return report("C011", both, "`**` has no meaning", help="there are no powers; multiply")
        case "<>" | "~=" | "=!":
            return report("C011", both, f"`{both.text}` has no meaning", help="write `!=` for `is different from`")
        case "=>" | "=<" | "->":
            help_ = "at least is `>=`, at most `<=`; `a implies b` is written `not a or b`"
            return report("C011", both, f"`{both.text}` has no meaning", help=help_)
    return None


def arrow(f: Failure) -> Diagnostic | None:
    """`reward r[a in agents] -> a: …`: the sign for who is paid."""
    after = f.around(1)
    if f.token is None or f.token.type != "MINUS" or after is None or "TO" not in f.accepts or "PLUS" in f.accepts:
        return None
    if not f.at(after).text.startswith(">") or f.at(after).start != f.place.end:
        return None
    help_ = "who is meant is said by `to`, as in `reward NAME[a in agents] to a: …`"
    return report("C011", Span(f.place.source, f.place.start, f.place.end + 1), "`->` has no meaning", help=help_)


def _bar(f: Failure) -> Diagnostic:
    """A bar in an expression, or one too many in a grid."""
    assert f.token is not None
    text, low = f.place.source.text, f.place.start
    bar = text.index("|", f.place.end) if f.token.type == "LABEL" else low
    span = Span(f.place.source, bar, bar + 2 if text.startswith("||", bar) else bar + 1)
    if any(t.type == "VBAR" for t in f.tokens[f.start : f.stop]):
        help_ = "the first line is `| left right`, each further one `label | 1 2`, without lines around them"
        return report("C019", span, "a line of a grid has one bar", help=help_)
    if span.text == "||":
        return report("C011", span, "`||` has no meaning", help="write `or`")
    before = f.around(-1)
    if before is not None and before.type == "EQUAL" and f.at(before).line < f.place.line:
        help_ = "leave the `=` out: the grid begins on the next line"
        return report("C017", f.at(before), "no `=` stands before a grid", help=help_)
    help_ = "write `or` between conditions, `+` for all elements of two sets"
    return report("C011", span, "`|` only parts the label of a grid's row from its cells", help=help_)


def model_name(f: Failure) -> Diagnostic | None:
    """`model gpt-4o`: a name with signs in it, of which the reader makes a difference and another setting."""
    if f.tokens[f.start].type != "EXPERIMENT":
        return None
    for index in range(f.start, f.stop - 1):
        place = f.at(f.tokens[index + 1])
        name = MODEL.match(place.source.text, place.start)
        if f.tokens[index] == "model" and name is not None and place.start + len(name[0]) > place.end:
            span = Span(place.source, *name.span())
            return report("C011", span, "the name of this model stands in quotes", help=f'write `model "{name[0]}"`')
    return None


def nameless(f: Failure) -> Diagnostic | None:
    """`require count(…) <= 1`: what is wanted, without a name and a colon before it; `reward [A]: …`."""
    token, word = f.token, opener(f)
    if token is not None and token.type == "LSQB" and word in INDEXED and f.stop == opening(f) + 1:
        inside = [f.around(i) for i in (1, 2)]
        one = word == "REWARD" and [t.type for t in inside if t is not None] == ["NAME", "RSQB"]
        help_ = f"write `reward NAME to {inside[0]}: …`" if one else f"write `{word.lower()} NAME[…] …`"
        return report("C011", f.place, f"this `{word.lower()}` has no name", help=help_)
    if token is None or f.reason is Reason.END or word not in NAMED:
        return None
    begins = f.stop == opening(f) + 1 and token.type in STARTS_EXPRESSION - {"NAME", "AGENTS"}
    compares = "COLON" in f.accepts and token.type in ("COMPARE", "PLUS", "STAR", "SLASH", "AND", "OR", "IN", "NOT_IN")
    if not begins and not compares:
        return None
    start = f.tokens[opening(f) + 1] if compares else token
    message = f"this `{word.lower()}` has no name"
    help_ = f"give it one, and a `:` before what it says: `{word.lower()} NAME: {start} …`"
    return report("C011", f.at(start), message, help=help_)


def superfluous(f: Failure) -> Diagnostic | None:
    """`rounds: 4`, `network = ring`: a sign where nothing stands between a word and its value."""
    token, after, before = f.token, f.around(1), f.around(-1)
    if token is None or before is None or after is None or f.reason is Reason.END:
        return None
    if token.type not in ("EQUAL", "COLON") or opener(f) == "AGENTS":
        return None
    if after.type not in f.accepts or after.type in KEYWORDS | {"EQUAL", "COLON", "LSQB"}:
        return None
    if opener(f) == "COALITION":
        return report("C017", f.place, f"`{token}` does not belong here", help=form(f))
    if before.type == token.type:
        return report("C017", f.place, f"`{token}` stands twice", help="leave one of them out")
    value = f.place.source.line(f.place.line)[f.place.column :].partition("#")[0].strip()
    value = value if value and len(value) <= LONGEST_VALUE and not set(value) & set('{}"') else f"{after} …"
    shown = f'{before} "…"' if after.type in ("STRING", "LONG_STRING") else f"{before} {value}"
    message = f"`{token}` does not belong after {found(before)}"
    return report("C017", f.place, message, help=f"leave it out: `{shown}`")


def kind_of_setting(f: Failure) -> Diagnostic | None:
    """`arm a { channel backroom on }`: what an arm sets is named without its kind."""
    token, after = f.token, f.around(1)
    if token is None or after is None or opener(f) not in ("EXPERIMENT", "ARM") or f.reason is Reason.END:
        return None
    if token.type == "OBJECTIVE":
        help_ = "an experiment and its arms set channels, prompts, params, the network and settings"
        return report("C020", f.place, f"`objective` belongs {INNER_WORDS[token.type]}", help=help_)
    if token.type not in ("CHANNEL", "PARAM", "PROMPT") or after.type != "NAME":
        return None
    name = f.around(2) if token.type == "CHANNEL" else None
    shown = f"{after} {name}" if name is not None and name.type in ("ON", "OFF") else f"{after} …"
    return report("C011", f.place, f"`{token}` is left out here", help=f"write `{shown}`")


def in_brackets(f: Failure) -> Diagnostic | None:
    """`reward r(a in agents)`, `reward r for a in agents`, `reward r[a in agents][b in agents]`."""
    token, behind = f.token, f.around(-1)
    if token is None or f.opened or opener(f) not in INDEXED or f.reason is Reason.END:
        return None
    if token.type == "LSQB" and behind is not None and behind.type == "RSQB" and "PLUS" not in f.accepts:
        message = "all indices stand in one pair of brackets"
        return report("C011", f.at(behind).to(f.place), message, help="write `[a in S, b in T]`")
    if "LSQB" not in f.accepts:
        return None
    if token.type not in ("LPAR", "FOR") or "PLUS" in f.accepts:
        return None
    word, before = opener(f).lower(), f.around(-1)
    help_ = f"as in `{word} {before}[a in agents]`"
    return report("C011", f.place, "what it is repeated for stands in square brackets", help=help_)


def missing_word(f: Failure) -> Diagnostic | None:
    """`set s {a}`, `channel x {A}`, `prompt p "…"`: the one sign or word between a name and what follows."""
    token, before = f.token, f.around(-1)
    if token is None or before is None or f.opened:
        return None
    if "FOR" in f.accepts and "NAME" not in f.accepts and opener(f) in ("CHANNEL", "PROMPT"):
        if token.type in ("TO", "IN", "OF", "EQUAL", "COLON"):
            message = f"`{opener(f).lower()}` takes `for` here, not `{token}`"
            return report("C017", f.at(token), message, help=form(f))
        if token.type in ("STRING", "LONG_STRING", "LBRACE", "AGENTS") or f.reason is Reason.END:
            return report("C017", f.place, f"`for` is missing after {found(before)}: who is it for?", help=form(f))
    if "EQUAL" in f.accepts and f.reason is not Reason.END:
        if token.type == "IN":
            return report("C017", f.place, f"`{opener(f).lower()}` takes `=` here, not `in`", help=form(f))
        if token.type in ("LBRACE", "LSQB", "NUMBER", "MINUS", "MONEY"):
            return report("C017", f.place, f"`=` is missing after {found(before)}", help=form(f))
    if "COLON" in f.accepts and token.type == "IN" and opener(f) == "VARIABLE":
        return report("C017", f.place, "`variable` takes `:` here, not `in`")
    return None


def hint(f: Failure) -> str:
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


def _if(f: Failure) -> str:
    """`if c then x else y`, `reward r if c`, `for a in agents if c`."""
    if "WHERE" in f.accepts and f.opened:
        return "in a loop, what is known is tested with `where`, what agents decide with `when`"
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


def _bracket(f: Failure) -> str:
    """`[a, b]` as Python and MiniZinc write sets and lists."""
    before, earlier = f.around(-1), f.around(-2)
    if before is not None and before.type == "LPAR" and earlier is not None and earlier.type == "NAME":
        return f"leave the square brackets out: `{earlier}(… for a in S)`"
    if "IN" in f.accepts and "PLUS" not in f.accepts:
        return LOOPS
    match opener(f):
        case "EXPERIMENT" | "SWEEP" | "ARM":
            return "several values stand with commas and without brackets: `1, 2, 3`"
        case "TABLE":
            return "values are given by label, as in `{A: 1, B: 2}`, in a grid, or in a CSV file"
        case "AGENTS":
            return form(f)
    return SET


def _comma(f: Failure) -> str:
    before, after = f.around(-1), f.around(1)
    if before is not None and after is not None and before.type == after.type == "NUMBER" and not f.opened:
        return f"decimals are written with a point: `{before}.{after}`"
    if opener(f) in ("CHANNEL", "SET", "MEMBERS") and not {"LPAR", "LSQB"} & {t.type for t in f.opened}:
        return SET if opener(f) == "SET" else "several agents stand in braces: `{A, B}`"
    return ""


def _when(f: Failure) -> str:
    if opener(f) in NAMED and not f.opened and "PLUS" in f.accepts:
        return f"`when` stands before the `:`, as in `{opener(f).lower()} NAME when …: …`"
    if f.opened and f.opened[-1].type == "LSQB" and "RSQB" in f.accepts:
        return "`]` is missing; what is tested before anybody decides stands inside, after `where`"
    if f.opened and f.opened[-1].type == "LPAR":
        called = f.tokens[f.tokens.index(f.opened[-1], f.start) - 1]
        return f"write `{QUANTIFIERS[called]}(…)`" if called in QUANTIFIERS else LOOPS
    return ""


def _where(f: Failure) -> str:
    if "WHEN" in f.accepts and not f.opened:
        return "a filter stands inside the brackets, `[a in agents where …]`; what agents decide is tested with `when`"
    return ""


def _compare(f: Failure) -> str:
    if f.opened and f.opened[-1].type == "LSQB" and "WHERE" in f.accepts | {"WHERE"} and "IN" in f.accepts:
        return "what is left out is said by `where`, as in `[a in agents where a != A]`"
    return ""


def _colon(f: Failure) -> str:
    before, after = f.around(-1), f.around(1)
    if before is not None and after is not None and before.type == after.type == "NUMBER":
        return f"a range is written `{before}..{after}`"
    inside = f.opened and f.opened[-1].type == "LPAR" and {"FOR", "WHEN"} & f.accepts
    return LOOPS if inside else ""


def _equal(f: Failure) -> str:
    if f.opened and f.opened[-1].type == "LBRACE" and opener(f) == "TABLE":
        return "labels and values are joined by `:`, as in `{A: 1, B: 2}`"
    return "a sweep is written `sweep n in 4, 6, 8`" if opener(f) == "SWEEP" else ""


def _parenthesis(f: Failure) -> str:
    before = f.around(-1)
    return LOOPS if before is not None and before.type == "RPAR" else ""


def _of(f: Failure) -> str:
    if opener(f) == "VARIABLE" and not f.opened:
        return "the owner stands before the `:`, as in `variable NAME of A: 0..9`"
    return ""


def _string(f: Failure) -> str:
    before = f.around(-1)
    return "everybody is `agents`" if before is not None and before.type == "ALL" else ""


def _to(f: Failure) -> str:
    if f.opened or "PLUS" not in f.accepts:
        return ""
    if opener(f) == "TABLE":
        return "who sees it stands before the `=`, as in `private table NAME to A = …`"
    return "who is paid stands before the `:`, as in `reward NAME to a: …`" if opener(f) == "REWARD" else ""


def _is(f: Failure) -> str:
    return "write `==`" if "COMPARE" in f.accepts else ""


def _else(f: Failure) -> str:
    return "leave `else` out: `… penalty 5`" if "PENALTY" in f.accepts else ""


def _for(f: Failure) -> str:
    return LOOPS if "PLUS" in f.accepts or {"NUMBER", "LPAR"} <= f.accepts else ""


def _brace(f: Failure) -> str:
    """`amr a { … }`: an arm whose word is misspelt reads like a setting and its value."""
    before, earlier = f.around(-1), f.around(-2)
    if before is None or earlier is None or f.tokens[f.start].type != "EXPERIMENT":
        return ""
    return f"an arm is written `arm {before} {{ … }}`" if earlier.type == before.type == "NAME" else ""


def _closing(f: Failure) -> str:
    """`arm a { aside  pitch bent }`: names and values out of step."""
    if f.tokens[f.start].type != "EXPERIMENT" or "LPAR" not in f.accepts:
        return ""
    return "every setting is followed by its value, as in `aside on  rounds 4`; one of these has none"


def _members(f: Failure) -> str:
    """`for a in members`: the set has the coalition's name."""
    name = f.tokens[f.start + 1] if f.tokens[f.start].type == "COALITION" else None
    return f"its members are the set `{name}`" if name is not None and f.opened else ""


HINTS: dict[str, tuple[Callable[[Failure], str], ...]] = {
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
    "FOR": (_for,),
    "RBRACE": (_closing,),
    "MEMBERS": (_members,),
}
"""What to say of a token that stands where it cannot."""
