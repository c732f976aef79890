"""The syntax of a `.colo` text as frozen nodes. In: nothing; out: the types that the builder makes.

Every node carries the span it was read from; spans take no part in equality, so `parse(format(file)) == file`
compares what was said and not where. Names are kept as written: nothing is resolved here. A class is public by
standing in one of the modules below; no other list has it.
"""

from colosseum.language.syntax.expression import *  # noqa: F403
from colosseum.language.syntax.statement import *  # noqa: F403
