"""A library that is open when its process forks refuses calls in the child, and goes on in the parent."""

import asyncio
import os
import signal
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from patience import PATIENCE_S
from stores import DIALECTS, url_of
from toldonce import ToldOnce
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock

pytestmark = [pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork"), pytest.mark.process]
REFUSED = (
    "RuntimeError: this ToldOnce was opened before a fork and belongs to the parent process; "
    "open one in each child, and none before forking"
)


def in_a_fork(*calls: Callable[[], object]) -> list[str]:
    """Return what each call returns or raises in a forked process, which ends without cleaning up."""
    receiving, sending = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # this process has threads
        pid = os.fork()
    if pid == 0:
        with suppress(BaseException):
            signal.alarm(PATIENCE_S)
            for call in calls:
                os.write(sending, f"{outcome(call)}\n".encode())
        os._exit(0)
    os.close(sending)
    with open(receiving, encoding="utf-8") as lines:
        outcomes = lines.read().splitlines()
    os.waitpid(pid, 0)
    return outcomes


def outcome(call: Callable[[], object]) -> str:
    try:
        return repr(call())
    except Exception as error:  # noqa: BLE001  # sent to the parent
        return f"{type(error).__name__}: {error}"


@pytest.fixture(params=DIALECTS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return url_of(request.param, tmp_path)


def test_a_fork_may_not_use_what_the_parent_opened(url: str) -> None:
    with ToldOnce(url, clock=FakeClock()) as memory:
        memory.add("The canoe is red.", user="ana")
        memory.search("canoe", user="ana")
        outcomes = in_a_fork(
            lambda: memory.search("canoe", user="ana"),
            lambda: memory.add("The boat is green.", user="ana"),
            lambda: memory.bulk.add(["The boat is green."], user="ana"),
            lambda: memory.list(user="ana"),
            memory.admin.run_worker,
            memory.admin.stop_worker,
            memory.close,
        )
        assert outcomes == [*6 * [REFUSED], "None"]
        memory.add("The raft is blue.", user="ana")
        assert {note.text for note in memory.list(user="ana")} == {"The canoe is red.", "The raft is blue."}


def test_a_fork_may_not_use_what_the_async_library_opened(url: str) -> None:
    loop = asyncio.new_event_loop()
    memory = loop.run_until_complete(AsyncToldOnce.open(url, clock=FakeClock()))
    loop.run_until_complete(memory.add("The canoe is red.", user="ana"))
    loop.run_until_complete(memory.search("canoe", user="ana"))
    outcomes = in_a_fork(
        lambda: asyncio.run(memory.search("canoe", user="ana")),
        lambda: asyncio.run(memory.add("The boat is green.", user="ana")),
        lambda: asyncio.run(memory.list(user="ana")),
        lambda: asyncio.run(memory.close()),
    )
    assert outcomes == [*3 * [REFUSED], "None"]
    loop.run_until_complete(memory.add("The raft is blue.", user="ana"))
    assert len(loop.run_until_complete(memory.list(user="ana"))) == 2
    loop.run_until_complete(memory.close())
    loop.close()
