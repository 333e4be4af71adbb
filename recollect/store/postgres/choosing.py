"""A recall's reading in two answers of the server, where one subject is read without a transaction. On a connection."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from recollect.errors import SpaceMovedError
from recollect.ids import id_bytes
from recollect.store.postgres.vectors import joined
from recollect.store.postgres.wording import own
from recollect.store.protocol import Rank
from recollect.store.relational import choosing
from recollect.store.relational.arrays import unpack
from recollect.store.relational.cache import HotCache
from recollect.store.relational.database import Database
from recollect.store.relational.hot import LEAST_MERGED, read_hot
from recollect.store.relational.rows import fetch, fetch_value, read_memories
from recollect.store.relational.statements import load
from recollect.store.relational.subjects import salt_of, verified, version_of
from recollect.text import TERM_SCHEME
from recollect.types import Hot, Memory, MemoryId, Subject

SQL, SUBJECT_SQL = own("recall"), load("subject")
# What is said once, before a memory's columns.
_HEAD = 6
T = TypeVar("T")


def hot(db: Database, subject: Subject, space: str, *, cache: HotCache, term_key: bytes) -> Hot:
    """Do as `read_hot`: one answer says that what is kept still stands, or brings all of it."""
    kept = cache.get(subject, space)
    if kept is not None:
        if kept.version == version_of(db, subject):
            return kept
        if len(kept) >= LEAST_MERGED:  # what changed is less than all of it
            return read_hot(db, subject, space, cache=cache, term_key=term_key)
    rows = fetch(db, SQL["whole"], subject.key, space, TERM_SCHEME)
    if not rows:  # a subject that is not there yet
        return read_hot(db, subject, space, cache=cache, term_key=term_key)
    name, version, read_in, former_terms, number, dim = rows[0][:_HEAD]
    version = verified(subject, name, version)
    if read_in not in (None, number):
        raise SpaceMovedError(subject.text, asked=space, found=fetch_value(db, SUBJECT_SQL["space_name"], read_in))
    memories = joined([row[_HEAD:] for row in rows if row[_HEAD] is not None])
    found = unpack(subject, version, salt_of(term_key, subject), dim or 0, memories, None)
    if former_terms:
        found = replace(found, former_terms=True)
    cache.put(space, found)
    return found


def choose(
    db: Database,
    subjects: Mapping[Subject, str],
    rank: Rank[T],
    *,
    cache: HotCache,
    term_key: bytes,
) -> tuple[T, list[Memory]]:
    """Do as `relational.choosing.choose`. One subject's memories are seen to be of the version that was ranked."""
    if len(subjects) == 1:
        ((subject, space),) = subjects.items()
        ranked = hot(db, subject, space, cache=cache, term_key=term_key)
        wanted, outcome = rank([ranked])
        found = _wanted(db, ranked, wanted.get(subject, ()), space, cache)
        if found is not None:
            return outcome, found
    return choosing.choose(db, subjects, rank, cache=cache, term_key=term_key)


def subscriptions(db: Database, subject: Subject) -> tuple[int, list[Subject]]:
    """List what is read beside a subject's own, with the version: see `Store.subscriptions`."""
    rows = fetch(db, SQL["subscribed"], subject.key)
    version = verified(subject, *rows[0][:2]) if rows else 0
    return version, [Subject.parse(shared) for _, _, shared in rows if shared is not None]


def _wanted(db: Database, ranked: Hot, ids: Sequence[MemoryId], space: str, cache: HotCache) -> list[Memory] | None:
    """Read the memories; None where something was committed since they were ranked."""
    known = cache.memories(space, ranked, ids)
    missing = [packed for memory in ids if memory not in known and (packed := id_bytes(memory)) is not None]
    if missing:
        rows = fetch(db, SQL["remembered_now"], ranked.subject.key, missing)
        if not rows or rows[0][0] != ranked.version:
            return None
        read = read_memories(ranked.subject, [row[1:] for row in rows if row[1] is not None])
        known |= {memory.id: memory for memory in cache.put_memories(space, ranked, read)}
    return [known[memory] for memory in ids if memory in known]
