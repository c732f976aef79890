"""A LangGraph agent: one node plans, the next one moves."""

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph

from colosseum import Reply, ToolCall, Usage, View, messages, tools


class Trader:
    def __init__(self):
        model = ChatOpenAI(model="gpt-4o-mini")

        async def plan(state):
            return {"messages": [await model.ainvoke([*state["messages"], ("user", "Say in a line what to do.")])]}

        async def move(state):
            return {"messages": [await model.bind_tools(tools(state["view"])).ainvoke(state["messages"])]}

        graph = StateGraph(type("State", (MessagesState,), {"__annotations__": {"view": View}}))
        graph.add_node(plan).add_node(move)
        graph.add_edge(START, "plan").add_edge("plan", "move").add_edge("move", END)
        self.graph = graph.compile()

    async def act(self, view: View) -> Reply:
        *_, planned, moved = (await self.graph.ainvoke({"messages": messages(view), "view": view}))["messages"]
        used = [m.usage_metadata for m in (planned, moved)]
        usage = Usage(sum(u["input_tokens"] for u in used), sum(u["output_tokens"] for u in used))
        return Reply([ToolCall(c["id"], c["name"], c["args"]) for c in moved.tool_calls], planned.text, usage)
