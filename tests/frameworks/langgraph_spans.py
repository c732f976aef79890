"""A team of LangGraph: agents that call tools, one after the other in a graph."""

from games import AGENTS, PROVIDER, choose, play, prompt, say
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor

LangChainInstrumentor().instrument(tracer_provider=PROVIDER)


def team_of(arm):
    graph, model = StateGraph(MessagesState), ChatOpenAI(model="gpt-4o-mini")
    for name in AGENTS:
        graph.add_node(name, create_agent(model, [say, choose], system_prompt=prompt(name, arm), name=name))
    for one, other in zip((START, *AGENTS), (*AGENTS, END), strict=True):
        graph.add_edge(one, other)
    team = graph.compile(name="team")

    async def work(task):
        await team.ainvoke({"messages": [("user", task)]})

    return work


play(team_of)
