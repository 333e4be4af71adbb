"""Erasing a user erases the sessions, apps and characters within: nothing of them is left (I13)."""

import asyncio
import os
import random
from dataclasses import replace
from pathlib import Path

import pytest

from canaries import DenseEmbedder, canary, found, occurrences, spellings, vector_parts
from household import Household
from maintenance.test_erase_races import Pondering
from sample_chats import ALL_KINDS, assistant, user
from stores import DURABLE
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.scope import owned_subject
from toldonce.store.postgres.connection import SCHEMA, TABLES, connect
from toldonce.store.sql.erase import erase
from toldonce.testing import FakeClock
from toldonce.types import ErasureStatus, RequestScope, Subject

ANA = Subject("user", "ana")


@pytest.fixture(params=DURABLE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def parts(parts: Components) -> Components:
    return replace(parts, embedder=DenseEmbedder())


@pytest.fixture
def folder(parts: Components) -> Path:
    """Where the file is, and its log."""
    return Path(parts.settings.database_url.removeprefix("sqlite:///")).parent


@pytest.fixture
def luck() -> random.Random:
    return random.Random(int.from_bytes(os.urandom(4)))


def traces(parts: Components, folder: Path, words: list[str], salts: list[bytes]) -> list[str]:
    """Search all there is for words: every byte of the file and its log, or every row of a server's tables."""
    patterns = {pattern: f"{word} as {how}" for word in words for how, pattern in spellings(word, salts)}
    url = parts.settings.database_url
    if url.startswith("sqlite:"):
        return found(folder, patterns)
    with connect(url) as db:
        rows = b"\n".join(
            value if isinstance(value, bytes) else str(value).encode()
            for (name,) in db.execute(TABLES, (SCHEMA,)).fetchall()
            for row in db.execute(f'SELECT * FROM "{SCHEMA}"."{name}"')  # noqa: S608
            for value in row
        )
    return sorted({patterns[pattern] for pattern, _ in occurrences(rows, patterns)})


async def salts_of(parts: Components, subjects: list[Subject]) -> list[bytes]:
    return [(await parts.store.snapshots.snapshot(subject, "")).salt for subject in subjects]


async def everything(engine: AsyncToldOnce, subject: Subject) -> list[str]:
    """Read all that can be read of a subject."""
    said = [
        message.text
        for conversation in await engine.conversations.list(user=subject)
        for message in await engine.conversations.messages(conversation.id, user=subject)
    ]
    known = [memory.text for memory in await engine.list(user=subject, kinds=ALL_KINDS, closed=True, limit=5_000)]
    return [*said, *known, *(line.text for line in await engine.history.decisions(user=subject, limit=5_000))]


@pytest.mark.parametrize(("kind", "everywhere"), [(kind, kind == "file") for kind in DURABLE])
async def test_i13_no_subject_name_header_title_or_setting_keeps_an_erased_user(
    engine: AsyncToldOnce, parts: Components, folder: Path, luck: random.Random, everywhere: bool
) -> None:
    who = canary(luck, accented=True)
    house = Household(engine, parts, who, luck)
    inner = await house.plant()
    ben = Household(engine, parts, "ben", luck)
    bens = await ben.plant()
    words, salts = [who, *house.words], await salts_of(parts, [house.home, *inner])
    there = set(traces(parts, folder, words, salts))
    planted = {where for word, where in house.words.items() if any(text.startswith(word) for text in there)}
    assert planted == set(house.words.values()), "else the search could not fail"

    receipt = await engine.erasure.subject(who, everywhere=everywhere)
    places = {place.name: place for place in receipt.places}
    assert all(
        places[subject.text].reach is ErasureStatus.REACHED and places[subject.text].count > 0 for subject in inner
    )
    assert receipt.done == parts.settings.database_url.startswith("sqlite:")
    assert traces(parts, folder, words, salts) == []
    embedder = parts.embedder
    assert isinstance(embedder, DenseEmbedder)
    texts = sorted(text for text in embedder.seen if any(word in text for word in house.words))
    vectors = {part: text for text in texts for row in await embedder.embed([text]) for _, part in vector_parts(row)}
    if receipt.done:
        assert found(folder, vectors) == []
    await engine.form()
    assert {subject.text for subject in await engine.admin.subjects()} & {
        house.home.text,
        *(subject.text for subject in inner),
    } == set()
    assert [await everything(engine, subject) for subject in (house.home, *inner)] == [[]] * (1 + len(inner))
    assert traces(parts, folder, words, salts) == []

    again = await engine.erasure.subject(who, everywhere=True)
    assert [place for place in again.places if place.reach is ErasureStatus.REACHED and place.count] == []
    assert (await engine.admin.stats(check=True)).problems == ()
    assert all([await everything(engine, subject) for subject in (ben.home, *bens)]), "another user keeps all"
    still = {text.split(" as ")[0] for text in traces(parts, folder, [*ben.words], [])}
    missing = {where for word, where in ben.words.items() if word not in still}
    assert missing == set()


NAMES = (
    "ana",
    "ana2",
    "an",
    "an%",
    "a_a",
    "ana/x",
    "Ana",
    "ana ",
    "ána",
    "安娜 🐝",
    "app:ana",
    "user:ana",
    "ana%2Fx",
    "ana/",
)


async def test_i13_only_the_named_users_subjects_go_however_alike_other_names_are(engine: AsyncToldOnce) -> None:
    subjects: dict[str, list[Subject]] = {}
    for who in NAMES:
        home = Subject("user", who)
        subjects[who] = [home, *(owned_subject(kind, home, f"{who}/1") for kind in ("session", "app", "character"))]
        subjects[who].append(owned_subject("session", subjects[who][2], "1"))
        await add_to(engine, subjects[who])
    calendar = Subject("app", "calendar")
    await add_to(engine, [calendar])
    every = {subject.text for owned in subjects.values() for subject in owned}
    for gone in NAMES:
        receipt = await engine.erasure.subject(Subject("user", gone))
        within = {subject.text for subject in subjects[gone][1:]}
        assert {place.name for place in receipt.places} & every == within
        left = {subject.text for subject in await engine.admin.subjects()}
        assert left == (every | {calendar.text}) - within - {f"user:{gone}"}
        await add_to(engine, subjects[gone])


async def add_to(engine: AsyncToldOnce, subjects: list[Subject]) -> None:
    for subject in subjects:
        await engine.add(f"Something of {subject.text}.", user=subject)


async def test_i13_a_user_is_found_by_a_name_that_was_written_by_hand(engine: AsyncToldOnce) -> None:
    for name in ("Zoë/1", "Zo%C3%AB/2", "user:Zoë/3", "Zo%C3%AB%2F/4"):
        await engine.add("Zoë has a hive.", user=Subject("session", name))
    receipt = await engine.erasure.subject("Zoë")
    assert {place.name for place in receipt.places if place.name.startswith("session:")} == {
        "session:Zoë/1",
        "session:Zo%C3%AB/2",
        "session:user:Zoë/3",
    }
    assert await engine.list(user=Subject("session", "Zo%C3%AB%2F/4"))


async def test_i13_a_session_is_erased_with_its_contents_and_its_name_in_records(
    engine: AsyncToldOnce, parts: Components, folder: Path, luck: random.Random
) -> None:
    house = Household(engine, parts, "ana", luck)
    inner = await house.plant()
    app, nested = inner[1], inner[4]
    receipt = await engine.erasure.subject(app)
    assert nested.text in {place.name for place in receipt.places}
    left = {subject.text for subject in await engine.admin.subjects()}
    assert left & {app.text, nested.text} == set()
    assert {subject.text for subject in (inner[0], inner[2], inner[3], house.home)} <= left
    recalled = [item for record in await parts.store.conversations.injections(house.home) for item in record.items]
    assert recalled
    assert {subject for subject, *_ in recalled} & {app, nested} == set()
    assert await engine.erasure.subject("ana")
    assert {subject.text for subject in await engine.admin.subjects()} == set()


async def test_i13_a_user_with_more_subjects_than_a_transaction_is_erased_whole(
    engine: AsyncToldOnce, parts: Components, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase, "MAX_INNER", 4)
    for number in range(11):
        await engine.add(f"Number {number} is a secret.", user=owned_subject("session", ANA, f"{number}"))
    await engine.add("A secret within.", user=owned_subject("session", owned_subject("session", ANA, "3"), "x"))
    receipt = await engine.erasure.subject("ana")
    assert len([place for place in receipt.places if place.name.startswith("session:")]) == 12
    assert next(place.count for place in receipt.places if place.name == "memories") == 12
    assert await engine.admin.subjects() == []
    assert traces(parts, folder, ["secret", "session:ana"], []) == []


async def test_i13_erasing_a_conversation_reaches_its_users_inner_subjects(
    engine: AsyncToldOnce, parts: Components, folder: Path, luck: random.Random
) -> None:
    word, kept = canary(luck), canary(luck)
    scope = RequestScope(profile="session")
    said = [user(f"I'm allergic to {word}."), assistant(f"I noted that you are allergic to {word}.")]
    recorded = await engine.record(said, user="ana", conversation="one", scope=scope)
    await engine.form()
    session = await engine.conversations.subject(user="ana", conversation="one", scope=scope)
    await engine.add(f"Keep {kept}.", user=session)
    assert [memory for memory in await engine.list(user=session) if word in memory.text]
    receipt = await engine.erasure.conversation(recorded.conversation, user="ana")
    assert next(place.count for place in receipt.places if place.name == "other subjects") == 0
    assert [memory.text for memory in await engine.list(user=session)] == [f"Keep {kept}."]
    assert traces(parts, folder, [word], await salts_of(parts, [ANA, session])) == []


@pytest.mark.soak
@pytest.mark.parametrize("by", ["rules", "model"])
async def test_i13_a_formation_under_way_does_not_bring_an_erased_user_back(
    parts: Components, clock: FakeClock, folder: Path, luck: random.Random, by: str
) -> None:
    engine = AsyncToldOnce(replace(parts, model=Pondering(luck) if by == "model" else None))
    scenes = (
        RequestScope(profile="session"),
        RequestScope(profile="app", app="notes"),
        RequestScope(profile="character", characters=("Kira", "Marcus")),
    )
    words: list[str] = []

    async def form() -> None:
        for _ in range(4):
            await asyncio.sleep(luck.uniform(0, 0.01))
            await engine.form()

    async def erase() -> None:
        await asyncio.sleep(luck.uniform(0, 0.03))
        await engine.erasure.subject("ana")

    for number in range(6):
        for scope in scenes:
            words.append(canary(luck))
            said = [user(f"I'm allergic to {words[-1]}."), assistant(f"I will mind that, allergic to {words[-1]}.")]
            name = f"{scope.profile} {number}"
            await engine.conversations.end(name, user="ana", messages=said, scope=scope)
            await engine.conversations.save(name, user="ana", scope=scope)
        await asyncio.gather(form(), erase(), form())
        await engine.form()
        assert traces(parts, folder, words, []) == [], f"round {number}"
        assert [subject.text for subject in await engine.admin.subjects()] == []
        clock.advance(seconds=20)
    assert await engine.admin.formations(parked=True) == []
    assert (await engine.admin.stats(check=True)).problems == ()
