"""The one protocol of all stores. Pure: the promises, not their keeping."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from recollect.types import (
    AppRecord,
    Change,
    Conversation,
    ConversationId,
    Decision,
    FormationKey,
    FormationResult,
    FormationStatus,
    Hot,
    Lease,
    LoggedMessage,
    Memory,
    MemoryId,
    MemoryKind,
    Opening,
    RecallPlace,
    RecallRecord,
    Recorded,
    StoreSums,
    Subject,
    SubjectSums,
    Turn,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """What `recollect doctor` says about a store."""

    url: str
    """Where it is, without a password."""
    schema: int
    """Number of the newest migration applied."""
    subjects: int
    conversations: int
    messages: int
    memories: int
    """Active ones, turns included."""
    formations_due: int
    formations_parked: int
    bytes: int
    """Size on disk, write-ahead log included."""
    spaces: tuple[str, ...]
    """Names of the vector spaces in use."""
    problems: tuple[str, ...]
    """What an integrity check found; empty when all is well. Filled only with `check=True`."""


class Store(Protocol):
    """Everything kept. Each method is one transaction (or one snapshot) and never calls a model.

    No method reads or writes another subject than the one it is given. A subject, conversation or memory that
    does not exist reads as empty. Every method may raise `StoreUnavailableError` (nothing is known to have
    happened: read back before trying a write again) and, when it writes, `StoreFullError`.
    """

    async def close(self) -> None:
        """Finish what was accepted, then let go of the database. Idempotent."""
        ...

    async def record(self, turn: Turn) -> Recorded:
        """Append a turn to its conversation, with the formations it makes due; durable when this returns.

        The conversation is found in this order: by `external_id` within the subject; by the newest message of
        the turn whose `anchor` (or, with tool calls, `call_ids`) was recorded for this subject; by an equal first
        message recorded in the last ten minutes whose path the turn repeats and whose last answer nobody has
        continued (a retry or a regeneration); else it is new. What follows the anchor is walked down the tree:
        an equal child is the same message and is not written again (unless an edit took it back), anything else is
        appended as a sibling. The reply is appended below the last message, unless an equal reply stands there
        already.

        Messages before the anchor are the client's business (it may trim or summarise) and are not compared.
        Recording the identical turn again changes nothing but `due_at`.

        A formation is asked for up to the newest message where as many turns wait behind its cursor as
        `FormationDue.every` says; with `idle` it becomes due after that silence; else it waits for `ask_formation`.
        """
        ...

    async def messages(
        self, subject: Subject, conversation: ConversationId, *, after_seq: int = 0, limit: int = 1000
    ) -> list[LoggedMessage]:
        """Read the log in order of `seq`, from behind `after_seq`; all branches."""
        ...

    async def conversations(
        self, subject: Subject, *, limit: int = 100, before: datetime | None = None
    ) -> list[Conversation]:
        """List conversations, last updated first."""
        ...

    async def open_conversation(self, subject: Subject, external_id: str, opening: Opening) -> Conversation:
        """Return the conversation of that id, begun without messages where there is none.

        One that is there keeps what it was opened with.
        """
        ...

    async def conversation(
        self, subject: Subject, *, id: ConversationId | None = None, external_id: str | None = None
    ) -> Conversation | None:
        """Find a conversation by its id, or by the client's; None where the subject has none of it."""
        ...

    async def end_conversation(
        self, subject: Subject, conversation: ConversationId, reason: str, now: datetime
    ) -> None:
        """Note that a conversation ended, and why; the next message in it takes the end back.

        Raises:
            UnknownConversationError: the subject has none of that id.
        """
        ...

    async def ask_formation(self, writes: Subject, home: Subject, conversation: ConversationId, now: datetime) -> int:
        """Make due what a conversation waits to have formed into `writes`; return how many formations that is."""
        ...

    async def abandoned(self, subject: Subject, conversation: ConversationId) -> set[int]:
        """Return the `seq` of messages that an edit took off the active path.

        Where a user message has a newer sibling that is a user message, it and all below it were abandoned. A
        regenerated answer abandons nothing: its question was said all the same.
        """
        ...

    async def due(self, now: datetime, *, limit: int = 32) -> list[FormationKey]:
        """List formations whose time has come and that nobody holds a lease on, longest due first."""
        ...

    async def next_due(self) -> datetime | None:
        """Return when the next unparked formation is due; None when nothing waits."""
        ...

    async def lease(self, key: FormationKey, *, now: datetime, lease_s: float) -> Lease | None:
        """Take the formation, counting the attempt; None if it is not due, parked or another holds it."""
        ...

    async def renew_lease(self, lease: Lease, *, now: datetime, lease_s: float) -> bool:
        """Move the end of a lease that still stands; False where it ran out or was taken over."""
        ...

    async def commit_formation(self, lease: Lease, result: FormationResult, *, now: datetime) -> int:
        """Apply a formation's changes and decisions and move its cursor, all in one transaction.

        It is due again at once while the cursor is behind what was asked for (unless the result says that it waits for
        more), after silence where it waits for that, and else not by itself. Clears attempts, error and lease. Returns
        the subject's new version.

        Raises:
            LeaseLostError: the token is not the current one, or the lease has run out.
            StaleSubjectError: `result.subject_version` is not the subject's version any more.
            VectorSizeError: a vector does not fit its space.
        """
        ...

    async def formed_by_another(self, key: FormationKey) -> bool:
        """Tell whether the conversation has a formation of the same profile and stage by another extractor version."""
        ...

    async def release_formation(
        self, lease: Lease, *, error: str | None, retry_at: datetime | None, now: datetime
    ) -> None:
        """Give a lease back undone: due again at `retry_at`, or parked with its error where that is None.

        Without an error nothing was tried (a shutdown, an open breaker): the attempt is not counted. Does nothing where
        the lease is lost already.
        """
        ...

    async def formations(
        self, *, subject: Subject | None = None, parked: bool | None = None, limit: int = 100
    ) -> list[FormationStatus]:
        """List formations, longest due first; of one subject, or (for the operator) of all."""
        ...

    async def retry_formation(self, key: FormationKey, *, now: datetime) -> bool:
        """Make a parked formation due again with its attempts cleared; False where it is not parked."""
        ...

    async def hot(self, subject: Subject, space: str) -> Hot:
        """Return all active memories of the subject as arrays, with the vectors of one space.

        Taken from a cache where the subject's version, read in the same snapshot, has not moved.
        """
        ...

    async def memories(self, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
        """Read memories of any state, with their evidence, in the order asked; unknown ids are left out."""
        ...

    async def list_memories(
        self,
        subject: Subject,
        *,
        kinds: Sequence[MemoryKind] = (MemoryKind.NOTE, MemoryKind.FACT, MemoryKind.EPISODE),
        closed: bool = False,
        after: MemoryId | None = None,
        tag: str = "",
        limit: int = 100,
    ) -> list[Memory]:
        """List memories newest first, from behind `after`; closed ones only when asked; with a tag, those under it."""
        ...

    async def facts(self, subject: Subject) -> list[Memory]:
        """Read all active facts, most important first, ties by id."""
        ...

    async def decisions(self, subject: Subject, *, memory: MemoryId | None = None, limit: int = 1000) -> list[Decision]:
        """Read the decision log, oldest first; of one memory: every line that made, touched or weighed it."""
        ...

    async def decision(self, subject: Subject, decision_id: str) -> Decision | None:
        """Read one line of the decision log; None where the subject has none of that id."""
        ...

    async def decisions_from(
        self,
        subject: Subject,
        *,
        conversation: ConversationId | None = None,
        seq: int | None = None,
        since: datetime | None = None,
    ) -> list[Decision]:
        """Read the decisions on what a conversation (or one message of it) said, or since an instant; oldest first."""
        ...

    async def memories_from(
        self, subject: Subject, conversation: ConversationId, *, seq: int | None = None
    ) -> list[Memory]:
        """Read the memories of any kind and state that rest on a conversation, or on one message of it; by id."""
        ...

    async def memories_since(self, subject: Subject, since: datetime) -> list[Memory]:
        """Read the memories of any kind that were stored or closed at an instant or later; by id."""
        ...

    async def last_recall(self, subject: Subject, memory: MemoryId) -> RecallPlace | None:
        """Find where a memory was put into one of the subject's prompts last; None where it never was."""
        ...

    async def memories_at(
        self, subject: Subject, kinds: Sequence[MemoryKind], *, at: datetime, known_at: datetime
    ) -> list[Memory]:
        """Read what was true at an instant, as far as it was known at another; by id.

        True then: it had begun and had not ended at `at`. Known then: it was stored at `known_at` or before; an end
        that was only learnt of later does not count. Held ones never come back. Every memory is as it was then: `state`
        active, `closed_at` None, and an end not known yet is left out.
        """
        ...

    async def apply(
        self,
        subject: Subject,
        changes: Sequence[Change],
        decisions: Sequence[Decision],
        *,
        subject_version: int | None = None,
        home: Subject | None = None,
    ) -> int:
        """Apply changes made by hand, durable when this returns; returns the subject's new version.

        `home` is whose log the evidence points into; None: the subject's own.

        Raises:
            StaleSubjectError: `subject_version` is not the subject's version any more.
            UnknownMemoryError: a change names a memory that is not the subject's.
            VectorSizeError: a vector does not fit its space.
        """
        ...

    async def note_uses(self, subject: Subject, ids: Sequence[MemoryId], at: datetime) -> None:
        """Count a use of each memory. Not durable at once, and moves no version."""
        ...

    async def note_hits(self, subject: Subject, recall: RecallRecord, hits: Sequence[MemoryId]) -> None:
        """Note which memories of a recorded recall its answer made use of. Not durable at once."""
        ...

    async def recalls(
        self, subject: Subject, *, conversation: ConversationId | None = None, limit: int = 100
    ) -> list[RecallRecord]:
        """Read what was injected, newest first."""
        ...

    async def subjects(self, *, after: str = "", limit: int = 1000) -> list[Subject]:
        """List subjects by name, for the operator."""
        ...

    async def announce_app(self, app: Subject, now: datetime) -> None:
        """Note that an app is there; one that was uninstalled is there again, since it was first."""
        ...

    async def remove_app(self, app: Subject, now: datetime) -> bool:
        """Note that an app was uninstalled, its memories left as they are; False where it is not there."""
        ...

    async def app(self, subject: Subject) -> AppRecord | None:
        """Return what is known of an app; None where it was never announced."""
        ...

    async def sums(self) -> StoreSums:
        """Count what the operator's metrics tell, of all subjects."""
        ...

    async def subject_sums(self, subject: Subject) -> SubjectSums:
        """Count what is kept of one subject, what was decided, and what recall was good for."""
        ...

    async def stats(self, *, check: bool = False) -> StoreStats:
        """Count what is kept; with `check`, verify the files and that all indexes agree (slow)."""
        ...
