"""Kinds, orders, spans and accesses may be named by their text; an unknown one is refused with those there are."""

from dataclasses import replace
from typing import cast

import pytest

from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.types import Access, BucketSize, MemoryKind, MemoryOrder, NewApiKey

KEY = NewApiKey(name="phone", access=Access.READ)


async def test_a_choice_may_be_named_by_its_text(engine: AsyncToldOnce) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    for kinds in (("note",), "note", [MemoryKind.NOTE, "fact"]):
        [known] = await engine.list(user="ana", kinds=cast("list[MemoryKind]", kinds))
        assert known.kind is MemoryKind.NOTE
    assert await engine.list(user="ana", kinds=cast("list[MemoryKind]", ["fact"])) == []
    assert await engine.list(user="ana", order=cast("MemoryOrder", "oldest")) == await engine.list(user="ana")
    hours = await engine.admin.subject_statistics(user="ana", bucket=cast("BucketSize", "hour"))
    assert hours.span.size is BucketSize.HOUR
    made, _ = await engine.keys.create(replace(KEY, access=cast("Access", "write")))
    assert made.access is Access.WRITE


async def test_an_unknown_choice_is_refused_with_those_there_are(engine: AsyncToldOnce) -> None:
    with pytest.raises(BadRequestError, match="order is 'alphabetical', it takes newest, oldest"):
        await engine.list(user="ana", order=cast("MemoryOrder", "alphabetical"))
    for kinds in (["notes"], "notes"):
        with pytest.raises(BadRequestError, match="kinds is 'notes', it takes note, fact"):
            await engine.list(user="ana", kinds=cast("list[MemoryKind]", kinds))
    for statistics in (engine.admin.subject_statistics, engine.admin.statistics):
        with pytest.raises(BadRequestError, match="bucket is 'fortnight', it takes hour, day"):
            await statistics(bucket=cast("BucketSize", "fortnight"))
    with pytest.raises(BadRequestError, match="access is 'root', it takes read, write, admin"):
        await engine.keys.create(replace(KEY, access=cast("Access", "root")))
    with pytest.raises(BadRequestError, match="bound to no user"):
        await engine.keys.create(replace(KEY, access=cast("Access", "admin"), user="ana"))
