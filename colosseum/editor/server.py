"""The language server over stdio. In: requests of an editor, by pygls; out: their answers and diagnostics.

Threads read and check, so that the loop can always answer. A text that changes while it waits or is checked begins
anew; what was found about the old one is dropped.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from colosseum import __version__
from colosseum.diagnostics import Diagnostic, Severity, Source, Span
from colosseum.editor.analysis import Analysis, analyse
from colosseum.editor.completion import completions
from colosseum.editor.hover import hover_text
from colosseum.editor.occurrences import Occurrence
from colosseum.editor.outline import outlined
from colosseum.editor.renaming import RenameRefused, renamed, specs_below, uses
from colosseum.editor.utf16 import Utf16
from colosseum.language.layout import lay_out

DEBOUNCE = 0.2
"""Seconds without typing before a text is checked."""


def path_of(uri: str) -> Path:
    """The file of a URI, with links followed as the compiler does."""
    return Path(to_fs_path(uri) or uri).resolve()


class SpecServer(LanguageServer):
    """Open texts by path, and their analyses. Texts come whole: of changes, pygls breaks lines as Python does."""

    def __init__(self) -> None:
        super().__init__("colosseum", __version__, lsp.TextDocumentSyncKind.Full, max_workers=4)
        self.seed: int | None = None
        self.buffers: dict[Path, str] = {}
        self.uris: dict[Path, str] = {}
        self.checked: dict[Path, Analysis | None] = {}
        """The latest, of an older text maybe."""
        self.checks: dict[Path, asyncio.Task[None]] = {}
        self.checker = ThreadPoolExecutor(1)
        self.read: dict[Path, tuple[object, Analysis | None]] = {}
        """For the buffers that stand first."""

    def put(self, path: Path, text: str | None) -> None:
        """Have a text in place of a file, or the file again; check all open specs that read it."""
        others = {p: t for p, t in self.buffers.items() if p != path}
        self.buffers = others if text is None else {**others, path: text}
        self.check({path, *(p for p, found in self.checked.items() if found is None or path in found.files)})

    def check(self, paths: set[Path]) -> None:
        """Check those that are open, once nobody types."""
        for path in paths:
            if path in self.checks:
                self.checks.pop(path).cancel()
            if path in self.buffers and path.suffix == ".colo":
                self.checks[path] = asyncio.create_task(self._check(path))

    async def _check(self, path: Path) -> None:
        await asyncio.sleep(DEBOUNCE)
        buffers, run = self.buffers, asyncio.get_running_loop().run_in_executor
        self.checked[path], found = await run(self.checker, lambda: analyse(path, buffers, checked=True))
        lines, main = Lines(self), Source(path.name, buffers[path], path)
        told = [lines.diagnostic(each, main) for each in found]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(self.uris[path], told))

    def named(self, path: Path) -> Analysis | None:
        """The names of the texts as they stand, read once for each change."""
        state = self.buffers
        if path not in self.read or self.read[path][0] is not state:
            self.read[path] = state, analyse(path, state, self.seed, checked=False)[0]
        return self.read[path][1]

    def at(self, document: lsp.TextDocumentIdentifier, position: lsp.Position) -> tuple[Analysis, Occurrence] | None:
        """The name at a place."""
        path = path_of(document.uri)
        found = self.named(path)
        name = found.at(path, Utf16(self.buffers.get(path, "")).offset(position)) if found else None
        return (found, name) if found and name else None

    def folder(self, uri: str) -> Path:
        """The opened folder that a file is in, else the file's own."""
        folders = [path_of(each) for each in self.workspace.folders]
        return next((each for each in folders if path_of(uri).is_relative_to(each)), path_of(uri).parent)


class Lines:
    """Spans as editors have them; the lines of each text are found once."""

    def __init__(self, server: SpecServer) -> None:
        self.server = server
        self.texts: dict[Source, Utf16] = {}

    def range(self, span: Span) -> lsp.Range:
        """In UTF-16 units."""
        if span.source not in self.texts:
            self.texts[span.source] = Utf16(span.source.text)
        return self.texts[span.source].range(span.start, span.end)

    def uri(self, path: Path) -> str:
        """As the editor wrote it, where the file is open."""
        return self.server.uris.get(path) or from_fs_path(str(path)) or str(path)

    def location(self, span: Span) -> lsp.Location:
        """A place in a file."""
        return lsp.Location(self.uri(span.source.path or Path()), self.range(span))

    def diagnostic(self, told: Diagnostic, main: Source) -> lsp.Diagnostic:
        """At its first place in the main text, else at the top; its other places are related."""
        places = [(told.span, told.note or told.message), *((label.span, label.text) for label in told.labels)]
        first = next((span for span, _ in places if span and span.source.path == main.path), Span(main, 0, 0))
        warning = told.severity is Severity.WARNING
        return lsp.Diagnostic(
            self.range(first),
            "\n".join(filter(None, (told.message, told.note, *(f"help: {each}" for each in told.help)))),
            severity=lsp.DiagnosticSeverity.Warning if warning else lsp.DiagnosticSeverity.Error,
            code=told.code,
            source="colosseum",
            related_information=[lsp.DiagnosticRelatedInformation(self.location(span), words)
                                 for span, words in places if span and span is not first and span.source.path],
        )  # fmt: skip


def make_server() -> SpecServer:
    """A server with all that it can do."""
    server = SpecServer()
    _keep_texts(server)
    _answer(server)
    return server


def _keep_texts(server: SpecServer) -> None:
    @server.feature(lsp.INITIALIZE)
    def begin(params: lsp.InitializeParams) -> None:
        options = params.initialization_options
        seed = options.get("seed") if isinstance(options, dict) else None
        server.seed = seed if isinstance(seed, int) else None

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        server.uris[path] = params.text_document.uri
        server.put(path, params.text_document.text)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.put(path_of(uri), server.workspace.get_text_document(uri).source)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.put(path_of(params.text_document.uri), None)
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(params.text_document.uri, []))

    async def recheck(_: object) -> None:
        server.read.clear()
        server.check(set(server.buffers))

    server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)(recheck)
    server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)(recheck)


def _answer(server: SpecServer) -> None:
    def text(document: lsp.TextDocumentIdentifier) -> str:
        return server.buffers.get(path_of(document.uri), "")

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    @server.thread()
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        here = server.at(params.text_document, params.position)
        words = hover_text(*here) if here else ""
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, words)) if words else None

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    @server.thread()
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        here = server.at(params.text_document, params.position)
        span = here[0].declaration(here[1].meaning) if here else None
        return Lines(server).location(span) if span else None

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    @server.thread()
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        here, lines = server.at(params.text_document, params.position), Lines(server)
        specs = specs_below(server.folder(params.text_document.uri), server.buffers) if here else {}
        return [lines.location(s) for spans in (uses(*here, specs) if here else {}).values() for s in spans]

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    @server.thread()
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        here, lines, new = server.at(params.text_document, params.position), Lines(server), params.new_name
        try:
            found = renamed(*here, new, server.folder(params.text_document.uri), server.buffers) if here else {}
        except RenameRefused as refused:
            raise JsonRpcInvalidParams(str(refused)) from None
        changes = {lines.uri(p): [lsp.TextEdit(lines.range(s), new) for s in spans] for p, spans in found.items()}
        return lsp.WorkspaceEdit(changes)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["~", "{", "["]))
    @server.thread()
    def complete(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        whole = text(params.text_document)
        before = whole[: Utf16(whole).offset(params.position)]
        return completions(before, server.named(path_of(params.text_document.uri)))

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    @server.thread()
    def outline(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return outlined(Source("", text(params.text_document)))

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    @server.thread()
    def format_text(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        source = Source("", text(params.text_document))
        laid, _ = lay_out(source)
        whole = Utf16(source.text).range(0, len(source.text))
        return [lsp.TextEdit(whole, laid)] if laid not in (None, source.text) else []
