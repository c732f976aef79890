"""`colosseum schema`."""

from colosseum.cli.words import stop
from colosseum.diagnostics import closest


def print_schema(kind: str) -> int:
    """Print the JSON Schema of models, of a kind of file in a campaign's folder, or of what `prompts` prints."""
    from colosseum.api.published import KINDS, MODEL, published

    known = (MODEL, *KINDS)
    if kind not in known:
        raise stop("C122", f"there is no schema `{kind}`", help=closest(kind, known) or f"schemas: {', '.join(known)}")
    print(published(kind), end="")  # noqa: T201 - the result
    return 0
