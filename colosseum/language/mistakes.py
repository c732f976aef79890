"""A failed statement into words. In: the facts of a failure; out: the diagnostic a newcomer would want.

`EXPLANATIONS` are asked in order; the first that knows the mistake answers, the last one knows them all.
"""

import re
from collections.abc import Callable

from colosseum.diagnostics import Diagnostic, Label, Span, report
from colosseum.language import words
from colosseum.language.failure import ReadingFailure, ReadingReason, clues
from colosseum.language.words import NOTHING

LOOPLESS = "an index repeats a statement, `when` makes it depend: `reward r[a in agents] when …: …`"
DECLARATIONS = "`set {0} = {{a, b}}` declares a set, `param {0} = 3` a number, `table {0} = …` what is computed"
MODEL = re.compile(r"[\w.:@/+-]+")
OPENING_WORDS = words.listed(
    [f"`{word.lower()}`" for word in sorted(words.OPENERS - {"COLOSSEUM", "SCENARIO", "PRIVATE", "SECRET"})]
)


def explain(failure: ReadingFailure) -> Diagnostic:
    """The diagnostic for a statement that could not be read."""
    return next(filter(None, (explanation(failure) for explanation in EXPLANATIONS)), None) or _general(failure)


def _no_opener(f: ReadingFailure) -> Diagnostic | None:
    """A statement that begins with a word of no statement."""
    if f.reason is not ReadingReason.NO_OPENER:
        return None
    if f.token.type not in words.KEYWORDS | {"NAME"}:
        return report("C016", f.place, f"a statement begins with a word, not with {words.found(f.token)}")
    loop = LOOPLESS if f.token in ("for", "if", "while") else ""
    declared = DECLARATIONS.format(f.token) if f.around(1).type == "EQUAL" else ""
    help_ = loop or declared or f"statements begin with {OPENING_WORDS}"
    meant = words.meant_opener(f.token)
    if meant:
        misspelt = words.meant_keyword(f.token, words.OPENERS)
        help_ = f"did you mean `{meant}`?" if misspelt else f"here that is written `{meant}`"
    return report("C016", f.place, f"{words.found(f.token)} does not begin a statement", help=help_)


def _row(f: ReadingFailure) -> Diagnostic | None:
    """A line in a grid without a bar: a row that lacks it, or a misspelt statement."""
    if f.reason is not ReadingReason.ROW:
        return None
    meant = words.meant_opener(f.token) if f.token.type == f.around(1).type == "NAME" else ""
    if meant:
        message = f"{words.found(f.token)} does not begin a statement"
        return report("C016", f.place, message, help=f"did you mean `{meant}`?")
    line = f.place.source.line(f.place.line)
    if "|" in line[f.place.column :]:
        help_ = "parts of a label are joined by commas: `Row, cooperate | 3 0`"
        return report("C019", f.place, "this row's label is not one name, number or text", help=help_)
    help_ = "a row is a label, a bar and one cell for each column, on one line: `low | 1 2`"
    return report("C019", f.place, "this line of the grid has no `|`", help=help_)


def _unclosed(f: ReadingFailure) -> Diagnostic | None:
    """The statement ends inside a bracket."""
    last = f.innermost
    if last is NOTHING:
        return None
    closer = next(c for c, opener in words.CLOSERS.items() if opener == last.type)
    parts = ("ARM", "SWEEP") if f.tokens[f.start].type == "EXPERIMENT" else ("OBJECTIVE",)
    part = f.token.type in parts and closer in f.accepts
    if f.reason is not ReadingReason.END and not part:
        return None
    labels = [Label(f.at(last), f"`{last}` is opened here")]
    if f.token is NOTHING:
        return report("C012", f.place, f"the text ends before `{last}` is closed", labels=labels)
    begins = "another part of it" if part else "a new statement"
    help_ = f"add {words.said(closer)} before {words.found(f.token)}, which begins {begins}"
    return report("C012", f.place, f"`{last}` is not closed", labels=labels, help=help_)


def _not_a_name(f: ReadingFailure) -> Diagnostic | None:
    """A reserved word, or a word with a digit in front, where only a name can stand."""
    token, before = f.token, f.around(-1)
    if f.reason is ReadingReason.END:
        return None
    if before.type == "NUMBER" and token.type == "NAME" and before.end == token.start:
        help_ = "begin it with a letter or `_`" if token[0] != "_" else "digits are written without `_`"
        return report("C014", f.at(before).to(f.place), f"`{before}{token}` is neither a number nor a name", help=help_)
    if "NAME" not in f.accepts or token.type not in words.KEYWORDS - {"NOT_IN", "PER_UNIT", "UNDISCLOSED"}:
        return None
    if before.type == "FOR" and token.type == "AGENTS":
        return None
    forgotten = f.around(1).type in ("NAME", "AGENTS", "NUMBER", "STRING")
    if token.type not in words.OPENERS and ("NUMBER" in f.accepts or forgotten):
        return None
    message = f"`{token}` is a reserved word and cannot be a name"
    return report("C014", f.place, message, help=f"choose another name, for example `my_{token}`")


def _bar(f: ReadingFailure) -> Diagnostic | None:
    """A bar in an expression, or one too many in a grid."""
    if f.token.type not in ("VBAR", "LABEL") or "VBAR" in f.accepts or f.reason is ReadingReason.END:
        return None
    text, low = f.place.source.text, f.place.start
    bar = text.index("|", f.place.end) if f.token.type == "LABEL" else low
    span = Span(f.place.source, bar, bar + 2 if text.startswith("||", bar) else bar + 1)
    if any(t.type == "VBAR" for t in f.tokens[f.start : f.stop]):
        help_ = "the first line is `| left right`, each further one `label | 1 2`, without lines around them"
        return report("C019", span, "a line of a grid has one bar", help=help_)
    if span.text == "||":
        return report("C011", span, "`||` has no meaning", help="write `or`")
    before = f.around(-1)
    if before.type == "EQUAL" and f.at(before).line < f.place.line:
        help_ = "leave the `=` out: the grid begins on the next line"
        return report("C017", f.at(before), "no `=` stands before a grid", help=help_)
    help_ = "write `or` between conditions, `+` for all elements of two sets"
    return report("C011", span, "`|` only separates the label of a grid's row from its cells", help=help_)


def _model_name(f: ReadingFailure) -> Diagnostic | None:
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


def _general(f: ReadingFailure) -> Diagnostic:
    """What could have stood there, after what, and what stands there instead."""
    token, before = f.token, f.around(-1)
    choices = words.expected(f.accepts)
    if before.type == "TILDE":
        choices = ["a draw such as `choice(levels)`"]
    several = "one of " if len(choices) > 2 else ""
    message = f"expected {several}{words.listed(choices)}" if choices else "this cannot stand here"
    if before is not NOTHING:
        message += f" after {words.found(before)}"
    if f.reason is ReadingReason.END:
        message += ", but the text ends" if token is NOTHING else f", but {words.found(token)} begins a new statement"
    else:
        message += f", found {words.found(token)}"
    opened = f.at(f.innermost)
    labels = [Label(opened, f"inside this `{f.innermost}`")] if f.innermost and opened.line != f.place.line else []
    return report("C011", f.place, message, labels=labels, help=_help(f))


def _help(f: ReadingFailure) -> str:
    """What to do about a token that does not fit: a near word, a habit put right, or the form of the statement."""
    if f.token.type == "NAME" and (meant := words.meant_keyword(f.token, f.accepts)):
        return f"did you mean `{meant}`?"
    if advice := next(filter(None, (clue.advice(f) for clue in clues()["advice"])), ""):
        return advice
    if f.reason is ReadingReason.END:
        at_head = f.tokens[f.start].type in words.OPENERS and f.stop <= f.opening + 2
        return f.form if not f.opened and (at_head or f.accepts == {"LBRACE"}) else ""
    inside = "PLUS" in f.accepts and "COLON" not in f.accepts and "EQUAL" not in f.accepts
    expression = {"NAME", "NUMBER", "LPAR"} <= f.accepts and f.stop > f.opening + 1
    return "" if inside or expression else f.form


EXPLANATIONS: tuple[Callable[[ReadingFailure], Diagnostic | None], ...] = (
    *clues()["sure"],
    _no_opener,
    _row,
    *clues()["grid"],
    _bar,
    _model_name,
    *clues()["first"],
    _unclosed,
    *clues()["second"],
    _not_a_name,
    *clues()["last"],
)
"""In this order: a sure sign of one mistake before what only looks like one."""
