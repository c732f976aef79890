"""Colosseum: audit scenarios as plain text in; provable optima, traces of agents and honest verdicts out.

For notebooks and scripts: `load` reads a spec, `audit` lets agents play it, `Campaign` reads a folder of runs. For your
own agents: a `Player` gets a `View` and returns a `Reply` of `post`, `decide`, `state_belief` and `done`;
`messages(view)` and `tools(view)` are what a model gets. See `colosseum guide python` and `colosseum guide agents`.
Names are loaded when they are first used.
"""

TYPE_CHECKING = False
"""Type checkers know it by its name; to import it would take longer than all the rest of this file."""

if TYPE_CHECKING:
    from colosseum.api.campaign import Campaign, Run, audit, compare, merge
    from colosseum.api.spec import Instance, Spec, load
    from colosseum.diagnostics import ColosseumError
    from colosseum.players.models.messages import messages
    from colosseum.players.models.tools import tools
    from colosseum.players.view import (
        Player,
        Reply,
        Thought,
        ToolCall,
        Usage,
        View,
        decide,
        done,
        post,
        state_belief,
    )

__all__ = [
    "Campaign",
    "ColosseumError",
    "Instance",
    "Player",
    "Reply",
    "Run",
    "Spec",
    "Thought",
    "ToolCall",
    "Usage",
    "View",
    "__version__",
    "audit",
    "compare",
    "decide",
    "done",
    "load",
    "merge",
    "messages",
    "post",
    "state_belief",
    "tools",
]

__version__ = "0.1.0"

_PLACES = {
    **dict.fromkeys(("Campaign", "Run", "audit", "compare", "merge"), "api.campaign"),
    **dict.fromkeys(("Instance", "Spec", "load"), "api.spec"),
    "ColosseumError": "diagnostics",
    "messages": "players.models.messages",
    "tools": "players.models.tools",
}
"""Of public names, below `colosseum`; all others are of `players.view`."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'colosseum' has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"colosseum.{_PLACES.get(name, 'players.view')}"), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
