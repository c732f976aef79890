"""`colosseum view`: a file where all runs have ended, else a page that is served on this machine alone, and grows."""

import json
import os
import re
import signal
import socket
import struct
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from audited import scripted
from conftest import MATCH, SPECS
from test_cli_commands import colosseum
from warm_process import Command

from colosseum.campaign.folder import Folder
from colosseum.campaign.judged import Judges, write_judges
from colosseum.players.models.request import Endpoint
from colosseum.report.html.serving import LivePage
from colosseum.run.judging.judgement import SCHEMA


@contextmanager
def served(folder: Path, *more: str) -> Iterator[str]:
    """The address at which the command serves a folder; it ends well when it is interrupted."""
    process = begin(folder, *more)
    try:
        yield address(process)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()
        assert process.wait() == 0


def begin(folder: Path, *more: str) -> Command:
    return Command("view", folder, "--no-browser", *more, env={**os.environ, "COLUMNS": "200"})


def address(process: Command) -> str:
    """Once it is served there."""
    found = re.search(r"http://127\.0\.0\.1:\d+/", process.stderr.readline())
    assert found is not None
    return found[0]


def get(address: str, **headers: str) -> tuple[int, str]:
    """Status and text."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=300) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def unfinished(folder: Path) -> tuple[Path, list[Path]]:
    """A campaign of four runs of which one has not ended, and the files that would end it."""
    runs = scripted(folder, text=MATCH)
    kept = Folder(runs).plan().trials[-1].trial
    place = Folder(runs).result_path(kept)
    aside = folder / place.name
    place.rename(aside)
    return runs, [aside, place]


def test_a_campaign_that_goes_on_is_served_and_tells_of_more_runs(tmp_path: Path) -> None:
    runs, (aside, place) = unfinished(tmp_path)
    with served(runs) as address:
        status, before = get(address)
        assert status == 200
        assert 'data-live="yes"' in before
        assert json.loads(get(address + "state")[1]) == {"runs": 3}
        assert "1 of 4 planned runs are missing" in before
        aside.rename(place)
        assert json.loads(get(address + "state")[1]) == {"runs": 4}
        assert "runs are missing" not in get(address)[1]
    assert not (runs / "report.html").exists()


def test_nobody_else_is_answered(tmp_path: Path) -> None:
    """A page of somebody else's whose name leads here must not read it, and there are no other files."""
    with served(scripted(tmp_path, seeds="1", text=MATCH), "--serve") as address:
        assert get(address, Host="evil.example")[0] == 403
        assert get(address, Host="127.0.0.1")[0] == 403
        for place in ("campaign.json", "../campaign.json", "state/", "?x", "%2e%2e/"):
            assert get(address + place)[0] == 404


def test_what_breaks_while_it_is_served_is_said(tmp_path: Path) -> None:
    runs, (aside, place) = unfinished(tmp_path)
    with served(runs) as address:
        aside.rename(place)
        place.write_bytes(b"{}")
        status, words = get(address)
        assert status == 500
        assert place.name in words


def test_a_page_that_is_asked_for_again_has_what_judges_said_since(tmp_path: Path) -> None:
    runs = scripted(tmp_path, seeds="1", text=MATCH)
    before = LivePage(runs)
    first = before.current()
    assert before.current() is first
    for path in (runs / "runs").glob("*.json"):
        os.utime(path, ns=(1, 1))
    again = before.current()
    assert again is not first
    write_judges(Folder(runs), Judges(SCHEMA, 1, {"openai/judge": Endpoint("").parameters}))
    assert before.current() is not again


def test_browsers_that_leave_or_say_nothing_disturb_nobody(tmp_path: Path) -> None:
    """Neither is there a word of it, nor does anybody wait for them."""
    runs = scripted(tmp_path, seeds="1", text=MATCH)
    process = begin(runs, "--serve")
    found = address(process)
    port = int(found.rstrip("/").rpartition(":")[2])
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    for _ in range(10):
        with socket.create_connection(("127.0.0.1", port)) as gone:
            gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            gone.sendall(f"GET / HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    assert get(found + "state")[0] == 200
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert (process.wait(), said) == (0, "ended\n")
    for each in silent:
        each.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_read_any_more_is_said(tmp_path: Path) -> None:
    runs = scripted(tmp_path, seeds="1", text=MATCH)
    with served(runs, "--serve") as address:
        (runs / "runs").chmod(0)
        try:
            status, words = get(address + "state")
        finally:
            (runs / "runs").chmod(0o700)
    assert status == 500
    assert "Permission denied" in words


def test_a_complete_campaign_is_a_file(tmp_path: Path) -> None:
    runs = scripted(tmp_path, text=MATCH)
    done = colosseum("view", runs, "--no-browser")
    assert done.returncode == 0
    assert done.stdout == ""
    assert str(runs / "report.html") in "".join(done.stderr.split())
    assert "data-live" not in (runs / "report.html").read_text(encoding="utf-8").partition("<main>")[0]
    assert colosseum("log", "verify", runs).returncode == 0


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    runs = scripted(tmp_path, seeds="1", text=MATCH)
    with served(runs, "--serve") as address:
        port = address.rstrip("/").rpartition(":")[2]
        done = colosseum("view", runs, "--serve", "--no-browser", "--port", port)
    assert done.returncode == 2
    assert f"cannot serve at port {port}" in done.stderr


@pytest.mark.parametrize("more", [(), ("--serve",)])
def test_what_is_no_campaign_is_not_shown(more: tuple[str, ...], tmp_path: Path) -> None:
    done = colosseum("view", SPECS, "--no-browser", *more)
    assert done.returncode == 2
    assert "holds no campaign" in done.stderr
    assert not (SPECS / "report.html").exists()
