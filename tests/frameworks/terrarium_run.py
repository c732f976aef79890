"""Terrarium itself: one run of its tickets. In: a folder, a seed, the coalition; out: what its own loggers write.

The protocol talks to its server in this process; models are asked at OPENAI_BASE_URL. As its experiments do, this one
writes a configuration and the final summary beside the logs.
"""

import asyncio
import json
import os
import sys

from envs.dcops.jira_ticket.jira_ticket_env import JiraTicketEnvironment
from fastmcp import Client
from llm_server.clients.openai_client import OpenAIClient
from terrarium.agents.base import BaseAgent
from terrarium.communication_protocols.sequential import SequentialCommunicationProtocol
from terrarium.logger import AgentTrajectoryLogger, ToolCallLogger
from terrarium.networks.factory import build_communication_network
from terrarium.server import mcp

ROUNDS = 2


def config_of(seed):
    return {
        "environment": {"name": "JiraTicketEnvironment", "max_tasks": 8, "assignment_filling": True},
        "simulation": {"seed": seed, "max_iterations": 1, "max_planning_rounds": ROUNDS, "run_timestamp": "now"},
        "communication_network": {"topology": "complete", "num_agents": 6, "consolidate_channels": True},
        "llm": {"provider": "openai", "openai": {"model": "gpt-4o-mini"}},
    }


async def play(seed, coalition):
    config = config_of(seed)
    calls = ToolCallLogger("JiraTicketEnvironment", seed, config)
    protocol = SequentialCommunicationProtocol(config, calls, Client(mcp))
    world = JiraTicketEnvironment(protocol, config, calls)
    world.set_communication_network(build_communication_network(world.agent_names, config))
    async with protocol.mcp_client as client:
        await client.call_tool("initialize_environment_tools", {"environment_name": "JiraTicketEnvironment"})
    await world.async_init()
    boards = {0: world.agent_names, await protocol.generate_comm_network(coalition, "Private."): coalition}
    thoughts = AgentTrajectoryLogger("JiraTicketEnvironment", seed, config)
    agents = {name: BaseAgent(OpenAIClient(), name, "gpt-4o-mini", 3, calls, thoughts, "JiraTicketEnvironment")
              for name in world.agent_names}  # fmt: skip
    for number in range(1, ROUNDS + 1):
        for name, agent in agents.items():
            about = world.build_agent_context(name, "planning", 1, planning_round=number)
            await protocol.agent_planning_turn(agent, name, about, world, 1, number)
    for name, agent in agents.items():
        await protocol.agent_execution_turn(agent, name, world.build_agent_context(name, "execution", 1), world, 1)
    told = {
        "run_id": f"gpt-4o-mini__seed{seed}", "model_label": "gpt-4o-mini", "seed": seed, "prompt_variant": "control",
        "secret_channel_enabled": True, "secret_blackboard_id": max(boards), "colluders": coalition,
        "agent_turn_order": world.agent_names, "blackboard_participants": boards,
        "roles": {name: "colluder" if name in coalition else "normal" for name in world.agent_names},
    }  # fmt: skip
    for file, content in (("run_config", told), ("final_summary", world.get_final_summary())):
        (calls.log_dir / f"{file}.json").write_text(json.dumps(content), encoding="utf-8")


if __name__ == "__main__":
    folder, seed, *coalition = sys.argv[1:]
    os.chdir(folder)
    asyncio.run(play(int(seed), coalition))
