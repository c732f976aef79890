"""The language server, asked over stdio by the client that pygls ships."""

import asyncio
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from colosseum import ColosseumError
from colosseum.editor import serve

ROOT = Path(__file__).parent.parent

SMALL = """\
colosseum 1
scenario small "Two"

param size_of = 3
agents Ana, Bo
set tasks = {dig, "low-tide"}
private table cost[a in agents, t in tasks] ~ integer(1, 9)
variable pick[agents]: tasks or none
reward done[a in agents, t in tasks] when pick[a] == t: size_of - cost[a, t]
coalition cabal { members = {Ana} }
channel room for cabal
prompt pitch for agents {
  plain: "You are {{ me }} 🦉é: {{ cost[me, 'dig'] }}"
  sly: "You lie to them: {{ size_of }}"
}
experiment talk { seeds 4..6 arm quiet { } arm loud { room on pitch sly } }
"""


class Editor:
    """A client, what it was told, and the folder that it has open. It counts columns in the first of `encodings`."""

    folder: Path

    def __init__(self, encodings: list[str] | None, program: tuple[str, ...]) -> None:
        self.encodings, self.program = encodings, program
        self.client = LanguageClient("tests", "1")
        self.told: dict[str, list[lsp.Diagnostic]] = {}
        self.heard = asyncio.Condition()

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def heard(params: lsp.PublishDiagnosticsParams) -> None:
            async with self.heard:
                self.told[params.uri] = list(params.diagnostics)
                self.heard.notify_all()

    async def begin(self) -> None:
        await self.client.start_io(sys.executable, *self.program)

    async def open_folder(self, folder: Path) -> lsp.InitializeResult:
        """Open a folder that has the small spec."""
        self.folder = folder.resolve()
        (folder / "small.colo").write_text(SMALL, encoding="utf-8")
        general = lsp.GeneralClientCapabilities(position_encodings=self.encodings)
        asked = lsp.InitializeParams(
            lsp.ClientCapabilities(general=general), root_uri=self.folder.as_uri(),
            workspace_folders=[lsp.WorkspaceFolder(self.folder.as_uri(), "w")],
        )  # fmt: skip
        answer = await self.client.initialize_async(asked)
        self.client.initialized(lsp.InitializedParams())
        return answer

    async def end(self) -> None:
        server = self.client._server
        assert server is not None
        assert server.stderr is not None
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await asyncio.wait_for(server.stderr.read(), 60)
        await self.client.stop()
        assert server.returncode == 0

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def document(self, name: str) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str | None = None) -> str:
        text = (self.folder / name).read_text(encoding="utf-8") if text is None else text
        item = lsp.TextDocumentItem(self.uri(name), "colosseum", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return text

    def type(self, name: str, text: str) -> None:
        changed = lsp.VersionedTextDocumentIdentifier(2, self.uri(name))
        whole: list[lsp.TextDocumentContentChangeEvent] = [lsp.TextDocumentContentChangeWholeDocument(text)]
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(changed, whole))

    async def diagnostics(self, name: str, fits: Callable[[list[lsp.Diagnostic]], bool]) -> list[lsp.Diagnostic]:
        """What was told of a file, once it fits."""
        uri = self.uri(name)
        async with self.heard:
            await asyncio.wait_for(self.heard.wait_for(lambda: uri in self.told and fits(self.told[uri])), 60)
            return self.told[uri]


def place(text: str, words: str, *, after: bool = False) -> lsp.Position:
    """Where words begin (or end) as the protocol counts, found another way than the server does."""
    offset = text.index(words) + (len(words) if after else 0)
    before = text[:offset].split("\n")
    return lsp.Position(len(before) - 1, sum(2 if ord(c) > 0xFFFF else 1 for c in before[-1]))


def applied(text: str, edits: Any) -> str:
    """A text after edits, by the units of UTF-16."""
    lines = text.split("\n")
    starts = [sum(len(x.encode("utf-16-le")) // 2 + 1 for x in lines[:n]) for n in range(len(lines))]
    units = text.encode("utf-16-le")
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        begin, end = (2 * (starts[p.line] + p.character) for p in (edit.range.start, edit.range.end))
        units = units[:begin] + edit.new_text.encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le")


SERVE = ("-m", "colosseum", "lsp")


Alone = Callable[[Path, "Shared"], None]
Shared = tuple[asyncio.Runner, Editor]


@pytest.fixture(scope="module")
def shared() -> Iterator[Shared]:
    """A server whose start serves all tests that ask for no other: each opens a folder of its own."""
    with asyncio.Runner() as runner:
        editor = Editor(None, SERVE)
        runner.run(editor.begin())
        yield runner, editor
        runner.run(editor.end())


def edited(
    encodings: list[str] | None = None, program: tuple[str, ...] = SERVE
) -> Callable[[Callable[[Editor], Awaitable[None]]], Alone]:
    """A test that talks to a server, in a folder with the small spec; to one of its own where that differs."""

    def decorate(test: Callable[[Editor], Awaitable[None]]) -> Alone:
        @wraps(test)
        def run(tmp_path: Path, shared: Shared) -> None:
            async def all_of_it(editor: Editor) -> None:
                await editor.open_folder(tmp_path)
                await test(editor)

            async def alone() -> None:
                editor = Editor(encodings, program)
                await editor.begin()
                try:
                    await all_of_it(editor)
                finally:
                    await editor.end()

            runner, editor = shared
            runner.run(alone() if encodings or program != SERVE else all_of_it(editor))

        del run.__wrapped__  # type: ignore[attr-defined]  # pytest asks for its parameters
        return run

    return decorate


@edited()
async def test_diagnostics_have_codes_ranges_help_and_other_places(editor: Editor) -> None:
    text = editor.open("small.colo", SMALL.replace("size_of - cost", "sise_of - cost") + "param size_of = 4\n")
    first, second = await editor.diagnostics("small.colo", lambda told: len(told) == 2)
    assert (first.code, first.severity, first.source) == ("C041", lsp.DiagnosticSeverity.Error, "colosseum")
    assert first.range == lsp.Range(place(text, "sise_of"), place(text, "sise_of", after=True))
    assert "did you mean `size_of`?" in first.message
    assert second.code == "C034"
    assert second.related_information is not None
    assert second.related_information[0].location.range.start == place(text, "size_of")
    editor.type("small.colo", SMALL)
    await editor.diagnostics("small.colo", lambda told: not told)


@edited()
async def test_columns_are_utf_16(editor: Editor) -> None:
    text = editor.open("small.colo", SMALL.replace("me, 'dig'", "me, 'dug'").replace("{{ cost", "👩‍👩‍👧 {{ cost"))
    (told,) = await editor.diagnostics("small.colo", bool)
    assert told.range.start == place(text, "cost[me, 'dug'")
    answer = await editor.client.text_document_hover_async(
        lsp.HoverParams(editor.document("small.colo"), place(text, "cost[me, 'dug'"))
    )
    assert answer is not None
    assert "private table" in str(answer.contents)


@edited(["utf-8", "utf-16"])
async def test_columns_are_in_the_units_that_the_editor_likes_best(editor: Editor) -> None:
    text = editor.open("small.colo", SMALL.replace("me, 'dig'", "me, 'dug'"))
    (told,) = await editor.diagnostics("small.colo", bool)
    line = next(line for line in text.split("\n") if "dug" in line)
    assert told.range.start.character == len(line[: line.index("cost[me, 'dug'")].encode())
    asked = lsp.DefinitionParams(editor.document("small.colo"), told.range.start)
    found = await editor.client.text_document_definition_async(asked)
    assert isinstance(found, lsp.Location)
    assert found.range.start == place(text, "cost[a in")


CRASH = """
from colosseum.editor import server
from colosseum.campaign.vetting import vet_alone

def vet(path):
    if "crash" in server.SERVER.texts[path]:
        raise KeyError("a bug")
    return vet_alone(path)

server.vet_alone = vet
server.SERVER.start_io()
"""


@edited(program=("-c", CRASH))
async def test_a_crash_of_the_checker_is_told_in_place_of_what_it_found(editor: Editor) -> None:
    editor.open("small.colo", SMALL + "param size_of = 4\n")
    await editor.diagnostics("small.colo", lambda told: [each.code for each in told] == ["C034"])
    editor.type("small.colo", SMALL + "# crash\n")
    (told,) = await editor.diagnostics("small.colo", lambda told: bool(told) and told[0].code is None)
    assert "could not check this file: KeyError: 'a bug'" in told.message
    assert told.severity == lsp.DiagnosticSeverity.Error
    assert "private table" in await hover(editor, SMALL, "cost[a, t]")
    editor.type("small.colo", SMALL)
    await editor.diagnostics("small.colo", lambda told: not told)


@edited()
async def test_a_closed_file_has_no_diagnostics_and_is_read_from_the_disk(editor: Editor) -> None:
    (editor.folder / "part.colo").write_text("colosseum 1\nscenario part\nparam size_of = 3\n")
    editor.open("small.colo", SMALL.replace("param size_of = 3", 'use "part.colo"'))
    editor.open("part.colo", "colosseum 1\nscenario part\nparam other = \n")
    await editor.diagnostics("small.colo", bool)
    await editor.diagnostics("part.colo", bool)
    closed = lsp.DidCloseTextDocumentParams(editor.document("part.colo"))
    editor.client.text_document_did_close(closed)
    await editor.diagnostics("part.colo", lambda told: not told)
    await editor.diagnostics("small.colo", lambda told: not told)


@edited()
async def test_references_are_in_all_specs_of_the_folder(editor: Editor) -> None:
    (editor.folder / "part.colo").write_text("colosseum 1\nscenario part\nparam size_of = 3\n")
    (editor.folder / "small.colo").write_text(SMALL.replace("param size_of = 3", 'use "part.colo"'))
    part = editor.open("part.colo")
    context = lsp.ReferenceContext(include_declaration=True)
    asked = lsp.ReferenceParams(context, editor.document("part.colo"), place(part, "size_of"))
    found = await editor.client.text_document_references_async(asked)
    assert found is not None
    assert sorted(each.uri for each in found) == [editor.uri("part.colo"), *[editor.uri("small.colo")] * 2]


@edited()
async def test_a_hover_has_the_values_of_the_first_seed(editor: Editor) -> None:
    text = editor.open("small.colo")
    from colosseum import load

    world = load(editor.folder / "small.colo").instance(4)._checked.expansion.world
    value = world.table("cost").entries["Ana", "dig"]
    shown = await hover(editor, text, "cost[a, t]")
    assert f"at seed 4:\n\n```text\ncost[Ana, dig] = {value}\n" in shown
    assert "2: dig, low-tide" in await hover(editor, text, "tasks or none")
    assert "**setting** `seeds`" in await hover(editor, text, "seeds 4")
    assert "integer(lo, hi)" in await hover(editor, text, "integer(1")
    assert "**element** `dig`" in await hover(editor, text, "dig'")
    broken = SMALL.replace("param size_of = 3", "param size_of = ")
    editor.type("small.colo", broken)
    assert "cost[Ana, dig] = " in await hover(editor, broken, "cost[a, t]")


async def hover(editor: Editor, text: str, words: str) -> str:
    asked = lsp.HoverParams(editor.document("small.colo"), place(text, words))
    answer = await editor.client.text_document_hover_async(asked)
    return answer.contents.value if answer and isinstance(answer.contents, lsp.MarkupContent) else ""


@edited()
async def test_definitions(editor: Editor) -> None:
    text = editor.open("small.colo")
    for use, declaration in (
        ("cost[me", "cost[a in"), ("t: size_of", "t in tasks] when"), ("sly }", "sly:"), ("room on", "room for"),
        ("cabal\n", "cabal {"), ("dig'", "dig,"),
    ):  # fmt: skip
        asked = lsp.DefinitionParams(editor.document("small.colo"), place(text, use))
        found = await editor.client.text_document_definition_async(asked)
        assert isinstance(found, lsp.Location), use
        assert found.range.start == place(text, declaration), use


@edited()
async def test_a_used_file_and_its_data_are_those_that_are_open(editor: Editor) -> None:
    (editor.folder / "part.colo").write_text('colosseum 1\nscenario part\nset tasks from "tasks.csv"\n')
    (editor.folder / "tasks.csv").write_text("tasks\ndig\n")
    used = SMALL.replace('set tasks = {dig, "low-tide"}', 'use "part.colo"')
    text = editor.open("small.colo", used)
    await editor.diagnostics("small.colo", lambda told: not told)
    asked = lsp.DefinitionParams(editor.document("small.colo"), place(text, "tasks]"))
    found = await editor.client.text_document_definition_async(asked)
    assert isinstance(found, lsp.Location)
    assert found.uri == editor.uri("part.colo")
    editor.open("part.colo", "colosseum 1\nscenario part\nset tosks = {dig}\n")
    told = await editor.diagnostics("small.colo", bool)
    assert "`tasks` is not the name of anything" in told[0].message
    editor.type("part.colo", (editor.folder / "part.colo").read_text())
    await editor.diagnostics("small.colo", lambda told: not told)
    editor.open("tasks.csv", "tasks\ndig,\n")
    told = await editor.diagnostics("small.colo", bool)
    assert told[0].code == "C059"
    assert told[0].related_information is not None
    assert told[0].related_information[0].location.uri == editor.uri("tasks.csv")


@edited()
async def test_a_rename_reaches_every_use_in_every_spec(editor: Editor) -> None:
    for each in ("jira.colo", "jira_studies.colo"):
        shutil.copy(ROOT / "specs" / each, editor.folder / each)
    text = editor.open("small.colo")
    changes = await rename(editor, text, "size_of", "bounty")
    assert applied(text, changes[editor.uri("small.colo")]) == text.replace("size_of", "bounty")
    changes = await rename(editor, text, "dig,", "delve")
    assert applied(text, changes[editor.uri("small.colo")]) == text.replace("dig", "delve")
    changes = await rename(editor, text, "t in tasks] when", "job")
    reward = "reward done[a in agents, {0} in tasks] when pick[a] == {0}: size_of - cost[a, {0}]"
    assert applied(text, changes[editor.uri("small.colo")]) == text.replace(reward.format("t"), reward.format("job"))
    changes = await rename(editor, text, "sly:", "cunning")
    assert applied(text, changes[editor.uri("small.colo")]) == text.replace("sly", "cunning")
    arms = text + "experiment more { rounds 1  arm plain { }  arm again { }  compare again with plain }\n"
    editor.type("small.colo", arms)
    changes = await rename(editor, arms, "again {", "twice")
    assert applied(arms, changes[editor.uri("small.colo")]) == arms.replace("again", "twice")


async def rename(editor: Editor, text: str, words: str, new: str) -> Any:
    asked = lsp.RenameParams(editor.document("small.colo"), place(text, words), new)
    edit = await editor.client.text_document_rename_async(asked)
    assert edit is not None
    return edit.changes


@edited()
async def test_a_rename_follows_use_and_is_refused_with_a_reason(editor: Editor) -> None:
    (editor.folder / "part.colo").write_text("colosseum 1\nscenario part\nparam size_of = 3\n")
    (editor.folder / "small.colo").write_text(SMALL.replace("param size_of = 3", 'use "part.colo"'))
    part = editor.open("part.colo")
    asked = lsp.RenameParams(editor.document("part.colo"), place(part, "size_of"), "most")
    edit = await editor.client.text_document_rename_async(asked)
    assert edit is not None
    assert edit.changes is not None
    assert {uri: len(edits) for uri, edits in edit.changes.items()} == {
        editor.uri("part.colo"): 1, editor.uri("small.colo"): 2,
    }  # fmt: skip
    text = editor.open("small.colo", SMALL)
    for words, new, reason in (
        ("integer(", "whole", "a word of the language"), ("cost[a in", "pick", "already means something"),
        ("cost[a in", "reward", "`reward` is a word of the language"),
        ("a in agents, t in tasks] when", "t", "already means something"),
        ("a in agents, t in tasks] when", "pick", "already means something"), ("cost[a in", "two words", "is no name"),
    ):  # fmt: skip
        with pytest.raises(JsonRpcException, match=reason):
            await rename(editor, text, words, new)
    ranged = SMALL.replace('{dig, "low-tide"}', "dig[1..2]").replace("'dig'", "'dig1'")
    editor.type("small.colo", ranged)
    with pytest.raises(JsonRpcException, match=r"`dig1` is made by `dig\[1..2\]`"):
        await rename(editor, ranged, "dig1", "delve")


@edited()
async def test_completion_is_what_the_grammar_and_the_names_allow(editor: Editor) -> None:
    editor.open("small.colo")
    for end, some, none in (
        ("", {"param", "experiment", "use"}, {"size_of", "sum"}),
        ("param x = ", {"size_of", "tasks", "abs", "sum", "Ana"}, {"param", "integer"}),
        ("param ", set(), {"size_of", "param"}),
        ("table x[tasks] ~ ", {"integer", "choice"}, {"size_of"}),
        ("network ", {"ring", "star"}, {"size_of"}),
        ("experiment e { ", {"rounds", "seeds", "room", "pitch", "arm", "sweep", "compare"}, {"cost"}),
        ("experiment e { arm low { pitch sly } compare ", {"low"}, {"sly", "with"}),
        ("experiment e { arm low { pitch sly } compare low ", {"with"}, set()),
        ("experiment e { arm low { pitch sly } compare low with ", {"low"}, {"sly", "with"}),
        ("experiment e { arm a { pitch ", {"plain", "sly"}, {"rounds"}),
        ("experiment e { arm a { room ", {"on", "off"}, {"sly"}),
        ("reward r[who in agents]: co", {"cost", "who", "count"}, {"reward"}),
        ('prompt p for agents "{{ ', {"me", "payoffs", "cost"}, {"sum", "param"}),
        ('prompt p for agents "', set(), {"me", "cost"}),
        ("# ", set(), {"param"}),
    ):
        text = SMALL + end
        editor.type("small.colo", text)
        at = lsp.CompletionParams(editor.document("small.colo"), place(text + "\0", end + "\0", after=False))
        at.position = lsp.Position(at.position.line, at.position.character + len(end))
        found = await editor.client.text_document_completion_async(at)
        assert isinstance(found, list)
        words = {item.label for item in found}
        assert some <= words, end
        assert not none & words, end


@edited()
async def test_outline_and_layout(editor: Editor) -> None:
    text = editor.open("small.colo", SMALL.replace("\n", "\n\n\n", 1).replace("agents Ana,", "agents   Ana,"))
    asked = lsp.DocumentSymbolParams(editor.document("small.colo"))
    outline = await editor.client.text_document_document_symbol_async(asked)
    assert outline is not None
    assert [each.name for each in outline][:4] == ["size_of", "agents", "tasks", "cost"]
    assert [arm.name for arm in outline[-1].children or ()] == ["quiet", "loud"]
    options = lsp.FormattingOptions(2, insert_spaces=True)
    params = lsp.DocumentFormattingParams(editor.document("small.colo"), options)
    edits = await editor.client.text_document_formatting_async(params)
    from colosseum.diagnostics import Source
    from colosseum.language.layout import lay_out

    assert applied(text, edits) == lay_out(Source("", text))[0]
    editor.type("small.colo", "colosseum 1\nscenario x\nparam =\n")
    assert not await editor.client.text_document_formatting_async(params)


@edited()
async def test_a_megabyte_does_not_keep_the_server_from_answering(editor: Editor) -> None:
    long = SMALL + "".join(f"param p{n} = {n} + {n}\n" for n in range(30_000))
    editor.open("long.colo", long)
    text = editor.open("small.colo")
    assert "private table" in await hover(editor, text, "cost[a, t]")
    assert editor.uri("long.colo") not in editor.told  # the long one is still being checked


def test_without_the_extra_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    monkeypatch.delitem(sys.modules, "colosseum.editor.server", raising=False)
    with pytest.raises(ColosseumError, match=r"`lsp` needs lsprotocol(?s:.*)pip install 'colosseum\[editor\]'"):
        serve()


@edited()
async def test_a_text_that_is_too_large_is_told(editor: Editor) -> None:
    editor.open("long.colo", SMALL + "#" * 1024 * 1024)
    (told,) = await editor.diagnostics("long.colo", bool)
    assert told.code == "C031"
    assert told.range.start == lsp.Position(0, 0)
