"""An agent of the OpenAI Agents SDK: what its tools are called with is what it does."""

import json

from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

from colosseum import Reply, ToolCall, Usage, View, messages, tools

set_tracing_disabled(True)


class Trader:
    async def act(self, view: View) -> Reply:
        calls = []

        async def noted(context, arguments):
            calls.append(ToolCall(context.tool_call_id, context.tool_name, json.loads(arguments)))
            return "noted"

        offered = [t["function"] for t in tools(view)]
        own = [FunctionTool(t["name"], t["description"], t["parameters"], noted, strict_json_schema=False) for t in offered]
        system, *rest = messages(view)
        model = OpenAIChatCompletionsModel("gpt-4o-mini", AsyncOpenAI())
        agent = Agent(view.me, instructions=system["content"], tools=own, model=model, tool_use_behavior="stop_on_first_tool")
        said = await Runner.run(agent, "\n\n".join(str(m["content"]) for m in rest if m["role"] != "assistant"))
        used = said.context_wrapper.usage
        return Reply(calls, usage=Usage(used.input_tokens, used.output_tokens))
