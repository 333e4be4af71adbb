"""Exports carry what was inserted into prompts; a file that is not trusted cannot put a text into a prompt."""

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factories import ANA, add, memory, turn
from populated import opened, parts_of
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.ids import new_id
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock
from toldonce.types import EraseRequest, LedgerRows, Memory, PromptInsertion, Subject

SECRET = "sk-proj-Qm3vT9xLr2WzK8bYd5NcHj7Pf4Gs6Ea1Ru0Ti"  # made up
TEA, TEAM = "Ana likes tea.", Subject("shared", "team")


@pytest.fixture(params=DURABLE)
def there(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    (tmp_path / "there").mkdir()
    return url_of(request.param, tmp_path / "there")


async def filled(url: str, clock: FakeClock) -> tuple[PromptInsertion, Memory]:
    """Hold a conversation with two insertions: the second withdraws what the first shows."""
    parts = await parts_of(url, clock=clock)
    async with AsyncToldOnce(parts):
        tea, ours = memory(TEA, subject=ANA, clock=clock), memory("The team likes cake.", subject=TEAM, clock=clock)
        for known in (tea, ours):
            await parts.store.memories.apply(known.subject, [add(known, vector=None)], [])
        row = PromptInsertion(
            thread=-(2**63),
            chain=5,
            depth=1,
            id=new_id(clock),
            at=clock.now(),
            standing=f"{TEA} 蜜蜂",
            recalled=f"The key is {SECRET}.\n",
            items=((ANA, tea.id), (TEAM, ours.id)),
            sent_bytes=2**40,
            sent_hash="abc",
        )
        await parts.store.insertions.add(ANA, [row])
        said = replace(turn("a", "b", external_id="chat"), thread=row.thread, answer_chains=(6,), answer_depth=2)
        await parts.store.conversations.record(said)
        withdrawing = replace(
            row, chain=7, depth=3, id=new_id(clock), items=(), withdrawn=(tea.id,), recalled="No tea."
        )
        await parts.store.insertions.add(ANA, [withdrawing])
    return row, tea


async def exported(url: str) -> bytes:
    file = io.BytesIO()
    async with opened(url) as engine:
        await engine.transfer.export_to(file, everybody=True)
    return file.getvalue()


async def take_in(url: str, data: bytes, *, trusted: bool) -> None:
    async with opened(url) as engine:
        await engine.transfer.import_from(io.BytesIO(data), trusted=trusted)


async def refusal(engine: AsyncToldOnce, data: bytes, *, trusted: bool) -> str:
    """Return why a file is not imported; empty if it is."""
    try:
        await engine.transfer.import_from(io.BytesIO(data), trusted=trusted)
    except BadRequestError as error:
        return str(error)
    return ""


async def rows(url: str, clock: FakeClock) -> LedgerRows:
    store = await open_store(url, clock=clock)
    found = await store.insertions.find(ANA, [5, 6, 7])
    await store.close()
    return found


async def test_a_trusted_import_goes_on_with_the_same_prompts(there: str, tmp_path: Path, clock: FakeClock) -> None:
    here = url_of("file", tmp_path)
    row, tea = await filled(here, clock)
    data = await exported(here)
    assert SECRET.encode() not in data

    await take_in(there, data, trusted=True)

    assert await exported(there) == data
    found = await rows(there, clock)
    first, second = found.insertions
    assert first == replace(row, recalled="The key is [secret].\n")
    assert (second.withdrawn, second.recalled) == ((tea.id,), "No tea.")
    assert [mark.chain for mark in found.answers] == [6]
    store = await open_store(there, clock=clock)
    clock.advance(seconds=1)
    await store.erasures.erase(EraseRequest(subject=ANA, memories=(tea.id,)))
    assert [each.erased for each in (await store.insertions.find(ANA, [5, 7])).insertions] == [True, True]
    await store.close()


async def test_an_untrusted_file_puts_no_text_into_a_prompt(there: str, tmp_path: Path, clock: FakeClock) -> None:
    here = url_of("file", tmp_path)
    row, _ = await filled(here, clock)
    data = await exported(here)

    await take_in(there, data, trusted=False)

    found = await rows(there, clock)
    assert [
        (each.id == row.id, each.erased, each.standing, each.recalled, each.items) for each in found.insertions
    ] == [
        (True, True, "", "", ()),
        (False, True, "", "", ()),
    ]
    assert await exported(there) == data, "the file comes back letter by letter"


async def test_an_export_without_insertions_is_imported(there: str, tmp_path: Path, clock: FakeClock) -> None:
    here = url_of("file", tmp_path)
    await filled(here, clock)
    data = b"".join(line for line in (await exported(here)).splitlines(keepends=True) if b'{"insertion"' not in line)

    await take_in(there, data, trusted=False)

    assert await rows(there, clock) == LedgerRows()
    assert await exported(there) == data


BAD: dict[str, Callable[[dict[str, Any]], object]] = {
    "items that are no list": lambda row: row.update(items={}),
    "an item without a memory": lambda row: row.update(items=[["user:ana"]]),
    "an item of no subject": lambda row: row.update(items=[["ana", row["id"]]]),
    "an item with no id": lambda row: row.update(items=[["user:ana", "x"]]),
    "too many items": lambda row: row.update(items=[["user:ana", row["id"]]] * 10_001),
    "withdrawn that is no list": lambda row: row.update(withdrawn="x"),
    "a text too long": lambda row: row.update(recalled="x" * 300_000),
    "a text that is none": lambda row: row.update(standing=None),
    "an erased text": lambda row: row.update(erased=True),
    "an answer with a text": lambda row: row.update(is_answer=True),
    "a chain of 65 bits": lambda row: row.update(chain=2**63),
    "a negative length": lambda row: row.update(sent_bytes=-1),
    "a message that is not there": lambda row: row.update(seq=99),
    "a message without a conversation": lambda row: row.update(conversation=None),
    "a conversation that is not there": lambda row: row.update(conversation=row["id"]),
    "an unknown name": lambda row: row.update(held=0),
}


async def test_a_hostile_insertion_is_refused_by_its_line(tmp_path: Path, clock: FakeClock) -> None:
    here, there = url_of("file", tmp_path), f"sqlite:///{tmp_path / 'there.sqlite3'}"
    await filled(here, clock)
    honest = await exported(here)
    async with opened(there) as engine:
        for what, spoil in BAD.items():
            lines = [json.loads(line) for line in honest.splitlines()]
            spoil(next(line["insertion"] for line in lines if "insertion" in line and line["insertion"]["seq"] == 1))
            data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
            for trusted in (False, True):
                assert re.match(r"line \d+: ", await refusal(engine, data, trusted=trusted)), what
