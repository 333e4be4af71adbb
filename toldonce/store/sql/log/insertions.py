"""The injection ledger: what was inserted into prompts, so that the next prompts repeat it.

Chains cover the words of messages. Once anything of a subject was erased, new ones are stored masked by its erasure
ledger, as hashes of messages are, so that no row tells what an erased message said.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache, partial

from toldonce.clock import from_micros, to_micros
from toldonce.errors import BadRequestError, StaleSubjectError
from toldonce.ids import id_text
from toldonce.store.executor import check_limit
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql import subjects
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.erase.insertions import drop_shown
from toldonce.store.sql.erase.tombstones import TombstoneLedger
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value, require_id
from toldonce.text import clean
from toldonce.text_caches import register_text_cache
from toldonce.types import (
    MAX_INSERTIONS_PER_THREAD,
    MAX_THREAD_CHARACTERS,
    AnswerMark,
    LedgerRows,
    MemoryId,
    PromptInsertion,
    Subject,
    Turn,
)

SQL, LOG_SQL = load("insertion"), load("log")
# Rows that are kept after reading: each request of a conversation finds the same ones.
_MAX_READ_ROWS = 4_096
# Longest list of messages that is climbed to find the place of an insertion.
_MAX_CLIMB = 10_000
# Columns of `insertions_at`.
_IS_ANSWER, _READER = 14, slice(15, 17)
_UNKNOWN = (None, False)
_NO_ID = bytes(16)
_EMPTY = "[]"


def find(db: SqlConnection, subject: Subject, chains: Sequence[int], term_key: bytes) -> LedgerRows:
    """Read all rows of the subject at some chains."""
    rows = fetch(db, SQL["insertions_at"], subject.key, json.dumps([*chains])) if chains else []
    name, some_masked = rows[0][_READER] if rows else fetch_one(db, SQL["reader"], subject.key) or _UNKNOWN
    if name is None:
        return LedgerRows()
    subjects.verified(subject, name)
    plain: dict[int, int] = {}
    if some_masked:
        ledger = TombstoneLedger(db, subject, term_key)
        plain = {ledger.mask(chain): chain for chain in chains}
        # All again, in one snapshot: an erasure may have masked some meanwhile.
        rows = fetch(db, SQL["insertions_at"], subject.key, json.dumps([*chains, *plain]))
    return _ledger_rows(rows, plain)


def find_thread(db: SqlConnection, subject: Subject, thread: int) -> LedgerRows:
    """Read all rows of a thread; once anything of the subject was erased, their chains may be masked."""
    rows = fetch(db, SQL["insertions_of"], subject.key, thread)
    if rows:
        subjects.verified(subject, rows[0][_READER][0])
    return _ledger_rows(rows, {})


def _ledger_rows(rows: Sequence[Row], plain: Mapping[int, int]) -> LedgerRows:
    """Read rows; `plain` has the chains by their masks."""
    insertions: list[PromptInsertion] = []
    answers: list[AnswerMark] = []
    for row in rows:
        thread, depth, at, chain = row[0], row[2], row[4], plain.get(int(row[1]), int(row[1]))
        if row[_IS_ANSWER]:
            answers.append(AnswerMark(thread=thread, chain=chain, depth=depth, at=from_micros(at)))
        else:
            insertions.append(_read(row, chain))
    return LedgerRows(
        insertions=tuple(sorted(insertions, key=lambda found: (found.depth, found.at, found.id))),
        answers=tuple(sorted(answers, key=lambda found: (found.depth, found.at, found.thread))),
    )


def find_lost(db: SqlConnection, home: Subject, memory: Subject, insertions: Sequence[PromptInsertion]) -> set[str]:
    """Return the ids of insertions, none of them stored, whose words may have been erased or forgotten since.

    Memories that they show are not looked at: their states show whether they were forgotten.

    Args:
        home: Subject of the turns.
        memory: Subject of the memory that they read.
        insertions: What is kept elsewhere.
    """
    filled = [row for row in insertions if _tells(row)]
    owners = {home, memory, *(owner for row in filled for owner, _ in row.items)} if filled else ()
    since = to_micros(min(row.at for row in filled)) if filled else 0
    losses = {owner: fetch(db, SQL["last_loss"], owner.key, since)[0] for owner in owners}
    lost: set[str] = set()
    for row in filled:
        at = to_micros(row.at)
        erased = [losses[owner][0] for owner in {home, memory, *(owner for owner, _ in row.items)}]
        # The memory itself records what of it was forgotten.
        closed = [losses[owner][1] for owner in (home, memory)] if row.quotes_messages else []
        if any(last is not None and last > at for last in (*erased, *closed)):
            lost.add(row.id)
    return lost


def add(
    db: SqlConnection,
    subject: Subject,
    insertions: Sequence[PromptInsertion],
    term_key: bytes,
    *,
    closed_since: datetime | None = None,
) -> None:
    """Add insertions to their thread.

    Memories that were closed before `closed_since` are known to be closed; None: before the rows were prepared.
    """
    if not insertions:
        return
    key, thread = subject.key, insertions[0].thread
    if any(insertion.thread != thread for insertion in insertions):
        raise BadRequestError("insertions of several threads cannot be added together")
    _refuse_erased(db, subject, insertions, closed_since)
    chains = json.dumps([insertion.chain for insertion in insertions])
    is_known, some_erased, some_masked, count, characters = fetch(db, SQL["thread_state"], key, thread, chains)[0]
    ledger = TombstoneLedger(db, subject, term_key) if some_erased or some_masked else None
    are_replaced = bool(ledger is not None or is_known)
    if are_replaced:
        for insertion in insertions:
            for stored in (insertion.chain, *([ledger.mask(insertion.chain)] if ledger else [])):
                _delete(db, key, stored, thread)
    if are_replaced and _is_too_large(insertions, count, characters):  # the size from before the rows were removed
        *_, count, characters = fetch(db, SQL["thread_state"], key, thread, chains)[0]
    if _is_too_large(insertions, count, characters):
        _drop_thread(db, key, thread)
    masking = ledger if some_erased else None
    chain_of = {row.id: masking.mask(row.chain) if masking else row.chain for row in insertions}
    db.executemany(
        SQL["add_insertion"],
        [(key, thread, chain_of[row.id], *_columns(row), bool(masking), row.characters) for row in insertions],
    )
    items = [
        (key, memory, owner, chain_of[row.id], thread) for row in insertions for memory, owner in _owners(db, key, row)
    ]
    if items:
        db.executemany(SQL["add_item"], items)


def drop(db: SqlConnection, subject: Subject, thread: int, chains: Sequence[int], term_key: bytes) -> None:
    """Empty insertions of a thread: the prompt was sent without them."""
    if subjects.version_of(db, subject) is None:
        return
    ledger = TombstoneLedger(db, subject, term_key)
    for chain in chains:
        for stored in _stored(db, ledger, chain):
            drop_shown(db, subject.key, stored, thread)
            db.execute(SQL["withdraw_insertion"], (subject.key, stored, thread))


def has_orphans(db: SqlConnection, subject: Subject, before: datetime) -> bool:
    """Return whether there are insertions of turns that were never recorded."""
    return bool(fetch(db, SQL["orphans"], subject.key, to_micros(before), 1))


def prune(db: SqlConnection, subject: Subject, before: datetime, limit: int) -> int:
    """Delete insertions of turns that were never recorded; return how many."""
    rows = subjects.rows_of(db, subject, SQL["orphans"], to_micros(before), limit)
    for chain, thread in rows:
        _delete(db, subject.key, chain, thread)
    return len(rows)


def link(
    db: SqlConnection,
    ledger: TombstoneLedger,
    turn: Turn,
    conversation: bytes,
    *,
    question_seq: int,
    reply_seq: int | None,
) -> None:
    """Give the thread's new insertions their place in the log, and mark the answer that it went on with.

    Args:
        db: A connection in the transaction that records the turn.
        ledger: The erased messages of the turn's subject.
        turn: The recorded turn.
        conversation: Its conversation.
        question_seq: `seq` of the last message of the request.
        reply_seq: `seq` of the reply.
    """
    if turn.thread is None:
        return
    key = ledger.subject
    for chain, depth in fetch(db, SQL["unlinked_insertions"], key, turn.thread):
        seq = _seq_above(db, key, conversation, question_seq, turn.answer_depth - 1 - depth)
        db.execute(SQL["link_insertion"], (key, chain, turn.thread, conversation, seq))
    for chain in turn.answer_chains if turn.reply is not None else ():
        stored = chain if ledger.empty else ledger.mask(chain)
        place = (key, turn.thread, stored, turn.answer_depth, _NO_ID, to_micros(turn.said_at))
        db.execute(SQL["add_answer_mark"], (*place, conversation, reply_seq, not ledger.empty))


def _seq_above(db: SqlConnection, key: int, conversation: bytes, seq: int, steps: int) -> int | None:
    """Return the `seq` of the message so many steps above another; None if there is none."""
    if not 0 <= steps <= _MAX_CLIMB:
        return None
    if steps == 0:
        return seq
    path = fetch(db, LOG_SQL["thread"], key, conversation, seq, steps + 1)
    return int(path[steps][0]) if len(path) > steps else None


def _tells(insertion: PromptInsertion) -> bool:
    """Return whether an insertion has words, or a hash of a prompt with such."""
    words = insertion.characters or insertion.sent_hash or insertion.items or insertion.withdrawn
    return bool(words) and not insertion.erased


def _refuse_erased(
    db: SqlConnection, subject: Subject, insertions: Sequence[PromptInsertion], closed_since: datetime | None
) -> None:
    """Refuse a text whose words were erased, or whose memories were closed by what was said, since it was prepared.

    They may have been forgotten. The prompt is on its way already, but no later one replays them.

    Raises:
        StaleSubjectError: Something was erased meanwhile of a subject whose memories or messages it has, or closed.
    """
    # A row without words has none to refuse: those that were erased since may have emptied it.
    began = min((insertion.at for insertion in insertions if _tells(insertion)), default=None)
    at = to_micros(began or closed_since or max(insertion.at for insertion in insertions))
    closed_at = at if closed_since is None else to_micros(closed_since)
    shown: dict[Subject, dict[MemoryId, None]] = {subject: {}}
    for owner, memory in (item for insertion in insertions for item in insertion.items):
        require_id(memory)
        shown.setdefault(owner, {})[memory] = None
    for owner, memories in shown.items():
        # A statement of its own: what it waits for is not in its snapshot.
        row = fetch_one(db, SQL["owner"], owner.key)
        if owner == subject:
            if row is None:
                subjects.ensure(db, subject)
            else:
                subjects.verified(subject, *row)
        ids = json.dumps(list(memories))
        if fetch_value(db, SQL["is_lost"], owner.key, at, ids, len(memories), closed_at):
            raise StaleSubjectError("something was erased while the prompt was prepared: prepare it again")


def _is_too_large(insertions: Sequence[PromptInsertion], count: int, characters: int) -> bool:
    """Return whether a thread's ledger would grow too large.

    Args:
        insertions: What is added to the thread.
        count: Number of its insertions with text.
        characters: Length of their text.
    """
    added = [insertion.characters for insertion in insertions if insertion.characters]
    return bool(added) and (
        count + len(added) > MAX_INSERTIONS_PER_THREAD or characters + sum(added) > MAX_THREAD_CHARACTERS
    )


def _drop_thread(db: SqlConnection, key: int, thread: int) -> None:
    """Begin a new ledger for a thread."""
    for chain, _ in fetch(db, SQL["thread_places"], key, thread):
        drop_shown(db, key, chain, thread)
    db.execute(SQL["drop_thread"], (key, thread))


def _delete(db: SqlConnection, key: int, chain: int, thread: int) -> None:
    drop_shown(db, key, chain, thread)
    db.execute(SQL["drop_insertion"], (key, chain, thread))


def _columns(insertion: PromptInsertion) -> Row:
    """Return the columns of an insertion after its chain, up to whether it is masked."""
    items = [[owner.text, memory] for owner, memory in dict.fromkeys(insertion.items)]
    return (
        insertion.depth,
        require_id(insertion.id),
        to_micros(insertion.at),
        clean(insertion.standing),
        clean(insertion.recalled),
        json.dumps(items),
        json.dumps(list(insertion.withdrawn)),
        insertion.quotes_messages,
        insertion.sent_bytes,
        "" if insertion.erased else clean(insertion.sent_hash),
        insertion.erased,
    )


def _owners(db: SqlConnection, key: int, insertion: PromptInsertion) -> list[tuple[bytes, int]]:
    """Return the memories that an insertion shows or withdraws, each with the key of its owner."""
    shown = [(require_id(memory), owner.key) for owner, memory in dict.fromkeys(insertion.items)]
    return shown + [(require_id(memory), _owner(db, key, require_id(memory))) for memory in insertion.withdrawn]


def _stored(db: SqlConnection, ledger: TombstoneLedger, chain: int) -> tuple[int, ...]:
    """Return the chains that a row may be stored under."""
    some_masked = not ledger.empty or fetch(db, SQL["reader"], ledger.subject)[0][-1]
    return (chain, ledger.mask(chain)) if some_masked else (chain,)


def _owner(db: SqlConnection, key: int, memory: bytes) -> int:
    """Return whose a memory is that is withdrawn: an earlier insertion showed it."""
    owner: int | None = fetch_value(db, SQL["owner_shown"], key, memory)
    return key if owner is None else owner


@register_text_cache
@lru_cache(maxsize=_MAX_READ_ROWS)
def _read(row: Row, chain: int) -> PromptInsertion:
    thread, _, depth, id_, at, standing, recalled, items, withdrawn, quotes, sent_bytes, *last = row
    sent_hash, erased, held, *_ = last
    if held or erased:
        standing = recalled = sent_hash = ""
        items = withdrawn = _EMPTY
        quotes = 0
    return PromptInsertion(
        thread=thread,
        chain=chain,
        depth=depth,
        id=id_text(id_),
        at=from_micros(at),
        standing=standing,
        recalled=recalled,
        items=_items(items),
        withdrawn=() if withdrawn == _EMPTY else _ids(withdrawn),
        quotes_messages=bool(quotes),
        sent_bytes=sent_bytes,
        sent_hash=sent_hash,
        erased=bool(held or erased),
    )


def _items(text: str) -> tuple[tuple[Subject, MemoryId], ...]:
    return tuple((Subject.parse(owner), MemoryId(memory)) for owner, memory in json.loads(text))


def _ids(text: str) -> tuple[MemoryId, ...]:
    return tuple(MemoryId(memory) for memory in json.loads(text))


class InsertionRepository(Repository):
    """Insertions into prompts, and the answers that threads went on with; the subject is the turn's home.

    `conversations.record` links a thread's insertions with the conversation, and marks answers (`Turn.thread`).
    """

    find_lost = Reads(find_lost, inline=True)
    find_thread = Reads(find_thread, inline=True)

    async def find(self, subject: Subject, chains: Sequence[int]) -> LedgerRows:
        """Read all rows of the subject whose chain is among `chains`, of all threads; with the chains as given."""
        term_key = self._context.term_key
        return await self._executor.read_inline(lambda db: find(db, subject, chains, term_key))

    async def add(
        self, subject: Subject, insertions: Sequence[PromptInsertion], *, closed_since: datetime | None = None
    ) -> None:
        """Store insertions of one thread while their prompt is on its way, all or none.

        Each replaces the row of the same thread and chain. They outlive this process however that ends, but not the
        machine: the disk is not waited for. If the thread's text would exceed `MAX_INSERTIONS_PER_THREAD` or
        `MAX_THREAD_CHARACTERS`, all its earlier rows but the profile block are removed.

        Raises:
            BadRequestError: They are of several threads.
            StaleSubjectError: Something in their text was erased since `insertion.at`, or a memory was closed by what
                was said since then or `closed_since`: prepare them again.
        """
        term_key = self._context.term_key
        work = partial(add, subject=subject, insertions=insertions, term_key=term_key, closed_since=closed_since)
        await self._executor.write(work, subject, synced=False, urgent=True)

    async def drop(self, subject: Subject, thread: int, chains: Sequence[int]) -> None:
        """Empty insertions of a thread whose prompt was refused and sent without them: nothing was inserted there."""
        work = partial(drop, subject=subject, thread=thread, chains=chains, term_key=self._context.term_key)
        await self._executor.write(work, subject, synced=False, urgent=True)

    async def prune(self, subject: Subject, before: datetime, *, limit: int = 1000) -> int:
        """Delete up to `limit` insertions made before an instant whose turns were never recorded; return how many.

        Such a turn got no answer, or the process died with it. What has a conversation stays as long as that does.
        """
        check_limit(limit)
        if not await self._executor.read_inline(lambda db: has_orphans(db, subject, before)):
            return 0
        return await self._executor.write(lambda db: prune(db, subject, before, limit), subject)
