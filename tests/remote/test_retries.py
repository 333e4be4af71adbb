"""Requests that get no answer are sent again: a write has one effect, and what may not be repeated is not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from remote_engine import URL, ApplicationTransport
from sample_chats import PEANUTS_AND_OSLO, user
from toldonce.engine import AsyncToldOnce
from toldonce.errors import (
    BadServerError,
    NoAccessError,
    ServerUnreachableError,
    StoreUnavailableError,
    TooManyRequestsError,
)
from toldonce.remote import RemoteToldOnce
from toldonce.remote.client import RemoteOptions
from toldonce.remote.transport import HttpAnswer, HttpRequest
from toldonce.types import Access, NewApiKey, RequestScope

JSON = {"content_type": "application/json"}


async def _parts(body: bytes) -> AsyncIterator[bytes]:
    yield body


def answered(status: int, body: bytes = b"", **headers: str) -> HttpAnswer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpAnswer(status=status, headers=named, parts=_parts(body))


class SpoiltTransport(ApplicationTransport):
    """Lets the server work, and then gives the client something else, as often as a test says."""

    def __init__(self, engine: AsyncToldOnce) -> None:
        super().__init__(engine)
        self.spoils: list[HttpAnswer | Exception] = []
        self.is_served_first = True

    @asynccontextmanager
    async def open(self, request: HttpRequest) -> AsyncIterator[HttpAnswer]:
        spoil = self.spoils.pop(0) if self.spoils else None
        if spoil is not None and not self.is_served_first:
            self.sent.append(request)
            if isinstance(spoil, Exception):
                raise spoil
            yield spoil
            return
        async with super().open(request) as answer:
            if isinstance(spoil, Exception):
                raise spoil
            yield spoil or answer


LOST = ServerUnreachableError("broke off", is_sent=True)
REFUSED = ServerUnreachableError("connection refused", is_sent=False)


@asynccontextmanager
async def spoilt(
    engine: AsyncToldOnce, *, retries: int = 4, timeout_s: float = 5.0, key: str | None = None
) -> AsyncIterator[tuple[RemoteToldOnce, SpoiltTransport]]:
    transport = SpoiltTransport(engine)
    options = RemoteOptions(key=key, retries=retries, timeout_s=timeout_s)
    async with await RemoteToldOnce.reach(URL, options, transport=transport) as remote:
        transport.sent.clear()
        yield remote, transport


async def test_an_answer_that_is_lost_after_the_commit_is_given_again(engine: AsyncToldOnce) -> None:
    async with spoilt(engine) as (remote, transport):
        transport.spoils = [LOST, LOST]
        added = await remote.add("Ana plays the cello.", user="ana")
        assert len(transport.sent) == 3
        assert len({request.headers["Idempotency-Key"] for request in transport.sent}) == 1
    assert await engine.list(user="ana") == [added]
    assert [line.action.value for line in await engine.history.decisions(user="ana")] == ["add"]


async def test_messages_are_recorded_once_whatever_is_lost(engine: AsyncToldOnce) -> None:
    async with spoilt(engine) as (remote, transport):
        lost: list[HttpAnswer | Exception] = [LOST, answered(503, retry_after="0"), answered(502), answered(504)]
        for place, spoil in enumerate(lost):
            transport.spoils = [spoil]
            await remote.record([user(PEANUTS_AND_OSLO)], user="ana", scope=RequestScope(profile="user"))
            transport.spoils = [spoil]
            await remote.record([user(f"I like tea {place}.")], user="ana", conversation="c1")
    chats = await engine.conversations.list(user="ana")
    assert [chat.last_seq for chat in chats if chat.external_id == "c1"] == [4], "said four times"


async def test_two_calls_are_two_writes(engine: AsyncToldOnce) -> None:
    async with spoilt(engine) as (remote, transport):
        await remote.add("Ana plays the cello.", user="ana")
        await remote.add("Ana plays the cello.", user="ana")
        first, second = (request.headers["Idempotency-Key"] for request in transport.sent)
        assert first != second


async def test_what_takes_no_key_is_not_repeated_once_it_was_sent(engine: AsyncToldOnce) -> None:
    _, operator = await engine.keys.create(NewApiKey(name="operator", access=Access.ADMIN, tenant=None))
    async with spoilt(engine, key=operator) as (remote, transport):
        transport.spoils = [LOST]
        with pytest.raises(ServerUnreachableError, match="broke off"):
            await remote.keys.create(NewApiKey(name="phone", access=Access.READ, user="ana"))
        assert len(transport.sent) == 1
        assert len(await remote.keys.list()) == 2
        transport.is_served_first, transport.spoils = False, [REFUSED]
        await remote.keys.create(NewApiKey(name="tablet", access=Access.READ, user="ana"))
        assert len(await remote.keys.list()) == 3


async def test_a_connection_that_stays_down_is_an_error_to_retry(engine: AsyncToldOnce) -> None:
    async with spoilt(engine, retries=2) as (remote, transport):
        transport.is_served_first, transport.spoils = False, [REFUSED] * 3
        with pytest.raises(StoreUnavailableError, match="connection refused"):
            await remote.list(user="ana")
        assert len(transport.sent) == 3


async def test_retry_after_is_waited_for_or_told(engine: AsyncToldOnce) -> None:
    problem = b'{"type": "/docs#too-many-requests", "detail": "the key made its 3 requests of this minute"}'
    kind = "application/problem+json"
    async with spoilt(engine) as (remote, transport):
        transport.is_served_first = False
        transport.spoils = [answered(429, problem, content_type=kind, retry_after="0")]
        assert await remote.list(user="ana") == []
        transport.spoils = [answered(429, problem, content_type=kind, retry_after="40")]
        with pytest.raises(TooManyRequestsError, match="try again in 40 s") as caught:
            await remote.list(user="ana")
        assert caught.value.retry_after_s == 40
        assert len(transport.sent) == 3, "a retry would end after the time limit"


async def test_a_key_with_a_limit_is_served_in_the_end(engine: AsyncToldOnce) -> None:
    limited = NewApiKey(name="slow", access=Access.READ, user="ana", tenant="")
    _, secret = await engine.keys.create(limited)
    async with spoilt(engine, key=secret) as (remote, _):
        assert remote.subject(None).name == "ana"
        with pytest.raises(NoAccessError):
            await remote.add("Ana plays the cello.")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (answered(200, b"<html>hello</html>", content_type="text/html"), "not answered with JSON"),
        (answered(404, b"not here", content_type="text/plain"), "is it a ToldOnce server"),
        (answered(302, b"", location="http://elsewhere.example/"), "answered with 302"),
        (answered(500, b'{"type": "/docs#internal", "detail": "the server failed"}', **JSON), "the server failed"),
        (answered(200, b'{"memories": [{"id": 3}], "next_cursor": null}', **JSON), "Memory cannot be read at id"),
        (answered(200, b'{"memories": []}', **JSON), "lacks 'next_cursor'"),
        (answered(200, b"[1]", **JSON), "not answered with JSON"),
    ],
)
async def test_an_answer_of_something_else_is_said_to_be_one(
    engine: AsyncToldOnce, answer: HttpAnswer, said: str
) -> None:
    async with spoilt(engine) as (remote, transport):
        transport.is_served_first, transport.spoils = False, [answer]
        with pytest.raises(BadServerError, match=said):
            await remote.list(user="ana")


async def test_a_closed_connection_refuses_calls(engine: AsyncToldOnce) -> None:
    async with spoilt(engine) as (remote, _):
        await remote.close()
        with pytest.raises(StoreUnavailableError, match="closed"):
            await remote.list(user="ana")


async def test_times_keep_their_zone_and_texts_their_characters(engine: AsyncToldOnce) -> None:
    said_at = datetime(2026, 3, 29, 2, 30, tzinfo=ZoneInfo("Asia/Kathmandu"))
    text = "Zoë trinkt 🍵 in Łódź, ‏עברית‏ и 日本語."
    async with spoilt(engine) as (remote, _):
        recorded = await remote.record([user(text)], user="Zoë/ü%", conversation="Gespräch 1/ä", said_at=said_at)
        [message] = await remote.conversations.messages(recorded.conversation, user="Zoë/ü%")
        assert (message.text, message.said_at) == (text, said_at)
        assert message.said_at.utcoffset() == timedelta(hours=5, minutes=45)
        known = await remote.conversations.get("Gespräch 1/ä", user="Zoë/ü%")
        assert known == await engine.conversations.get(recorded.conversation, user="Zoë/ü%")
