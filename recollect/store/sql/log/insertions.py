"""The injection ledger: insert, find, and link with the recorded conversation. Works on a connection.

Chains cover the words of messages. Once anything of a subject was erased, new ones are stored masked by its erasure
ledger, as hashes of messages are, so that no row tells what an erased message said.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from recollect.clock import from_micros, to_micros
from recollect.errors import BadRequestError, StaleSubjectError
from recollect.ids import id_bytes, id_text
from recollect.store.sql import subjects
from recollect.store.sql.database import Row, SqlConnection, load
from recollect.store.sql.erase.insertions import drop_shown
from recollect.store.sql.erase.tombstones import TombstoneLedger
from recollect.store.sql.rows import fetch, fetch_one, fetch_value
from recollect.text import clean
from recollect.types import (
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
# Lists of ids that are kept after parsing: each request of a conversation reads the same rows.
_MAX_PARSED_LISTS = 2048
# Longest list of messages that is climbed to find the place of an insertion.
_MAX_CLIMB = 10_000
_NO_ID = bytes(16)
_EMPTY = "[]"


def find(db: SqlConnection, subject: Subject, chains: Sequence[int], term_key: bytes) -> LedgerRows:
    """Read all rows of the subject at some chains."""
    reader = fetch_one(db, SQL["reader"], subject.key) if chains else None
    if reader is None:
        return LedgerRows()
    name, version, some_masked = reader
    subjects.verified(subject, name, version)
    plain: dict[int, int] = {}
    if some_masked:
        ledger = TombstoneLedger(db, subject, term_key)
        plain = {ledger.mask(chain): chain for chain in chains}
    insertions: list[PromptInsertion] = []
    answers: list[AnswerMark] = []
    for row in fetch(db, SQL["insertions_at"], subject.key, json.dumps([*chains, *plain])):
        thread, stored, depth, at = row[0], int(row[1]), row[2], row[4]
        chain = plain.get(stored, stored)
        if row[-1]:
            answers.append(AnswerMark(thread=thread, chain=chain, depth=depth, at=from_micros(at)))
        else:
            insertions.append(_read(row, chain))
    return LedgerRows(
        insertions=tuple(sorted(insertions, key=lambda found: (found.depth, found.at, found.id))),
        answers=tuple(sorted(answers, key=lambda found: (found.depth, found.at, found.thread))),
    )


def newest(db: SqlConnection, subject: Subject, thread: int) -> PromptInsertion | None:
    """Read the newest insertion of a thread."""
    if subjects.version_of(db, subject) is None:
        return None
    row = fetch_one(db, SQL["newest_insertion"], subject.key, thread)
    return None if row is None else _read(row, row[1])


def add(db: SqlConnection, subject: Subject, insertion: PromptInsertion, term_key: bytes) -> None:
    """Add an insertion to its thread.

    Raises:
        BadRequestError: An id is none.
        StaleSubjectError: Something in its text was erased since it was prepared.
    """
    _refuse_erased(db, subject, insertion)
    subjects.ensure(db, subject)
    key, thread = subject.key, insertion.thread
    ledger = TombstoneLedger(db, subject, term_key)
    for stored in _stored(db, ledger, insertion.chain):
        drop_shown(db, key, stored, thread)
        db.execute(SQL["drop_insertion"], (key, stored, thread))
    if insertion.characters:
        _make_room(db, key, insertion)
    masked = not ledger.empty
    chain = ledger.mask(insertion.chain) if masked else insertion.chain
    items = tuple(dict.fromkeys(insertion.items))
    texts = (clean(insertion.standing), clean(insertion.recalled))
    lists = (json.dumps([[owner.text, memory] for owner, memory in items]), json.dumps(list(insertion.withdrawn)))
    sent = (insertion.sent_bytes, clean(insertion.sent_hash))
    place = (key, thread, chain, insertion.depth, _id(insertion.id), to_micros(insertion.at))
    flags = (insertion.quotes_messages, *sent, insertion.erased, masked)
    db.execute(SQL["add_insertion"], (*place, *texts, *lists, *flags, insertion.characters))
    owners = [(_id(memory), owner.key) for owner, memory in items]
    owners += [(_id(memory), _owner(db, key, _id(memory))) for memory in insertion.withdrawn]
    if owners:
        db.executemany(SQL["add_item"], [(key, memory, owner, chain, thread) for memory, owner in owners])


def drop(db: SqlConnection, subject: Subject, thread: int, chain: int, term_key: bytes) -> None:
    """Empty an insertion: the prompt was sent without it."""
    if subjects.version_of(db, subject) is None:
        return
    for stored in _stored(db, TombstoneLedger(db, subject, term_key), chain):
        drop_shown(db, subject.key, stored, thread)
        db.execute(SQL["withdraw_insertion"], (subject.key, stored, thread))


def has_orphans(db: SqlConnection, subject: Subject, before: datetime) -> bool:
    """Return whether there are insertions of turns that were never recorded."""
    return bool(fetch(db, SQL["orphans"], subject.key, to_micros(before), 1))


def prune(db: SqlConnection, subject: Subject, before: datetime, limit: int) -> int:
    """Delete insertions of turns that were never recorded; return how many."""
    if subjects.version_of(db, subject) is None:
        return 0
    rows = fetch(db, SQL["orphans"], subject.key, to_micros(before), limit)
    for chain, thread in rows:
        drop_shown(db, subject.key, chain, thread)
        db.execute(SQL["drop_insertion"], (subject.key, chain, thread))
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
        seq = _seq_above(db, key, conversation, question_seq, len(turn.messages) - depth)
        db.execute(SQL["link_insertion"], (key, chain, turn.thread, conversation, seq))
    if turn.answer_chain is not None and turn.reply is not None:
        chain = turn.answer_chain if ledger.empty else ledger.mask(turn.answer_chain)
        place = (key, turn.thread, chain, turn.answer_depth, _NO_ID, to_micros(turn.said_at))
        db.execute(SQL["add_answer_mark"], (*place, conversation, reply_seq, not ledger.empty))


def _seq_above(db: SqlConnection, key: int, conversation: bytes, seq: int, steps: int) -> int | None:
    """Return the `seq` of the message so many steps above another; None if there is none."""
    if not 0 <= steps <= _MAX_CLIMB:
        return None
    if steps == 0:
        return seq
    path = fetch(db, LOG_SQL["thread"], key, conversation, seq, steps + 1)
    return int(path[steps][0]) if len(path) > steps else None


def _refuse_erased(db: SqlConnection, subject: Subject, insertion: PromptInsertion) -> None:
    """Refuse a text whose words were erased, or whose memories were closed by what was said, since it was prepared.

    They may have been forgotten. The prompt is on its way already, but no later one repeats them.

    Raises:
        StaleSubjectError: Something was erased meanwhile of a subject whose memories or messages it has, or closed.
    """
    at = to_micros(insertion.at)
    shown: dict[Subject, list[MemoryId]] = {subject: []}
    for owner, memory in dict.fromkeys(insertion.items):
        _id(memory)
        shown.setdefault(owner, []).append(memory)
    for owner, memories in shown.items():
        fetch(db, SQL["owner"], owner.key)
        lost = bool(fetch_value(db, SQL["erased_since"], owner.key, at))
        if memories and not lost:
            ids = json.dumps(memories)
            lost = fetch_value(db, SQL["memories_left"], owner.key, ids) < len(memories)
            lost = lost or bool(fetch_value(db, SQL["closed_since"], owner.key, ids, at))
        if lost:
            raise StaleSubjectError("something was erased while the prompt was prepared: prepare it again")


def _make_room(db: SqlConnection, key: int, insertion: PromptInsertion) -> None:
    """Begin a new ledger where the thread's would grow too large."""
    count, characters = fetch(db, SQL["thread_size"], key, insertion.thread)[0]
    if count < MAX_INSERTIONS_PER_THREAD and characters + insertion.characters <= MAX_THREAD_CHARACTERS:
        return
    for chain, thread in fetch(db, SQL["thread_places"], key, insertion.thread):
        drop_shown(db, key, chain, thread)
    db.execute(SQL["drop_thread"], (key, insertion.thread))


def _stored(db: SqlConnection, ledger: TombstoneLedger, chain: int) -> tuple[int, ...]:
    """Return the chains that a row may be stored under."""
    some_masked = not ledger.empty or fetch(db, SQL["reader"], ledger.subject)[0][-1]
    return (chain, ledger.mask(chain)) if some_masked else (chain,)


def _owner(db: SqlConnection, key: int, memory: bytes) -> int:
    """Return whose a memory is that is withdrawn: an earlier insertion showed it."""
    owner: int | None = fetch_value(db, SQL["owner_shown"], key, memory)
    return key if owner is None else owner


def _read(row: Row, chain: int) -> PromptInsertion:
    thread, _, depth, id_, at, standing, recalled, items, withdrawn, quotes, sent_bytes, *last = row
    sent_hash, erased, held, _ = last
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


@lru_cache(maxsize=_MAX_PARSED_LISTS)
def _items(text: str) -> tuple[tuple[Subject, MemoryId], ...]:
    return tuple((Subject.parse(owner), MemoryId(memory)) for owner, memory in json.loads(text))


@lru_cache(maxsize=_MAX_PARSED_LISTS)
def _ids(text: str) -> tuple[MemoryId, ...]:
    return tuple(MemoryId(memory) for memory in json.loads(text))


def _id(text: str) -> bytes:
    found = id_bytes(text)
    if found is None:
        raise BadRequestError(f"{text!r} is no id")
    return found
