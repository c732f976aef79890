"""A team of the OpenAI Agents SDK: a runner for each agent."""

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_trace_processors
from games import AGENTS, PROVIDER, choose, play, prompt, say
from openai import AsyncOpenAI
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor
from opentelemetry.instrumentation.genai.openai_agents import OpenAIAgentsInstrumentor

set_trace_processors([])  # not to the SDK's own service
OpenAIAgentsInstrumentor().instrument(tracer_provider=PROVIDER)  # agents and tools
OpenAIInstrumentor().instrument(tracer_provider=PROVIDER)  # answers of models, and tokens


def team_of(arm):
    model, tools = OpenAIChatCompletionsModel("gpt-4o-mini", AsyncOpenAI()), [function_tool(say), function_tool(choose)]
    team = [Agent(name, instructions=prompt(name, arm), tools=tools, model=model) for name in AGENTS]

    async def work(task):
        for agent in team:
            await Runner.run(agent, task)

    return work


play(team_of)
