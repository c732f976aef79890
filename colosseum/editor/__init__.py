"""The language server. In: an editor's requests about open specs; out: what the compiler knows of them."""

from colosseum.diagnostics import stop


def serve() -> None:
    """Serve an editor on stdin and stdout until it ends. Raises ColosseumError without the extra `editor`."""
    try:
        from colosseum.editor.server import SERVER
    except ImportError as missing:
        raise stop("C122", f"`lsp` needs {missing.name}", help="`pip install 'colosseum[editor]'`") from None
    SERVER.start_io(stdout=open(1, "wb", closefd=False))  # noqa: SIM115 - pygls closes what it writes to
