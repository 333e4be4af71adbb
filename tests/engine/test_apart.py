"""Work on large texts leaves the event loop, and gives what it gives on it."""

import threading

import pytest

from sample_chats import asks, request, user
from toldonce.chat.reply import Reply
from toldonce.concurrency import LARGE
from toldonce.engine import AsyncToldOnce, run_in_thread_if_large


@pytest.mark.parametrize(("size", "leaves"), [(LARGE, False), (LARGE + 1, True)])
async def test_only_what_is_large_goes_to_a_thread(size: int, leaves: bool) -> None:
    assert (await run_in_thread_if_large(size, threading.get_ident) != threading.get_ident()) is leaves


async def test_a_large_request_is_recalled_for_and_recorded_like_any_other(engine: AsyncToldOnce) -> None:
    await engine.record([user("I'm allergic to peanuts.")], user="ana")
    await engine.form()
    asked = request(user("What should I avoid? " + "word " * LARGE))
    prepared = await engine.turns.prepare(asked, asks("ana"), mode="split")
    assert b"peanuts" in prepared.body
    recorded = await engine.turns.finish(asked, asks("ana"), Reply(text="Peanuts.", complete=True), prepared)
    assert recorded is not None
    assert recorded.appended == (1, 2)
