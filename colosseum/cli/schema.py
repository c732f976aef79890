"""`colosseum schema`."""

from colosseum.model.schema import schema_text


def print_schema() -> int:
    """Print the JSON Schema of models."""
    print(schema_text(), end="")  # noqa: T201 - the result
    return 0
