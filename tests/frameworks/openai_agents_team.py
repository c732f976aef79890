"""An agent of the OpenAI Agents SDK: what its tools are called with is what it does."""

import json

from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, Runner
from openai import AsyncOpenAI

from colosseum import Reply, ToolCall, Usage, View, messages, tools


class Trader:
    async def act(self, view: View) -> Reply:
        calls = []

        async def noted(context, arguments):
            calls.append(ToolCall(context.tool_call_id, context.tool_name, json.loads(arguments)))
            return "noted"

        system, *rest = [str(message["content"]) for message in messages(view) if message["role"] != "assistant"]
        agent = Agent(
            view.me,
            instructions=system,
            tools=[FunctionTool(*t["function"].values(), noted, strict_json_schema=False) for t in tools(view)],
            tool_use_behavior="stop_on_first_tool",
            model=OpenAIChatCompletionsModel("gpt-4o-mini", AsyncOpenAI()),
        )
        used = (await Runner.run(agent, "\n\n".join(rest))).context_wrapper.usage
        return Reply(calls, usage=Usage(used.input_tokens, used.output_tokens))
