"""Take an edited Markdown document back. Reads a file, reads and writes through the engine or a server.

An edited line is a correction, a new one is added. What changed in the database since the export stays as it is: the
person is told its line.
"""

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, Literal

from toldonce.curation.corrections import replaced_value
from toldonce.engine.markdown_document import (
    DocumentItem,
    DocumentPart,
    DocumentReader,
    SubjectHead,
    UnreadLine,
    plain_words,
    unframed,
    words_hash,
    words_of,
)
from toldonce.engine.markdown_spool import MemorySpool, SpooledMemory
from toldonce.errors import BadRequestError, RequestError, StaleSubjectError
from toldonce.types import Memory, MemoryId, MemoryKind, MemoryOrder, MemoryState, Subject

if TYPE_CHECKING:
    from toldonce.engine.core import AsyncToldOnce

MAX_LISTED = 1_000
"""Changes, and lines left out, that a report lists; all are counted."""
REMOVED = "its line was removed from the document"
"""The reason that the log has for what `forget_removed` closes."""
_PAGE, _BATCH = 1_000, 256
_NOT_HERE = "is not here: it was erased, or never known"


@dataclass(frozen=True, slots=True)
class MarkdownChange:
    """What was changed, or would be."""

    action: Literal["correct", "add", "forget"]
    line: int
    """0: its line was removed."""
    memory: MemoryId | None
    """The memory before; None of an added one."""
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that changes nothing, with the reason."""

    line: int
    reason: str


@dataclass(slots=True)
class MarkdownReport:
    """What an import changed, or would change."""

    unchanged: int = 0
    corrected: int = 0
    added: int = 0
    forgotten: int = 0
    missing: int = 0
    """Memories whose lines were removed, and which are kept."""
    changes: list[MarkdownChange] = field(default_factory=list)
    """The first ones."""
    skipped: list[SkippedLine] = field(default_factory=list)
    """The first lines left out."""
    skipped_count: int = 0
    lost_count: int = 0
    """Of these, edited or unreadable lines: what the person wrote is not in the database."""

    @property
    def changed(self) -> int:
        """Number of changes."""
        return self.corrected + self.added + self.forgotten

    def note(self, change: MarkdownChange) -> None:
        """Count and list a change."""
        self.corrected += change.action == "correct"
        self.added += change.action == "add"
        self.forgotten += change.action == "forget"
        if len(self.changes) < MAX_LISTED:
            self.changes.append(change)

    def skip(self, line: int, reason: str, *, lost: bool = True) -> None:
        """Count and list a line that is left out."""
        self.skipped_count += 1
        self.lost_count += lost
        if len(self.skipped) < MAX_LISTED:
            self.skipped.append(SkippedLine(line, reason))


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownOptions:
    """How a document is taken back."""

    user: Subject | None = None
    """Whose document it must be; None: anybody's."""
    forget_removed: bool = False
    """Close memories whose lines were removed."""
    dry_run: bool = False
    """Change nothing, and return what would be changed."""


async def import_markdown(
    memory: "AsyncToldOnce",
    file: BinaryIO,
    options: MarkdownOptions,
    *,
    after_batch: Callable[[int], None] = lambda read_bytes: None,
) -> MarkdownReport:
    """Correct and add what a person edited in a document of `export_markdown`. A second time changes nothing.

    The document is read as a whole before anything is changed. An import that broke off can be run again.

    Args:
        memory: An engine, or a connection to a server.
        file: Binary file, read from its beginning twice.
        options: Whose it must be, and what to do.
        after_batch: Called after each batch of lines with the bytes read, for a progress bar.

    Raises:
        BadRequestError: It is no such document, is another user's, or was cut and lines are to be forgotten.
        ModelError: The embedder failed; what was changed before stays.
    """
    await asyncio.to_thread(_check, file, options)
    reader = DocumentReader(file)
    parts = reader.parts()
    with closing(MemorySpool()) as spool:
        run = _MarkdownImport(memory, spool, options)
        while batch := await asyncio.to_thread(lambda: list(islice(parts, _BATCH))):
            for part in batch:
                await run.take(part)
            after_batch(reader.read_bytes)
        await run.take_removed()
    return run.report


def _check(file: BinaryIO, options: MarkdownOptions) -> None:
    """Read a document as a whole.

    Raises:
        BadRequestError: See `import_markdown`.
    """
    reader, seen = DocumentReader(file), set[str]()
    for part in reader.parts():
        if isinstance(part, SubjectHead):
            if part.subject.text in seen:
                raise BadRequestError(f"line {part.line}: {part.subject.text} comes a second time: import one by one")
            seen.add(part.subject.text)
            if options.user is not None and options.user not in (part.subject, *part.subject.owners):
                raise BadRequestError(
                    f"line {part.line}: this is what is known about {part.subject.text}, not {options.user.text}"
                )
        elif not seen and isinstance(part, DocumentItem):
            raise BadRequestError(f"line {part.line}: no subject is named before it: was the comment deleted?")
    if not reader.is_whole and options.forget_removed:
        raise BadRequestError("the last line is missing, so the file may have been cut: nothing is forgotten by it")


class _MarkdownImport:
    """One import."""

    def __init__(self, memory: "AsyncToldOnce", spool: MemorySpool, options: MarkdownOptions) -> None:
        self._memory = memory
        self._spool = spool
        self._options = options
        self._heads: list[SubjectHead] = []
        self.report = MarkdownReport()

    async def take(self, part: DocumentPart) -> None:
        """Take one part of the document."""
        match part:
            case SubjectHead():
                self._heads.append(part)
                await self._load(part)
            case UnreadLine():
                self.report.skip(part.line, part.reason)
            case DocumentItem():
                await (self._add(part) if part.id is None else self._compare(part, part.id))

    @property
    def _subject(self) -> Subject:
        return self._heads[-1].subject

    async def _load(self, head: SubjectHead) -> None:
        """Read what is known about a subject by now, page by page."""
        after = None
        while page := await self._memory.list(
            user=head.subject, closed=True, after=after, order=MemoryOrder.OLDEST, limit=_PAGE
        ):
            self._spool.add(len(self._heads), page, head.exported_at)
            after = page[-1].id

    async def _add(self, item: DocumentItem) -> None:
        """Add a new line, unless it is known, or was added from this document before."""
        if not item.words:
            return
        first, place = self._heads[0].subject, 1 if item.is_after_end else len(self._heads)
        if item.is_after_end and not all(first in (head.subject, *head.subject.owners) for head in self._heads):
            self.report.skip(item.line, "comes after the end: put it into the section of whom it is about")
            return
        if any(self._spool.has_words(place, words) for words in (item.words, unframed(item.words))):
            self.report.unchanged += 1
            return
        if not self._options.dry_run:
            try:
                await self._memory.add(item.words, user=self._heads[place - 1].subject)
            except (RequestError, StaleSubjectError) as error:
                self.report.skip(item.line, str(error))
                return
        self._spool.note_words(place, item.words)
        self.report.note(MarkdownChange("add", item.line, None, "", item.words))

    async def _compare(self, item: DocumentItem, memory_id: MemoryId) -> None:
        """Compare a line with its memory, and correct that if the line was edited."""
        known = self._spool.find(len(self._heads), memory_id)
        if known and known.line:
            self.report.skip(item.line, f"memory {memory_id} comes a second time, first in line {known.line}")
            return
        if not item.words:  # removed: see `take_removed`
            return
        if known:
            self._spool.note_line(len(self._heads), memory_id, item.line)
        if known and known.state is MemoryState.ACTIVE and known.hash == item.hash:
            if item.is_edited:
                await self._correct(item, memory_id)
            else:
                self.report.unchanged += 1
        elif item.is_edited and self._spool.has_words(len(self._heads), item.words):
            self.report.unchanged += 1
        else:
            self.report.skip(item.line, f"memory {memory_id} {_changed(known)}", lost=item.is_edited)

    async def _correct(self, item: DocumentItem, memory_id: MemoryId) -> None:
        try:
            memory = await self._memory.get(memory_id, user=self._subject)
            if memory.state is not MemoryState.ACTIVE or words_hash(words_of(memory)) != item.hash:
                raise BadRequestError(f"memory {memory_id} was changed by a line before")
            if not self._options.dry_run:
                new = await self._memory.correct(
                    memory_id, item.words, user=self._subject, value=new_value(memory, item.words), unchanged=memory
                )
                await self._tell_ended(len(self._heads), self._subject, new.id, memory_id)
        except (RequestError, StaleSubjectError) as error:
            self.report.skip(item.line, str(error))
            return
        self._spool.note_words(len(self._heads), item.words)
        self.report.note(MarkdownChange("correct", item.line, memory_id, words_of(memory), item.words))

    async def take_removed(self) -> None:
        """Forget memories that were exported and have no line any more, or count them."""
        for place, head in enumerate(self._heads, 1):
            for memory_id in self._spool.removed(place):
                if self._options.forget_removed:
                    await self._forget(place, head, memory_id)
                else:
                    self.report.missing += 1

    async def _forget(self, place: int, head: SubjectHead, memory_id: MemoryId) -> None:
        user = head.subject
        try:
            history = await self._memory.history.get(memory_id, user=user)
            memory = history.memory
            if memory.state is not MemoryState.ACTIVE:
                return  # it said the same as another line that was removed
            if any(line.at > head.exported_at for line in history.decisions):
                raise BadRequestError(f"memory {memory_id} was changed since the export, and is kept")
            if not self._options.dry_run:
                await self._memory.forget(memory_id, user=user, reason=REMOVED, unchanged=memory)
                await self._tell_ended(place, user, memory_id, memory_id)
        except (RequestError, StaleSubjectError) as error:
            self.report.skip(0, str(error))
            return
        self.report.note(MarkdownChange("forget", 0, memory_id, words_of(memory), ""))

    async def _tell_ended(self, place: int, subject: Subject, cause: MemoryId, memory_id: MemoryId) -> None:
        """Tell which other lines of the document end with a memory, because they say the same; later ones as they come.

        Args:
            place: Of the subject in the document.
            subject: The subject.
            cause: What the log has as the cause: the memory that was forgotten, or the one in place of a corrected one.
            memory_id: The memory that was forgotten or corrected.
        """
        history = await self._memory.history.get(cause, user=subject)
        for other in history.related:
            known = self._spool.find(place, other.id)
            if other.id == memory_id or other.state is not MemoryState.CLOSED or not known:
                continue
            if known.line:
                self.report.skip(known.line, f"ended with memory {memory_id}, which said the same", lost=False)
            self._spool.note_end(place, other.id)


def _changed(known: SpooledMemory | None) -> str:
    """Return why a line cannot be taken."""
    if known is None:
        return _NOT_HERE
    if known.state is MemoryState.ACTIVE:
        return "has other words than were exported: export again"
    return "has ended since" if known.state is MemoryState.CLOSED else "waits for review"


def new_value(memory: Memory, words: str) -> str | None:
    """Return the value of a fact's slot that edited words say: what came in its place. None where more differs."""
    return replaced_value(plain_words(memory.text), memory.value, words) if memory.kind is MemoryKind.FACT else None
