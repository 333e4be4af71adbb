"""What was forgotten or closed stays so where it is carried to: by import, by copy, under other extractors."""

import io
import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from crafted import take_in
from populated import opened, parts_of
from sample_chats import ALL_KINDS, answer, assistant, note, texts, user
from soak import whole_only
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.engine.databases import copy_database
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import MemoryKind

# From one database into the other both are read and written; from one into its own kind, in a long run.
WAYS = [
    pytest.param(way, marks=whole_only if len(set(way)) < min(2, len(DURABLE)) else (), id="-".join(way))
    for way in product(DURABLE, DURABLE)
]
GONE = ("walnut", "opera", "1234", "hunter2")
# Secrets stand before and behind what is forgotten: an export strikes them out, and counts otherwise from there on.
SAID = (
    "My PIN is 1234, keep it safe. I'm allergic to walnuts. I love rainy gardens.",
    "I live in Rome and my password is hunter2x9Q7, so there. I'm allergic to walnuts. I collect stamps.",
    "My API_KEY=ab12cd34ef56gh78 is old and I hate opera, but I paint boats.",
)


class NoBar:
    def begin(self, phase: str, unit: str, total: int) -> None:
        """Show nothing."""

    def reach(self, done: int) -> None:
        """Show nothing."""


async def forgetful(url: str, clock: FakeClock) -> None:
    """Tell things, forget some, and change others."""
    async with AsyncToldOnce(await parts_of(url, clock=clock)) as engine:
        for said in SAID:
            await engine.record([user(said), assistant(f"Noted. {said}")], user="ana", conversation="c")
            await engine.form()
            clock.advance(hours=1)
        facts = await engine.list(user="ana", kinds=(MemoryKind.FACT,))
        [walnuts] = [memory for memory in facts if memory.value == "walnuts"]
        await engine.forget(walnuts.id, user="ana")
        await engine.record([user("I moved to Oslo last week.")], user="ana", conversation="c")
        await engine.record([user("Please forget that I hate opera.")], user="ana", conversation="d")
        await engine.form()


async def shown(engine: AsyncToldOnce) -> str:
    found = [await engine.search(query, user="ana", limit=50) for query in ("walnuts", "Where do I live?", "opera")]
    return " ".join([*await texts(engine), *(item.memory.text for recall in found for item in recall.items)])


def carried(way: tuple[str, str], folder: Path) -> tuple[str, str]:
    for name in ("here", "there"):
        (folder / name).mkdir()
    return url_of(way[0], folder / "here"), url_of(way[1], folder / "there")


async def lines_of(url: str) -> bytes:
    file = io.BytesIO()
    async with opened(url) as engine:
        await engine.transfer.export_to(file, everybody=True)
    return file.getvalue()


@pytest.mark.parametrize("way", WAYS)
async def test_what_was_forgotten_or_closed_stays_so_where_it_is_imported(
    way: tuple[str, str], tmp_path: Path, clock: FakeClock
) -> None:
    here, there = carried(way, tmp_path)
    await forgetful(here, clock)
    await take_in(there, await lines_of(here))
    async with opened(there) as engine:
        held = await shown(engine)
        whole = [memory.text for memory in await engine.list(user="ana", kinds=ALL_KINDS, closed=True, limit=1000)]
    assert not [word for word in GONE if word in held]
    assert all(word in held for word in ("rainy gardens", "collect stamps", "paint boats"))
    assert [text for text in whole if "walnut" in text], "its history stays"
    again = carried(way, tmp_path / "here")
    await take_in(again[0], await lines_of(there))
    async with opened(again[0]) as engine:
        assert not [word for word in GONE if word in await shown(engine)]


@pytest.mark.parametrize("way", WAYS)
async def test_what_was_forgotten_or_closed_stays_so_in_a_copy(
    way: tuple[str, str], tmp_path: Path, clock: FakeClock
) -> None:
    here, there = carried(way, tmp_path)
    await forgetful(here, clock)
    copy_database(here, there, progress=NoBar())
    async with opened(there) as engine:
        held = await shown(engine)
    assert not [word for word in GONE if word in held]
    assert "rainy gardens" in held


async def test_another_extractor_does_not_restore_forgotten_memories_of_an_import(
    tmp_path: Path, clock: FakeClock
) -> None:
    here, there = carried((DURABLE[0], DURABLE[0]), tmp_path)
    await forgetful(here, clock)
    await take_in(there, await lines_of(here))
    quotes = ("I'm allergic to walnuts.", "I hate opera", "I love rainy gardens.")
    model = ScriptedModel(
        lambda _system, asked: answer(
            *(
                note(f"The user says: {quote}", quote, message=place)
                for quote in quotes
                for place, line in enumerate(asked.rpartition("Messages:\n")[2].splitlines(), start=1)
                if quote in line
            )
        )
    )
    parts = replace(await parts_of(there, clock=clock), model=model)
    async with AsyncToldOnce(parts) as forming:
        await forming.record([user("I adopted a dog.")], user="ana", conversation="c")
        await forming.form()
        clock.advance(hours=1)
        await forming.form()
        held = " ".join(await texts(forming))
    assert model.calls
    assert "says: I love rainy gardens" in held
    assert "walnut" not in held


async def test_a_file_whose_secrets_were_put_back_withholds_the_same_words(tmp_path: Path, clock: FakeClock) -> None:
    """Somebody writes a file by hand: the secrets are struck out on the way in, and what is withheld moves along."""
    here, there = carried((DURABLE[0], DURABLE[0]), tmp_path)
    async with AsyncToldOnce(await parts_of(here, clock=clock)) as engine:
        await engine.record([user("My bird is Jo. I'm allergic to walnuts. I ski.")], user="ana", conversation="c")
        await engine.form()
        [walnuts] = [
            memory for memory in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if memory.value == "walnuts"
        ]
        await engine.forget(walnuts.id, user="ana")
    lines = [json.loads(line) for line in (await lines_of(here)).splitlines()]
    secret = "My PIN is 1234"  # as long as what it replaces
    for line in lines:
        if "message" in line:
            line["message"]["text"] = line["message"]["text"].replace("My bird is Jo.", secret)
    await take_in(there, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    async with opened(there) as engine:
        held = " ".join(await texts(engine, kinds=(MemoryKind.TURN,)))
    assert "1234" not in held
    assert "nuts" not in held
    assert "I ski." in held
