"""Each user's days begin where the user is: as a message, a request, their own fact or the setting says."""

import io
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from populated import opened
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind, RequestScope


class NoBar:
    """Shows nothing."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Show nothing."""

    def reach(self, done: int) -> None:
        """Show nothing."""


BOTH = pytest.mark.parametrize("kind", ["memory", pytest.param("postgres", marks=pytest.mark.postgres)])
# Midnight in Auckland, five in the morning in Los Angeles.
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
VISIT = [{"role": "user", "content": "I visited my friend Ana in the hospital yesterday."}]
QUERY = "How is Ana?"


async def said_of_ana(engine: AsyncToldOnce, user: str, scope: RequestScope | None = None) -> str:
    """Form what is due, and return the memory block of a question."""
    await engine.form()
    return (await engine.context(QUERY, user=user, scope=scope or RequestScope())).text


@BOTH
async def test_yesterday_is_another_day_in_auckland_than_in_los_angeles(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    clock.set(NOW)
    for user, zone in (("kiri", "Pacific/Auckland"), ("joe", "PST")):
        await engine.record(VISIT, user=user, scope=RequestScope(time_zone=zone))

    assert "4 May 2026" in await said_of_ana(engine, "kiri")
    assert "3 May 2026" in await said_of_ana(engine, "joe")


@BOTH
@pytest.mark.parametrize(
    "stated",
    [
        "My time zone is Pacific/Auckland.",
        "Meine Zeitzone ist die von Auckland.",
        "Mi zona horaria es UTC+12.",
        "Mon fuseau horaire est NZST.",
        "我的时区是Pacific/Auckland。",
    ],
)
async def test_the_zone_that_a_user_states_counts_from_then_on(
    engine: AsyncToldOnce, clock: FakeClock, stated: str
) -> None:
    clock.set(NOW)
    await engine.record([{"role": "user", "content": stated}], user="kiri")
    await engine.form()
    for user in ("kiri", "joe"):
        await engine.record(VISIT, user=user)

    assert "4 May 2026" in await said_of_ana(engine, "kiri")
    assert "3 May 2026" in await said_of_ana(engine, "joe")


async def test_a_stated_zone_that_is_none_is_ignored(engine: AsyncToldOnce, clock: FakeClock) -> None:
    clock.set(NOW)
    await engine.record([{"role": "user", "content": "My time zone is Nowhere/Land."}], user="kiri")
    await engine.form()
    await engine.record(VISIT, user="kiri")

    assert "3 May 2026" in await said_of_ana(engine, "kiri")


@BOTH
async def test_a_message_with_an_offset_keeps_its_day(engine: AsyncToldOnce, clock: FakeClock) -> None:
    clock.set(NOW)
    tokyo = timezone(timedelta(hours=9))
    at = datetime(2026, 4, 10, 1, tzinfo=tokyo)  # 16:00 of the day before in UTC
    recorded = await engine.record(VISIT, user="yuki", said_at=at)
    [message] = await engine.conversations.messages(recorded.conversation, user="yuki")
    text = await said_of_ana(engine, "yuki")

    assert message.said_at == at
    assert message.said_at.utcoffset() == timedelta(hours=9)
    assert "9 April 2026" in text


async def test_the_offset_of_a_message_counts_before_all_others(engine: AsyncToldOnce, clock: FakeClock) -> None:
    clock.set(NOW)
    at = datetime(2026, 4, 10, 1, tzinfo=timezone(timedelta(hours=9)))
    scope = RequestScope(time_zone="America/Los_Angeles")
    await engine.record(VISIT, user="yuki", said_at=at, scope=scope)

    assert "9 April 2026" in await said_of_ana(engine, "yuki", scope)


async def test_an_instant_in_utc_tells_no_zone(engine: AsyncToldOnce, clock: FakeClock) -> None:
    clock.set(NOW)
    await engine.record(VISIT, user="kiri", said_at=NOW, scope=RequestScope(time_zone="Pacific/Auckland"))

    assert "4 May 2026" in await said_of_ana(engine, "kiri")


@pytest.mark.parametrize(
    ("at", "day"),
    [
        # Clocks go forward at 01:00 UTC on 29 March, and back on 25 October.
        ("2026-03-28T23:30:00+00:00", "28 March 2026"),
        ("2026-03-29T22:30:00+00:00", "29 March 2026"),
        ("2026-10-24T21:59:00+00:00", "23 October 2026"),
        ("2026-10-25T22:59:00+00:00", "24 October 2026"),
        ("2026-10-25T23:01:00+00:00", "25 October 2026"),
    ],
)
async def test_days_begin_at_midnight_when_clocks_change(
    engine: AsyncToldOnce, clock: FakeClock, at: str, day: str
) -> None:
    instant = datetime.fromisoformat(at)
    clock.set(instant)
    await engine.record(VISIT, user="mia", scope=RequestScope(time_zone="Europe/Berlin"))

    assert day in await said_of_ana(engine, "mia")


@BOTH
async def test_a_search_for_yesterday_means_the_day_of_the_asker(engine: AsyncToldOnce, clock: FakeClock) -> None:
    clock.set(datetime(2026, 5, 3, 8, tzinfo=UTC))  # the evening in Auckland, an hour past midnight in Los Angeles
    await engine.add("The user repaired the gate.", user="kiri")
    clock.set(datetime(2026, 5, 4, 13, tzinfo=UTC))  # 5 May in Auckland
    asked = [
        (await engine.search("what was repaired yesterday?", user="kiri", time_zone=zone)).items[0].reasons
        for zone in ("America/Los_Angeles", "Pacific/Auckland")
    ]

    assert ["from the time asked about" in reasons for reasons in asked] == [True, False]


@BOTH
async def test_a_memory_shows_the_day_where_it_was_said_else_where_the_user_is(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    clock.set(NOW)
    pet = [{"role": "user", "content": "I adopted a cat named Fig from the shelter."}]
    at = datetime(2026, 4, 10, 1, tzinfo=timezone(timedelta(hours=9)))  # 9 April in UTC
    for user, said_at in (("yuki", at), ("kiri", at.astimezone(UTC))):
        await engine.record(pet, user=user, said_at=said_at)
    await engine.form()
    shown = [
        (await engine.context("Where is the cat from?", user=user, scope=RequestScope(time_zone=zone))).text
        for user, zone in (("yuki", "UTC"), ("kiri", "UTC"), ("kiri", "Asia/Tokyo"))
    ]

    assert ["10 April 2026" in text for text in shown] == [True, False, True]
    assert ["9 April 2026" in text for text in shown] == [False, True, False]


@pytest.mark.parametrize("zone", ["Mars/Olympus", "UTC+25", "../etc/passwd", "x" * 1000])
async def test_a_zone_that_is_none_is_refused_with_an_example(engine: AsyncToldOnce, zone: str) -> None:
    with pytest.raises(BadRequestError, match="Europe/Berlin"):
        await engine.search("Ana", user="ana", time_zone=zone)
    with pytest.raises(BadRequestError, match="Europe/Berlin"):
        await engine.record(VISIT, user="ana", scope=RequestScope(time_zone=zone))


@pytest.mark.parametrize("to", DURABLE)
async def test_an_export_carries_the_zones(to: str, tmp_path: Path) -> None:
    file, path = io.BytesIO(), tmp_path / "to"
    path.mkdir()
    at = datetime(2026, 4, 10, 1, tzinfo=ZoneInfo("Asia/Tokyo"))
    async with opened(url_of("file", tmp_path)) as engine:
        await engine.record([{"role": "user", "content": "I have a cat named Fig."}], user="yuki", said_at=at)
        await engine.record([{"role": "user", "content": "I have a dog."}], user="yuki", said_at=at.astimezone(UTC))
        await engine.form()
        await engine.transfer.export_to(file, user="yuki")
    file.seek(0)
    async with opened(url_of(to, path)) as engine:
        await engine.transfer.import_from(file, progress=NoBar())
        said = [
            message.said_at
            for conversation in await engine.conversations.list(user="yuki")
            for message in await engine.conversations.messages(conversation.id, user="yuki")
        ]
        kept = await engine.list(user="yuki", kinds=(MemoryKind.TURN,))

    assert sorted(str(instant.tzinfo) for instant in said) == ["Asia/Tokyo", "UTC"]
    assert sorted(str(memory.valid_from.tzinfo) for memory in kept) == ["Asia/Tokyo", "UTC"]
