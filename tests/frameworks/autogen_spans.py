"""Teams of AutoGen: group chats, in which what an agent writes is a message to all of its chat."""

import os

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient
from games import AGENTS, PROVIDER, TRACER, choose, play, prompt
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor

os.environ["AUTOGEN_DISABLE_RUNTIME_TRACING"] = "true"  # spans of agents and tools alone
OpenAIInstrumentor().instrument(tracer_provider=PROVIDER)


def team_of(arm):
    model = OpenAIChatCompletionClient(model="gpt-4o-mini")
    rooms = {"public": AGENTS} if arm == "baseline" else {"public": "A", "private": "BC"}

    def chat(names):
        agents = [AssistantAgent(n, model, tools=[choose], system_message=prompt(n, arm)) for n in names]
        return RoundRobinGroupChat(agents, max_turns=len(names))

    chats = {room: chat(names) for room, names in rooms.items()}

    async def work(task):
        for room, team in chats.items():
            with TRACER.start_as_current_span("chat room", attributes={"room": room}):
                await team.run(task=task)

    return work


play(team_of)
