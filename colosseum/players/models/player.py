"""A player that is a language model. In: a View; out: the model's Reply, by whoever gets answers for it."""

from dataclasses import dataclass, field

from colosseum.players.models.failure import Failure
from colosseum.players.models.messages import asked
from colosseum.players.models.reply import Answer, reply
from colosseum.players.models.request import Asker, Endpoint, Place, Question
from colosseum.players.protocol.templates import Templates, shipped
from colosseum.players.view import TOOLS, CallFailed, Reply, View


@dataclass(frozen=True)
class ModelPlayer:
    """Asks one model; holds no state, so one player may act for many agents at once."""

    endpoint: Endpoint
    asker: Asker
    templates: Templates = field(default_factory=shipped)

    async def act(self, view: View) -> Reply:
        """Do one step. Raises CallFailed when no answer could be had."""
        place = Place(view.me, view.position.phase, view.position.round, len(view.steps) + 1)
        match await self.asker.ask(Question(self.endpoint, *asked(view, self.templates, self.endpoint.dialect), place)):
            case Answer() as result:
                used = frozenset(c.id for turn in (*view.earlier, view) for s in turn.steps for c in s.reply.calls)
                return reply(result, known=TOOLS, as_text=self.endpoint.dialect == "text", turn_ids=used)
            case Failure(kind="refusal", reason=reason):
                return Reply(note=reason, finish="refusal")
            case Failure(kind=kind, reason=reason):
                raise CallFailed(kind, reason)
