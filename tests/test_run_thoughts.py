"""Thoughts reach nobody else: planted in 200 generated runs, they stand in the trace and in no other agent's view."""

import asyncio
import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import planned

from colosseum.players.models.messages import messages
from colosseum.players.models.tools import tools
from colosseum.players.view import Reply, Thought, ToolCall, View
from colosseum.report.conversation import turns
from colosseum.run.run import LiveRun
from colosseum.run.stage import Stage
from colosseum.run.trace import TraceWriter
from colosseum.run.trial import Trial

SPECS, RUNS = 10, 20
SPEC = """colosseum 1
scenario made
agents {agents}
set moves = {{left, right, up}}
variable move[agents]: moves
reward agree[(a, b) in pairs(agents)]: 1 if move[a] == move[b] else 0
coalition cabal {{ members = {{{members}}} }}
{secret}channel {name} for cabal
{claim}
network {network}
prompt pitch for cabal {{ fair: ""  bent: "Differ." }}
prompt opening for agents "You play."
experiment e {{ rounds {rounds}  steps {steps}  decisions {decisions}
  arm plain {{ }}  arm bent {{ {name} on  pitch bent }} }}
"""


def made(chance: random.Random) -> str:
    """A small spec."""
    agents = ["A", "B", "C", "D"][: chance.randint(2, 4)]
    return SPEC.format(
        agents=", ".join(agents),
        members=", ".join(chance.sample(agents, 2)),
        name=chance.choice(["backroom", "huddle"]),
        secret=chance.choice(["secret ", ""]),
        claim=chance.choice(['claim late[a in agents]: "{{ a }} is late" is false', ""]),
        network=chance.choice(["complete", "ring"]),
        rounds=chance.randint(1, 2),
        steps=chance.randint(1, 4),
        decisions=chance.choice(["sequential", "simultaneous"]),
    )


@dataclass
class Planted:
    """Does anything that an agent can do, and thinks a word of its own at every step."""

    chance: random.Random
    thought: list[tuple[str, str, int]] = field(default_factory=list)
    """(agent, word, number of the turn)."""
    seen: list[tuple[View, int]] = field(default_factory=list)
    turns: int = 0

    async def act(self, view: View) -> Reply:
        """One step."""
        self.turns += not view.steps
        self.seen.append((view, len(self.thought)))
        words = [f"hidden{len(self.thought) + n}of{view.me}!" for n in range(self.chance.randint(1, 2))]
        self.thought += [(view.me, word, self.turns) for word in words]
        kinds = [self.chance.choice(("text", "summary")) for _ in words]
        calls = tuple(
            ToolCall(f"call{len(self.seen)}-{n}", *self._move(view)) for n in range(self.chance.randint(0, 2))
        )
        state = {"chat": {"message": {"reasoning_content": " ".join(words)}, "calls": []}}
        return Reply(
            calls,
            self.chance.choice(("", "a note")),
            thoughts=tuple(Thought(kind, word) for kind, word in zip(kinds, words, strict=True)),  # type: ignore[arg-type]
            provider_state=self.chance.choice((None, state)),
        )

    def _move(self, view: View) -> tuple[str, dict[str, object]]:
        choices: list[tuple[str, dict[str, object]]] = [("done", {}), ("shout", {})]
        choices += [("post", {"channel": each.name, "text": "hello"}) for each in view.channels]
        for variable in view.variables:
            choices.append(("decide", {"variable": variable.name, "value": self.chance.choice(variable.domain)}))
        choices += [("state_belief", {"claim": c, "belief": "true", "confidence": 50}) for c, _ in view.claims]
        return self.chance.choice(choices)


def played(trial: Trial, chance: random.Random, path: Path) -> tuple[Planted, list[dict[str, object]]]:
    """A run whose agents are all planted."""
    planted, stage = Planted(chance), trial.stage
    trace = TraceWriter(path)
    asyncio.run(LiveRun(trial, dict.fromkeys(agents(stage), planted), trial.instance.rules, trace).play())
    trace.close()
    return planted, [json.loads(line) for line in path.read_bytes().splitlines()]


def agents(stage: Stage) -> tuple[str, ...]:
    return stage.scenario.task.agents


@pytest.mark.parametrize("number", range(SPECS))
def test_no_view_and_no_prompt_holds_what_another_agent_thought(number: int, tmp_path: Path) -> None:
    chance = random.Random(number)
    trials = planned(made(chance))[1]
    for run in range(RUNS):
        planted, events = played(
            trials[run % len(trials)], random.Random(number * RUNS + run), tmp_path / f"{run}.jsonl"
        )
        assert [event["text"] for event in events if event["event"] == "thought"] == [
            word for _, word, _ in planted.thought
        ]
        assert not [event for event in events if event["event"] != "thought" and "hidden" in json.dumps(event)]
        acts = [act for turn in turns(events) for act in turn.acts if act["is"] == "thought"]
        assert [act["text"] for act in acts] == [word for _, word, _ in planted.thought]
        for view, before in planted.seen:
            prompt = json.dumps([messages(view), messages(view, None, "text"), tools(view)])
            shown = repr(view) + prompt + repr([step.reply.provider_state for step in view.steps])
            own = [word for step in view.steps for word in (thought.text for thought in step.reply.thoughts)]
            for agent, word, _ in planted.thought:
                assert word not in shown or (agent == view.me and word in own)
            assert len(planted.thought) > before
