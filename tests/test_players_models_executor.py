"""What litellm prepares takes no thread where it waits for nothing, and one where it might."""

import asyncio
import threading
from dataclasses import replace
from functools import partial

import pytest
from asking import ENDPOINT, VIEW, give_key
from chat_server import ChatServer, says

from colosseum.players.models.call import call
from colosseum.players.models.executor import THREADS, prepare
from colosseum.players.models.failure import Failure
from colosseum.players.models.messages import messages
from colosseum.players.models.request import Place, Request
from colosseum.players.models.tools import tools


async def threads_of(request: Request) -> list[str]:
    """Names of the threads that a call began."""
    assert not isinstance(await call(request), Failure)
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(THREADS)]


@pytest.mark.parametrize(("model", "begun"), [("openai/test-model", False), ("llamafile/test-model", True)])
def test_only_some_providers_calls_are_prepared_at_once(
    model: str, begun: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_key(monkeypatch)
    with ChatServer([says("hi")]) as server:
        endpoint = replace(ENDPOINT, model=model, api_base=server.url)
        names = asyncio.run(threads_of(Request(endpoint, messages(VIEW), tools(VIEW), Place())))
    assert bool(names) == begun


def test_whatever_else_a_loop_hands_over_gets_a_thread() -> None:
    async def asked() -> tuple[str, str]:
        prepare("openai/test-model")
        loop = asyncio.get_running_loop()
        plain = await loop.run_in_executor(None, threading.current_thread)
        return plain.name, (await loop.run_in_executor(None, partial(threading.current_thread))).name

    plain, prepared = asyncio.run(asked())
    assert plain.startswith(THREADS)
    assert prepared == threading.current_thread().name


def test_what_goes_wrong_while_preparing_is_the_callers() -> None:
    async def asked() -> None:
        prepare("openai/test-model")
        await asyncio.get_running_loop().run_in_executor(None, partial(int, "none"))

    with pytest.raises(ValueError, match="none"):
        asyncio.run(asked())
