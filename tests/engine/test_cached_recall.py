"""What a chat writes brings the cached memories of its user forward; they are not read whole again."""

import pytest

from factories import ANA
from toldonce.engine import AsyncToldOnce
from toldonce.store.sql.recall.snapshot import WholeReader
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind, SubjectSnapshot

SAID = [
    "I live in Rome.",
    "I am allergic to peanuts.",
    "My sister is called Vera.",
    "I moved to Oslo.",
    "I play chess on Mondays.",
    "I work as a nurse.",
]


@pytest.fixture
def read_whole(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many memories each reading of a whole subject brought."""
    sizes: list[int] = []
    small = WholeReader.small

    def counted(reader: WholeReader, most: int) -> SubjectSnapshot:
        found = small(reader, most)
        sizes.append(len(found))
        return found

    monkeypatch.setattr(WholeReader, "small", counted)
    monkeypatch.setattr(WholeReader, "large", lambda _: pytest.fail("a small user was read in portions"))
    return sizes


async def test_a_user_who_chats_is_read_whole_once(
    engine: AsyncToldOnce, clock: FakeClock, read_whole: list[int]
) -> None:
    for text in SAID:
        await engine.search("Where do I live?", user=ANA)
        await engine.record([{"role": "user", "content": text}, {"role": "assistant", "content": "Noted."}], user=ANA)
        await engine.form()
        clock.advance(minutes=1)
        assert (await engine.search("Where do I live?", user=ANA)).items
    # Without any vector the space is unknown: the user is read again when there is one.
    assert read_whole == [0, 1]

    [oslo] = [memory for memory in await engine.list(user=ANA, kinds=[MemoryKind.FACT]) if memory.key == "location"]
    found = await engine.search("Where do I live?", user=ANA)
    assert oslo.value == "Oslo"
    assert oslo.id in {item.memory.id for item in found.items}
    assert read_whole == [0, 1]


async def test_adding_and_forgetting_by_hand_read_no_user_again(engine: AsyncToldOnce, read_whole: list[int]) -> None:
    first = await engine.add("I like tea.", user=ANA)
    await engine.search("tea", user=ANA)
    for number in range(20):
        await engine.add(f"Shelf {number} holds boxes.", user=ANA)
        await engine.search(f"What does shelf {number} hold?", user=ANA)
    await engine.forget(first.id, user=ANA)
    assert len((await engine.search("tea", user=ANA, limit=50)).items) == 20
    assert len(read_whole) <= 1
