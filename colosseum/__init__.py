"""Colosseum: audit scenarios as plain text in; provable optima, traces of agents and honest verdicts out.

For notebooks and scripts: `Campaign` reads a folder of runs, its `run` one run, `Model` a spec. They are loaded when
they are first named, so that nothing else waits for them.
"""

TYPE_CHECKING = False
"""Type checkers know it by its name; to import it would take longer than all the rest of this file."""

if TYPE_CHECKING:
    from colosseum.notebook.campaign import Campaign
    from colosseum.notebook.failing import ColosseumError
    from colosseum.notebook.model import Model
    from colosseum.notebook.run import Run

__all__ = ["Campaign", "ColosseumError", "Model", "Run", "__version__"]

__version__ = "0.1.0"

_PLACES = {"Campaign": "campaign", "ColosseumError": "failing", "Model": "model", "Run": "run"}
"""Of public names, below `colosseum.notebook`."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module 'colosseum' has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"colosseum.notebook.{_PLACES[name]}"), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
