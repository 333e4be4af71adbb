"""Erase, and report in a receipt what was reached and what was not. Writes through the store, empties caches."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from toldonce.errors import TryAgainError
from toldonce.formation.replays import forgotten_marks, note_mark
from toldonce.formation.stale import outdated_by_hand, stale_stretches
from toldonce.store.executor import MAX_PAGE_SIZE as MAX_PAGE_SIZE
from toldonce.store.store import Store
from toldonce.text_caches import clear_text_caches
from toldonce.types import (
    ConversationId,
    EraseReceipt,
    EraseRequest,
    ErasureRecord,
    ErasureStatus,
    Evidence,
    LoggedMessage,
    Memory,
    ReceiptLine,
    StorageKind,
    Subject,
    Withheld,
)

# How long an erasure waits for readers that hold the log, such as an export, in milliseconds: the caller waits for the
# receipt, and writes are blocked meanwhile. The worker tries again for the shorter time.
WAIT_MS = 1_000
BEHIND_MS = 50

# Rows that are counted, with what the receipt says of them.
_ROWS = (
    ("memories", "memories with their earlier versions"),
    ("vectors", "rows of embeddings"),
    ("terms", "rows of hashed words"),
    ("evidence", "quotes"),
    ("tags", "tags"),
    ("messages", "messages: their places are left, without words, names and what they carried"),
    ("decisions", "lines of the decision log about it; lines about memories that remain were rewritten"),
    ("recalls", "records of what went into prompts"),
    ("insertions", "texts that were inserted into prompts, and would have been inserted again"),
    ("formations", "pieces of waiting or parked work whose errors may have quoted it"),
)
# Of so many messages the statements are kept, the newest: their hashes are written in one transaction.
MAX_MESSAGES = 5_000
_Said = tuple[str, Sequence[Withheld]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Eraser:
    """Erases over a store."""

    store: Store
    forget_texts: Callable[[Subject | None], None] = lambda subject: None
    """Drops texts of a subject that the process keeps, besides words; None: of all subjects."""

    async def erase(self, order: EraseRequest) -> EraseReceipt:
        """Erase what is ordered, and clean the file as far as others let us.

        Raises:
            UnknownMemoryError: a memory is not the subject's.
            UnknownConversationError: the conversation is not the subject's.
        """
        try:
            done = await self.store.erasures.erase(replace(order, said=await erased_statements(order, self.store)))
        finally:
            await self.empty_caches(None if order.everywhere else order.subject)
        keyless = await self.store.erasures.destroy_keys()
        clean = await self._clean(wait_ms=WAIT_MS)
        return receipt(order, done, clean=clean, keyless=keyless, rest=self.store.database.storage_kind)

    async def finish(self, *, wait_ms: int = BEHIND_MS, rewrite: bool = False) -> bool:
        """Finish what is pending unless another process holds the log; return whether nothing is pending any more.

        Erasures that were interrupted are continued.
        """
        erasures = self.store.erasures
        try:
            if not await erasures.pending():
                return True
            if await erasures.resume():
                await self.empty_caches()
            await erasures.destroy_keys()
            return await self._clean(wait_ms=wait_ms, rewrite=rewrite) and not await erasures.pending()
        except TryAgainError:
            return False

    async def _clean(self, *, wait_ms: int, rewrite: bool = False) -> bool:
        """Remove the bytes of what was erased; return whether none is left of the erasures that ended."""
        erasures = self.store.erasures
        try:
            return not await erasures.pending() or await self.store.database.scrub(wait_ms=wait_ms, rewrite=rewrite)
        except TryAgainError:  # a full or busy disk: what was erased is, and its bytes go with the next try
            return False

    async def empty_caches(self, subject: Subject | None = None) -> None:
        """Empty the caches of words, and drop the texts of a subject; None: of all subjects."""
        self.forget_texts(subject)
        # Freeing some 100,000 words takes 20 ms. Cancelling the caller does not stop the thread.
        await asyncio.to_thread(clear_text_caches)


def receipt(
    order: EraseRequest,
    done: ErasureRecord,
    *,
    clean: bool,
    keyless: bool = True,
    rest: StorageKind = StorageKind.FILE,
) -> EraseReceipt:
    """Write the receipt of an erasure; `keyless` says that the data keys of erased subjects are destroyed."""
    done = replace(done, counts=_summed(done))
    places = [
        ReceiptLine(name=name, reach=ErasureStatus.REACHED, count=done.counts.get(name, 0), text=text)
        for name, text in _ROWS
    ]
    places += [_inner(subject, counts) for subject, counts in done.inner]
    if done.counts.get("keys"):
        places.append(_key(done.counts["keys"], keyless))
    places += [
        *(_server(clean) if rest is StorageKind.SERVER else [_file(clean)]),
        *_left(order, done),
        *_outside(rest, sealed=bool(done.counts.get("keys"))),
    ]
    return EraseReceipt(id=done.id, subject=order.subject, at=done.at, places=tuple(places))


def _summed(done: ErasureRecord) -> Counter[str]:
    """Add up what was taken away of a subject and of those within it."""
    total = Counter(done.counts)
    for _, counts in done.inner:
        total.update(counts)
    return total


def _inner(subject: Subject, counts: Mapping[str, int]) -> ReceiptLine:
    """Say what became of a subject within the one that was erased."""
    rows = sum(counts.get(name, 0) for name, _ in _ROWS)
    text = "was within it and is erased whole, its name included; its rows are counted above, too"
    return ReceiptLine(name=subject.text, reach=ErasureStatus.REACHED, count=rows, text=text)


def _key(count: int, keyless: bool) -> ReceiptLine:
    """Say what became of the data keys that encrypted it."""
    if keyless:
        text = (
            "data keys, destroyed in the keyring: what they encrypted cannot be decrypted any more, in backups, logs "
            "and replicas of the database either; a backup of the keyring may hold them until it is deleted"
        )
        return ReceiptLine(name="keys", reach=ErasureStatus.REACHED, count=count, text=text)
    text = (
        "data keys that are still in the keyring, as it does not answer: the worker tries again, or `toldonce erase "
        "--finish`"
    )
    return ReceiptLine(name="keys", reach=ErasureStatus.PENDING, count=count, text=text)


def _file(clean: bool) -> ReceiptLine:
    if clean:
        text = (
            "the database file and its write-ahead log: no byte of it is left in them; a copy that a migration kept "
            "beside them is removed"
        )
        return ReceiptLine(name="file and log", reach=ErasureStatus.REACHED, count=0, text=text)
    text = (
        "a reader, such as an export, holds the write-ahead log, or it could not be written; no read returns what was "
        "erased, but its bytes are still there: the worker tries again, or `toldonce erase --finish`; the same if a "
        "copy that a migration kept cannot be removed"
    )
    return ReceiptLine(name="file and log", reach=ErasureStatus.PENDING, count=0, text=text)


def _server(clean: bool) -> Iterator[ReceiptLine]:
    """Say what a database server keeps of rows that are deleted."""
    if clean:
        text = "the tables were rewritten: the server's files hold nothing of it"
        yield ReceiptLine(name="tables", reach=ErasureStatus.REACHED, count=0, text=text)
    else:
        text = (
            "no read returns it, but the server's files hold the deleted rows until the tables are rewritten: "
            "`toldonce erase --finish --rewrite` does that, and locks each table meanwhile"
        )
        yield ReceiptLine(name="tables", reach=ErasureStatus.PENDING, count=0, text=text)
    yield ReceiptLine(
        name="write-ahead log",
        reach=ErasureStatus.OUT_OF_REACH,
        count=0,
        text="the server's log, its archive and its standbys keep what was written until they are rotated or follow",
    )


def _left(order: EraseRequest, done: ErasureRecord) -> Iterator[ReceiptLine]:
    """Say what stays in the database, and why."""
    elsewhere = done.counts.get("elsewhere", 0) + done.counts.get("sources_elsewhere", 0)
    if elsewhere:
        text = "memories and messages of other subjects that say the same: erase everywhere, or there"
        yield ReceiptLine(name="other subjects", reach=ErasureStatus.OUT_OF_REACH, count=elsewhere, text=text)
    else:
        text = "other subjects hold nothing of it that is known of"
        yield ReceiptLine(name="other subjects", reach=ErasureStatus.REACHED, count=0, text=text)
    if order.keep_messages:
        text = "the messages it was formed of stay, as asked, with their quotations"
        yield ReceiptLine(name="source messages", reach=ErasureStatus.OUT_OF_REACH, count=0, text=text)
    answers = done.counts.get("answers", 0)
    if answers:
        text = "answers of the model that were given with it and may repeat it: erase those messages or conversations"
        yield ReceiptLine(name="answers given with it", reach=ErasureStatus.OUT_OF_REACH, count=answers, text=text)


def _outside(rest: StorageKind, *, sealed: bool) -> Iterator[ReceiptLine]:
    """Name the copies that this process cannot reach; `sealed` says that the subject had a data key."""
    place = "the file" if rest is StorageKind.FILE else "the server's files"
    again = "bring it back when they are restored: erase again then"
    if sealed:
        again = (
            "hold what was stored before it was encrypted, and ids, times and hashes: erase again when one is restored"
        )
    yield ReceiptLine(
        name="caches of processes",
        reach=ErasureStatus.REACHED,
        count=0,
        text="this process dropped the memories, words and texts that it kept; others on this database drop theirs "
        "within two seconds, a program that uses the library without a worker with its next call",
    )
    for name, text in (
        (
            "memory of processes",
            "memory that was freed is not overwritten: a server replaces its worker process for this reason, other "
            "processes keep it until it is used again or they end",
        ),
        ("backups and copies", f"copies of {place} made before {again}"),
        (f"storage below {place}", "what a file system, its snapshots or a drive keep of bytes that were overwritten"),
        ("exports", "what was printed, exported or copied out of the memory"),
        ("models", "prompts that went to the upstream, to a model that forms memories or to an embedder's server"),
        ("clients", "the history a client keeps itself: when it sends that again, nothing of it is kept"),
    ):
        yield ReceiptLine(name=name, reach=ErasureStatus.OUT_OF_REACH, count=0, text=text)


async def erased_statements(order: EraseRequest, store: Store) -> frozenset[int]:
    """Return the hashes of what is to be erased; none where all of a subject is, whose messages are known whole."""
    if order.everything:
        return frozenset()
    said: list[_Said] = []
    notes: set[int] = set()
    for memory in await store.memories.get_many(order.subject, order.memories):
        for source in memory.evidence:
            said += [_of_memory(message, source, memory, order) for message in await _read(source, order, store)]
        if not memory.evidence:
            notes.add(note_mark(memory.text))
    if order.conversation is not None:
        said += [(message.text, _whole(message)) for message in await _named(order.conversation, order, store)]
    return frozenset(notes) | await asyncio.to_thread(forgotten_marks, said)


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
        found = await store.conversations.messages(owner, source.conversation, after_seq=source.seq - 1, limit=1)
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
        return await store.conversations.messages(subject, conversation, after_seq=after, limit=MAX_PAGE_SIZE)
    return await store.conversations.messages(subject, conversation, after_seq=max(after, seqs[0] - 1), limit=1)
