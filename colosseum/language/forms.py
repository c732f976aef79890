"""The form of each statement. In: the facts of a failure; out: the form to follow, with the user's own name."""

from colosseum.language.failure import ReadingFailure
from colosseum.language.words import MODIFIERS, OPENERS

HEAD_OF_SWEEP = 4
"""Tokens after which what follows may as well be a setting of the experiment."""
FORMS = {
    "COLOSSEUM": ("colosseum 1",),
    "SCENARIO": ('scenario {name} "title"',),
    "USE": ('use "file.colo"',),
    "PARAM": ("param {name} = 6",),
    "AGENTS": ("agents A, B, C", "agents engineer[1..4]"),
    "SET": ("set {name} = {{a, b, c}}",),
    "TABLE": (
        "table {name}[agents] = 3",
        "table {name}[agents] ~ uniform(0, 1)",
        'table {name}[agents] from "file.csv"',
    ),
    "VARIABLE": ("variable {name}[agents]: {{a, b}} or none",),
    "REWARD": ("reward {name}[a in agents] when …: 3",),
    "REQUIRE": ("require {name}: … <= 1", "require {name}: … <= 1 penalty 5"),
    "COALITION": ("coalition {name} {{ members = {{A, B}} }}",),
    "NETWORK": ("network ring",),
    "CHANNEL": ("channel {name} for agents", "secret channel {name} for {{A, B}}"),
    "CLAIM": ('claim {name}: "…" is true',),
    "PROMPT": ('prompt {name} for agents "…"', 'prompt {name} for agents {{ plain: "…" loud: "…" }}'),
    "RUBRIC": ('rubric {name} "question" {{ 0: "…" 5: "…" }}', 'rubric {name} reads thoughts "question" {{ … }}'),
    "EXPERIMENT": ("experiment {name} {{ rounds 4  arm baseline {{ }}  arm loud {{ backroom on }} }}",),
    "ARM": ("arm {name} {{ }}", "arm {name} {{ backroom on  rounds 2 }}"),
    "SWEEP": ("sweep {name} in 4, 6, 8",),
    "OBJECTIVE": ("objective {name}: payoff[A] + payoff[B]",),
    "MEMBERS": ("members = {{A, B}}",),
}
"""One or more examples for each word that opens a statement or a part of one."""


def opening(f: ReadingFailure) -> int:
    """The index of the word that opens the failing statement, or the innermost part of one that is under way."""
    index = f.start
    while index + 1 < len(f.tokens) and index < f.stop and f.tokens[index].type in MODIFIERS:
        index += 1
    parts = ("ARM", "SWEEP", "OBJECTIVE", "MEMBERS")
    inner = [i for i in range(f.start, f.stop) if f.tokens[i].type in parts and _under_way(f, i)]
    return inner[-1] if inner else index


def form(f: ReadingFailure) -> str:
    """`a set is written …`, or an empty string where nothing is known of the statement."""
    index = opening(f)
    kind = f.tokens[index].type
    if kind not in FORMS or index >= f.stop:
        return ""
    follower = f.tokens[index + 1] if index + 1 < len(f.tokens) else None
    name = str(follower) if follower is not None and follower.type in ("NAME", "LABEL") and index < f.stop else "NAME"
    examples = " or ".join(f"`{example.format(name=name)}`" for example in FORMS[kind])
    return f"it is written {examples}"


def _under_way(f: ReadingFailure, index: int) -> bool:
    """Whether a part that begins at an index has not ended where the statement fails."""
    kind, depth = f.tokens[index].type, 0
    for token in f.tokens[index : f.stop]:
        depth += (token.type in ("LBRACE", "LPAR", "LSQB")) - (token.type in ("RBRACE", "RPAR", "RSQB"))
        if depth < 0 or (depth == 0 and token.type == "RBRACE" and kind == "ARM"):
            return False
    return kind != "SWEEP" or f.stop <= index + HEAD_OF_SWEEP


def at_head(f: ReadingFailure) -> bool:
    """Whether the statement fails at its first words, where its form is what helps."""
    return f.tokens[f.start].type in OPENERS and f.stop <= opening(f) + 2
