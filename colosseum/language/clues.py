"""What tells one mistake from another. In: the facts of a failure; out: a diagnostic or an advice of its table.

A clue says what stands around the word that does not fit. Terminals are written with blanks between them; `-FOR` means
that it is not FOR. Words in braces are put in: see `_words`.
"""

import re
from dataclasses import dataclass

from colosseum.diagnostics import Diagnostic, Label, Span, report
from colosseum.language.failure import ReadingFailure, ReadingReason
from colosseum.language.forms import form, opening
from colosseum.language.splitting import DEEPEST, LONGEST_CHAIN
from colosseum.language.words import CLOSERS, INNER_WORDS, KEYWORDS, STARTS_EXPRESSION, Token, found, meant_keyword

INDEXED = "TABLE VARIABLE REWARD REQUIRE CLAIM OBJECTIVE"
IN_EXPERIMENT = "EXPERIMENT ARM SWEEP"
VALUE = " ".join(sorted(STARTS_EXPRESSION))
TEXT = "STRING LONG_STRING"
ANY = ""
SIGN_OF_VALUE = " ".join(sorted(STARTS_EXPRESSION - {"NAME", "AGENTS"}))
LOOPS = "loops are written `sum(e for i in S, j in T where c when d)` and `all(i in S where c when d)`"
CHOICE = "a choice is written `x if condition else y`"
SET = "a set is written `{{a, b, c}}`"
QUANTIFIERS = {"forall": "all", "every": "all", "foreach": "all", "exists": "any", "some": "any"}
"""The words of other languages for ours."""
LONGEST_REWRITE = 100
"""Characters of a line that a help repeats in other words."""
NAME_A_PART = "give a part a name of its own: a table `= expr` may be used in another expression"
LONGEST_REST = 60
"""Characters of the rest of a line that a help repeats."""
_IF_THEN = re.compile(r"if\s+(.+?)\s+then\s+(.+?)(?:\s+else\b\s*(.*?))?(?:\s+endif\b.*|[;\s]*)$")
COMMENT = ("C011", "`//` does not begin a comment", "a comment begins with `#`")
AT_LEAST = "at least is `>=`, at most `<=`; `a implies b` is written `not a or b`"
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
    beyond: str = ""
    """The word behind the one after."""
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
        words = _words(f)
        message, help_ = self.message.format_map(words), self.help.format_map(words)
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
            (_type(f.around(2)), self.beyond),
            (f.tokens[opening(f)].type, self.opener),
            (_type(f.opened[-1] if f.opened else None), self.inside),
        )
        return (
            all(_among(kind, wanted) for kind, wanted in kinds)
            and all((word.lstrip("-") in f.accepts) is (word[0] != "-") for word in self.accepts.split())
            and _together(before, token, self.joined)
            and _together(token, after, self.ahead)
            and self.words in (0, f.stop - opening(f))
            and not (self.goes_on and _type(after) not in f.accepts - KEYWORDS - {"EQUAL", "COLON", "LSQB"})
        )


def _kind(f: ReadingFailure, token: Token | None) -> str:
    misspelt = token is not None and token.type == "NAME" and meant_keyword(token, f.accepts)
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
    return f.at(f.tokens[opening(f) + 1]) if where == "first" else places[where]


def _words(f: ReadingFailure) -> dict[str, str]:
    """What may stand in braces: words of the text, as written or shortened; the form of the statement."""
    token, before, after = f.token, f.around(-1), f.around(1)
    index, start = opening(f), f.place.start
    return {
        "token": str(token), "before": str(before), "after": str(after), "earlier": str(f.around(-2)),
        "beyond": str(f.around(2)), "form": form(f), "opener": str(f.tokens[index]),
        "found": found(token) if token is not None else "", "behind": found(before) if before is not None else "",
        "first": str(f.tokens[min(index + 1, len(f.tokens) - 1)]),
        "name": str(after) if after is not None and after.type == "NAME" else "NAME",
        "kind": {"PRIVATE": "table", "SECRET": "channel"}.get(_type(before), ""),
        "bracket": str(f.opened[-1]) if f.opened else "", "belongs": INNER_WORDS.get(_type(token), ""),
        "index": f.place.source.text[start : f.place.source.text.find("]", start)],
        "rest": _rest(f), "choice": _choice(f), "quantifier": _quantifier(f),
        "coalition": str(f.tokens[min(f.start + 1, len(f.tokens) - 1)]),
    }  # fmt: skip


def _rest(f: ReadingFailure) -> str:
    """What follows on the line, without brackets around it; shortened where it is long or a text."""
    after = f.around(1)
    if after is not None and after.type in TEXT.split():
        return '"…"'
    rest = f.place.source.line(f.place.line)[f.place.column :].partition("#")[0].strip()
    if rest[:1] in ("{", "["):
        rest = rest.strip(" {}[]")
    whole = 0 < len(rest) <= LONGEST_REST and not set(rest) & set('{}"')
    return rest if whole else f"{after} …"


def _choice(f: ReadingFailure) -> str:
    """`if c then x else y` as it is written here."""
    line = f.place.source.line(f.place.line)[f.place.column - 1 :].partition("#")[0]
    found = _IF_THEN.match(line)
    written = f"{found[2]} if {found[1]} else {found[3] or '0'}" if found else ""
    return f"write `{written}`" if 0 < len(written) <= LONGEST_REWRITE else CHOICE


def _quantifier(f: ReadingFailure) -> str:
    """`forall(i in S when c)` with our word for theirs."""
    called = str(f.tokens[f.tokens.index(f.opened[-1], f.start) - 1]) if f.opened else ""
    return f"write `{QUANTIFIERS[called]}(…)`" if called in QUANTIFIERS else LOOPS


SURE = (
    Clue("C020", "`{token}` belongs {belongs}", "write what agents want as a `reward`",
         token="OBJECTIVE", reason="NO_OPENER"),
    Clue("C020", "`{token}` belongs {belongs}", token=" ".join(INNER_WORDS), reason="NO_OPENER"),
    Clue("C013", "`{token}` closes nothing", token=" ".join(CLOSERS), inside="NOTHING", reason="NO_OPENER BRACKET"),
    Clue("C013", "`{token}` does not close `{bracket}`", reason="BRACKET"),
    Clue("C018", f"more than {DEEPEST} brackets inside each other", NAME_A_PART, reason="DEPTH"),
    Clue("C018", f"more than {LONGEST_CHAIN} operators in one expression", NAME_A_PART, reason="CHAIN"),
)  # fmt: skip
"""Before all others."""
SLASHES = (Clue(*COMMENT, joined="//", at="both"), Clue(*COMMENT, ahead="//", at="ahead"))
FIRST = (
    Clue("C011", "nothing follows this `,`", "leave the last comma out", before="COMMA", token=" ".join(CLOSERS),
         reason=ANY, at="before"),
    Clue("C011", "nothing follows this `,`", "leave the last comma out", before="COMMA", reason="END", at="before"),
    Clue("C011", "`{token}` stands before `{before}`", "write `{token} {before} {name} …`",
         token="PRIVATE SECRET", before="TABLE CHANNEL", words=1, reason=ANY, at="both"),
    Clue("C011", "`{before}` stands before `{kind}`, not before {found}", "write `{before} {kind} {token} …`",
         token="NAME", before="PRIVATE SECRET", reason=ANY, at="token"),
    Clue("C011", "`{before}` stands before `{kind}`, not before {found}", "write `override {before} {kind}`",
         token="OVERRIDE", before="PRIVATE SECRET", reason=ANY, at="token"),
    Clue("C011", "`{before}` stands before `{kind}`, not before {found}",
         token="-NOTHING -MISSPELT", before="PRIVATE SECRET", reason=ANY, at="token"),
    Clue("C020", "`objective` belongs {belongs}",
         "an experiment and its arms set channels, prompts, params, the network and settings",
         token="OBJECTIVE", opener="EXPERIMENT ARM", after="-NOTHING"),
    Clue("C011", "`channel` is left out here", "write `{after} {beyond}`",
         token="CHANNEL", after="NAME", beyond="ON OFF", opener="EXPERIMENT ARM"),
    Clue("C011", "`{token}` is left out here", "write `{after} …`",
         token="CHANNEL PARAM PROMPT", after="NAME", opener="EXPERIMENT ARM"),
)  # fmt: skip
"""Before a bracket is missed."""
SECOND = (
    Clue("C011", "this `reward` has no name", "write `reward NAME to {after}: …`",
         token="LSQB", after="NAME", beyond="RSQB", opener="REWARD", words=1, reason=ANY),
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
         token=f"{TEXT} LBRACE AGENTS", opener="CHANNEL PROMPT", inside="NOTHING", accepts="FOR -NAME"),
    Clue("C017", "`for` is missing after {behind}: who is it for?", "{form}",
         token="-NOTHING", opener="CHANNEL PROMPT", inside="NOTHING", accepts="FOR -NAME", reason="END"),
    Clue("C017", "`{opener}` takes `=` here, not `in`", "{form}", token="IN", inside="NOTHING", accepts="EQUAL"),
    Clue("C017", "`=` is missing after {behind}", "{form}",
         token="LBRACE LSQB NUMBER MINUS MONEY", inside="NOTHING", accepts="EQUAL"),
    Clue("C017", "`{opener}` takes `:` here, not `in`",
         token="IN", opener="VARIABLE", inside="NOTHING", accepts="COLON"),
)  # fmt: skip
"""Before a reserved word is blamed as a name."""
LAST = (
    Clue("C011", "`{token}{after}` has no meaning", AT_LEAST, ahead="=> =<", at="ahead"),
    Clue("C017", "`{token}` does not belong here", "{form}",
         token="COLON EQUAL", before="-NOTHING", opener="COALITION", goes_on=True),
    Clue("C017", "`{token}` stands twice", "leave one of them out", token="COLON", before="COLON", goes_on=True),
    Clue("C017", "`{token}` stands twice", "leave one of them out", token="EQUAL", before="EQUAL", goes_on=True),
    Clue("C017", "`{token}` does not belong after {behind}", "leave it out: `{before} {rest}`",
         token="COLON EQUAL", before="-NOTHING", opener="-AGENTS", goes_on=True),
    Clue("C017", "`agents` is followed by its names, without `{token}`", "write `agents {rest}`",
         token="COLON EQUAL", before="AGENTS", opener="AGENTS", words=1),
    Clue("C011", "`->` has no meaning", "name the recipient with `to`, as in `reward NAME[a in agents] to a: …`",
         token="MINUS", ahead="->", accepts="TO -PLUS", at="ahead"),
    Clue("C017", "`{opener}` takes `:` here, not `=`", token="EQUAL", accepts="COLON -COMPARE"),
    Clue("C017", "`{opener}` takes `:` here, not `=`", token="EQUAL", accepts="COLON", opener="VARIABLE"),
    Clue("C017", "a map takes `:` here, not `=`", MAP, token="EQUAL", opener="TABLE", inside="LBRACE"),
    Clue("C015", "`=` gives a value; to compare, write `==`", token="EQUAL", accepts="COMPARE"),
    Clue("C017", "`{opener}` takes `=` here, not `:`", token="COLON", accepts="EQUAL"),
    Clue("C017", "`{opener}` takes `=` here, not `{token}`", token="COMPARE", accepts="EQUAL"),
    Clue("C017", "`:` is missing after {behind}", "{form}",
         token=TEXT, before="-NOTHING", inside="-NOTHING", accepts="COLON -COMMA"),
    Clue("C017", "`:` is missing after {behind}", token=VALUE, before="-NOTHING", inside="-LBRACE", accepts="COLON"),
    *SLASHES,
    Clue("C011", "`&&` has no meaning", "write `and`", joined="&&", at="both"),
    Clue("C011", "`**` has no meaning", "there are no powers; multiply", joined="**", at="both"),
    Clue("C011", "`{before}{token}` has no meaning", "write `!=` for `is different from`",
         joined="<> ~= =!", at="both"),
    Clue("C011", "`{before}{token}` has no meaning", AT_LEAST, joined="=> =< ->", at="both"),
    Clue("C011", "`,` is missing between {behind} and {found}",
         token=VALUE, before="-NOTHING", inside="LPAR LBRACE", opener="-EXPERIMENT -ARM -SWEEP", accepts="COMMA"),
    Clue("C011", "`,` is missing between {behind} and {found}",
         token=VALUE, before="-NOTHING", opener="AGENTS", inside="NOTHING", accepts="COMMA"),
)  # fmt: skip
"""After all that is surer; the comma at the end, as between two words it is the least sure."""
ADVICE = (
    Clue(help="in a loop, `where` tests data and `when` tests decisions",
         token="IF", inside="-NOTHING", accepts="WHERE"),
    Clue(help="a condition stands after `when`, before the `:`", token="IF", accepts="WHEN"),
    Clue(help="{choice}", token="IF"),
    Clue(help="leave the square brackets out: `{earlier}(… for a in S)`", token="LSQB", before="LPAR", earlier="NAME"),
    Clue(help=LOOPS, token="LSQB", accepts="IN -PLUS"),
    Clue(help="write several values with commas, without brackets: `1, 2, 3`", token="LSQB", opener=IN_EXPERIMENT),
    Clue(help="values are given by label, as in `{{A: 1, B: 2}}`, in a grid, or in a CSV file",
         token="LSQB", opener="TABLE"),
    Clue(help="{form}", token="LSQB", opener="AGENTS"),
    Clue(help=SET, token="LSQB"),
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
    Clue(help="{quantifier}", token="WHEN", inside="LPAR"),
    Clue(help="a filter stands inside the brackets, `[a in agents where …]`; `when` tests decisions",
         token="WHERE", inside="NOTHING", accepts="WHEN"),
    Clue(help="leave elements out with `where`, as in `[a in agents where a != A]`",
         token="COMPARE", inside="LSQB", accepts="IN"),
    Clue(help="a range is written `{before}..{after}`", token="COLON", before="NUMBER", after="NUMBER"),
    Clue(help=LOOPS, token="COLON", inside="LPAR"),
    Clue(help="a sweep is written `sweep n in 4, 6, 8`", token="EQUAL", opener="SWEEP"),
    Clue(help=LOOPS, token="LPAR", before="RPAR"),
    Clue(help="write `==`", token="IS", accepts="COMPARE"),
    Clue(help="the owner stands before the `:`, as in `variable NAME of A: 0..9`",
         token="OF", opener="VARIABLE", inside="NOTHING"),
    Clue(help="everybody is `agents`", token=TEXT, before="ALL"),
    Clue(help="leave `else` out: `… penalty 5`", token="ELSE", accepts="PENALTY"),
    Clue(help="say who sees it before the `=`, as in `private table NAME to A = …`",
         token="TO", opener="TABLE", inside="NOTHING", accepts="PLUS"),
    Clue(help="say who is paid before the `:`, as in `reward NAME to a: …`",
         token="TO", opener="REWARD", inside="NOTHING", accepts="PLUS"),
    Clue(help="an index of numbers has a name: `[i in {index}]`",
         token="NUMBER", before="LSQB", opener=INDEXED, accepts="-PLUS"),
    Clue(help=LOOPS, token="FOR", accepts="PLUS"),
    Clue(help=LOOPS, token="FOR", accepts="NUMBER LPAR"),
    Clue(help="every setting is followed by its value, as in `aside on  rounds 4`; one of these has none",
         token="RBRACE", opener=IN_EXPERIMENT, accepts="LPAR"),
    Clue(help="its members are the set `{coalition}`",
         token="MEMBERS", opener="COALITION OBJECTIVE", inside="-NOTHING"),
    Clue(help="a loop names each element: `for a in {token}`", token="AGENTS", before="FOR", inside="-NOTHING"),
    Clue(help=LOOPS, token="-NAME -MISSPELT -NOTHING", before="FOR", inside="-NOTHING"),
    Clue(help="a loop names each element: `for a in {before}`",
         token="-NAME", before="NAME", earlier="FOR", accepts="IN -PLUS"),
)  # fmt: skip
"""What a word most likely stands for, where no mistake above is sure."""
