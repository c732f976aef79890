"""The command line as processes that skip imports. In: its words; out: a process, killed and signalled as any other.

litellm and the rest take four seconds to import. One process does so once for all workers of a run of tests, then
forks for each command.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import resource
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

import colosseum

ROOM = 2**17
"""Bytes that the words and the environment of a command may take."""
NUMBER = struct.Struct("<q")
WHOLE = "TESTS_END_WHOLE"
"""A variable of the environment of commands that end as Python does, with all that is said then."""
_ended: list[int] = []


class Command:
    """One that runs, in a session of its own. Its members are those of `subprocess.Popen`."""

    def __init__(
        self,
        *words: object,
        env: Mapping[str, str] | None = None,
        folder: Path | None = None,
        terminal: int | None = None,
        largest: int | None = None,
    ) -> None:
        """`-c` is followed by a program, as Python's own is; `terminal` is its stdin and stderr; no file that it writes
        can have more than `largest` bytes.
        """
        environment = dict(os.environ if env is None else env)
        asked = json.dumps([[str(word) for word in words], environment, str(folder or Path.cwd()), largest])
        (self._end, end), (said, out), (told, err) = os.pipe(), os.pipe(), os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        theirs = [nothing, out, err] if terminal is None else [terminal, out, terminal]
        socket.send_fds(_warm(), [asked.encode()], [*theirs, end])
        for descriptor in (end, out, err, nothing):
            os.close(descriptor)
        self.stdout, self.stderr = os.fdopen(said, encoding="utf-8"), os.fdopen(told, encoding="utf-8")
        self.pid = self._number()
        self.returncode: int | None = None

    def _number(self) -> int:
        return int(NUMBER.unpack(os.read(self._end, NUMBER.size))[0])

    def poll(self) -> int | None:
        """How it ended, if it has."""
        if self.returncode is None and not select.select([self._end], [], [], 0)[0]:
            return None
        return self.wait()

    def wait(self) -> int:
        """How it ends: the code of its exit, or minus the number of the signal that ended it."""
        if self.returncode is None:
            self.returncode = self._number()
            os.close(self._end)
        return self.returncode

    def communicate(self) -> tuple[str, str]:
        """All that it says until it ends."""
        with ThreadPoolExecutor(1) as beside, self.stdout, self.stderr:
            words = beside.submit(self.stderr.read)
            said = self.stdout.read()
            return said, words.result() if self.wait() is not None else ""

    def send_signal(self, number: int) -> None:
        """To it alone."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """With SIGKILL."""
        self.send_signal(signal.SIGKILL)


def run(*words: object, env: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    """A command, once it has ended."""
    command = Command(*words, env=env)
    said, told = command.communicate()
    return subprocess.CompletedProcess(words, command.wait(), said, told)


@cache
def _warm() -> socket.socket:
    """What reaches the process that forks, which the first who asks begins; it ends with the last."""
    name = f"\0colosseum tests {os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"  # of no file
    ours = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    while ours.connect_ex(name):
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(name)  # one of all can; the others wait until it listens
            listener.listen()
            nothing, words = subprocess.DEVNULL, [sys.executable, __file__, str(listener.fileno())]
            subprocess.Popen(words, pass_fds=[listener.fileno()], stdin=nothing, stdout=nothing)
        time.sleep(0.01)
    return ours


def serve(listener: socket.socket) -> bool:
    """Forks for whatever is asked. True in the process of a command, False when nobody can ask any more."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    askers = [listener.accept()[0]]
    while askers:
        for each in select.select([listener, *askers], [], [])[0]:
            if each is listener:
                askers.append(listener.accept()[0])
                continue
            asked, descriptors, _, _ = socket.recv_fds(each, ROOM, 4)
            if not asked:
                askers.remove(each)
                each.close()
            elif os.fork() == 0:
                for inherited in (listener, *askers):
                    inherited.close()
                _keep(descriptors)
                _become(*json.loads(asked))
                return True
            for descriptor in descriptors:
                os.close(descriptor)
    return False


def _keep(descriptors: list[int]) -> None:
    """Goes on in a child, in which they are 0, 1 and 2, and says by the fourth which one it is and how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *standard, end = descriptors
    child = os.fork()
    if child:
        os.write(end, NUMBER.pack(child))
        for descriptor in standard:
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        os.write(end, NUMBER.pack(os.waitstatus_to_exitcode(status)))
        os._exit(0)
    os.close(end)
    for number, descriptor in enumerate(standard):
        os.dup2(descriptor, number)
        os.close(descriptor)


def _become(words: list[str], environment: dict[str, str], folder: str, largest: int | None) -> None:
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0], sys.argv[1:] = folder, words  # as `python -m` has it
    if largest is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))


def _import_all() -> None:
    """All that a command would import, most of it within functions."""
    gc.disable()
    from colosseum.players.models.call import library

    ours = (each.name for each in pkgutil.walk_packages(colosseum.__path__, "colosseum."))
    for name in (*ours, "lark.lark", "openai.resources", "scipy.special"):
        if not name.endswith("__main__"):
            importlib.import_module(name)
    library()
    gc.freeze()
    gc.enable()


def _run() -> None:
    """Become what was asked for, and note how it ended in good order."""
    try:
        if sys.argv[1] == "-c":
            exec(sys.argv[2], {"__name__": "__main__"})
        else:
            runpy.run_module("colosseum", run_name="__main__", alter_sys=True)
        _ended.append(0)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            _ended.append(end.code or 0)
        raise


def _end_at_once() -> None:
    """Called after all else that is to be done at the end: to take all modules apart would take .2 CPU s."""
    if _ended and not os.environ.get(WHOLE):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_ended[0])


if __name__ == "__main__":
    atexit.register(_end_at_once)
    _import_all()
    with socket.socket(fileno=int(sys.argv[1])) as listener:
        is_command = serve(listener)
    if is_command:
        _run()
