"""Time limits of writes to clients and reads from upstream, and how few timers they need."""

import asyncio
from collections.abc import MutableMapping
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest
from aiohttp.base_protocol import BaseProtocol

from toldonce.server.asgi import ClientDisconnectedError, with_write_timeout
from toldonce.server.http_upstream import _HttpAnswer, _Watchdog
from toldonce.server.upstream import Deadlines, UpstreamBrokenError

# Long enough that no limit passes by itself on a loaded machine; the short ones are to pass.
LONG_S, SHORT_S = 60.0, 0.01
EVENT: MutableMapping[str, Any] = {"type": "http.response.body", "body": b"x", "more_body": True}


@pytest.fixture
async def timers(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When each timer that is set from now on rings."""
    loop, times = asyncio.get_running_loop(), list[float]()
    call_at = loop.call_at

    def noted(when: float, *arguments: Any, **named: Any) -> asyncio.TimerHandle:
        times.append(when)
        return call_at(when, *arguments, **named)

    monkeypatch.setattr(loop, "call_at", noted)
    return times


# ---- writes


async def test_writes_that_do_not_wait_set_no_timer(timers: list[float]) -> None:
    written = []

    async def send(event: MutableMapping[str, Any]) -> None:
        written.append(event)

    in_time = with_write_timeout(send, LONG_S)
    for _ in range(100):
        await in_time(EVENT)

    assert (len(written), timers) == (100, [])


async def test_a_write_that_waits_goes_on_where_it_was(timers: list[float]) -> None:
    steps = []

    async def send(event: MutableMapping[str, Any]) -> None:
        for step in range(3):
            steps.append(step)
            await asyncio.sleep(0)
            await asyncio.wait_for(asyncio.sleep(0), LONG_S)

    await with_write_timeout(send, LONG_S)(EVENT)

    assert steps == [0, 1, 2]
    assert len(timers) >= 1


async def test_a_write_that_waits_too_long_counts_as_a_client_that_left() -> None:
    with pytest.raises(ClientDisconnectedError, match=r"the client read nothing for 0\.01 s"):
        await with_write_timeout(_never_written, SHORT_S)(EVENT)


async def test_an_error_of_a_write_that_waited_is_raised() -> None:
    async def send(event: MutableMapping[str, Any]) -> None:
        await asyncio.sleep(0)
        raise RuntimeError("already answered")

    with pytest.raises(RuntimeError, match="already answered"):
        await with_write_timeout(send, LONG_S)(EVENT)


async def test_a_cancellation_reaches_the_write_that_waits() -> None:
    cancelled, waiting = [], asyncio.Event()

    async def send(event: MutableMapping[str, Any]) -> None:
        try:
            waiting.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(event)
            raise

    writing = asyncio.ensure_future(with_write_timeout(send, LONG_S)(EVENT))
    await waiting.wait()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing

    assert cancelled == [EVENT]


async def _never_written(event: MutableMapping[str, Any]) -> None:
    await asyncio.Event().wait()


# ---- reads


def answer(*, first_byte_s: float = LONG_S, idle_s: float = LONG_S, total_s: float = LONG_S) -> _HttpAnswer:
    loop = asyncio.get_running_loop()
    connection = BaseProtocol(loop)
    connection.connection_made(asyncio.Transport())
    content = aiohttp.StreamReader(connection, 1 << 16, loop=loop)
    deadlines = Deadlines(connect_s=LONG_S, first_byte_s=first_byte_s, idle_s=idle_s, total_s=total_s)
    return _HttpAnswer(cast(aiohttp.ClientResponse, SimpleNamespace(content=content)), deadlines, loop.time())


async def test_an_answer_of_a_hundred_chunks_sets_two_timers(timers: list[float]) -> None:
    body = answer(first_byte_s=2 * LONG_S, total_s=10 * LONG_S)
    content, chunks = body.response.content, body.chunks()
    for number in range(100):
        waiting = asyncio.ensure_future(anext(chunks))
        await asyncio.sleep(0)
        content.feed_data(b"%d" % number)
        assert await waiting == b"%d" % number
    content.feed_eof()

    assert [chunk async for chunk in chunks] == []
    assert len(timers) == 2  # for the first byte, and for what follows


async def test_a_connection_that_closes_between_two_reads_breaks_the_answer_off() -> None:
    body = answer()
    content, chunks = body.response.content, body.chunks()
    content.feed_data(b"I am")
    assert await anext(chunks) == b"I am"
    content._protocol.connection_lost(None)  # without a word to the reader, as after a frame that is none
    with pytest.raises(UpstreamBrokenError, match="upstream's answer broke off: ClientConnectionError"):
        await anext(chunks)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"first_byte_s": SHORT_S}, r"upstream's answer was silent for 0\.01 s"),
        ({"total_s": SHORT_S}, "upstream's answer took longer than its total time"),
    ],
)
async def test_an_answer_that_does_not_begin_is_broken(limits: dict[str, float], reason: str) -> None:
    with pytest.raises(UpstreamBrokenError, match=reason):
        await anext(answer(**limits).chunks())


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"idle_s": SHORT_S}, r"upstream's answer was silent for 0\.01 s"),
        ({"total_s": SHORT_S}, "upstream's answer took longer than its total time"),
    ],
)
async def test_an_answer_that_stalls_gives_what_came_and_is_broken(limits: dict[str, float], reason: str) -> None:
    body = answer(**limits)
    body.response.content.feed_data(b"Hel")
    chunks = body.chunks()

    assert await anext(chunks) == b"Hel"
    with pytest.raises(UpstreamBrokenError, match=reason):
        await anext(chunks)


async def test_bytes_that_came_with_the_cut_are_passed_on_before_it() -> None:
    cut = answer()
    chunks = cut.chunks()
    cut.response.content.feed_data(b"first")
    assert await anext(chunks) == b"first"

    cut.response.content.feed_data(b"last")
    cut.response.content.set_exception(aiohttp.ClientPayloadError("cut"))

    assert await anext(chunks) == b"last"
    with pytest.raises(UpstreamBrokenError, match="broke off"):
        await anext(chunks)


async def test_a_client_that_reads_slowly_does_not_make_its_answer_late() -> None:
    body = answer(idle_s=SHORT_S)
    content, chunks = body.response.content, body.chunks()
    content.feed_data(b"Hel")
    assert await anext(chunks) == b"Hel"

    await _past(3 * SHORT_S)  # spent by the client
    content.feed_data(b"lo")

    assert await anext(chunks) == b"lo"


@pytest.mark.parametrize("came", [True, False])
async def test_a_process_that_stood_still_does_not_take_what_came_for_silence(
    came: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = answer()
    content, loop = body.response.content, asyncio.get_running_loop()
    watchdog = _Watchdog(content, body.deadlines, body.started)
    watchdog.begin()
    later = loop.time() + 2 * LONG_S

    monkeypatch.setattr(loop, "time", lambda: later)
    if came:
        content.feed_data(b"Hel")
    watchdog._ring()
    watchdog.stop()

    assert (content.exception() is None) is came


async def _past(seconds: float) -> None:
    passed = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, passed.set)
    await passed.wait()
