"""Engines by name. In: a name and a task; out: a backend. A new engine is a file here and a line below."""

from collections.abc import Callable

from colosseum.diagnostics import stop
from colosseum.model.scenario import Task
from colosseum.solve.backend import Backend, Engine
from colosseum.solve.backends.cp_sat import CpSat
from colosseum.solve.backends.elimination import Elimination
from colosseum.solve.backends.engine_process import PROCESSES
from colosseum.solve.backends.highs import Highs
from colosseum.solve.backends.pulp import Pulp
from colosseum.solve.backends.toulbar2 import Toulbar2

BACKENDS: dict[Engine, Callable[[Task], Backend]] = {
    "highs": Highs,
    "elimination": Elimination,
    "toulbar2": Toulbar2,
    "cp-sat": CpSat,
    "pulp": Pulp,
}


def engine_named(name: str | None) -> Engine | None:
    """The back end that an option names. Raises ColosseumError where there is none of that name, or not here."""
    if name is None:
        return None
    known = next((engine for engine in BACKENDS if engine == name), None)
    if known is None:
        raise stop("C122", f"`--backend`: there is no engine `{name}`", help=f"engines: {', '.join(BACKENDS)}")
    if known not in installed_engines():
        here = f"pip install {PROCESSES[known].distribution}; installed: {', '.join(installed_engines())}"
        raise stop("C122", f"`--backend`: `{name}` is not installed", help=here)
    return known


def installed_engines() -> list[Engine]:
    """The engines that can be asked here, in the order of the table."""
    return [name for name in BACKENDS if name not in PROCESSES or PROCESSES[name].installed]
