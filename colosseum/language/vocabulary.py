"""The grammar's words by what they do, for editors. In: the text of the grammar; out: a Vocabulary.

Nothing is listed here that the grammar says: a word that it gains is highlighted from then on.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from colosseum.language.shipped import shipped

FUNCTIONS = ("abs", "choice", "integer", "max", "min", "normal", "pairs", "sample", "shuffle", "size", "steps", "sum",
             "uniform")  # fmt: skip
GRAPHS = ("barabasi_albert", "edges", "erdos_renyi", "star", "watts_strogatz")
"""Networks that take arguments. These and the functions are names to the grammar."""
TRUTHS = ("true", "false")
TEMPLATE_WORDS = ("and", "elif", "else", "endfor", "endif", "for", "if", "in", "is", "not", "or")
_COMMENT = re.compile(r"(?:^|(?<=\s))//.*")
_DEFINITION = re.compile(r"^\??(\w+)(?:\.\d+)?:[ \t]*((?:.*\n)(?:[ \t]+.*\n)*)", re.MULTILINE)
_PATTERN = re.compile(r"/(.*)/\s*\Z")
_PART = re.compile(r'"([^"\\]+)"|\b([A-Z_]{2,})\b')
_PUNCTUATION = frozenset("()[]{},:")


@dataclass(frozen=True)
class Vocabulary:
    """Words, signs and patterns by class; every word of the grammar is in exactly one class of words."""

    openers: tuple[str, ...]
    """What a statement, or a part of one between braces, opens with."""
    declaring: tuple[str, ...]
    """The openers that a name follows, which they declare."""
    modifiers: tuple[str, ...]
    """What may stand before an opener."""
    links: tuple[str, ...]
    """Words inside a statement: `to`, `of`, `when`."""
    operators: tuple[str, ...]
    constants: tuple[str, ...]
    functions: tuple[str, ...]
    """Those that the grammar knows, and the names that are called."""
    signs: tuple[str, ...]
    """Operators that are no words, longer ones first."""
    punctuation: tuple[str, ...]
    bar: str
    """What stands between a grid's labels and its cells."""
    patterns: dict[str, str]
    """The regular expressions of NAME, NUMBER, LABEL and other terminals."""


@cache
def vocabulary() -> Vocabulary:
    """The words of the grammar that ships."""
    return read_vocabulary((shipped("grammar") / "colosseum.lark").read_text(encoding="utf-8"))


def read_vocabulary(grammar: str) -> Vocabulary:
    """Sort the words of a grammar's text by the rules that they stand in."""
    bodies = dict(_DEFINITION.findall(_COMMENT.sub("", grammar) + "\n"))
    rules = _Rules(bodies)
    statements = {*rules.names("statement"), *rules.names("_statement"), *rules.names("_declaration")}
    inside = {name for statement in statements for part in rules.between_braces(statement) for name in part}
    openers = {word for rule in statements | inside for word in rules.first_words(rule)}
    modifiers = {word for rule in statements for word in rules.optional_first(rule)} | set(rules.words("override"))
    constants, quantifiers = set(rules.words("literal")), set(rules.named_words("quantifier"))
    expressions = [name for name in bodies if re.search(rf"^\?{name}:", grammar, re.MULTILINE)]
    operators = {word for rule in expressions for word in rules.words(rule)} - constants - quantifiers
    placed = openers | modifiers | constants | quantifiers | operators
    signs = rules.signs()
    return Vocabulary(
        openers=_sorted(openers - modifiers),
        declaring=_sorted({word for word, _ in re.findall(r'"([a-z]+)"\s+(NAME)\b', "\n".join(bodies.values()))}),
        modifiers=_sorted(modifiers),
        links=_sorted(rules.all_words() - placed),
        operators=_sorted(operators),
        constants=_sorted(constants),
        functions=_sorted({*quantifiers, *FUNCTIONS, *GRAPHS}),
        signs=_sorted(signs - _PUNCTUATION - {"|"}),
        punctuation=_sorted(signs & _PUNCTUATION),
        bar="|",
        patterns={name: found[1] for name, body in bodies.items() if (found := _PATTERN.match(body.strip()))},
    )


class _Rules:
    """The bodies of a grammar's rules and terminals."""

    def __init__(self, bodies: dict[str, str]) -> None:
        self.bodies = bodies
        self.terminals = {name: self._words_of(body) for name, body in bodies.items() if name.isupper()}

    def names(self, rule: str) -> list[str]:
        """The rules that a rule offers a choice of."""
        return [name for name in re.findall(r"[a-z]\w*", self.bodies[rule]) if name in self.bodies]

    def words(self, rule: str) -> list[str]:
        """The words of a rule, those of its terminals included."""
        return [word for text, name in _PART.findall(self.bodies[rule])
                for word in ([text] if text.isalpha() else self.terminals.get(name, []))]  # fmt: skip

    def named_words(self, rule: str) -> list[str]:
        """The words of a rule that are terminals with a name."""
        return [word for _, name in _PART.findall(self.bodies[rule]) for word in self.terminals.get(name, [])]

    def first_words(self, rule: str) -> list[str]:
        """What a rule's choices begin with, where that is a word; what is optional does not count."""
        choices = re.split(r"\|(?![^(\[]*[)\]])", re.sub(r"\[[A-Z_]+\]", "", self.bodies[rule]))
        found: list[str] = []
        for choice in choices:
            first = re.match(r'\s*(?:"([a-z]+)"|([A-Z_]+)\b)', choice)
            if first:
                found += [first[1]] if first[1] else self.terminals.get(first[2], [])
        return found

    def optional_first(self, rule: str) -> list[str]:
        """The word that may stand before a rule's first."""
        first = re.match(r"\s*\[([A-Z_]+)\]", self.bodies[rule])
        return self.terminals.get(first[1], []) if first else []

    def between_braces(self, rule: str) -> list[list[str]]:
        """The rules that stand between a rule's braces."""
        found = re.findall(r'"\{"(.*?)"\}"', self.bodies[rule], re.DOTALL)
        return [[name for name in re.findall(r"\b[a-z]\w*", part) if name in self.bodies] for part in found]

    def all_words(self) -> set[str]:
        """Every word of the grammar."""
        return {word for rule in self.bodies for word in self.words(rule)}

    def signs(self) -> set[str]:
        """Everything quoted that is no word."""
        bodies = [body for body in self.bodies.values() if not _PATTERN.match(body.strip())]
        return {text for body in bodies for text, _ in _PART.findall(body) if text and not text.isalpha()}

    @staticmethod
    def _words_of(body: str) -> list[str]:
        r"""The words of a terminal: `"private"`, or `not in` of the pattern `not\s+in\b`."""
        pattern = _PATTERN.match(body.strip())
        if pattern:
            written = pattern[1].removesuffix(r"\b").replace(r"\s+", " ")
            return [written] if re.fullmatch(r"[a-z]+( [a-z]+)*", written) else []
        return [text for text, _ in _PART.findall(body) if text.isalpha()]


def _sorted(words: Iterable[str]) -> tuple[str, ...]:
    """Longer ones first where one begins another, so that a choice between them takes the longest."""
    return tuple(sorted(words, key=lambda word: (-len(word), word) if not word[0].isalpha() else (0, word)))
