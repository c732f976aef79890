"""`colosseum schema`."""

from colosseum.cli.words import stop
from colosseum.diagnostics import closest

MODEL = "model"


def print_schema(kind: str = MODEL) -> int:
    """Print the JSON Schema of models, or of a kind of file in a campaign's folder."""
    print(_text(kind), end="")  # noqa: T201 - the result
    return 0


def _text(kind: str) -> str:
    """Raises Stop."""
    if kind == MODEL:
        from colosseum.model.schema import schema_text

        return schema_text()
    from colosseum.audit.campaign import schemas

    if kind not in schemas.KINDS:
        known = (MODEL, *schemas.KINDS)
        raise stop("C122", f"there is no schema `{kind}`", help=closest(kind, known) or f"schemas: {', '.join(known)}")
    return schemas.schema_text(kind)
