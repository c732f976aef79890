"""What models were asked and replied. In: a folder and a run; out: its calls in order, as JSON.

Requests are not on file: the run is played again with the answers on file, and each request is taken down.
"""

from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from colosseum.campaign.calls import Missing, RunCalls
from colosseum.campaign.folder import Folder
from colosseum.campaign.replaying import Remaking
from colosseum.campaign.runner import perform
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Question
from colosseum.players.view import CallFailed
from colosseum.run.redaction import Redaction
from colosseum.run.run import completed
from colosseum.run.trace import TraceWriter
from colosseum.run.trial import Listed


@dataclass
class OverheardCalls(RunCalls):
    """Answers of a run, with what was asked for each."""

    heard: list[tuple[Question, Answer | Failure]] = field(default_factory=list)

    async def ask(self, request: Question) -> Answer | Failure:
        """The answer on file. Raises Missing."""
        answer = await super().ask(request)
        self.heard.append((request, answer))
        return answer


def overheard(folder: Folder, listed: Listed, make: Remaking) -> list[dict[str, Any]]:
    """The calls of a run; none where no model was asked, or where this version plays the run differently.

    Of the messages of a request only those stand there that follow the first `same` ones of the agent's last request.
    """
    trial = make(listed) if folder.calls(listed.trial).exists() else ""
    if isinstance(trial, str):
        return []
    asker = OverheardCalls(folder.calls(listed.trial), None, Redaction())
    with TemporaryDirectory() as place, suppress(CallFailed, Missing), closing(TraceWriter(Path(place) / "t")) as trace:
        completed(perform(trial, asker, trace))  # what was asked until it ends is shown
    before: dict[str, list[Any]] = {}
    found = []
    for request, answer in asker.heard:
        agent, messages = request.place.agent, list(request.messages)
        same = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before.get(agent, ()), messages, strict=False))
        )
        before[agent] = messages
        found.append({
            "agent": agent, "phase": request.place.phase, "round": request.place.round, "same": same,
            "request": {"model": request.endpoint.model, "parameters": request.endpoint.parameters,
                        "messages": messages[same:], "tools": list(request.tools)},
            "reply": answer.raw if isinstance(answer, Answer) else {"failed": answer.kind, "reason": answer.reason},
        })  # fmt: skip
    return found
