"""What tells one mistake from another. In: the facts of a failure; out: a diagnostic or an advice of its table.

A clue says what stands around the word that does not fit. Terminals are written with blanks between them; `-FOR` means
that it is not FOR. Words in braces are put in: see `_words`.
"""

from dataclasses import dataclass

from colosseum.diagnostics import Diagnostic, Label, Span, report
from colosseum.language import words
from colosseum.language.failure import ReadingFailure, ReadingReason
from colosseum.language.splitting import DEEPEST, LONGEST_CHAIN
from colosseum.language.words import Token

INDEXED = "TABLE VARIABLE REWARD REQUIRE CLAIM OBJECTIVE"
IN_EXPERIMENT = "EXPERIMENT ARM SWEEP"
VALUE = " ".join(sorted(words.STARTS_EXPRESSION))
TEXT = "STRING LONG_STRING"
CLOSING = " ".join(words.CLOSERS)
ANY = ""
SIGN_OF_VALUE = " ".join(sorted(words.STARTS_EXPRESSION - {"NAME", "AGENTS"}))
LOOPS = "loops are written `sum(e for i in S, j in T where c when d)` and `all(i in S where c when d)`"
CHOICE = "a choice is written `x if condition else y`"
SET = "a set is written `{{a, b, c}}`"
NAME_A_PART = "give a part a name of its own: a table `= expr` may be used in another expression"
COMMENT = ("C011", "`//` does not begin a comment", "a comment begins with `#`")
AT_LEAST = "at least is `>=`, at most `<=`; `a implies b` is written `not a or b`"
CELL = "a cell is a name, a number, a text or `none`, and {found} is none of them"
GIVE_A_NAME = "give it a name, and a `:` before its content: `{opener} NAME: {first} …`"
MAP = "labels and values are joined by `:`, as in `{{A: 1, B: 2}}`"


@dataclass(frozen=True, slots=True)
class Clue:
    """What a mistake looks like, and what is said of it."""

    code: str = ""
    """Empty for an advice, which stands below a general message."""
    message: str = ""
    help: str = ""
    token: str = ""
    """The word that does not fit; no NAME that is a misspelt keyword."""
    before: str = ""
    earlier: str = ""
    """The word before the one before."""
    after: str = ""
    joined: str = ""
    """The word and the one before it as written, without a blank between them."""
    ahead: str = ""
    """The same of the word and the one after it."""
    opener: str = ""
    """The word that opens the statement, or the part of it that is under way."""
    inside: str = ""
    """The innermost open bracket; NOTHING where none is open."""
    accepts: str = ""
    """All that could have stood there, and what could not."""
    words: int = 0
    """How many words of the statement stand before; 0 for any number."""
    reason: str = "-END"
    """What the reader ran into."""
    goes_on: bool = False
    """The word after could have stood here, and is no word of the grammar."""
    at: str = "place"
    """The words that are blamed: see `_blamed`."""

    def __call__(self, f: ReadingFailure) -> Diagnostic | None:
        """The diagnostic, where the clue fits."""
        if not self.fits(f):
            return None
        filled = _words(f)
        message, help_ = self.message.format_map(filled), self.help.format_map(filled)
        opened = f.opened[-1] if f.opened and f.reason is ReadingReason.BRACKET else None
        labels = [Label(f.at(opened), f"`{opened}` is opened here")] if opened is not None else []
        return report(self.code, _blamed(f, self.at), message, labels=labels, help=help_)

    def advice(self, f: ReadingFailure) -> str:
        """The help alone, or an empty string."""
        return self.help.format_map(_words(f)) if self.fits(f) else ""

    def fits(self, f: ReadingFailure) -> bool:
        """Whether the failure looks so."""
        token, before, after = f.token, f.around(-1), f.around(1)
        kinds = (
            (_kind(f, token), self.token),
            (f.reason.name, self.reason),
            (_type(before), self.before),
            (_type(f.around(-2)), self.earlier),
            (_type(after), self.after),
            (f.tokens[f.opening].type, self.opener),
            (_type(f.opened[-1] if f.opened else None), self.inside),
        )
        return (
            all(_among(kind, wanted) for kind, wanted in kinds)
            and all((word.lstrip("-") in f.accepts) is (word[0] != "-") for word in self.accepts.split())
            and _together(before, token, self.joined)
            and _together(token, after, self.ahead)
            and self.words in (0, f.stop - f.opening)
            and not (self.goes_on and _type(after) not in f.accepts - words.KEYWORDS - {"EQUAL", "COLON", "LSQB"})
        )


def _kind(f: ReadingFailure, token: Token | None) -> str:
    misspelt = token is not None and token.type == "NAME" and words.meant_keyword(token, f.accepts)
    return "MISSPELT" if misspelt else _type(token)


def _type(token: Token | None) -> str:
    return token.type if token is not None else "NOTHING"


def _among(kind: str, wanted: str) -> bool:
    """Whether a terminal is one of those wanted, and none of those with a minus."""
    words = wanted.split()
    return f"-{kind}" not in words and (kind in words or all(word[0] == "-" for word in words))


def _together(left: Token | None, right: Token | None, wanted: str) -> bool:
    """Whether two words with nothing between them are one of the signs wanted, if any is."""
    return not wanted or (bool(left and right and left.end == right.start) and f"{left}{right}" in wanted.split())


def _blamed(f: ReadingFailure, where: str) -> Span:
    """The word that does not fit, the one before it, both, it and the one after it, or the first of the statement."""
    token, before, after = (f.at(t) if t is not None else f.place for t in (f.token, f.around(-1), f.around(1)))
    places = {"place": f.place, "token": token, "before": before, "both": before.to(token), "ahead": token.to(after)}
    return f.at(f.tokens[f.opening + 1]) if where == "first" else places[where]


def _words(f: ReadingFailure) -> dict[str, str]:
    """What may stand in braces: words of the text, as written or shortened; the form of the statement."""
    token, before, after = f.token, f.around(-1), f.around(1)
    index = f.opening
    return {
        "token": str(token), "before": str(before), "after": str(after), "earlier": str(f.around(-2)),
        "form": f.form, "opener": str(f.tokens[index]), "first": str(f.tokens[min(index + 1, len(f.tokens) - 1)]),
        "found": words.found(token) if token is not None else "",
        "behind": words.found(before) if before is not None else "",
        "name": str(after) if after is not None and after.type == "NAME" else "NAME",
        "kind": {"PRIVATE": "table", "SECRET": "channel"}.get(_type(before), ""),
        "bracket": str(f.opened[-1]) if f.opened else "", "belongs": words.INNER_WORDS.get(_type(token), ""),
    }  # fmt: skip


SURE = (
    Clue("C020", "`{token}` belongs {belongs}", "write what agents want as a `reward`",
         token="OBJECTIVE", reason="NO_OPENER"),
    Clue("C020", "`{token}` belongs {belongs}", token=" ".join(words.INNER_WORDS), reason="NO_OPENER"),
    Clue("C013", "`{token}` closes nothing", token=CLOSING, inside="NOTHING", reason="NO_OPENER BRACKET"),
    Clue("C013", "`{token}` does not close `{bracket}`", reason="BRACKET"),
    Clue("C018", f"more than {DEEPEST} brackets inside each other", NAME_A_PART, reason="DEPTH"),
    Clue("C018", f"more than {LONGEST_CHAIN} operators in one expression", NAME_A_PART, reason="CHAIN"),
)  # fmt: skip
"""Before all others."""
GRID = (
    Clue("C019", "the first line of a grid begins with `|`",
         "the column of labels has no heading: the first line is `| left right`, each further one `label | 1 2`",
         token="LABEL", accepts="VBAR", reason=ANY),
    Clue("C019", CELL, "write cells without commas", token="COMMA", inside="NOTHING", accepts="LABEL STRING"),
    Clue("C019", CELL, "what is computed belongs in a table `= expr`",
         token="-NOTHING", inside="NOTHING", accepts="LABEL STRING"),
    Clue("C019", CELL, "to pay several agents, write a table for each",
         token="LPAR", before="VBAR", inside="NOTHING", accepts="NAME NUMBER"),
)  # fmt: skip
SLASHES = (Clue(*COMMENT, joined="//", at="both"), Clue(*COMMENT, ahead="//", at="ahead"))
FIRST = (
    Clue("C011", "nothing follows this `,`", "leave the last comma out",
         before="COMMA", token=CLOSING, reason=ANY, at="before"),
    Clue("C011", "nothing follows this `,`", "leave the last comma out", before="COMMA", reason="END", at="before"),
    Clue("C011", "`{token}` stands before `{before}`", "write `{token} {before} {name} …`",
         token="PRIVATE SECRET", before="TABLE CHANNEL", words=1, reason=ANY, at="both"),
    Clue("C011", "`{before}` stands before `{kind}`, not before {found}",
         token="-NOTHING -MISSPELT", before="PRIVATE SECRET", reason=ANY, at="token"),
    Clue("C011", "`{token}` is left out here", "write `{after} …`",
         token="CHANNEL PARAM PROMPT", after="NAME", opener="EXPERIMENT ARM"),
)  # fmt: skip
"""Before a bracket is missed."""
SECOND = (
    Clue("C011", "this `{opener}` has no name", "write `{opener} NAME[…] …`",
         token="LSQB", opener=INDEXED, words=1, reason=ANY),
    Clue("C011", "this `{opener}` has no name", GIVE_A_NAME,
         token=SIGN_OF_VALUE, opener="REWARD REQUIRE", words=1),
    Clue("C011", "this `{opener}` has no name", GIVE_A_NAME,
         token="COMPARE PLUS STAR SLASH AND OR IN NOT_IN", opener="REWARD REQUIRE", accepts="COLON", at="first"),
    Clue("C011", "all indices stand in one pair of brackets", "write `[a in S, b in T]`",
         token="LSQB", before="RSQB", opener=INDEXED, inside="NOTHING", accepts="-PLUS", at="both"),
    Clue("C011", "put the loop in square brackets", "as in `{opener} {before}[a in agents]`",
         token="LPAR FOR", opener=INDEXED, inside="NOTHING", accepts="LSQB -PLUS"),
    Clue("C017", "`{opener}` takes `for` here, not `{token}`", "{form}",
         token="TO IN OF EQUAL COLON", opener="CHANNEL PROMPT", inside="NOTHING", accepts="FOR -NAME"),
    Clue("C017", "`for` is missing after {behind}: who is it for?", "{form}",
         token=" ".join(words.OPENERS | {"STRING", "LONG_STRING", "LBRACE"}), opener="CHANNEL PROMPT", inside="NOTHING",
         accepts="FOR -NAME", reason=ANY),
    Clue("C017", "`=` is missing after {behind}", "{form}",
         token="LBRACE LSQB NUMBER MINUS MONEY", inside="NOTHING", accepts="EQUAL"),
    Clue("C017", "`{opener}` takes `:` here, not `in`",
         token="IN", opener="VARIABLE", inside="NOTHING", accepts="COLON"),
)  # fmt: skip
"""Before a reserved word is blamed as a name."""
LAST = (
    Clue("C011", "`{token}{after}` has no meaning", AT_LEAST, ahead="=> =<", at="ahead"),
    Clue("C017", "`{token}` does not belong after {behind}", "leave it out",
         token="COLON EQUAL", before="-NOTHING", opener="-AGENTS", goes_on=True),
    Clue("C017", "`agents` is followed by its names, without `{token}`", "{form}",
         token="COLON EQUAL", before="AGENTS", opener="AGENTS", words=1),
    Clue("C017", "`{opener}` takes `:` here, not `=`", token="EQUAL", accepts="COLON -COMPARE"),
    Clue("C017", "`{opener}` takes `:` here, not `=`", token="EQUAL", accepts="COLON", opener="VARIABLE"),
    Clue("C017", "a map takes `:` here, not `=`", MAP, token="EQUAL", opener="TABLE", inside="LBRACE"),
    Clue("C015", "`=` gives a value; to compare, write `==`", token="EQUAL", accepts="COMPARE"),
    Clue("C017", "`{opener}` takes `=` here, not `:`", token="COLON", accepts="EQUAL"),
    Clue("C017", "`:` is missing after {behind}", token=VALUE, before="-NOTHING", inside="-LBRACE", accepts="COLON"),
    *SLASHES,
    Clue("C011", "`&&` has no meaning", "write `and`", joined="&&", at="both"),
    Clue("C011", "`{before}{token}` has no meaning", AT_LEAST, joined="=> =< ->", at="both"),
    Clue("C011", "`,` is missing between {behind} and {found}",
         token=VALUE, before="-NOTHING", inside="LPAR LBRACE", opener="-EXPERIMENT -ARM -SWEEP", accepts="COMMA"),
    Clue("C011", "`,` is missing between {behind} and {found}",
         token=VALUE, before="-NOTHING", opener="AGENTS", inside="NOTHING", accepts="COMMA"),
)  # fmt: skip
"""After all that is surer; the comma at the end, as between two words it is the least sure."""
ADVICE = (
    Clue(help="a condition stands after `when`", token="IF", accepts="WHEN"),
    Clue(help=CHOICE, token="IF"),
    Clue(help="leave the square brackets out: `{earlier}(… for a in S)`", token="LSQB", before="LPAR", earlier="NAME"),
    Clue(help="write several values with commas, without brackets: `1, 2, 3`", token="LSQB", opener=IN_EXPERIMENT),
    Clue(help="values are given by label, as in `{{A: 1, B: 2}}`, in a grid, or in a CSV file",
         token="LSQB", opener="TABLE"),
    Clue(help=SET, token="LSQB", accepts="-IN", opener="-AGENTS"),
    Clue(help="an arm is written `arm {before} {{ … }}`",
         token="LBRACE", before="NAME", earlier="NAME", opener=IN_EXPERIMENT),
    Clue(help="decimals are written with a point: `{before}.{after}`",
         token="COMMA", before="NUMBER", after="NUMBER", inside="NOTHING"),
    Clue(help=SET, token="COMMA", opener="SET", inside="NOTHING LBRACE"),
    Clue(help="write several agents in braces: `{{A, B}}`",
         token="COMMA", opener="CHANNEL MEMBERS", inside="NOTHING LBRACE"),
    Clue(help="`when` stands before the `:`, as in `{opener} NAME when …: …`",
         token="WHEN", opener="REWARD REQUIRE", inside="NOTHING", accepts="PLUS"),
    Clue(help="`]` is missing; a test of data stands inside the brackets, after `where`",
         token="WHEN", inside="LSQB", accepts="RSQB"),
    Clue(help="a filter stands inside the brackets, `[a in agents where …]`; `when` tests decisions",
         token="WHERE", inside="NOTHING", accepts="WHEN"),
    Clue(help="the owner stands before the `:`, as in `variable NAME of A: 0..9`",
         token="OF", opener="VARIABLE", inside="NOTHING"),
    Clue(help="everybody is `agents`", token=TEXT, before="ALL"),
    Clue(help="say who sees it before the `=`, as in `private table NAME to A = …`",
         token="TO", opener="TABLE", inside="NOTHING", accepts="PLUS"),
    Clue(help="say who is paid before the `:`, as in `reward NAME to a: …`",
         token="TO", opener="REWARD", inside="NOTHING", accepts="PLUS"),
    Clue(help="every setting is followed by its value, as in `aside on  rounds 4`; one of these has none",
         token="RBRACE", opener=IN_EXPERIMENT, accepts="LPAR"),
    Clue(help=LOOPS, token="WHEN COLON", inside="LPAR"),
    Clue(help=LOOPS, token="FOR", accepts="PLUS"),
    Clue(help=LOOPS, token="-NAME -MISSPELT -NOTHING", before="FOR", inside="-NOTHING"),
)  # fmt: skip
"""What a word most likely stands for, where no mistake above is sure."""
