"""Statements. In: nodes and their words; out: documents whose first line says what it is, the rest indented below."""

from typing import assert_never

from colosseum.language import syntax
from colosseum.language.builder import Readable
from colosseum.language.layout.blocks import block
from colosseum.language.layout.document import NOTHING, SPACE, Break, Document, Stop, cat, fill, group, nest
from colosseum.language.layout.parts import Parts


class Statements(Parts):
    """Lays out statements while it reads their words."""

    def statement(self, node: Readable) -> Document:
        """A statement; the comments before it have been taken."""
        match node:
            case syntax.Edition() | syntax.Use():
                return nest(self.spaced(2))
            case syntax.ScenarioName():
                return nest(cat(self.spaced(2), self._title()))
            case syntax.Override():
                return cat(self.words.take(), SPACE, self.statement(node.statement))
            case syntax.Param():
                return self.given([self.spaced(2)], node.value, stop="param")
            case syntax.Agents():
                return self.listing(node.items)
            case syntax.Set():
                return self.source([self.spaced(2)], node.source, stop="set")
            case syntax.Table():
                return self._table(node)
            case syntax.Variable():
                header = [self.named(node.indices), self.maybe(node.owner)]
                return self.assigned(self.ended(header), node.domain)
            case syntax.Reward() | syntax.Objective():
                return self._reward(node)
            case syntax.Require():
                header = [self.named(node.indices), self.recipients(node.recipients), self.maybe(node.when)]
                return self.ruled(header, node.condition, node.penalty)
            case syntax.Network():
                return self.listing((node.graph,))
        return self._told(node)

    def _table(self, node: syntax.Table) -> Document:
        word = cat(self.words.take(), SPACE) if node.private else NOTHING
        named = cat(word, self.named(node.indices))
        return self.source([named, self.recipients(node.recipients), self.maybe(node.of)], node.source)

    def _reward(self, node: syntax.Reward | syntax.Objective) -> Document:
        named = self.named(node.indices)
        to = self.recipients(node.recipients) if isinstance(node, syntax.Reward) else NOTHING
        return self.ruled([named, to, self.maybe(node.when)], node.value)

    # ---- who talks, and what they are told -----------------------------------------------------------

    def _told(
        self,
        node: syntax.Coalition | syntax.Channel | syntax.Claim | syntax.Prompt | syntax.Rubric | syntax.Experiment
        | syntax.Trace,
    ) -> Document:  # fmt: skip
        match node:
            case syntax.Coalition():
                entries: list[syntax.Given | syntax.Drawn | syntax.Objective] = [node.members, *node.objectives]
                return cat(nest(self.spaced(2)), SPACE, block(entries, self._coalition_part, self.words))
            case syntax.Channel():
                return self._channel(node)
            case syntax.Claim():
                named = self.named(node.indices)
                start = cat(named, self.words.take())
                return self.told([start], cat(self.words.take(), SPACE, self.clause(node.truth)))
            case syntax.Prompt():
                return self._prompt(node)
            case syntax.Rubric():
                header = self.told([self.spaced(4 if node.thoughts else 2)], self.words.take())
                return cat(header, SPACE, block(node.anchors, self._text_part, self.words))
            case syntax.Experiment():
                parts: list[syntax.Setting | syntax.Arm | syntax.Sweep] = [*node.settings, *node.arms, *node.sweeps]
                parts.sort(key=lambda part: part.span.start)
                header = nest(cat(self.spaced(2), self._title()))
                return cat(header, SPACE, block(parts, self._experiment_part, self.words))
            case syntax.Trace():
                return cat(nest(self.spaced(3)), SPACE, block(node.mapped, self._mapped, self.words))
        assert_never(node)

    def _title(self) -> Document:
        return cat(SPACE, self.words.take()) if self.words.next.kind == "STRING" else NOTHING

    def _channel(self, node: syntax.Channel) -> Document:
        word = cat(self.words.take(), SPACE) if node.secret else NOTHING
        named = cat(word, self.spaced(2))
        if isinstance(node.members, syntax.Drawn):
            told = self.source([named], node.members)
        else:
            told = self.value([named], self.clause(node.members.value))
        return told if node.wire is None else cat(told, SPACE, self.spaced(2))

    def _prompt(self, node: syntax.Prompt) -> Document:
        header = [self.spaced(2), self.clause(node.recipients)]
        if self.words.next.kind != "LBRACE":
            return self.told(header, self.words.take())
        return cat(nest(self.header(header)), SPACE, block(node.variants, self._text_part, self.words))

    # ---- entries of blocks ----------------------------------------------------------------------------

    def _coalition_part(self, node: syntax.Given | syntax.Drawn | syntax.Objective) -> Document:
        if isinstance(node, syntax.Objective):
            return self._reward(node)
        return self.source([self.words.take()], node)

    def _text_part(self, node: syntax.Variant | syntax.Anchor) -> Document:
        """`simple: "…"`, or `simple: paraphrases "…" "…"`."""
        named = cat(self.words.take(), self.words.take(), SPACE, self.words.take())
        others = len(node.paraphrases) + 1 if isinstance(node, syntax.Variant) and node.paraphrases else 0
        texts = [part for _ in range(others) for part in (Break(), nest(self.words.take()))]
        return nest(cat(named, group(cat(*texts))))

    def _mapped(self, node: syntax.Mapped) -> Document:
        """`arm emergent is secret == 1`."""
        return nest(fill([self.clause(node.what) if node.what else self.words.take(), self.clause(node.source)]))

    def _experiment_part(self, node: syntax.Setting | syntax.Arm | syntax.Sweep) -> Document:
        match node:
            case syntax.Setting():
                return self.listing(node.values)
            case syntax.Arm():
                header = cat(self.spaced(2), SPACE, Stop("arm"))
                return cat(header, block(node.settings, self._experiment_part, self.words))
            case syntax.Sweep():
                values = cat(self.spaced(3), SPACE, self.values(node.values))
                return nest(fill([values, self.maybe(node.where)]))
