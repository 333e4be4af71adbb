"""A reranker settles the order of the best candidates; whatever becomes of it, recall goes on."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from sample_chats import asks, request, tell, user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.rerank import PAUSE_S
from toldonce.errors import ModelError
from toldonce.testing import FakeClock

NOTES = [f"Ana saw {count} boats in the harbour of {place}." for count, place in enumerate(("Oslo", "Rome", "Bergen"))]
ASKED = "Where did Ana see boats in the harbour?"


class ByLetter:
    """A reranker that knows which word it wants; may fail, or be late."""

    def __init__(self) -> None:
        self.wanted = "Bergen"
        self.error: ModelError | None = None
        self.late = False
        self.asked: list[tuple[str, list[str]]] = []

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Score the wanted one .93, the others by their place."""
        self.asked.append((query, list(documents)))
        if self.late:
            await asyncio.sleep(60)
        if self.error is not None:
            raise self.error
        return [0.93 if self.wanted in document else 0.1 / (1 + place) for place, document in enumerate(documents)]

    async def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def reranker() -> ByLetter:
    return ByLetter()


@pytest.fixture
async def plain(parts: Components) -> AsyncToldOnce:
    """Recall without a reranker, over the same store."""
    return AsyncToldOnce(parts)


@pytest.fixture
async def engine(parts: Components, reranker: ByLetter) -> AsyncIterator[AsyncToldOnce]:
    settings = parts.settings.model_copy(update={"rerank_timeout_s": 0.05, "rerank_top": 20})
    async with AsyncToldOnce(replace(parts, reranker=reranker, settings=settings)) as opened:
        for note in NOTES:
            await opened.add(note, user="ana")
        yield opened


async def order(engine: AsyncToldOnce, limit: int = 10) -> list[str]:
    return [item.memory.text for item in (await engine.search(ASKED, user="ana", limit=limit)).items]


async def test_the_rerankers_order_holds_and_each_memory_says_so(
    engine: AsyncToldOnce, plain: AsyncToldOnce, reranker: ByLetter
) -> None:
    assert (await order(plain))[0] != NOTES[2]
    found = await engine.search(ASKED, user="ana")
    assert found.items[0].memory.text == NOTES[2]
    assert found.items[0].reasons[0] == "reranked (0.93)"
    assert found.items[0].score == pytest.approx(0.93)
    scores = [item.score for item in found.items]
    assert scores == sorted(scores, reverse=True)
    assert reranker.asked == [(ASKED, [text for text in await order(plain)])]
    assert engine.metrics.reranked == 1
    assert found.warning == ""


async def test_what_recall_alone_would_not_have_shown_can_come_first(
    engine: AsyncToldOnce, plain: AsyncToldOnce
) -> None:
    last = (await order(plain))[-1]
    assert last not in await order(plain, limit=1)
    engine._components.reranker.wanted = last[-12:]  # type: ignore[union-attr]
    assert await order(engine, limit=1) == [last]


@pytest.mark.parametrize("how", ["fails", "late"])
async def test_a_failing_or_late_reranker_leaves_the_order_and_is_paused(
    engine: AsyncToldOnce, plain: AsyncToldOnce, reranker: ByLetter, clock: FakeClock, how: str
) -> None:
    reranker.late = how == "late"
    reranker.error = ModelError("it went away") if how == "fails" else None
    found = await engine.search(ASKED, user="ana")
    assert [item.memory.text for item in found.items] == await order(plain)
    assert found.warning.startswith("not reranked: " + ("it went away" if how == "fails" else "no answer within"))
    again = await engine.search(ASKED, user="ana")
    assert "left alone" in again.warning
    assert len(reranker.asked) == 1
    assert engine.metrics.rerank_failures == 2
    assert not any("reranked" in reason for item in again.items for reason in item.reasons)

    clock.advance(seconds=PAUSE_S)
    reranker.late, reranker.error = False, None
    assert (await order(engine))[0] == NOTES[2]


async def test_standing_facts_stay_where_they_are_in_a_prompt(engine: AsyncToldOnce, reranker: ByLetter) -> None:
    await tell(engine, "I'm allergic to peanuts.")
    prepared = await engine.turns.prepare(request(user(ASKED)), asks("ana"))
    certain = [item.standing for item in prepared.items]
    assert certain == sorted(certain, reverse=True)
    assert certain[0]
    near = [item.memory.text for item in prepared.items if not item.standing]
    assert near[0] == NOTES[2]
    assert not any("peanuts" in text and "allerg" in text and text in near for text in reranker.asked[-1][1])


async def test_a_policy_with_an_order_of_its_own_is_not_reranked(engine: AsyncToldOnce, reranker: ByLetter) -> None:
    await engine.search(ASKED, user="ana", profile="user")
    assert reranker.asked == []


async def test_nothing_to_rerank_asks_nobody(engine: AsyncToldOnce, reranker: ByLetter) -> None:
    assert (await engine.search(ASKED, user="nobody")).items == ()
    assert reranker.asked == []
