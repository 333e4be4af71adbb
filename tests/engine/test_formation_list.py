"""The list of formations is read page by page: each one once, longest due first, those that are not due last."""

from datetime import timedelta

import pytest

from sample_chats import user
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.testing import FakeClock
from toldonce.types import FormationPlace, FormationStatus, Subject


async def pages(engine: AsyncToldOnce, size: int, owner: Subject | None = None) -> list[FormationStatus]:
    found: list[FormationStatus] = []
    while page := await engine.admin.formations(user=owner, limit=size, after=found[-1].place if found else None):
        assert len(page) <= size
        found += page
    return found


async def test_pages_have_each_formation_once_in_one_order(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for number in range(4):
        for name in ("ana", "ben"):
            await engine.record([user(f"I have {number} cats.")], user=name, conversation=f"{name}-{number}")
        clock.advance(minutes=1)
        if number == 1:
            await engine.form()
    whole = await engine.admin.formations(limit=1000)
    due = [status.due_at for status in whole if status.due_at is not None]
    assert due == sorted(due)
    assert due[0] < due[-1] - timedelta(seconds=30)
    assert {status.due_at is None for status in whole[: len(due)]} == {False}
    assert len(whole) > len(due), "some wait for nothing"
    for size in (1, 3, 1000):
        assert await pages(engine, size) == whole
    ana = Subject("user", "ana")
    of_ana = [status for status in whole if status.key.subject == ana]
    assert await pages(engine, 2, ana) == of_ana
    assert 0 < len(of_ana) < len(whole)


@pytest.mark.parametrize(
    "text", ["", "x", "W10", "WzEsMiwzLDQsNSw2XQ", "é", "WzEsOTIyMzM3MjAzNjg1NDc3NTgwOCwiYSIsImIiLCJjIiwiZCJd"]
)
def test_a_text_that_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(BadRequestError, match="cursor"):
        FormationPlace.parse(text)
