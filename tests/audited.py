"""Campaigns of models on a loopback server. In: a script; out: a folder with all that can happen in a run.

The spec is small, has a hard rule, a secret channel and two arms; a hard run takes nine calls.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chat_server import Answer, Body, ChatServer, Script, calls, fails, says, thinks
from conftest import KEY, MATCH
from plans import trials_of
from test_cli_commands import Done, colosseum

SPEC = MATCH.replace("experiment e {", "require never: move[A] != right\nexperiment e { rounds 1")
HOSTILE = (
    "left?\x1b[2J\x1b]0;owned\x07\x9b31m\u202etfel\u2066 [bold red]loud[/] \x00\x08\r\n"
    "Outcome ───\n  move[B]  right\u2028B\u200b decides\t\x7f \U000e0041 <b>&amp; √"
)
"""Words of an agent that would take over a terminal, pose as lines of ours or turn the writing round."""
RAW = ("\x1b", "\x07", "\x9b", "\u202e", "\u2066", "\x00", "\x08", "\r", "\u2028", "\u200b", "\x7f", "\U000e0041")
"""Of these none may reach a terminal."""


@dataclass
class Wild:
    """A model that does everything that can be done wrong, then something right."""

    breaks: str = ""
    """Requests whose prompts have this word are turned down for good."""
    refuses: str = ""
    """Requests whose prompts have this word are refused."""
    asked: int = field(default=0)

    def __call__(self, body: Body) -> Answer:
        """Its next move."""
        self.asked += 1
        tools = {tool["function"]["name"]: tool["function"] for tool in body["tools"]}
        if "ready" in tools:
            return calls(("ready", {}))
        prompt = str(body["messages"][0]["content"])
        if self.breaks and self.breaks in prompt and "decide" in tools:
            return fails(400, f"no more {HOSTILE}")
        if self.refuses and self.refuses in prompt:
            return says(None, refusal="I will not.")
        said = sum(m["role"] == "assistant" for m in body["messages"])
        if "decide" not in tools:
            channel = tools["post"]["parameters"]["properties"]["channel"]["enum"][-1]
            wrong = [("post", {"channel": "nowhere", "text": "hi"}), ("post", "{no json"), ("shout", {}),
                     ("decide", {"variable": "move[A]", "value": "left"})]  # fmt: skip
            return [
                thinks(calls(*wrong, text=HOSTILE), HOSTILE),
                calls(("post", {"channel": channel, "text": HOSTILE}), ("post", {"channel": channel, "text": " "})),
                says("", finish="length"),
            ][min(said, 2)]
        variable = tools["decide"]["parameters"]["properties"]["variable"]["enum"][0]
        values = ["up", "right", "left"]
        return calls(("decide", {"variable": variable, "value": values[min(said, 2)]}))


def spec(folder: Path, text: str = SPEC) -> Path:
    """The spec as a file."""
    path = folder / "match.colo"
    path.write_text(text, encoding="utf-8")
    return path


def audit(file: Path, out: Path, *more: object, url: str = "") -> Done:
    """The command, with a model where there is a server."""
    model = ("--model", "openai/test", "--api-base", url, "--no-budget") if url else ()
    return colosseum("audit", file, *model, "--out", out, *more, OPENAI_API_KEY=KEY, OPENAI_BASE_URL=None)


def modelled(folder: Path, *more: object, script: Script | None = None, seeds: str = "1", text: str = SPEC) -> Path:
    """A folder of runs that a model made."""
    folder.mkdir(parents=True, exist_ok=True)
    with ChatServer(script or Wild()) as server:
        done = audit(spec(folder, text), folder / "runs", "--seeds", seeds, *more, url=server.url)
    assert done.returncode in (0, 3), done.stderr
    return folder / "runs"


def scripted(folder: Path, *more: object, seeds: str = "1..2", text: str = SPEC) -> Path:
    """A folder of runs that scripted players made."""
    folder.mkdir(parents=True, exist_ok=True)
    done = audit(spec(folder, text), folder / "runs", "--seeds", seeds, *more)
    assert done.returncode == 0, done.stderr
    return folder / "runs"


def lines(folder: Path, ending: str = ".jsonl") -> list[dict[str, object]]:
    """All lines of all traces, or of all files of calls."""
    paths = sorted(
        p for p in (folder / "runs").iterdir() if p.name.count(".") == ending.count(".") and p.name.endswith(ending)
    )
    return [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]


def body(line: dict[str, Any]) -> Any:
    """What a model answered, from a line of a file of calls."""
    return json.loads(line["http"]["body"])


def file_of(folder: Path, run: str, ending: str) -> Path:
    """A file of a run, `ARM:SEED`."""
    arm, _, seed = run.partition(":")
    trials = trials_of(folder)
    found = next(t["trial"] for t in trials if (t["arm"], str(t["seed"])) == (arm, seed))
    return folder / "runs" / f"{found[:24]}.{ending}"


def harmless(done: Done) -> None:
    """Nothing that a terminal would obey, and nothing that poses as markup."""
    for said in (done.stdout, done.stderr):
        assert not [character for character in RAW if character in said]
        assert "Traceback" not in said
