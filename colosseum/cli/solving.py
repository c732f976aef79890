"""Why a scenario cannot be optimised. In: a checked spec; out: a context in which that is told in the spec's words."""

from collections.abc import Iterator
from contextlib import contextmanager

from colosseum.cli.words import Stop, stop
from colosseum.diagnostics import report
from colosseum.model.check import Checked
from colosseum.model.values import Fault
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.optimum.solve import Optimum


@contextmanager
def solving(checked: Checked) -> Iterator[None]:
    """Within the block, a term that is too large or undefined is a Stop that points at it."""
    try:
        yield
    except NotLowered as fault:
        symbol = checked.spec.symbols.get(fault.name.partition("[")[0])
        raise Stop(report("C100", symbol.span if symbol else None, str(fault), help=fault.help)) from None
    except Fault as fault:
        raise Stop(report(fault.code, fault.span, fault.message, help=fault.help)) from None


def require_feasible(optimum: Optimum) -> None:
    """Some assignment satisfies the hard requirements. Raises Stop."""
    if optimum.status == "infeasible":
        raise stop("C101", "no assignment satisfies the hard requirements", help="drop one, or give it a `penalty`")
