"""Embedders, vector spaces, and the change from one to another. Works on a connection."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from toldonce.clock import from_micros
from toldonce.errors import StaleSubjectError, UnreadableStoreError, VectorSizeError
from toldonce.ids import id_bytes, id_text
from toldonce.store.sql import subjects
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.memories.read import memories_within
from toldonce.store.sql.memories.write import pack_numbers
from toldonce.store.sql.rows import fetch, fetch_value
from toldonce.types import (
    CalibrationCurve,
    EmbedderKind,
    EmbedderRecord,
    EmbedderSpec,
    MemoryId,
    MissingVectors,
    ReembedBacklog,
    Subject,
    Vector,
)

SQL, MEMORY_SQL = load("embedding"), load("memory")
_NO_ID = b""


def embedders(db: SqlConnection) -> list[EmbedderRecord]:
    """List the chosen embedders, newest first, then those that were only used."""
    return [_record(row) for row in fetch(db, SQL["embedders"])]


def choose(db: SqlConnection, record: EmbedderRecord, former: EmbedderRecord, now: int) -> None:
    """Choose an embedder for new subjects."""
    old = _described(db, former) if former.space != record.space else None
    number = _described(db, record)
    db.execute(SQL["stay_in"], (number if old is None else old,))
    # Two choices in one microsecond, or by a clock that was set back, follow one another all the same.
    db.execute(SQL["choose_space"], (number, max(now, int(fetch_value(db, SQL["newest_choice"])) + 1)))


def _described(db: SqlConnection, record: EmbedderRecord) -> int:
    number = subjects.ensure_space(db, record.space, record.dim)
    db.execute(SQL["describe_space"], (number, json.dumps(asdict(record.spec)), json.dumps(asdict(record.curve))))
    return number


def _record(row: Row) -> EmbedderRecord:
    space, dim, spec, curve, chosen_at = row
    try:
        told = json.loads(spec)
        return EmbedderRecord(
            space=space,
            dim=dim,
            spec=EmbedderSpec(**(told | {"kind": EmbedderKind(told["kind"])})),
            curve=CalibrationCurve(**json.loads(curve)),
            chosen_at=None if chosen_at is None else from_micros(chosen_at),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise UnreadableStoreError(f"the embedder of the space {space} cannot be read ({error})") from None


def reembed_backlog(
    db: SqlConnection, space: str, *, usual: str, after: str, limit: int, missing: bool
) -> list[ReembedBacklog]:
    """List subjects that are not read in a space, or lack vectors in it."""
    number, found = _number(db, space), list[ReembedBacklog]()
    with db:  # one snapshot
        page = fetch(db, SQL["read_in_page"], after, limit)
        for name, key, read_in in page:
            elsewhere = usual != space if read_in is None else read_in != number
            lacking = int(fetch_value(db, SQL["lacking"], key, number, elsewhere or missing))
            if lacking or elsewhere or name == page[-1][0]:
                found.append(ReembedBacklog(Subject.parse(name), lacking, elsewhere))
    return found


def missing_vectors(  # noqa: PLR0913  # which memories are wanted, and a page of them
    db: SqlConnection, subject: Subject, space: str, *, after: MemoryId | None, since: int, limit: int, missing: bool
) -> MissingVectors:
    """Read active memories that need vectors in a space and have none."""
    first = _NO_ID if after is None else id_bytes(after) or _NO_ID
    with db:  # one snapshot
        version, read_in = subjects.state_of(db, subject) or (0, None)
        number = _number(db, space)
        wanted = (subject.key, number, missing or read_in not in (None, number), first, since, limit)
        ids = [MemoryId(id_text(row[0])) for row in fetch(db, SQL["unembedded"], *wanted)]
        found = MissingVectors(version=version, memories=tuple(memories_within(db, subject, ids)))
    return found


def write_vectors(db: SqlConnection, subject: Subject, space: str, vectors: Mapping[MemoryId, Sequence[Vector]]) -> int:
    """Give memories vectors in a space; return how many got some."""
    state = subjects.state_of(db, subject)
    number, dim = subjects.space_of(db, space) or (0, 0)
    if state is None or not number:
        return 0
    given = list[bytes]()
    for memory, rows in vectors.items():
        id_ = id_bytes(memory)
        wrong = next((len(row) for row in rows if len(row) != dim), None)
        if wrong is not None:
            raise VectorSizeError(got=wrong, stored=dim)
        if id_ is not None and rows and fetch(db, SQL["lacks"], subject.key, number, id_):
            db.execute(MEMORY_SQL["add_vectors"], (subject.key, number, id_, pack_numbers(rows)))
            given.append(id_)
    if given and state[1] in (None, number):  # readers of that space must see them
        version = subjects.move_version(db, subject)
        for id_ in given:
            db.execute(SQL["touch"], (subject.key, id_, version))
    return len(given)


def switch(db: SqlConnection, subject: Subject, space: str, *, since: int, whole: bool) -> bool:
    """Read and write a subject in a space; return False if vectors are missing there."""
    state, number = subjects.state_of(db, subject), _number(db, space)
    if state is None or state[1] == number:
        return True
    chosen = fetch_value(db, SQL["chosen"])
    if chosen != number:
        raise StaleSubjectError(f"another embedder was chosen than that of {space}: `toldonce reembed` goes on with it")
    if whole and state[0] != since and fetch(db, SQL["lacking_since"], subject.key, number, since):
        return False
    subjects.move_version(db, subject)
    db.execute(SQL["read_by"], (subject.key, number))
    return True


def drop_others(db: SqlConnection, subject: Subject, *, limit: int) -> int:
    """Drop vectors in spaces that the subject is not read in; return how many rows."""
    if subjects.version_of(db, subject) is None:
        return 0
    dropped = 0
    for (number,) in fetch(db, SQL["other_spaces"], subject.key):
        if dropped < limit:
            db.execute(SQL["drop_portion"], (subject.key, number, limit - dropped))
            dropped += db.changes()
    return dropped


def _number(db: SqlConnection, space: str) -> int:
    """Return a space's number; 0, which none has, where it is not known."""
    return (subjects.space_of(db, space) or (0, 0))[0]
