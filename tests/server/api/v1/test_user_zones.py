"""The time zone of a request, over REST and through the proxy. On every store; every answer is checked."""

from datetime import UTC, datetime

import httpx
import pytest

from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock

HEADER = "x-toldonce-time-zone"
VISIT = {"role": "user", "content": "I visited my friend Ana in the hospital yesterday."}
# Midnight in Auckland, five in the morning in Los Angeles.
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


async def told(api: httpx.AsyncClient, user: str) -> str:
    answer = await api.post(f"/v1/subjects/user:{user}/context", json={"query": "How is Ana?"})
    return str(answer.json()["text"])


async def test_the_header_says_which_day_yesterday_was(
    api: httpx.AsyncClient, engine: AsyncToldOnce, clock: FakeClock
) -> None:
    clock.set(NOW)
    body = {"model": "toldonce/offline", "messages": [VISIT]}
    for user, zone in (("kiri", "Pacific/Auckland"), ("joe", "UTC-7")):
        headers = {HEADER: zone, "x-toldonce-user": user}
        assert (await api.post("/v1/chat/completions", json=body, headers=headers)).status_code == 200
        path = f"/v1/subjects/user:{user}-by-rest/messages"
        assert (await api.post(path, json={"messages": [VISIT]}, headers={HEADER: zone})).status_code < 300
    await engine.form()

    days = {user: await told(api, user) for user in ("kiri", "kiri-by-rest", "joe", "joe-by-rest")}
    assert ["[4 May 2026]" in text for text in days.values()] == [True, True, False, False]
    assert ["[3 May 2026]" in text for text in days.values()] == [False, False, True, True]


async def test_a_message_answers_with_the_offset_that_it_came_with(api: httpx.AsyncClient) -> None:
    at = "2026-04-10T01:00:00+09:00"
    path = "/v1/subjects/user:yuki/conversations/chat/messages"
    await api.post(path, json={"messages": [{**VISIT, "said_at": at}]})
    [message] = (await api.get(path)).json()["messages"]

    assert message["said_at"] == at


@pytest.mark.parametrize("zone", ["Mars/Olympus", "UTC+25", "../etc/passwd"])
async def test_a_header_that_names_no_zone_gets_400_with_an_example(api: httpx.AsyncClient, zone: str) -> None:
    body = {"model": "toldonce/offline", "messages": [VISIT]}
    chat = await api.post("/v1/chat/completions", json=body, headers={HEADER: zone})
    search = await api.post("/v1/subjects/me/search", json={"query": "Ana"}, headers={HEADER: zone})

    assert (chat.status_code, search.status_code) == (400, 400)
    for answer in (chat, search):
        assert zone in answer.text
        assert "Europe/Berlin" in answer.text
