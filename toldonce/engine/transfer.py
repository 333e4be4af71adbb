"""`memory.transfer`: export subjects as JSON lines, and import them. Reads and writes databases and files."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import BinaryIO

from toldonce.clock import from_micros
from toldonce.collector import full_collections_postponed
from toldonce.concurrency import gather_or_cancel
from toldonce.engine.components import Components
from toldonce.engine.import_review import ImportReview, map_withheld, redact_json
from toldonce.engine.results import NO_PROGRESS
from toldonce.errors import BadRequestError, StoreUnavailableError
from toldonce.extraction.redaction import build_redaction, redact
from toldonce.formation.recallable import rebuild_index_data
from toldonce.formation.runtime import Runtime
from toldonce.ids import id_text
from toldonce.maintenance.pace import Pace, PausedError
from toldonce.store.factory import open_sealed_end
from toldonce.store.sql.rows import read_detail
from toldonce.store.sql.transfer.endpoint import CopyEndpoint, EndpointMode
from toldonce.store.sql.transfer.export import Record, Seen, export_lines, subjects_to_export
from toldonce.store.sql.transfer.import_check import key_of
from toldonce.store.sql.transfer.import_reader import ImportedSubject, evidence_of, read_blocks
from toldonce.store.sql.transfer.import_references import References
from toldonce.store.sql.transfer.import_writer import (
    ImportWriter,
    is_active,
    present,
    require_absent,
    said_elsewhere,
)
from toldonce.types import KIND_ORDER, Memory, MemoryId, ProgressReporter, ReopenMemory, Subject

# Memories whose texts are embedded together, and batches embedded at a time: an embedder may be far away.
BATCH_SIZE, MAX_CONCURRENT_BATCHES = 256, 4
# Maximum number of records, and of subjects, written in one transaction: a commit waits for the disk, a kill loses one
# transaction, and each subject is locked.
MAX_RECORDS = 4_096
MAX_SUBJECTS = 256

Words = dict[tuple[bytes, int], str]
"""Text of each message of a log, by conversation and `seq`."""
Derived = dict[tuple[int, MemoryId], ReopenMemory]
"""Recomputed index data of memories, by subject key and memory id."""


@dataclass(slots=True)
class TransferReport:
    """What was exported or imported."""

    subjects: int = 0
    conversations: int = 0
    messages: int = 0
    memories: int = 0
    present: int = 0
    """Subjects that the database had already; they were left as they are."""
    held: int = 0
    """Memories that wait for review."""
    set_aside: int = 0
    """Quotations and summaries that were closed, because they give orders."""

    def count(self, block: ImportedSubject) -> None:
        """Add a subject."""
        self.subjects += 1
        self.conversations += len(block.of("conversation"))
        self.messages += len(block.of("message"))
        self.memories += len(block.of("memory"))


class TransferService:
    """Export and import, in threads: others are answered meanwhile."""

    def __init__(self, components: Components, runtime: Runtime, closing_down: Callable[[], bool]) -> None:
        """Build the namespace over the components' database; work ends where `closing_down` says so."""
        self._components = components
        self._settings = components.settings
        self._runtime = runtime
        self._closing_down = closing_down

    async def export_to(self, file: BinaryIO, *, user: str | Subject | None = None, everybody: bool = False) -> int:
        """Export a user, or everybody, as JSON lines; return the number of lines.

        The file has one state of the database, whatever is written meanwhile. Secrets are removed from messages.
        Derived data, records of prompts and budgets are left out.

        Args:
            file: Binary file to write to, from a thread.
            user: User to export; None is the settings' default user.
            everybody: Export all subjects; `user` is ignored.

        Raises:
            BadRequestError: nothing is stored of that user, or the database is in memory.
            StoreUnavailableError: the database failed, or is being closed: the file is incomplete.
        """
        await self._components.store.memories.flush_uses()
        pace = Pace(self._closing_down)
        try:
            return await pace.apart(lambda: self._export(file, user, everybody, pace.glance))
        except PausedError:
            raise StoreUnavailableError("the export was stopped, as the database is being closed") from None

    def _export(self, file: BinaryIO, user: str | Subject | None, everybody: bool, glance: Callable[[], None]) -> int:
        only = None if everybody else self._components.subject(user)
        lines = 0
        end = open_end_of(self._components, EndpointMode.READ)
        with closing(end), end.speaking(), end.db, full_collections_postponed():
            wanted = subjects_to_export(end, only)
            if only is not None and not wanted:
                raise BadRequestError(f"nothing is kept of {only.text}: is the name written as it was?")
            for line in export_lines(end, wanted, Seen(_shown, _shown_detail, redact), glance):
                file.write(line)
                lines += 1
        return lines

    async def import_from(
        self,
        file: BinaryIO,
        *,
        progress: ProgressReporter = NO_PROGRESS,
        only_missing: bool = False,
        trusted: bool = False,
    ) -> TransferReport:
        """Import what `export_to` wrote; vectors and other derived data are computed again.

        The whole file is checked before anything is written; small subjects share a transaction, and no subject is
        split. A file is hostile input: secrets are removed, memories that need review are held whatever the file says
        of approvals, and nothing in it may point into another subject's log that is not in the file.

        Args:
            file: Binary file, read from its beginning up to three times.
            progress: Shows how far it is; by default nothing does.
            only_missing: Skip subjects that the database has already.
            trusted: The file is your own, and no one else could write to it: import it as it is.

        Raises:
            BadRequestError: a line is malformed, or the database has a subject already: nothing was written.
            ModelError: the embedder failed; earlier subjects are imported, and `only_missing` resumes after them.
            StoreUnavailableError: the database failed or is being closed; `only_missing` resumes in the same way.
        """
        pace = Pace(self._closing_down)
        with closing(open_end_of(self._components, EndpointMode.WRITE)) as end, end.speaking():
            try:
                return await self._import(end, file, pace, _ImportOptions(progress, only_missing, trusted))
            except PausedError:
                why = "the import was stopped, as the database is being closed: import what is missing the next time"
                raise StoreUnavailableError(why) from None

    async def _import(self, end: CopyEndpoint, file: BinaryIO, pace: Pace, options: "_ImportOptions") -> TransferReport:
        carried = TransferReport()
        lines = _Lines(file, self._settings.max_body_bytes, pace.glance)
        with full_collections_postponed():
            missing = await pace.apart(lambda: self._check(lines, end, options))
        review = None if options.trusted else ImportReview(self._components.clock)
        options.progress.begin("importing", "memories", sum(missing.values()))
        groups = _groups(lines.blocks(), missing, carried)
        done = 0
        is_more = True
        while is_more:
            # Between groups a full collection may run: what was written is no longer alive.
            with full_collections_postponed():
                group = await pace.apart(lambda: next(groups, None)) or []
                is_more = bool(group)
                if review is not None:
                    await pace.apart(partial(review.review, group, pace.glance))
                if group:
                    await self._write(end, group, pace, options.progress, done)
                for block in group:
                    carried.count(block)
                    done += missing[block.key]
                await pace.apart(partial(_free_records, group, pace.glance))
                options.progress.reach(done)
        if review is not None:
            carried.held, carried.set_aside = review.reviewed.held, review.reviewed.set_aside
        return carried

    async def _write(
        self, end: CopyEndpoint, group: Sequence[ImportedSubject], pace: Pace, progress: ProgressReporter, done: int
    ) -> None:
        """Write some subjects with their derived data, in one transaction."""
        derived = await derive(self._runtime, end, group, pace, progress, done)
        writer = ImportWriter(end, group, derived, at=self._components.clock.now(), glance=pace.glance)
        await pace.apart(partial(end.write, writer.write, *(block.key for block in group)))
        await pace.apart(partial(_free_derived, derived, pace.glance))

    def _check(self, lines: "_Lines", end: CopyEndpoint, options: "_ImportOptions") -> dict[int, int]:
        """Check the whole file; return the keys of the subjects to write, each with its number of memories.

        Raises:
            BadRequestError: see `import_from`.
        """
        missing: dict[int, int] = {}
        references = References(trusted=options.trusted)
        for group in _so_many(_each_once(lines.blocks(), references), MAX_SUBJECTS):
            heads = [head for head, _ in group]
            if not options.only_missing:
                require_absent(end, heads)
            there = present(end, heads) if options.only_missing else {}
            missing |= {head.key: memories for head, memories in group if head.key not in there}
        references.check(end, lines.blocks, missing)
        return missing


async def derive(
    runtime: Runtime,
    end: CopyEndpoint,
    group: Sequence[ImportedSubject],
    pace: Pace,
    progress: ProgressReporter,
    done: int,
) -> Derived:
    """Recompute the index data of the active memories of some subjects; `done` memories are shown before them."""
    runtimes = [runtime if block.subject is None else await runtime.for_subject(block.subject) for block in group]
    portions = await pace.apart(lambda: _portions(end, group, runtimes, pace.glance))
    derived: Derived = {}
    portions.reverse()
    while portions:
        pace.check()
        some = [portions.pop() for _ in range(min(MAX_CONCURRENT_BATCHES, len(portions)))]
        for (_, memories), made in zip(
            some, await gather_or_cancel(rebuild_index_data(*portion) for portion in some), strict=True
        ):
            derived |= {(memory.subject.key, data.id): data for memory, data in zip(memories, made, strict=True)}
            await asyncio.sleep(0)
        progress.reach(done + len(derived))
    return derived


def open_end_of(components: Components, use: EndpointMode) -> CopyEndpoint:
    """Open an end of a copy over the components' database: its rows are plain, whatever is encrypted.

    Raises:
        BadRequestError: the database is in memory.
    """
    key, vault = components.database_key, components.store.vault
    return open_sealed_end(components.settings.database_url, use, key, vault)


@dataclass(frozen=True, slots=True)
class _ImportOptions:
    """How a file is imported: see `TransferService.import_from`."""

    progress: ProgressReporter
    only_missing: bool
    trusted: bool


class _Lines:
    """The lines of a file, of bounded length, readable several times."""

    def __init__(self, file: BinaryIO, max_line_bytes: int, glance: Callable[[], None]) -> None:
        self._file = file
        self._max_line_bytes = max_line_bytes
        self._glance = glance

    def blocks(self) -> Iterator[ImportedSubject]:
        """Read the subjects from the file's beginning.

        Raises:
            BadRequestError: A line is not as it must be.
        """
        self._file.seek(0)
        return read_blocks(self._read())

    def _read(self) -> Iterator[bytes]:
        number = 0
        while line := self._file.readline(self._max_line_bytes + 1):
            number += 1
            self._glance()
            if len(line) > self._max_line_bytes:
                raise BadRequestError(
                    f"line {number}: is longer than {self._max_line_bytes:,} bytes; "
                    "raise TOLDONCE_MAX_BODY_BYTES if it should be taken"
                )
            yield line


def _each_once(blocks: Iterator[ImportedSubject], references: References) -> Iterator[tuple[ImportedSubject, int]]:
    """Yield each subject without its records, and its number of memories.

    Raises:
        BadRequestError: a subject comes twice.
    """
    seen: set[int] = set()
    for block in blocks:
        if block.key in seen:
            raise BadRequestError(f"line {block.line}: {block.name} comes a second time")
        seen.add(block.key)
        references.add(block)
        yield ImportedSubject(block.subject, block.key, block.line), len(block.of("memory"))


def _so_many(blocks: Iterator[tuple[ImportedSubject, int]], limit: int) -> Iterator[list[tuple[ImportedSubject, int]]]:
    while group := list(islice(blocks, limit)):
        yield group


def _groups(
    blocks: Iterator[ImportedSubject], missing: Mapping[int, int], carried: TransferReport
) -> Iterator[list[ImportedSubject]]:
    """Yield groups of missing subjects that are written together; count the others."""
    group: list[ImportedSubject] = []
    records = 0
    for block in blocks:
        if block.key not in missing:
            carried.present += 1
            continue
        group.append(block)
        records += sum(map(len, block.rows.values()))
        if records >= MAX_RECORDS or len(group) == MAX_SUBJECTS:
            yield group
            group, records = [], 0
    if group:
        yield group


def _free_records(group: Sequence[ImportedSubject], glance: Callable[[], None]) -> None:
    """Free the records of some subjects one by one: freeing 100,000 at once keeps the event loop waiting for 40 ms."""
    for block in group:
        for records in block.rows.values():
            while records:
                records.pop()
                glance()


def _free_derived(derived: Derived, glance: Callable[[], None]) -> None:
    """Free index data in the same way."""
    while derived:
        derived.popitem()
        glance()


def _shown(row: Record) -> Record:
    """Remove secrets from a message: they stay in the log alone."""
    payload = row["payload"]
    return {**row, "text": redact(row["text"]), "payload": payload if payload is None else redact_json(payload)}


def _shown_detail(detail: str, said: str) -> str:
    """Shift the withheld stretches of a quotation to its message without secrets."""
    return map_withheld(detail, build_redaction(said))


def _portions(
    end: CopyEndpoint, group: Sequence[ImportedSubject], runtimes: Sequence[Runtime], glance: Callable[[], None]
) -> list[tuple[Runtime, list[Memory]]]:
    """Return the active memories of some subjects in batches, each with the runtime that embeds it."""
    logs = {block.key: block.words for block in group if block.of("message")}  # else it is in the database
    by_space: dict[str, tuple[Runtime, list[Memory]]] = {}
    for block, runtime in zip(group, runtimes, strict=True):
        memories = by_space.setdefault(runtime.embedder.space, (runtime, []))[1]
        for row in block.of("memory"):
            glance()
            if is_active(row):
                memories.append(_memory(end, block, row, logs))
    return [
        (runtime, memories[start : start + BATCH_SIZE])
        for runtime, memories in by_space.values()
        for start in range(0, len(memories), BATCH_SIZE)
    ]


def _memory(end: CopyEndpoint, block: ImportedSubject, row: Record, logs: Mapping[int, Words]) -> Memory:
    """Return the memory of a record, with what its vectors and terms are computed from."""
    text = row["text"] if row["text"] is not None else _said(end, row, logs)
    return Memory(
        id=MemoryId(id_text(row["id"])),
        subject=block.subject or Subject("global", ""),
        kind=KIND_ORDER[row["kind"]],
        text=read_detail(row["detail"]).quoted(text) if row["detail"] else text,
        speaker=row["speaker"],
        valid_from=from_micros(row["valid_from"]),
        known_from=from_micros(row["known_from"]),
        evidence=tuple(map(evidence_of, row["evidence"])),
    )


def _said(end: CopyEndpoint, row: Record, logs: Mapping[int, Words]) -> str:
    """Return the words of a turn: from a log of the file, from the database's, or as it was quoted."""
    for source in row["evidence"]:
        home, place = key_of(source["home"]), (source["conversation"], source["seq"])
        if home in logs:
            return logs[home].get(place, "")
        return said_elsewhere(end, home, *place) or str(source["quote"])
    return ""
