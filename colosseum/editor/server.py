"""The language server over stdio. In: requests of an editor, by pygls; out: their answers and diagnostics.

Threads read and check, so the event loop can always answer. A change of a text cancels the check of the older text.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from colosseum import __version__
from colosseum.campaign.vetting import vet_alone
from colosseum.diagnostics import Diagnostic, Source, Span
from colosseum.editor.analysis import Analysis, Meaning, analyse
from colosseum.editor.naming import completions, hover_text, refusal, uses
from colosseum.language import syntax
from colosseum.language.layout import lay_out
from colosseum.language.parser import parse

DEBOUNCE = 0.2  # seconds without typing before a text is checked


def path_of(uri: str) -> Path:
    """The file of a URI, with links followed as the compiler does."""
    return Path(to_fs_path(uri) or uri).resolve()


class SpecServer(LanguageServer):
    """Reads and checks the open texts. Texts come whole: for partial changes, pygls splits lines as Python does."""

    def __init__(self) -> None:
        super().__init__("colosseum", __version__, lsp.TextDocumentSyncKind.Full, max_workers=4)
        self.uris: dict[Path, str] = {}
        """The files that were ever open, with their URIs as the editor writes them."""
        self.files: dict[Path, frozenset[Path | None]] = {}
        """The files that each spec read at its last check."""
        self.checks: dict[Path, asyncio.Task[None]] = {}
        self.checker = ThreadPoolExecutor(1)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Leave it at the log: pygls would tell the editor, without end where the editor has gone."""

    @property
    def texts(self) -> dict[Path, str]:
        """The open texts, which are read in place of their files."""
        return {path_of(each.uri): each.source for each in list(self.workspace.text_documents.values())}

    def source(self, document: lsp.TextDocumentIdentifier) -> Source:
        """An open text."""
        return Source("", self.workspace.get_text_document(document.uri).source)

    def at(self, document: lsp.TextDocumentIdentifier, position: lsp.Position) -> tuple[Analysis, Meaning] | None:
        """The name at a place, in its spec."""
        analysis = analyse(path := path_of(document.uri), self.texts)
        name = analysis.at(path, self.offset(self.source(document), position)) if analysis else None
        return (analysis, name) if analysis and name else None

    def readers(self, analysis: Analysis, meaning: Meaning) -> list[Analysis]:
        """A spec, then all in the open folders, or open, that read the file that declares a name."""
        declared, texts = analysis.declaration(meaning), self.texts
        folders = {path_of(each) for each in self.workspace.folders} or {path.parent for path in texts}
        paths = {*texts, *(path.resolve() for folder in folders for path in folder.rglob("*.colo"))}
        specs = [analyse(path, texts) for path in sorted(paths) if path.suffix == ".colo"]
        return [analysis, *(each for each in specs if each and declared and declared.source.path in each.files)]

    def offset(self, source: Source, position: lsp.Position) -> int:
        """The offset of a position; a column behind the end of its line is that end."""
        number, codec = min(position.line + 1, len(source.line_starts)), self.workspace.position_codec
        line = source.line(number)
        inside = lsp.Position(0, min(position.character, codec.client_num_units(line)))
        return source.line_starts[number - 1] + codec.position_from_client_units([line], inside).character

    def range(self, span: Span) -> lsp.Range:
        """Lines and columns, in the units that the editor asked for."""
        ends = ((offset, *span.source.position(offset)) for offset in (span.start, span.end))
        units = self.workspace.position_codec.client_num_units
        return lsp.Range(*(lsp.Position(n - 1, units(span.source.text[end - c + 1 : end])) for end, n, c in ends))

    def location(self, span: Span) -> lsp.Location:
        """A place in a file, with its URI as the editor writes it."""
        path = span.source.path or Path()
        return lsp.Location(self.uris.get(path) or from_fs_path(str(path)) or str(path), self.range(span))

    def diagnostic(self, found: Diagnostic, main: Source) -> lsp.Diagnostic:
        """At its first place in the main text, else at the top; its other places are related."""
        places = [(found.span, found.note or found.message), *((label.span, label.text) for label in found.labels)]
        first = next((span for span, _ in places if span and span.source.path == main.path), Span(main, 0, 0))
        return lsp.Diagnostic(
            self.range(first),
            "\n".join(filter(None, (found.message, found.note, *(f"help: {each}" for each in found.help)))),
            severity=lsp.DiagnosticSeverity[found.severity.name.capitalize()],
            code=found.code,
            source=self.name,
            related_information=[lsp.DiagnosticRelatedInformation(self.location(span), words)
                                 for span, words in places if span and span is not first and span.source.path],
        )  # fmt: skip

    def check(self, changed: Path) -> None:
        """Check the open specs that read a file, and the file itself, once nobody types."""
        for path in dict.fromkeys((changed, *self.texts)):
            if path.suffix == ".colo" and changed in (path, *self.files.get(path, (changed,))):
                if path in self.checks:
                    self.checks[path].cancel()
                self.checks[path] = asyncio.create_task(self._check(path))

    async def _check(self, path: Path) -> None:
        await asyncio.sleep(DEBOUNCE)
        texts, run = self.texts, asyncio.get_running_loop().run_in_executor
        main = Source(path.name, texts.get(path, ""), path)
        try:
            analysis, found = await run(self.checker, lambda: (analyse(path, texts), vet_alone(path)[1]))
            self.files[path] = analysis.files if analysis else frozenset()
            told = [self.diagnostic(each, main) for each in found if path in texts]
        except Exception as crash:  # a bug of ours, which the editor shows and its user reports
            logging.getLogger(__name__).exception("the check of %s failed", path)
            words = f"Colosseum could not check this file: {type(crash).__name__}: {crash}; please report it"
            told = [lsp.Diagnostic(self.range(Span(main, 0, 0)), words, lsp.DiagnosticSeverity.Error, source=self.name)]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(self.uris[path], told))


SERVER = SpecServer()


def answers(request: str, *options: object) -> Callable[[Any], Any]:
    """Registers a function that answers a kind of request, on a thread of its own."""
    return lambda answer: SERVER.feature(request, *options)(SERVER.thread()(answer))


@SERVER.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
@SERVER.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
@SERVER.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
@SERVER.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
async def change(ls: SpecServer, params: lsp.DidChangeTextDocumentParams) -> None:
    ls.uris[path_of(params.text_document.uri)] = params.text_document.uri
    ls.check(path_of(params.text_document.uri))


@answers(lsp.TEXT_DOCUMENT_HOVER)
def hover(ls: SpecServer, params: lsp.HoverParams) -> lsp.Hover | None:
    here = ls.at(params.text_document, params.position)
    words = hover_text(*here) if here else ""
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, words)) if words else None


@answers(lsp.TEXT_DOCUMENT_DEFINITION)
def definition(ls: SpecServer, params: lsp.DefinitionParams) -> lsp.Location | None:
    here = ls.at(params.text_document, params.position)
    span = here[0].declaration(here[1]) if here else None
    return ls.location(span) if span else None


@answers(lsp.TEXT_DOCUMENT_REFERENCES)
def references(ls: SpecServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
    here = ls.at(params.text_document, params.position)
    return [ls.location(span) for span in uses(here[1], ls.readers(*here))] if here else []


@answers(lsp.TEXT_DOCUMENT_RENAME)
def rename(ls: SpecServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
    here, changes = ls.at(params.text_document, params.position), dict[str, list[lsp.TextEdit]]()
    specs = ls.readers(*here) if here else []
    if here and (reason := refusal(here[1], params.new_name, specs)):
        raise JsonRpcInvalidParams(reason)
    for span in uses(here[1], specs) if here else ():
        place = ls.location(span)
        changes.setdefault(place.uri, []).append(lsp.TextEdit(place.range, params.new_name))
    return lsp.WorkspaceEdit(changes)


@answers(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["~", "{", "["]))
def complete(ls: SpecServer, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    source = ls.source(params.text_document)
    before = source.text[: ls.offset(source, params.position)]
    return completions(before, analyse(path_of(params.text_document.uri), ls.texts))


@answers(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def outline(ls: SpecServer, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    def symbol(node: syntax.Declaration) -> lsp.DocumentSymbol:
        arms = [symbol(arm) for arm in node.arms] if isinstance(node, syntax.Experiment) else []
        kind, what = lsp.SymbolKind.Module if arms else lsp.SymbolKind.Variable, type(node).__name__.lower()
        return lsp.DocumentSymbol(node.name, kind, ls.range(node.span), ls.range(node.name_span), what, children=arms)

    statements = parse(ls.source(params.text_document))[0].statements
    declared = (each.statement if isinstance(each, syntax.Override) else each for each in statements)
    return [symbol(each) for each in declared if isinstance(each, syntax.Declaration)]


@answers(lsp.TEXT_DOCUMENT_FORMATTING)
def format_text(ls: SpecServer, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
    source = ls.source(params.text_document)
    laid, _ = lay_out(source)
    return [lsp.TextEdit(ls.range(Span(source, 0, len(source.text))), laid)] if laid not in (None, source.text) else []
