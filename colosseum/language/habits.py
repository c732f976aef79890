"""Habits from other languages. In: the facts of a failure; out: a diagnostic that shows the form of this language.

The habits are those of Python, MiniZinc, YAML, JSON, C and Markdown, and slips that are as sure.
"""

import re

from colosseum.diagnostics import Diagnostic, Span, report
from colosseum.language.failure import ReadingFailure, ReadingReason
from colosseum.language.forms import form, opener, opening
from colosseum.language.words import INNER_WORDS, KEYWORDS, STARTS_EXPRESSION, found

INDEXED = frozenset({"TABLE", "VARIABLE", "REWARD", "REQUIRE", "CLAIM", "OBJECTIVE"})
NAMED = frozenset({"REWARD", "REQUIRE"})
MODEL = re.compile(r"[\w.:@/+-]+")
LONGEST_VALUE = 40
"""Characters of a value that a help repeats."""


def prefix(f: ReadingFailure) -> Diagnostic | None:
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


def foreign_sign(f: ReadingFailure) -> Diagnostic | None:
    """Signs that mean something in other languages."""
    token, before = f.token, f.around(-1)
    if token is None or f.reason is ReadingReason.END:
        return None
    if token.type in ("VBAR", "LABEL") and "VBAR" not in f.accepts:
        return _bar(f)
    if comment := slashes(f):
        return comment
    if before is None or f.at(before).end != f.at(token).start:
        return None
    both = f.at(before).to(f.place)
    match f"{before}{token}":
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


def slashes(f: ReadingFailure) -> Diagnostic | None:
    """`// a comment`, wherever the failure comes to be found in it."""
    for start in (f.stop - 1, f.stop):
        pair = f.tokens[max(start, 0) : start + 2]
        if [token.type for token in pair] == ["SLASH", "SLASH"] and pair[0].end == pair[1].start:
            place = f.at(pair[0]).to(f.at(pair[1]))
            return report("C011", place, "`//` does not begin a comment", help="a comment begins with `#`")
    return None


def arrow(f: ReadingFailure) -> Diagnostic | None:
    """`reward r[a in agents] -> a: …`: the sign for who is paid."""
    after = f.around(1)
    if f.token is None or f.token.type != "MINUS" or after is None or "TO" not in f.accepts or "PLUS" in f.accepts:
        return None
    if not f.at(after).text.startswith(">") or f.at(after).start != f.place.end:
        return None
    help_ = "name the recipient with `to`, as in `reward NAME[a in agents] to a: …`"
    return report("C011", Span(f.place.source, f.place.start, f.place.end + 1), "`->` has no meaning", help=help_)


def _bar(f: ReadingFailure) -> Diagnostic:
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
    return report("C011", span, "`|` only separates the label of a grid's row from its cells", help=help_)


def model_name(f: ReadingFailure) -> Diagnostic | None:
    """`model gpt-4o`: a name with signs in it, of which the reader makes a difference and another setting."""
    if f.tokens[f.start].type != "EXPERIMENT":
        return None
    for index in range(f.start, f.stop - 1):
        place = f.at(f.tokens[index + 1])
        name = MODEL.match(place.source.text, place.start)
        if f.tokens[index] == "model" and name is not None and place.start + len(name[0]) > place.end:
            span = Span(place.source, *name.span())
            return report("C011", span, "put the name of this model in quotes", help=f'write `model "{name[0]}"`')
    return None


def nameless(f: ReadingFailure) -> Diagnostic | None:
    """`require count(…) <= 1`: what is wanted, without a name and a colon before it; `reward [A]: …`."""
    token, word = f.token, opener(f)
    if token is not None and token.type == "LSQB" and word in INDEXED and f.stop == opening(f) + 1:
        inside = [f.around(i) for i in (1, 2)]
        one = word == "REWARD" and [t.type for t in inside if t is not None] == ["NAME", "RSQB"]
        help_ = f"write `reward NAME to {inside[0]}: …`" if one else f"write `{word.lower()} NAME[…] …`"
        return report("C011", f.place, f"this `{word.lower()}` has no name", help=help_)
    if token is None or f.reason is ReadingReason.END or word not in NAMED:
        return None
    begins = f.stop == opening(f) + 1 and token.type in STARTS_EXPRESSION - {"NAME", "AGENTS"}
    compares = "COLON" in f.accepts and token.type in ("COMPARE", "PLUS", "STAR", "SLASH", "AND", "OR", "IN", "NOT_IN")
    if not begins and not compares:
        return None
    start = f.tokens[opening(f) + 1] if compares else token
    message = f"this `{word.lower()}` has no name"
    help_ = f"give it a name, and a `:` before its content: `{word.lower()} NAME: {start} …`"
    return report("C011", f.at(start), message, help=help_)


def superfluous(f: ReadingFailure) -> Diagnostic | None:
    """`rounds: 4`, `network = ring`: a sign where nothing stands between a word and its value."""
    token, after, before = f.token, f.around(1), f.around(-1)
    if token is None or before is None or after is None or f.reason is ReadingReason.END:
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


def kind_of_setting(f: ReadingFailure) -> Diagnostic | None:
    """`arm a { channel backroom on }`: what an arm sets is named without its kind."""
    token, after = f.token, f.around(1)
    if token is None or after is None or opener(f) not in ("EXPERIMENT", "ARM") or f.reason is ReadingReason.END:
        return None
    if token.type == "OBJECTIVE":
        help_ = "an experiment and its arms set channels, prompts, params, the network and settings"
        return report("C020", f.place, f"`objective` belongs {INNER_WORDS[token.type]}", help=help_)
    if token.type not in ("CHANNEL", "PARAM", "PROMPT") or after.type != "NAME":
        return None
    name = f.around(2) if token.type == "CHANNEL" else None
    shown = f"{after} {name}" if name is not None and name.type in ("ON", "OFF") else f"{after} …"
    return report("C011", f.place, f"`{token}` is left out here", help=f"write `{shown}`")


def in_brackets(f: ReadingFailure) -> Diagnostic | None:
    """`reward r(a in agents)`, `reward r for a in agents`, `reward r[a in agents][b in agents]`."""
    token, before = f.token, f.around(-1)
    if token is None or f.opened or opener(f) not in INDEXED or f.reason is ReadingReason.END:
        return None
    if token.type == "LSQB" and before is not None and before.type == "RSQB" and "PLUS" not in f.accepts:
        message = "all indices stand in one pair of brackets"
        return report("C011", f.at(before).to(f.place), message, help="write `[a in S, b in T]`")
    if "LSQB" not in f.accepts or "PLUS" in f.accepts or token.type not in ("LPAR", "FOR"):
        return None
    help_ = f"as in `{opener(f).lower()} {before}[a in agents]`"
    return report("C011", f.place, "put the loop in square brackets", help=help_)


def missing_word(f: ReadingFailure) -> Diagnostic | None:
    """`set s {a}`, `channel x {A}`, `prompt p "…"`: the one sign or word between a name and what follows."""
    token, before = f.token, f.around(-1)
    if token is None or before is None or f.opened:
        return None
    if "FOR" in f.accepts and "NAME" not in f.accepts and opener(f) in ("CHANNEL", "PROMPT"):
        if token.type in ("TO", "IN", "OF", "EQUAL", "COLON"):
            message = f"`{opener(f).lower()}` takes `for` here, not `{token}`"
            return report("C017", f.at(token), message, help=form(f))
        if token.type in ("STRING", "LONG_STRING", "LBRACE", "AGENTS") or f.reason is ReadingReason.END:
            return report("C017", f.place, f"`for` is missing after {found(before)}: who is it for?", help=form(f))
    if "EQUAL" in f.accepts and f.reason is not ReadingReason.END:
        if token.type == "IN":
            return report("C017", f.place, f"`{opener(f).lower()}` takes `=` here, not `in`", help=form(f))
        if token.type in ("LBRACE", "LSQB", "NUMBER", "MINUS", "MONEY"):
            return report("C017", f.place, f"`=` is missing after {found(before)}", help=form(f))
    if "COLON" in f.accepts and token.type == "IN" and opener(f) == "VARIABLE":
        return report("C017", f.place, "`variable` takes `:` here, not `in`")
    return None
