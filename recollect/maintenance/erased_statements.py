"""What erased messages state, as hashes: said once more in a resent history it is known again. Reads the store."""

import asyncio
from collections.abc import Sequence

from recollect.formation.replays import forgotten_marks
from recollect.formation.stale import outdated_by_hand, stale_stretches
from recollect.store.paging import MAX_PAGE_SIZE as MAX_PAGE_SIZE
from recollect.store.protocol import Store
from recollect.types import ConversationId, EraseRequest, Evidence, LoggedMessage, Memory, Subject, Withheld

# Of so many messages the statements are kept, the newest: their hashes are written in one transaction.
MAX_MESSAGES = 5_000
_Said = tuple[str, Sequence[Withheld]]


async def erased_statements(order: EraseRequest, store: Store) -> frozenset[int]:
    """Return the hashes of what is to be erased; none where all of a subject is, whose messages are known whole."""
    if order.everything:
        return frozenset()
    said: list[_Said] = []
    for memory in await store.memories(order.subject, order.memories):
        for source in memory.evidence:
            said += [_of_memory(message, source, memory, order) for message in await _read(source, order, store)]
    if order.conversation is not None:
        said += [(message.text, _whole(message)) for message in await _named(order.conversation, order, store)]
    return await asyncio.to_thread(forgotten_marks, said)


def _of_memory(message: LoggedMessage, source: Evidence, memory: Memory, order: EraseRequest) -> _Said:
    """Return what is erased of a message that a memory rests on: all, or what the memory was formed of."""
    if not order.keep_messages:
        return message.text, _whole(message)
    return message.text, stale_stretches(message.text, source, outdated_by_hand(memory))


def _whole(message: LoggedMessage) -> Sequence[Withheld]:
    return (Withheld(start=0, end=len(message.text)),)


async def _read(source: Evidence, order: EraseRequest, store: Store) -> list[LoggedMessage]:
    """Read a user's message that a memory rests on."""
    for owner in (order.subject, *order.subject.owners):
        found = await store.messages(owner, source.conversation, after_seq=source.seq - 1, limit=1)
        if found:
            return [message for message in found if message.seq == source.seq and message.role == "user"]
    return []


async def _named(conversation: ConversationId, order: EraseRequest, store: Store) -> list[LoggedMessage]:
    """Read the user's messages that are to be erased."""
    found: list[LoggedMessage] = []
    after, seqs = 0, sorted(order.seqs)
    while page := await _page(order.subject, conversation, after, seqs, store):
        found += [message for message in page if message.role == "user"]
        after = page[-1].seq
        seqs = [seq for seq in seqs if seq > after]
        if order.seqs and not seqs:
            break
    return found[-MAX_MESSAGES:]


async def _page(
    subject: Subject, conversation: ConversationId, after: int, seqs: Sequence[int], store: Store
) -> list[LoggedMessage]:
    if not seqs:
        return await store.messages(subject, conversation, after_seq=after, limit=MAX_PAGE_SIZE)
    return await store.messages(subject, conversation, after_seq=max(after, seqs[0] - 1), limit=1)
