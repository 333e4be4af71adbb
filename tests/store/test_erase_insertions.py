"""Erasing reaches what was inserted into prompts: no text is inserted again, and marks tell why a prefix broke."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from canaries import found as canaries_found
from factories import ANA, BEN, add, memory, recall_record, turn
from postgres_server import NEEDS_POSTGRES
from stores import url_of
from toldonce.ids import new_id
from toldonce.store.factory import open_store
from toldonce.store.postgres.connection import connect
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.text import hash64
from toldonce.types import (
    EraseRequest,
    LedgerRows,
    MarkWords,
    Memory,
    MemoryId,
    OmittedMemory,
    PromptInsertion,
    RecordedTurn,
    Subject,
)

THREAD = 7
TEAM, SESSION = Subject("shared", "team"), Subject("session", "ana/1")


async def known(store: Store, clock: FakeClock, text: str, subject: Subject = ANA) -> Memory:
    """Store a memory."""
    made = memory(text, subject=subject, clock=clock)
    await store.memories.apply(subject, [add(made)], [])
    return made


def chains_of(texts: Sequence[str]) -> list[int]:
    """Return the chain up to each message of a conversation."""
    chains: list[int] = []
    for text in texts:
        chains.append(hash64("chain", str(chains[-1] if chains else 0), text))
    return chains


async def inserted(
    store: Store,
    clock: FakeClock,
    chain: int,
    *shown: Memory,
    subject: Subject = ANA,
    depth: int = 1,
    thread: int = THREAD,
) -> PromptInsertion:
    """Insert memories at a chain."""
    clock.advance(seconds=1)
    row = PromptInsertion(
        thread=thread,
        chain=chain,
        depth=depth,
        id=new_id(clock),
        at=clock.now(),
        standing="Standing.",
        recalled=" ".join(["Recalled:", *(each.text for each in shown)]),
        items=tuple((each.subject, each.id) for each in shown),
        sent_bytes=100 * depth,
        sent_hash=f"hash {depth}",
    )
    await store.insertions.add(subject, [row])
    return row


async def talked(store: Store, clock: FakeClock, *texts: str, external_id: str = "chat") -> RecordedTurn:
    """Hold a conversation with an insertion at each question, recorded turn by turn."""
    chains = chains_of(texts)
    for end in range(2, len(texts) + 1, 2):
        await inserted(store, clock, chains[end - 2], depth=end - 1)
        said = turn(*texts[:end], external_id=external_id, said_at=clock.now())
        marked = replace(said, thread=THREAD, answer_chains=(chains[end - 1],), answer_depth=end)
        recorded = await store.conversations.record(marked)
    return recorded


async def states(store: Store, chains: Sequence[int], subject: Subject = ANA) -> Mapping[int, str]:
    """Tell of each chain's insertion whether it is whole or erased."""
    rows = (await store.insertions.find(subject, chains)).insertions
    for row in rows:
        if row.erased:
            assert (row.standing, row.recalled, row.items, row.withdrawn, row.sent_hash) == ("", "", (), (), "")
    return {row.chain: "erased" if row.erased else "whole" if row.recalled else "empty" for row in rows}


@pytest.mark.parametrize("owner", [ANA, TEAM, SESSION, Subject("app", "calendar")], ids=str)
async def test_i13_erasing_a_memory_empties_the_insertions_that_show_it(
    store: Store, clock: FakeClock, owner: Subject
) -> None:
    tea, cake = await known(store, clock, "tea", owner), await known(store, clock, "cake", owner)
    await inserted(store, clock, 1, cake)
    await inserted(store, clock, 2, tea, cake, depth=3)
    await inserted(store, clock, 3, depth=5)
    await inserted(store, clock, 4, tea, subject=BEN)
    clock.advance(seconds=1)

    done = await store.erasures.erase(EraseRequest(subject=owner, memories=(tea.id,)))

    assert done.counts["insertions"] == 2
    assert await states(store, [1, 2, 3]) == {1: "whole", 2: "erased", 3: "whole"}
    assert await states(store, [4], BEN) == {4: "erased"}
    first, _, last = (await store.insertions.find(ANA, [1, 2, 3])).insertions
    assert (first.sent_hash, last.sent_hash, last.sent_bytes) == ("hash 1", "", 500), "the last prompt had tea in it"


async def test_i13_a_memory_of_another_subject_with_the_same_id_stays(store: Store, clock: FakeClock) -> None:
    mine = await known(store, clock, "tea")
    theirs = replace(mine, subject=BEN)
    await store.memories.apply(BEN, [add(theirs)], [])
    await inserted(store, clock, 1, mine)
    await inserted(store, clock, 1, theirs, subject=BEN)
    clock.advance(seconds=1)

    await store.erasures.erase(EraseRequest(subject=BEN, memories=(theirs.id,)))

    assert await states(store, [1]) == {1: "whole"}
    assert await states(store, [1], BEN) == {1: "erased"}


@pytest.mark.parametrize("owner", [ANA, TEAM], ids=str)
async def test_i13_erasing_a_memory_empties_what_says_that_it_ended(
    store: Store, clock: FakeClock, owner: Subject
) -> None:
    tea = await known(store, clock, "tea", owner)
    await inserted(store, clock, 1, tea)
    row = await inserted(store, clock, 2, depth=3)
    await store.insertions.add(ANA, [replace(row, recalled="Not true any more: tea.", withdrawn=(tea.id,))])
    clock.advance(seconds=1)

    await store.erasures.erase(EraseRequest(subject=owner, memories=(tea.id,)))

    assert await states(store, [1, 2]) == {1: "erased", 2: "erased"}


async def test_i13_erasing_a_message_empties_its_conversation_from_there_on(store: Store, clock: FakeClock) -> None:
    texts = ["a", "b", "c", "d", "e", "f"]
    chains = chains_of(texts)
    recorded = await talked(store, clock, *texts)
    other = await inserted(store, clock, 99, thread=8)
    clock.advance(seconds=1)

    done = await store.erasures.erase(EraseRequest(subject=ANA, conversation=recorded.conversation, seqs=(3,)))

    assert done.counts["insertions"] == 2
    assert await states(store, [*chains, 99]) == {
        chains[0]: "whole",
        chains[2]: "erased",
        chains[4]: "erased",
        other.chain: "whole",
    }
    marks = (await store.insertions.find(ANA, chains)).answers
    assert [mark.chain for mark in marks] == [chains[1], chains[3], chains[5]], "threads are still told apart"


async def test_i13_no_chain_tells_what_an_erased_message_said(url: str, clock: FakeClock) -> None:
    store = await open_store(url, clock=clock)
    texts = ["a", "b", "c", "d"]
    chains = chains_of(texts)
    recorded = await talked(store, clock, *texts)
    clock.advance(seconds=1)
    await store.erasures.erase(EraseRequest(subject=ANA, conversation=recorded.conversation, seqs=(3,)))
    await inserted(store, clock, chains[3], depth=4, thread=9)
    await store.close()
    db = apsw.Connection(url.removeprefix("sqlite:///"))
    stored = [row[0] for row in db.execute("SELECT chain FROM insertion")]
    db.close()

    assert len(stored) == 5
    assert set(stored) & set(chains) == set(chains[:2])


async def test_a_thread_goes_on_after_an_erasure(store: Store, clock: FakeClock) -> None:
    texts = ["a", "b", "c", "d", "e", "f"]
    chains = chains_of(texts)
    recorded = await talked(store, clock, *texts[:4])
    clock.advance(seconds=1)
    await store.erasures.erase(EraseRequest(subject=ANA, conversation=recorded.conversation, seqs=(1,)))
    await inserted(store, clock, chains[4], depth=5)
    again = await inserted(store, clock, chains[2], depth=3)
    await store.insertions.drop(ANA, THREAD, [again.chain])

    assert await states(store, chains) == {chains[0]: "erased", chains[2]: "empty", chains[4]: "whole"}


async def test_masked_rows_are_found_when_the_ledger_is_empty_again(store: Store, clock: FakeClock) -> None:
    at = clock.now()
    await store.memories.apply(ANA, [MarkWords(forgotten=frozenset({1}), at=at)], [])
    row = await inserted(store, clock, 5)
    await store.memories.apply(ANA, [MarkWords(returned=frozenset({1}), at=at)], [])

    assert (await store.insertions.find(ANA, [5])).insertions == (row,)
    replacing = await inserted(store, clock, 5)
    assert (await store.insertions.find(ANA, [5])).insertions == (replacing,)


async def test_i13_erasing_any_message_empties_what_quotes_other_conversations(store: Store, clock: FakeClock) -> None:
    recorded = await talked(store, clock, "a", "b")
    row = await inserted(store, clock, 51, thread=8, depth=3)
    for subject in (ANA, BEN):
        await store.insertions.add(subject, [replace(row, chain=50, quotes_messages=True)])
    clock.advance(seconds=1)

    await store.erasures.erase(EraseRequest(subject=ANA, conversation=recorded.conversation, seqs=(1,)))

    assert await states(store, [50, 51]) == {50: "erased", 51: "whole"}
    assert await states(store, [50], BEN) == {50: "whole"}


async def test_i13_erasing_a_conversation_deletes_its_rows(store: Store, clock: FakeClock) -> None:
    recorded = await talked(store, clock, "a", "b", "c", "d")
    chains = chains_of(["a", "b", "c", "d", "e"])
    tea = await known(store, clock, "tea")
    await inserted(store, clock, chains[4], tea, depth=5)
    await inserted(store, clock, 70, thread=8)
    clock.advance(seconds=1)

    done = await store.erasures.erase(EraseRequest(subject=ANA, conversation=recorded.conversation))

    assert await store.insertions.find(ANA, chains) == LedgerRows(), "the turn in flight goes, too"
    assert await states(store, [70]) == {70: "whole"}
    assert done.counts["insertions"] == 5, "three insertions and two marks"
    await store.erasures.erase(EraseRequest(subject=ANA, memories=(tea.id,)))


@pytest.mark.parametrize("within", [ANA, TEAM, SESSION], ids=str)
async def test_i13_erasing_a_subject_leaves_none_of_its_words_in_any_ledger(
    store: Store, clock: FakeClock, within: Subject
) -> None:
    tea, cake = await known(store, clock, "tea", within), await known(store, clock, "cake", BEN)
    await inserted(store, clock, 1, tea, subject=BEN)
    await inserted(store, clock, 2, cake, subject=BEN, depth=3)
    await inserted(store, clock, 3, tea)
    await talked(store, clock, "a", "b")
    clock.advance(seconds=1)

    done = await store.erasures.erase(EraseRequest(subject=within, everything=True))

    assert await states(store, [1, 2], BEN) == {1: "erased", 2: "whole"}
    assert await states(store, [3, chains_of("a")[0]]) == (
        {} if within == ANA else {3: "erased", chains_of("a")[0]: "whole"}
    )
    assert done.counts["insertions"] == (4 if within == ANA else 2)


async def test_i13_a_record_forgets_erased_memories_that_were_left_out(store: Store, clock: FakeClock) -> None:
    tea, cake = await known(store, clock, "tea"), await known(store, clock, "cake")
    omitted = tuple(OmittedMemory(id=MemoryId(each.id), reason=f"near {each.text}") for each in (tea, cake))
    await store.conversations.record(turn("a", "b", recall=replace(recall_record(), omitted=omitted)))

    await store.erasures.erase(EraseRequest(subject=ANA, memories=(tea.id,)))

    [record] = await store.conversations.injections(ANA)
    assert record.omitted == omitted[1:]


async def test_i13_a_record_forgets_reasons_that_name_an_erased_memory(store: Store, clock: FakeClock) -> None:
    tea, cake, pie = [await known(store, clock, text) for text in ("tea", "cake", "pie")]
    reasons = (
        f"says the same as {tea.id}",
        f"its note {tea.id} is shown",
        f"user:ana has its own value: {tea.id}",
        "user:ana has its own allergy:tea",  # as stored by earlier versions
        f"says the same as {cake.id}",
        f"user:ana has its own value: {cake.id}",
    )
    omitted = tuple(OmittedMemory(id=pie.id, reason=reason) for reason in reasons)
    await store.conversations.record(turn("a", "b", recall=replace(recall_record(), omitted=omitted)))

    await store.erasures.erase(EraseRequest(subject=ANA, memories=(tea.id,)))

    [record] = await store.conversations.injections(ANA)
    assert record.omitted == omitted[4:]


CANARY = "zebrafinch-9f31-marzipan-locker"


async def erased_canary(store: Store, clock: FakeClock) -> None:
    """Insert a text three times, then erase it: as a memory, as a message's quotation, with a conversation."""
    shown = await known(store, clock, CANARY)
    ends = await talked(store, clock, f"{CANARY} a", "b", external_id="whole")
    await inserted(store, clock, 5, shown, thread=1)
    row = await inserted(store, clock, 6, thread=2)
    await store.insertions.add(ANA, [replace(row, chain=60, recalled=f"{CANARY} " * 500, quotes_messages=True)])
    await store.insertions.add(ANA, [replace(row, chain=61, thread=THREAD, standing=CANARY)])
    clock.advance(seconds=1)
    await store.erasures.erase(EraseRequest(subject=ANA, memories=(shown.id,)))
    await store.erasures.erase(EraseRequest(subject=ANA, conversation=ends.conversation))


async def test_i13_no_byte_of_an_inserted_text_is_left_in_the_file(url: str, clock: FakeClock) -> None:
    store = await open_store(url, clock=clock)
    await erased_canary(store, clock)
    assert await store.database.scrub(wait_ms=1_000)
    folder = Path(url.removeprefix("sqlite:///")).parent

    assert canaries_found(folder, {CANARY.encode(): CANARY}) == []
    await store.close()
    assert canaries_found(folder, {CANARY.encode(): CANARY}) == []


@NEEDS_POSTGRES
async def test_i13_no_row_of_the_server_has_an_inserted_text(tmp_path: Path, clock: FakeClock) -> None:
    url = url_of("postgres", tmp_path)
    store = await open_store(url, clock=clock)
    await erased_canary(store, clock)
    await store.close()
    with connect(url) as db:
        rows = db.execute("SELECT standing, recalled, items, withdrawn FROM insertion").fetchall()

    assert rows
    assert CANARY not in str(rows)
