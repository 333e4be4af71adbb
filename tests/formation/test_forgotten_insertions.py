"""What the user asked to forget is not inserted again: the ledger's texts that show it are emptied."""

from pathlib import Path

import pytest

from factories import ANA
from populated import parts_of
from sample_chats import tell
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.ids import new_id
from toldonce.testing import FakeClock
from toldonce.types import Memory, MemoryKind, PromptInsertion

TOM = "My boyfriend Tom is a drummer in a metal band."
CELLO = "I play the cello in an orchestra."
ALL_KINDS = (MemoryKind.NOTE, MemoryKind.FACT, MemoryKind.TURN)


async def inserted(engine: AsyncToldOnce, parts: Components, clock: FakeClock) -> dict[int, Memory]:
    """Insert each memory at a chain of its own, and at chain -1 the words of messages; return which is where."""
    memories = await engine.list(user="ana", kinds=ALL_KINDS)
    for chain, memory in enumerate([None, *memories], start=-1):
        row = PromptInsertion(
            thread=1,
            chain=chain,
            depth=1,
            id=new_id(clock),
            at=clock.now(),
            recalled=memory.text if memory else TOM,
            items=((memory.subject, memory.id),) if memory else (),
            quotes_messages=memory is None,
        )
        await parts.store.insertions.add(ANA, [row])
    clock.advance(days=1)
    return dict(enumerate(memories))


async def whole(parts: Components, chains: dict[int, Memory]) -> set[str]:
    """Return the texts that would be inserted again."""
    rows = (await parts.store.insertions.find(ANA, [-1, *chains])).insertions
    assert len(rows) == len(chains) + 1
    assert all(row.erased is not bool(row.recalled) for row in rows)
    return {row.recalled for row in rows if row.recalled}


@pytest.fixture(params=DURABLE)
async def parts(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Components:
    return await parts_of(url_of(str(request.param), tmp_path), clock=clock)


@pytest.mark.parametrize("by_hand", [False, True])
async def test_what_is_forgotten_is_not_inserted_again(parts: Components, clock: FakeClock, by_hand: bool) -> None:
    async with AsyncToldOnce(parts) as engine:
        await tell(engine, TOM, CELLO)
        chains = await inserted(engine, parts, clock)
        assert any("Tom" in text for text in await whole(parts, chains))
        if by_hand:
            [fact] = [known for known in chains.values() if known.kind is MemoryKind.FACT and "Tom" in known.text]
            await engine.forget(fact.id, user="ana")
        else:
            await tell(engine, "Please forget what I told you about Tom.")

        left = await whole(parts, chains)

        ended = {known.text for known in chains.values()} - {
            known.text for known in await engine.list(user="ana", kinds=ALL_KINDS)
        }
        assert ended
        assert left.isdisjoint({*ended, TOM})
        assert {text for text in left if "cello" in text} == {
            known.text for known in chains.values() if "cello" in known.text
        }


async def test_what_is_only_replaced_is_inserted_again(parts: Components, clock: FakeClock) -> None:
    async with AsyncToldOnce(parts) as engine:
        await tell(engine, "I live in Oslo.", CELLO)
        chains = await inserted(engine, parts, clock)
        await tell(engine, "I moved to Bergen.")
        active = {known.id for known in await engine.list(user="ana", kinds=ALL_KINDS)}

        assert any(known.id not in active for known in chains.values()), "something was replaced"
        assert await whole(parts, chains) == {TOM, *(known.text for known in chains.values())}
