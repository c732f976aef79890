"""`colosseum schema`."""

from functools import partial

from colosseum.diagnostics import closest, stop


def print_schema(kind: str) -> int:
    """Print the JSON Schema of models, of a kind of file in a campaign's folder, or of what `prompts` prints."""
    from pydantic import TypeAdapter

    from colosseum.campaign.progress import SCHEMA, Progress
    from colosseum.report.published import KINDS, MODEL, Kind, published

    about = "A line that `audit --display json` writes a minute: how far a campaign has come."
    kinds = {**KINDS, "progress": Kind(about, SCHEMA, partial(TypeAdapter, Progress))}
    known = (MODEL, *kinds)
    if kind not in known:
        raise stop("C122", f"there is no schema `{kind}`", help=closest(kind, known) or f"schemas: {', '.join(known)}")
    print(published(kind, kinds), end="")  # noqa: T201 - the result
    return 0
