"""Logs of Inspect itself. In: a folder, and an exported log; out: a log of its own, and what it read."""

import sys

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.agent import Agent, AgentState, agent, run
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, execute_tools, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, tool

SAYS = "left " * 40  # long texts stand among a sample's attachments


@tool
def post() -> Tool:
    async def execute(channel: str, text: str) -> str:
        """Post a message.

        Args:
            channel: Where.
            text: What.
        """
        return "delivered"

    return execute


@tool
def decide() -> Tool:
    async def execute(variable: str, value: str) -> str:
        """Decide.

        Args:
            variable: Which.
            value: What.
        """
        return "noted"

    return execute


@agent
def player() -> Agent:
    async def execute(state: AgentState) -> AgentState:
        tools = [post(), decide()]
        for _ in range(2):
            state.output = await get_model().generate(state.messages, tools)
            state.messages.append(state.output.message)
            state.messages.extend((await execute_tools(state.messages, tools)).messages)
        return state

    return execute


@solver
def team() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for name in "ABC":
            await run(player(), f"You are {name}.", name=name)
        return state

    return solve


def answers() -> list[ModelOutput]:
    """A message and a decision of each agent."""
    made = []
    for name in "ABC":
        said = {"channel": "public", "text": f"{name}: {SAYS}"}
        made.append(ModelOutput.for_tool_call("mockllm/model", "post", said))
        chosen = {"variable": f"move[{name}]", "value": "left"}
        made.append(ModelOutput.for_tool_call("mockllm/model", "decide", chosen))
    for each in made:
        each.usage = ModelUsage(input_tokens=11, output_tokens=3, total_tokens=14)
    return made


if __name__ == "__main__":
    folder, exported = sys.argv[1:]
    task = Task(dataset=[Sample(input="Play.", metadata={"arm": "baseline", "seed": 1})], solver=team())
    model = get_model("mockllm/model", custom_outputs=answers(), memoize=False)
    (log,) = evaluate(task, model=model, log_dir=folder, display="none")
    assert log.status == "success", log.error
    log = read_eval_log(exported)
    sys.stdout.write("\n".join([log.status, log.eval.task, *(str(sample.id) for sample in log.samples)]))
