"""Embedders, vector spaces, and the change from one to another.

A subject is read in one space at a time. A change first gives its memories vectors in a second space, and then switches
the subject over in one commit; until then all reads and writes use the old space.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TypeVar

from toldonce.clock import to_micros
from toldonce.errors import StaleSubjectError, UnreadableStoreError, VectorSizeError
from toldonce.ids import id_bytes, id_text
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql import subjects
from toldonce.store.sql.database import Row, SqlConnection, Work, load
from toldonce.store.sql.memories.read import memories_within
from toldonce.store.sql.memories.write import pack_numbers
from toldonce.store.sql.rows import fetch, fetch_value, instant
from toldonce.types import (
    CalibrationCurve,
    ElsewherePage,
    EmbedderKind,
    EmbedderRecord,
    EmbedderSpec,
    MemoryId,
    MissingVectors,
    ReembedBacklog,
    SpaceCount,
    Subject,
    Vector,
)

T = TypeVar("T")
SQL, MEMORY_SQL = load("embedding"), load("memory")
_NO_ID = b""


def embedders(db: SqlConnection) -> list[EmbedderRecord]:
    """List the chosen embedders, newest (the one in use) first, then those that were only used."""
    return [_record(row) for row in fetch(db, SQL["embedders"])]


def chosen(db: SqlConnection) -> EmbedderRecord | None:
    """Return the embedder that was chosen last; None if none was."""
    return next((record for record in embedders(db) if record.chosen_at is not None), None)


def _choose(db: SqlConnection, record: EmbedderRecord, former: EmbedderRecord, now: int) -> None:
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
            chosen_at=instant(chosen_at),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise UnreadableStoreError(f"the embedder of the space {space} cannot be read ({error})") from None


def space_of(db: SqlConnection, subject: Subject) -> str | None:
    """Return the space that a subject is read in, or would be if it began now; None if none was ever chosen."""
    found: str | None = fetch_value(db, SQL["space_of_subject"], subject.key)
    return found


def space_names(db: SqlConnection) -> list[str]:
    """List the spaces that vectors were ever stored in, oldest first."""
    return [str(name) for (name,) in fetch(db, SQL["space_names"])]


def space_counts(db: SqlConnection) -> list[SpaceCount]:
    """Count what is stored in each space, for operators (slow with millions of memories)."""
    rows = fetch(db, SQL["space_counts"])
    return [SpaceCount(space=name, dim=dim, memories=held, subjects=read) for name, dim, held, read in rows]


def read_elsewhere(db: SqlConnection, space: str, *, after: str = "", limit: int = 1000) -> ElsewherePage:
    """Return which of the next `limit` subjects by name are read in another space than `space`, the chosen one."""
    with db:  # one snapshot
        number, page = _number(db, space), fetch(db, SQL["read_in_page"], after, limit)
    elsewhere = tuple(Subject.parse(name) for name, _, read_in in page if read_in not in (None, number))
    return ElsewherePage(subjects=elsewhere, last=page[-1][0] if page else "")


def reembed_backlog(
    db: SqlConnection, space: str, *, usual: str, after: str = "", limit: int = 1000, missing: bool = False
) -> list[ReembedBacklog]:
    """List the subjects that are not read in `space` or lack vectors in it, with the number of such memories.

    The last subject of a page is always listed, waiting or not, so that only an empty list is the end.

    Args:
        space: Space that subjects should be read in.
        usual: Space that subjects are read in while no embedder was ever chosen.
        after: Continue after the subject with this name.
        limit: Number of subjects to look at.
        missing: See `missing_vectors`.
    """
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
    db: SqlConnection,
    subject: Subject,
    space: str,
    *,
    after: MemoryId | None,
    since: int,
    limit: int,
    missing: bool = False,
) -> MissingVectors:
    """Read active memories that need vectors in a space and have none, ordered by id.

    In the space that the subject is read in, a memory without vectors elsewhere needs none, unless `missing`; in any
    other space, only facts that never had vectors need none.

    Args:
        subject: Owner of the memories.
        space: Space to look at.
        after: Continue after this memory.
        since: Only memories that changed after this version of the subject; 0 means all.
        limit: Maximum number of memories.
        missing: Include memories that have no vectors at all.
    """
    first = _NO_ID if after is None else id_bytes(after) or _NO_ID
    with db:  # one snapshot
        version, read_in = subjects.state_of(db, subject) or (0, None)
        number = _number(db, space)
        wanted = (subject.key, number, missing or read_in not in (None, number), first, since, limit)
        ids = [MemoryId(id_text(row[0])) for row in fetch(db, SQL["unembedded"], *wanted)]
        found = MissingVectors(version=version, memories=tuple(memories_within(db, subject, ids)))
    return found


def _write_vectors(
    db: SqlConnection, subject: Subject, space: str, vectors: Mapping[MemoryId, Sequence[Vector]]
) -> int:
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


def _switch(db: SqlConnection, subject: Subject, space: str, since: int, whole: bool) -> bool:
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


def _drop_others(db: SqlConnection, subject: Subject, limit: int) -> int:
    dropped = 0
    for (number,) in subjects.rows_of(db, subject, SQL["other_spaces"]):
        if dropped < limit:
            db.execute(SQL["drop_portion"], (subject.key, number, limit - dropped))
            dropped += db.changes()
    return dropped


def _number(db: SqlConnection, space: str) -> int:
    """Return a space's number; 0, which none has, where it is not known."""
    return (subjects.space_of(db, space) or (0, 0))[0]


class EmbeddingRepository(Repository):
    """Embedders, vector spaces, and the vectors that memories lack."""

    embedders = Reads(embedders)
    chosen = Reads(chosen)
    space_of = Reads(space_of, inline=True)
    space_names = Reads(space_names)
    space_counts = Reads(space_counts)
    read_elsewhere = Reads(read_elsewhere)
    reembed_backlog = Reads(reembed_backlog)
    missing_vectors = Reads(missing_vectors)

    async def choose(self, record: EmbedderRecord, *, former: EmbedderRecord) -> None:
        """Choose an embedder for the database: new subjects are read in its space from now on.

        Existing subjects stay in the space they are read in (`former` if none was ever chosen) until they are
        switched. The record of a known embedder is overwritten.

        Raises:
            VectorSizeError: Vectors of another length are stored under the name of its space.
        """
        now = to_micros(self._context.clock.now())
        await self._executor.write(lambda db: _choose(db, record, former, now))

    async def write_vectors(self, subject: Subject, space: str, vectors: Mapping[MemoryId, Sequence[Vector]]) -> int:
        """Give memories vectors in a space, in addition to those they have; return how many memories got some.

        Memories that were closed or erased meanwhile get none, nor do those that have some by now. The version moves
        only if the subject is read in that space.

        Raises:
            VectorSizeError: A vector does not fit the space.
        """
        return await self._step(
            subject, lambda db: _write_vectors(db, subject, space, vectors), "embedding", "embedded"
        )

    async def switch_space(self, subject: Subject, space: str, *, since: int, whole: bool = True) -> bool:
        """Read and write a subject in a space from now on; False, and no change, if vectors are missing there.

        Args:
            subject: Owner of the memories.
            space: Space of the embedder that was chosen last.
            since: Version of the subject at which no vector was missing.
            whole: False switches even if memories were added since: they arrive faster than they can be embedded.

        Raises:
            StaleSubjectError: Another embedder was chosen since.
        """
        return await self._step(subject, lambda db: _switch(db, subject, space, since, whole), "switching", "switched")

    async def drop_other_vectors(self, subject: Subject, *, limit: int) -> int:
        """Drop up to `limit` vector rows in spaces that the subject neither is nor will be read in; return how many."""
        # Usually there is nothing to drop, and a read does not occupy the writer.
        if not await self._executor.read_inline(lambda db: fetch(db, SQL["other_spaces"], subject.key)):
            return 0
        return await self._step(subject, lambda db: _drop_others(db, subject, limit), "dropping", "dropped")

    async def _step(self, subject: Subject, work: Work[T], during: str, after: str) -> T:
        """Do a step of a change of embedders, with the points at which tests let it fail."""
        reach = self._context.failpoint.reach

        def failing(db: SqlConnection) -> T:
            done = work(db)
            reach(during)
            return done

        done = await self._executor.write(failing, subject)
        reach(after)
        return done
