"""U6: the vector of a note that ended keeps its values, where no search reads them, until the note is erased."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from database_contents import QuietBar
from populated import parts_of
from store.test_views import numbers, rows
from stores import DURABLE, keyring_of, url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.databases import copy_database, decrypt_subjects, encrypt_subjects
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock
from toldonce.types import Memory, Subject

BEN = Subject("user", "ben")
VALUES = 'SELECT "values" FROM vectors WHERE id = ?'


@pytest.fixture(params=DURABLE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def ended(engine: AsyncToldOnce, text: str = "Ana drinks green tea.") -> Memory:
    """Add a note of Ana and close it."""
    note = await engine.add(text, user="ana")
    await engine.forget(note.id, user="ana")
    return note


def values(parts: Components, note: Memory) -> list[float]:
    """Return the values that the view shows of a note."""
    [(found,)] = rows(parts, VALUES, note.id)
    return [] if found is None else numbers(found).tolist()


def stored(parts: Components) -> int:
    """Count the vectors in the table."""
    [(count,)] = rows(parts, "SELECT count(*) FROM vector")
    return int(count)


async def test_u6_what_ended_keeps_its_values_and_no_search_finds_it(engine: AsyncToldOnce, parts: Components) -> None:
    note = await ended(engine)
    [vector] = await parts.embedder.embed([note.text])
    assert values(parts, note) == pytest.approx(vector.tolist(), abs=1e-6)
    assert await engine.vectors.nearest(query=note.text, user="ana") == []
    assert (await engine.search(note.text, user="ana")).items == ()
    assert (await engine.admin.stats(check=True)).problems == ()


async def test_u6_what_comes_back_has_its_vector_once(engine: AsyncToldOnce, parts: Components) -> None:
    note = await ended(engine)
    for _ in range(2):
        await engine.history.undo((await engine.history.decisions(user="ana"))[-1].id, user="ana")
        assert [item.memory.id for item in (await engine.search("tea", user="ana")).items] == [note.id]
        assert stored(parts) == 1
        await engine.forget(note.id, user="ana")
        assert stored(parts) == 1
    assert values(parts, note)
    assert (await engine.admin.stats(check=True)).problems == ()


async def test_u6_i13_erasing_takes_the_values_of_what_ended(engine: AsyncToldOnce, parts: Components) -> None:
    alone = await ended(engine)
    receipt = await engine.erase(alone.id, user="ana")
    assert {place.name: place.count for place in receipt.places}["vectors"] == 1
    assert (stored(parts), rows(parts, VALUES, alone.id)) == (0, [])

    shared = await engine.add("Ana has two dogs.", user="ana")
    await engine.shared.link(shared.id, to=BEN, user="ana")
    for holder in (Subject("user", "ana"), BEN):
        await engine.forget(shared.id, user=holder)
    assert len(values(parts, shared)) == parts.embedder.dim
    await engine.erase(shared.id, user="ana", everywhere=True)
    assert stored(parts) == 0

    await ended(engine, "Ana plays chess.")
    await engine.erasure.subject("ana")
    assert stored(parts) == 0


@pytest.mark.parametrize("way", list(product(DURABLE, DURABLE)), ids="-".join)
async def test_u6_a_copy_carries_the_values_of_what_ended(
    way: tuple[str, str], tmp_path: Path, clock: FakeClock
) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    here, there = url_of(way[0], tmp_path / "here"), url_of(way[1], tmp_path / "there")
    parts = await parts_of(here, clock=clock)
    async with AsyncToldOnce(parts) as engine:
        note = await ended(engine)
        before = values(parts, note)
    copy_database(here, there, progress=QuietBar())
    copied = await parts_of(there, clock=clock)
    async with AsyncToldOnce(copied):
        assert values(copied, note) == before


async def test_u6_i13_in_encrypted_subjects_the_values_are_sealed_as_well(
    kind: str, parts: Components, tmp_path: Path
) -> None:
    keyring = keyring_of("sealed", tmp_path)
    assert keyring is not None
    url = parts.settings.database_url
    async with AsyncToldOnce(parts) as engine:
        note = await ended(engine)
        plain = values(parts, note)

    encrypt_subjects(url, keyring, progress=QuietBar(), rewrite=True)
    store = await open_store(url, clock=parts.clock, keyring=keyring)
    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        later = await ended(engine, "Ana plays chess.")
        assert stored(parts) == 2
        assert (values(parts, note), values(parts, later)) == ([], [])
    decrypt_subjects(url, keyring, progress=QuietBar())
    assert values(parts, note) == plain
    assert len(values(parts, later)) == parts.embedder.dim
