"""Copy a user's memory into another's, a portion at a time. Reads and writes the database by an export's records.

Each portion leaves out what is there already, so that a copy that was interrupted goes on where it ended. Conversations
come first, with what is to be formed of them; what the source then has changes no more, unless something is erased.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO

from toldonce.engine.components import Components
from toldonce.engine.results import NO_PROGRESS
from toldonce.engine.transfer import derive
from toldonce.formation.runtime import Runtime
from toldonce.maintenance.pace import Pace
from toldonce.store.sql import subjects
from toldonce.store.sql.transfer.endpoint import CopyEndpoint
from toldonce.store.sql.transfer.export import Seen, export_lines, subjects_to_export
from toldonce.store.sql.transfer.import_reader import ImportedSubject, read_blocks
from toldonce.store.sql.transfer.merge_portions import Portion, log_portions, memory_portions
from toldonce.store.sql.transfer.merged_blocks import MergeCopy, renamed, write_portion
from toldonce.types import Subject, UserAlias, UserMergeReport

_WHOLE = Seen(message=lambda row: row, detail=lambda detail, said: detail, inserted=lambda text: text)
# Others write between two portions for as long as one took, at most so many seconds.
MAX_REST_S = 0.1
Divide = Callable[[Sequence[ImportedSubject]], Iterator[Portion]]
"""Divides subjects into portions."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of the source, in one snapshot."""

    blocks: list[ImportedSubject]
    versions: dict[int, int]


class UserCopier:
    """Copies what rests of a user beside the memory that its requests read."""

    def __init__(
        self, components: Components, runtime: Runtime, end: CopyEndpoint, alias: UserAlias, pace: Pace
    ) -> None:
        """Write to `end`, at the pace of `pace`."""
        self._store, self._runtime = components.store, runtime
        self._end, self._alias, self._pace = end, alias, pace
        self._kept: frozenset[bytes] = frozenset()
        self._conversations = self._memories = self._replaced = 0

    async def copy(self) -> UserMergeReport:
        """Copy all that is not there yet; return what this call copied.

        Raises:
            BadRequestError: the merge was undone meanwhile.
            StaleSubjectError: something of the source was erased or changed meanwhile; copying again goes on.
            PausedError: the work was stopped.
        """
        self._kept = await self._store.aliases.kept_conversations(self._alias)
        for divide in (log_portions, memory_portions):
            await self._write_all(divide)
        return UserMergeReport(
            source=self._alias.source,
            target=self._alias.target,
            conversations=self._conversations,
            memories=self._memories,
            replaced=self._replaced,
        )

    async def _write_all(self, divide: Divide) -> None:
        users = {self._alias.source: self._alias.target}
        read = await self._pace.apart(self._read)
        sources = {block.subject.of_other_users(users).key: block.subject for block in read.blocks if block.subject}
        blocks = await self._pace.apart(lambda: [renamed(block, users, self._pace.glance) for block in read.blocks])
        copy = MergeCopy(alias=self._alias, sources=sources, versions=read.versions, kept=self._kept)
        for portion in divide(blocks):
            await self._write(copy, portion)

    async def _write(self, copy: MergeCopy, portion: Portion) -> None:
        """Write a portion, and let others write as long."""
        derived = await derive(self._runtime, self._end, portion, self._pace, NO_PROGRESS, 0)
        work = partial(write_portion, self._end, copy, portion, derived, self._store.aliases.services)
        keys = {key for block in portion for key in (block.key, copy.sources[block.key].key)}
        began = time.monotonic()
        done = await self._pace.apart(partial(self._end.write, work, *keys, copy.alias.source.key))
        self._conversations += done.conversations
        self._memories += done.memories
        self._replaced += done.replaced
        await asyncio.sleep(min(time.monotonic() - began, MAX_REST_S))

    def _read(self) -> _Read:
        """Read what is kept of the source and of the subjects within it, with their versions, in one snapshot."""
        db, file = self._end.db, BytesIO()
        with db:
            wanted = subjects_to_export(self._end, self._alias.source)
            named = [Subject.parse(str(name)) for _, name in wanted]
            versions = {subject.key: subjects.version_of(db, subject) or 0 for subject in named}
            for line in export_lines(self._end, wanted, _WHOLE, self._pace.glance):
                file.write(line)
        file.seek(0)
        return _Read(list(read_blocks(file)), versions)
