"""The one protocol of all stores. Pure: the promises, not their keeping."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from recollect.store.embedded import EmbeddedStore
from recollect.store.ledger_reader import LedgerReader
from recollect.store.operators import OperatorStore
from recollect.store.tending import TendedStore
from recollect.types import (
    ALL_VECTORS,
    Change,
    Conversation,
    ConversationId,
    ConversationSetup,
    Decision,
    EpisodeRange,
    EraseRequest,
    ErasureRecord,
    FormationKey,
    FormationResult,
    FormationStatus,
    InjectionRecord,
    InjectionSite,
    Lease,
    LoggedMessage,
    Memory,
    MemoryId,
    MemoryKind,
    RecordedTurn,
    StorageKind,
    Subject,
    SubjectSnapshot,
    Turn,
    VectorRequest,
)

T = TypeVar("T")
Rank = Callable[[Sequence[SubjectSnapshot]], tuple[Mapping[Subject, Sequence[MemoryId]], T]]
"""Weighs the memories of subjects; returns which are wanted of each, and what else came of it."""


class Store(OperatorStore, TendedStore, EmbeddedStore, LedgerReader, Protocol):
    """Everything kept. Each method is one transaction (or one snapshot) and never calls a model.

    No method reads or writes another subject than those it is given. A subject, conversation or memory that
    does not exist reads as empty. Every method may raise `StoreUnavailableError` (nothing is known to have
    happened: read back before trying a write again) and, when it writes, `StoreFullError`.
    """

    async def close(self) -> None:
        """Finish what was accepted, then let go of the database. Idempotent."""
        ...

    async def record(self, turn: Turn) -> RecordedTurn:
        """Append a turn to its conversation, with the formations it makes due; durable when this returns.

        The conversation is found in this order: by `external_id` within the subject; by the newest message of
        the turn whose `anchor` (or, with tool calls, `call_ids`) was recorded for this subject; by an equal first
        message recorded in the last ten minutes whose path the turn repeats and whose last answer nobody has
        continued (a retry or a regeneration); else it is new. What follows the anchor is walked down the tree:
        an equal child is the same message and is not written again (unless an edit took it back), anything else is
        appended as a sibling. The reply is appended below the last message, unless an equal reply stands there
        already.

        What the turn counts for in the share of memory work (`Turn.charges`) is booked with it, if anything was new.

        Messages before the anchor are the client's business (it may trim or summarise) and are not compared.
        Recording the identical turn again changes nothing but `due_at`.

        A formation is asked for up to the newest message where as many turns wait behind its cursor as
        `FormationRequest.every_turns` says, or (`on_edit`) where the turn branches off; with `after_idle` it is due
        after that silence; else it waits for `ask_formation`.
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

    async def open_conversation(self, subject: Subject, external_id: str, opening: ConversationSetup) -> Conversation:
        """Return the conversation of that id, begun without messages where there is none.

        One that is there keeps its profile and app; options replace its own where they are of the same profile.
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

    async def path(
        self, subject: Subject, conversation: ConversationId, *, after_seq: int = 0, limit: int = 1000
    ) -> list[LoggedMessage]:
        """Read the active path in order, from behind `after_seq`: the newest message, what it follows, and so on up.

        The `parent_seq` of the first message returned is `after_seq` exactly where that is on the path itself.
        """
        ...

    async def spans(self, subject: Subject, conversation: ConversationId) -> list[EpisodeRange]:
        """Read which turns of a conversation the episodes of `subject` sum up, by turn.

        Closed ones as well, so that what somebody forgot is not summed up once more; but none that was abandoned.
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

        The cursor moves back only where the result says that an edit took away what it had passed.

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
        self, lease: Lease, *, error: str | None, retry_at: datetime | None, now: datetime, counted: bool = True
    ) -> None:
        """Give a lease back undone: due again at `retry_at`, or parked with its error where that is None.

        Without an error nothing was tried (a shutdown), and with `counted` False it is nobody's fault (an open breaker,
        a spent budget): the attempt is not counted. Does nothing where the lease is lost already.
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

    async def hot(self, subject: Subject, space: str, *, sought: VectorRequest | None = None) -> SubjectSnapshot:
        """Return all active memories of the subject as arrays, with the vectors of one space.

        Taken from a cache where the subject's version, read in the same snapshot, has not moved. Of vectors that have
        an index no more than those `sought` need come (see `SubjectSnapshot.sampled_vectors`); None: all.

        Raises:
            SpaceMovedError: the subject is read in another space.
        """
        ...

    async def memories(self, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
        """Read memories of any state, with their evidence, in the order asked; unknown ids are left out."""
        ...

    async def choose(
        self, subjects: Mapping[Subject, str], rank: Rank[T], *, sought: Mapping[Subject, VectorRequest] = ALL_VECTORS
    ) -> tuple[T, list[Memory]]:
        """Do a recall's reading in one go: `hot` of each subject, then the `memories` that `rank` wants of them.

        Args:
            subjects: A reading list, each with the name of the space that it is thought to be read in.
            rank: Called with the subjects in their order. It may run in another thread and, should the store have to
                begin anew, more than once: it computes, and touches nothing else.
            sought: As in `hot`, of each subject.

        Returns:
            What came of ranking, and the memories it wanted, subject by subject, in the order asked; of the version
            that was ranked or a later one. Of uses they count at least what `note_uses` was told here.

        Raises:
            SpaceMovedError: a subject is read in another space.
        """
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

    async def formed_of(self, subject: Subject, source: Conversation, *, limit: int = 100) -> list[Memory]:
        """List the notes, facts and episodes of a subject that rest on a conversation, newest first; no closed ones."""
        ...

    async def facts(self, subject: Subject) -> list[Memory]:
        """Read all active facts, most important first, ties by id."""
        ...

    async def held(self, subject: Subject, *, limit: int = 100) -> list[Memory]:
        """Read what waits for review, oldest first."""
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

    async def last_recall(self, subject: Subject, memory: MemoryId) -> InjectionSite | None:
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

    async def erase(self, order: EraseRequest) -> ErasureRecord:
        """Take away what is named, with all that tells of it, in one transaction; durable when this returns.

        Of many subjects within one some go at a time, it goes last, and erasing again goes on. Memories go with their
        vectors, terms, tags, quotes and decisions, and the closed ones that they replaced. Messages keep place, role
        and times alone; the ledger keeps them, and what they said, from being written again by a resent history. What
        was formed of erased messages goes as well, unless it rests on others, too. Formations under way lose their
        leases. A subject of which all is erased may begin again. Its bytes may stay until `clean` took them.

        Raises:
            UnknownMemoryError: a memory named is not the subject's.
            UnknownConversationError: the conversation named is not the subject's.
        """
        ...

    @property
    def rest(self) -> StorageKind:
        """Where what is kept lies: what erasing can reach there."""
        ...

    async def clean(self, *, wait_ms: int, rewrite: bool = False) -> bool:
        """Leave no byte of what was erased in the database's own files; False where that is still pending.

        Args:
            wait_ms: How long to wait for other processes that hold the log.
            rewrite: Write the tables of a server anew, which locks each for as long as that takes; without it what a
                server keeps of deleted rows stays pending.

        Returns:
            True where nothing is pending any more. A server's write-ahead log and its copies are out of reach.
        """
        ...

    async def erasures(self, subject: Subject, *, limit: int = 100) -> list[ErasureRecord]:
        """List what was erased of a subject, newest first: numbers alone."""
        ...

    async def unclean(self) -> int:
        """Return how many erasures are pending, of all subjects."""
        ...

    async def link(
        self, subject: Subject, memory: MemoryId, to: Subject, *, terms: Mapping[str, int], decision: Decision
    ) -> None:
        """Put a copy of an active note, fact or episode into another subject, under the same id.

        Args:
            subject: Whose memory it is.
            memory: The memory.
            to: Who gets a row of their own, with the same sources and vectors. Nothing changes where they have it.
            terms: Of its text; each subject's are hashed anew.
            decision: What is logged there.

        Raises:
            UnknownMemoryError: it is not the subject's.
            BadRequestError: it is a turn, not active, or `to` holds another value of the same slot.
        """
        ...

    async def unlink(self, subject: Subject, memory: MemoryId, *, decision: Decision) -> None:
        """Take a memory's row from one subject; the rows of others stay.

        Raises:
            UnknownMemoryError: it is not the subject's.
        """
        ...

    async def note_uses(self, subject: Subject, ids: Sequence[MemoryId], at: datetime) -> None:
        """Count a use of each memory. Not durable at once, and moves no version."""
        ...

    async def note_hits(self, subject: Subject, recall: InjectionRecord, hits: Sequence[MemoryId]) -> None:
        """Note which memories of a recorded recall its answer made use of. Not durable at once."""
        ...

    async def recalls(
        self, subject: Subject, *, conversation: ConversationId | None = None, limit: int = 100
    ) -> list[InjectionRecord]:
        """Read what was injected, newest first."""
        ...
