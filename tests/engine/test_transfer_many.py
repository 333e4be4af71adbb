"""Importing many users: common calls of the embedder and common transactions, and nobody torn apart."""

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from populated import opened, parts_of
from sample_chats import ALL_KINDS, assistant, user
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce, transfer
from toldonce.errors import BadRequestError, ModelError
from toldonce.testing import WordEmbedder
from toldonce.types import Subject, Vectors

USERS, EACH = 14, 8


class NoBar:
    """Notes how far it was told to be."""

    def __init__(self) -> None:
        self.reached: list[int] = []

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Show nothing."""

    def reach(self, done: int) -> None:
        """Note it."""
        self.reached.append(done)


class Counting(WordEmbedder):
    """Notes how many texts each call has; may fail from a call on."""

    def __init__(self, fails_from: int | None = None) -> None:
        super().__init__(64)
        self.sizes: list[int] = []
        self._fails_from = fails_from

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.sizes.append(len(texts))
        if self._fails_from is not None and len(self.sizes) >= self._fails_from:
            raise ModelError("away")
        return await super().embed(texts)


@pytest.fixture(params=DURABLE)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    (tmp_path / "there").mkdir()
    return url_of(request.param, tmp_path / "there")


@pytest.fixture
async def data(tmp_path: Path) -> bytes:
    """An export of many users with eight notes each, and of one who talked."""
    file = io.BytesIO()
    async with opened(f"sqlite:///{tmp_path / 'here.sqlite3'}") as engine:
        for number in range(USERS):
            await engine.bulk.add([f"Box {box} of {number} holds shoes." for box in range(EACH)], user=f"u{number:02}")
        await engine.record([user("Bees sleep in winter."), assistant("They do.")], user="zed")
        await engine.form()
        await engine.transfer.export_to(file, everybody=True)
    return file.getvalue()


async def taken_in(url: str, data: bytes, embedder: Counting, *, only_missing: bool = False) -> NoBar:
    bar = NoBar()
    parts = replace(await parts_of(url), embedder=embedder)
    async with AsyncToldOnce(parts) as engine:
        await engine.transfer.import_from(io.BytesIO(data), progress=bar, only_missing=only_missing)
    return bar


async def exported(url: str) -> bytes:
    file = io.BytesIO()
    async with opened(url) as engine:
        await engine.transfer.export_to(file, everybody=True)
        assert (await engine.admin.stats(check=True)).problems == ()
    return file.getvalue()


async def test_texts_of_many_users_are_embedded_in_one_call(
    data: bytes, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "BATCH_SIZE", 50)
    embedder = Counting()
    bar = await taken_in(where, data, embedder)
    assert len(embedder.sizes) == -(-sum(embedder.sizes) // transfer.BATCH_SIZE)
    assert sum(embedder.sizes) >= USERS * EACH
    assert bar.reached == sorted(bar.reached)
    assert bar.reached[-1] >= USERS * EACH
    assert await exported(where) == data
    async with opened(where) as engine:
        found = (await engine.search("box 7 shoes", user="u03")).items
        assert found[0].memory.text == "Box 7 of 3 holds shoes."
        assert {item.memory.subject for item in found} == {Subject("user", "u03")}


async def test_users_come_in_groups_and_one_that_fails_leaves_those_before(
    data: bytes, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "MAX_SUBJECTS", 4)
    with pytest.raises(ModelError):
        await taken_in(where, data, Counting(fails_from=4))
    async with opened(where) as engine:
        there = await engine.admin.subjects()
        assert len(there) == 3 * 4
        for memory in there:
            assert len(await engine.list(user=memory, kinds=ALL_KINDS)) in (EACH, 1, 2, 3)
    await taken_in(where, data, Counting(), only_missing=True)
    assert await exported(where) == data


async def test_a_user_of_more_records_than_a_group_holds_is_whole(
    data: bytes, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "MAX_RECORDS", 3)
    monkeypatch.setattr(transfer, "BATCH_SIZE", 8)
    embedder = Counting()
    await taken_in(where, data, embedder)
    assert max(embedder.sizes) <= 8
    assert await exported(where) == data


async def test_of_many_that_are_there_the_first_of_the_file_is_named(data: bytes, where: str) -> None:
    async with opened(where) as engine:
        await engine.add("I row.", user="u10")
        await engine.add("I row.", user="u07")
    with pytest.raises(BadRequestError, match="user:u07 is there already"):
        await taken_in(where, data, Counting())
    await taken_in(where, data, Counting(), only_missing=True)
    async with opened(where) as engine:
        assert [memory.text for memory in await engine.list(user="u10")] == ["I row."]
        assert len(await engine.list(user="u11")) == EACH
