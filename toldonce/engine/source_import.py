"""`memory.imports`: take in what other products exported. Reads an iterator of records, writes through the store.

A conversation is recorded as a whole, with its dates and branches, under the id that its product gave it. So a second
import finds it, and one that was interrupted goes on. Memories are found again by the log of decisions.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from toldonce.chat.messages import comparable_text, plain_message
from toldonce.concurrency import gather_or_cancel
from toldonce.curation.edits import add_notes
from toldonce.curation.new_notes import ManualNote
from toldonce.datasets.recordings import BadRecord
from toldonce.engine.components import Components
from toldonce.engine.recorder import manual_note
from toldonce.engine.turn import TurnService
from toldonce.errors import BadRequestError
from toldonce.extraction.redaction import redact
from toldonce.extraction.review_gate import planted_order
from toldonce.formation.replays import note_mark
from toldonce.formation.runtime import Runtime
from toldonce.importers.message_order import OrderedMessage, order_messages
from toldonce.importers.records import (
    NO_WORDS,
    LeftOut,
    SourceConversation,
    SourceMemory,
    SourceRecord,
    source_id,
)
from toldonce.text import clean, squeeze
from toldonce.types import BACKLOG_AGE, NO_SCOPE, ConversationTree, FormationRequest, Message, NewNote, Subject
from toldonce.worker.loop import Worker

# Conversations that are read and prepared at a time: the store commits those of a batch together.
MAX_BATCH_CONVERSATIONS = 32
MAX_BATCH_MEMORIES = 250
# Characters of a batch: conversations of tools and documents are large.
MAX_BATCH_CHARACTERS = 8_000_000
# Bad records that are kept for the report; all are counted.
MAX_BAD = 1_000
_PAGE = 1_000
# What the reason of a decision says of an imported memory; its mark follows.
_IMPORTED = "imported from {source} as "
_AGAIN = " again"


@dataclass(slots=True)
class SourceImportReport:
    """What an import took in."""

    conversations: int = 0
    """Conversations of which something was new."""
    messages: int = 0
    known: int = 0
    """Conversations of which everything is there already."""
    memories: int = 0
    known_memories: int = 0
    held: int = 0
    """Memories that wait for review."""
    first: datetime | None = None
    """When the oldest of the recorded messages was said."""
    last: datetime | None = None
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of records that were left out, by reason."""
    bad: list[BadRecord] = field(default_factory=list)
    """What could not be read; the first ones."""
    bad_count: int = 0

    def add(self, other: "SourceImportReport") -> None:
        """Add what was found in the rest of an export."""
        self.conversations += other.conversations
        self.messages += other.messages
        self.known += other.known
        self.memories += other.memories
        self.known_memories += other.known_memories
        self.held += other.held
        self.first = min((date for date in (self.first, other.first) if date), default=None)
        self.last = max((date for date in (self.last, other.last) if date), default=None)
        self.left_out += other.left_out
        self.bad += other.bad[: MAX_BAD - len(self.bad)]
        self.bad_count += other.bad_count

    def add_bad(self, record: BadRecord) -> None:
        """Count what could not be read or stored."""
        self.bad_count += 1
        if len(self.bad) < MAX_BAD:
            self.bad.append(record)


@dataclass(slots=True)
class _Batch:
    """Records that are written together."""

    trees: list[ConversationTree] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    """Position in the export of each conversation."""
    memories: list[SourceMemory] = field(default_factory=list)
    characters: int = 0

    @property
    def is_full(self) -> bool:
        """Whether it is to be written before more is read."""
        return (
            len(self.trees) >= MAX_BATCH_CONVERSATIONS
            or len(self.memories) >= MAX_BATCH_MEMORIES
            or self.characters >= MAX_BATCH_CHARACTERS
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSteps:
    """The engine's steps that an import takes."""

    runtime: Runtime
    turns: TurnService
    worker: Worker


class ImportService:
    """Takes in conversations and memories of other products."""

    def __init__(self, components: Components, steps: ImportSteps) -> None:
        self._components = components
        self._steps = steps

    async def take(
        self,
        records: Iterable[SourceRecord],
        source: str,
        *,
        user: str | Subject | None = None,
        after_batch: Callable[[], None] = lambda: None,
    ) -> SourceImportReport:
        """Record what a source yields. Memories of conversations are formed in the background, or by `bulk.form`.

        Args:
            records: What a source yields; it is read in threads, a batch at a time.
            source: Name of the source: the conversations' ids begin with it.
            user: User whose conversations and memories they are.
            after_batch: Called after each batch, for a progress bar.

        Raises:
            ModelError: the embedder failed; what was taken in before is stored, and another import goes on.
        """
        run = _SourceImport(self._components, self._steps, source, self._components.subject(user))
        async for batch in run.batches(records):
            await run.write(batch)
            after_batch()
        return run.report

    async def count(
        self, records: Iterable[SourceRecord], source: str, *, after_batch: Callable[[], None] = lambda: None
    ) -> SourceImportReport:
        """Read what a source yields, and write nothing; return what `take` would take into an empty database."""
        run = _SourceImport(self._components, self._steps, source, self._components.subject(None))
        async for batch in run.batches(records):
            run.count(batch)
            after_batch()
        return run.report


class _SourceImport:
    """One import."""

    def __init__(self, components: Components, steps: ImportSteps, source: str, subject: Subject) -> None:
        self._components = components
        self._store = components.store
        self._steps = steps
        self._source = source
        self._subject = subject
        self._reason = _IMPORTED.format(source=source)
        self._marks: set[str] | None = None
        self.report = SourceImportReport()

    async def batches(self, records: Iterable[SourceRecord]) -> AsyncIterator[_Batch]:
        """Read records in threads, and yield them in batches."""
        left, is_last = iter(records), False
        while not is_last:
            batch, is_last = await asyncio.to_thread(self._next_batch, left)
            yield batch

    def count(self, batch: _Batch) -> None:
        """Count a batch as if it were new."""
        for tree in batch.trees:
            self._count(tree, len(tree.messages))
        self.report.memories += len(batch.memories)

    def _next_batch(self, records: Iterator[SourceRecord]) -> tuple[_Batch, bool]:
        """Return the next records, and whether they are the last."""
        batch = _Batch()
        for record in records:
            match record:
                case BadRecord():
                    self.report.add_bad(record)
                case LeftOut():
                    self.report.left_out[record.reason] += 1
                case SourceMemory():
                    batch.memories.append(record)
                    batch.characters += len(record.text)
                case SourceConversation():
                    self._add(batch, record)
            if batch.is_full:
                return batch, False
        return batch, True

    def _add(self, batch: _Batch, record: SourceConversation) -> None:
        messages, parents = _log(order_messages(record, self._components.clock.now()))
        if not messages:
            self.report.left_out[NO_WORDS] += 1
            return
        dates = [message.said_at for message in messages]
        batch.trees.append(
            ConversationTree(
                subject=self._subject,
                external_id=f"{self._source}:{record.id}",
                messages=messages,
                parents=parents,
                begun_at=min(dates),
                ended_at=max(dates),
            )
        )
        batch.places.append(record.where)
        batch.characters += sum(len(message.text) for message in messages)

    async def write(self, batch: _Batch) -> None:
        """Write a batch; it takes effect conversation by conversation."""
        await gather_or_cancel(self._record(tree) for tree in batch.trees)
        if batch.memories:
            await self._remember(batch.memories)

    async def _record(self, tree: ConversationTree) -> None:
        scope = await self._steps.turns.memory_scope(self._subject, NO_SCOPE, tree.external_id)
        due_at = min(tree.ended_at, self._components.clock.now() - BACKLOG_AGE)
        formations = tuple(_of_past(due, due_at) for due in self._steps.turns.formations(scope))
        recorded = await self._store.conversations.record_tree(
            replace(tree, formations=formations, opening=scope.opening)
        )
        if not recorded.appended:
            self.report.known += 1
            return
        self._count(tree, len(recorded.appended))
        for subject in dict.fromkeys(due.key_subject for due in formations):
            self._steps.worker.wake(subject)

    def _count(self, tree: ConversationTree, messages: int) -> None:
        report = self.report
        report.conversations += 1
        report.messages += messages
        report.first = min(tree.begun_at, report.first or tree.begun_at)
        report.last = max(tree.ended_at, report.last or tree.ended_at)

    async def _remember(self, memories: Sequence[SourceMemory]) -> None:
        """Add memories that were not imported before, whatever became of them since."""
        if self._marks is None:
            self._marks = await self._imported()
        profile = self._components.profile(None)
        notes = []
        erased = await self._store.erasures.forgotten(
            self._subject, [note_mark(_stored(memory)) for memory in memories]
        )
        for memory in memories:
            mark = source_id(None, memory.id, memory.text)
            if mark in self._marks or note_mark(_stored(memory)) in erased:
                self.report.known_memories += 1
                continue
            self._marks.add(mark)
            try:
                checked = manual_note(NewNote(_stored(memory), type=memory.type), profile)
            except BadRequestError as error:
                self.report.add_bad(BadRecord(where=memory.where, reason=str(error)))
                continue
            notes.append(self._note(checked, memory, self._reason + mark))
        await add_notes(self._steps.runtime, self._subject, notes)
        self.report.held += sum(bool(note.hold_reason) for note in notes)
        self.report.memories += len(notes)

    def _note(self, checked: ManualNote, memory: SourceMemory, reason: str) -> ManualNote:
        now = self._components.clock.now()
        order = planted_order(checked.text)
        return checked._replace(
            reason=reason,
            hold_reason=f"{order}; {reason}" if order else "",
            valid_from=None if memory.since is None else min(memory.since, now),
        )

    async def _imported(self) -> set[str]:
        """Read which memories of the source were imported, from the log of decisions."""
        marks: set[str] = set()
        after: tuple[datetime, str] | None = None
        while True:
            page = await self._store.decisions.list(self._subject, limit=_PAGE, after=after)
            for line in page:
                _, found, mark = line.reason.rpartition(self._reason)
                if found:
                    marks.add(mark.removesuffix(_AGAIN))
            if len(page) < _PAGE:
                return marks
            after = (page[-1].at, page[-1].id)


def _stored(memory: SourceMemory) -> str:
    """Return the text of a memory as it is stored, without secrets."""
    return redact(squeeze(clean(memory.text)))


def _log(ordered: Sequence[OrderedMessage]) -> tuple[list[Message], list[int]]:
    """Return messages for the log with their parents; equal answers to one message are one. Secrets are struck out."""
    messages: list[Message] = []
    parents: list[int] = []
    asked: list[str] = []
    places: dict[int, int] = {-1: -1}
    known: dict[tuple[int, int], int] = {}
    for index, each in enumerate(ordered):
        parent = places[each.parent]
        text, role = clean(each.message.text), each.message.role
        before = asked[parent] if parent >= 0 else ""
        message = plain_message(role, text, asked=before, said_at=each.said_at)
        places[index] = known.setdefault((parent, message.hash), len(messages))
        if places[index] < len(messages):
            continue
        messages.append(replace(message, text=redact(message.text)))
        parents.append(parent)
        asked.append(comparable_text(message.text) if role == "user" else before)
    return messages, parents


def _of_past(due: FormationRequest, due_at: datetime) -> FormationRequest:
    """Request a formation at once, as a chat of the past goes on no more; summaries still wait for enough turns.

    Chats are formed in the order in which they were had, and after whatever is said now.
    """
    due = replace(due, due_at=due_at)
    return due if due.stage == "episodes" else replace(due, every_turns=1, after_idle=None)
