"""Namespaces of `ToldOnce`: history, health, reviews, shared, bulk, vectors. Made by tools/make_sync.py."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from toldonce.engine.background import BackgroundEngine
from toldonce.engine.results import ListOf
from toldonce.types import Decision, Memory, MemoryPair, NearDuplicates, NewNote, RecalledMemory, Subject

if TYPE_CHECKING:
    from toldonce.engine import HeldMemory, MemoryExplanation, MemoryHistory, UndoPlan


class BlockingHistoryService:
    """Decisions about memories. They are never deleted: the log keeps what was undone, when and why."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def get(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryHistory:
        """Read one memory with its decisions, its source messages, what it replaced and what replaced it.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
        """
        return self._engine.run(self._engine.core.history.get(memory_id, user=user))

    def explain(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryExplanation:
        """Explain a memory: its sources, the decisions about it, what it replaced, and when it was last recalled.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
        """
        return self._engine.run(self._engine.core.history.explain(memory_id, user=user))

    def decisions(
        self, *, user: str | Subject | None = None, limit: int = 1000, after: tuple[datetime, str] | None = None
    ) -> list[Decision]:
        """Read the decision log, oldest first.

        Args:
            user: User whose memories the decisions are about.
            limit: Maximum number of decisions to return.
            after: Time and id of the last decision of the page before; None reads from the first on.
        """
        return self._engine.run(self._engine.core.history.decisions(user=user, limit=limit, after=after))

    def undo(self, decision: str, *, user: str | Subject | None = None, dry_run: bool = False) -> UndoPlan:
        """Reverse a decision: close the memory it added, restore the memory it closed.

        A closed memory stays closed if something else fills its slot by now.

        Args:
            decision: Id of the decision, as `get`, `explain` and `decisions` return it.
            user: User whose memory it is about.
            dry_run: Return what would be done, and change nothing.

        Raises:
            BadRequestError: there is no such decision, it was undone already, or nothing of it is left to undo.
        """
        return self._engine.run(self._engine.core.history.undo(decision, user=user, dry_run=dry_run))

    def undo_source(
        self,
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        seq: int | None = None,
        since: datetime | None = None,
        dry_run: bool = False,
    ) -> UndoPlan:
        """Undo everything that came from one source, or everything since a time. The message log stays as it is.

        For a source, memories are afterwards as if it had never been said: memories formed from it alone are closed,
        memories they replaced return, and memories with other sources keep these. For a time, memories stored since
        are closed, and memories closed since return.

        Args:
            user: User whose memories they are.
            conversation: ToldOnce's id of the conversation.
            seq: One message of the conversation; None is the whole of it.
            since: Instant of storing (aware), not of saying.
            dry_run: Return what would be done, and change nothing.

        Raises:
            BadRequestError: neither or both of conversation and time are given, the time has no time zone, or nothing
                is left to undo.
        """
        return self._engine.run(
            self._engine.core.history.undo_source(
                user=user, conversation=conversation, seq=seq, since=since, dry_run=dry_run
            )
        )


class BlockingHealthService:
    """Memories that may need a look. Lists change nothing."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def never_recalled(
        self, *, user: str | Subject | None = None, after: str | None = None, limit: int = 100
    ) -> list[Memory]:
        """List active memories stored at least 30 days ago that no prompt has used, newest first.

        Args:
            user: User or subject whose memories to list.
            after: Id of the last memory of the page before; None lists from the newest on.
            limit: Maximum number of memories to return.

        Raises:
            UnknownMemoryError: `after` is not an id.
        """
        return self._engine.run(self._engine.core.health.never_recalled(user=user, after=after, limit=limit))

    def idle(self, *, user: str | Subject | None = None, after: str | None = None, limit: int = 100) -> list[Memory]:
        """List active notes that were neither stored nor used in the last 90 days, newest first.

        Args:
            user: User or subject whose memories to list.
            after: Id of the last memory of the page before; None lists from the newest on.
            limit: Maximum number of memories to return.

        Raises:
            UnknownMemoryError: `after` is not an id.
        """
        return self._engine.run(self._engine.core.health.idle(user=user, after=after, limit=limit))

    def replaced(
        self, *, user: str | Subject | None = None, before: tuple[datetime, str] | None = None, limit: int = 100
    ) -> list[MemoryPair]:
        """List which memories took the place of contradicting ones in the last 30 days, newest first.

        Args:
            user: User or subject whose memories to list.
            before: `at` and `decision` of the last pair of the page before; None begins with the newest.
            limit: Maximum number of pairs to return. A pair of which a memory was erased is left out.
        """
        return self._engine.run(self._engine.core.health.replaced(user=user, before=before, limit=limit))

    def held_conflicts(
        self, *, user: str | Subject | None = None, after: str | None = None, limit: int = 100
    ) -> list[MemoryPair]:
        """List facts that wait for review, each with the active fact of its slot, oldest first.

        Args:
            user: User or subject whose memories to list.
            after: Id of the last held fact of the page before; None lists from the oldest on.
            limit: Maximum number of pairs to return.

        Raises:
            UnknownMemoryError: `after` is not an id.
        """
        return self._engine.run(self._engine.core.health.held_conflicts(user=user, after=after, limit=limit))

    def near_duplicates(
        self,
        *,
        user: str | Subject | None = None,
        min_similarity: float = 0.8,
        after: str | None = None,
        limit: int = 100,
    ) -> NearDuplicates:
        """List notes that say nearly the same, each with up to three older ones.

        The worker merges notes that say the same once a day: what is listed was not merged yet, or its rules keep
        it apart, as for another number or name. A page makes at most some 5 million comparisons; a large memory
        takes several pages, of which one may be empty although there are more.

        Args:
            user: User or subject whose notes to compare.
            min_similarity: Calibrated similarity, 0 to 1, from which a pair is listed.
            after: `after` of the page before; None compares from the oldest note on.
            limit: Maximum number of pairs to return.

        Raises:
            BadRequestError: `min_similarity` is not between 0 and 1, or `limit` is less than 1.
            UnknownMemoryError: `after` is not an id.
            StoreUnavailableError: the engine was closed meanwhile.
        """
        return self._engine.run(
            self._engine.core.health.near_duplicates(user=user, min_similarity=min_similarity, after=after, limit=limit)
        )


class BlockingReviewService:
    """Memories that were held back, and decisions on them."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def list(
        self, *, user: str | Subject | None = None, limit: int = 100, after: str | None = None
    ) -> ListOf[HeldMemory]:
        """List memories that wait for review, oldest first, each with the reason.

        Args:
            user: User whose memories they are.
            limit: Maximum number of memories to return.
            after: Id of the last memory of the page before; None lists from the oldest on.

        Raises:
            UnknownMemoryError: `after` is not an id.
        """
        return self._engine.run(self._engine.core.reviews.list(user=user, limit=limit, after=after))

    def approve(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Activate a held memory: it is recalled from now on, and closes the memory it replaces.

        Returns:
            The memory; or the known memory that says the same, strengthened.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
            BadRequestError: it is not held, or the memory it would replace is newer.
        """
        return self._engine.run(self._engine.core.reviews.approve(memory_id, user=user))

    def reject(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Close a held memory; its history stays.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
            BadRequestError: it is not held.
        """
        return self._engine.run(self._engine.core.reviews.reject(memory_id, user=user))


class BlockingSharedMemoryService:
    """Memories that several subjects read."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def link(self, memory_id: str, *, to: Subject, user: str | Subject | None = None) -> Memory:
        """Share an active note, fact or episode with another subject, which gets its own row under the same id.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
            BadRequestError: it cannot be shared: it is a quotation, held or closed, or `to` has another value in its
                slot or belongs to another tenant.
        """
        return self._engine.run(self._engine.core.shared.link(memory_id, to=to, user=user))

    def unlink(self, memory_id: str, *, user: str | Subject | None = None) -> None:
        """Remove a memory from this user alone; other subjects that share it keep it.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
        """
        self._engine.run(self._engine.core.shared.unlink(memory_id, user=user))

    def subscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> list[Subject]:
        """Let a user read a shared subject in addition to their own memories; return all their subscriptions.

        The user's own value of a slot comes before a shared one. To share memories, add them with the shared subject
        as `user`, or link them to it.

        Args:
            shared: `shared:NAME`, or the name alone.
            user: User who subscribes.

        Raises:
            BadRequestError: `shared` is another kind of subject, or the subscriber is not a user.
        """
        return self._engine.run(self._engine.core.shared.subscribe(shared, user=user))

    def unsubscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> bool:
        """End a user's subscription; return False if there was none.

        Raises:
            BadRequestError: `shared` is another kind of subject, or the subscriber is not a user.
        """
        return self._engine.run(self._engine.core.shared.unsubscribe(shared, user=user))

    def subscriptions(self, *, user: str | Subject | None = None) -> list[Subject]:
        """List the shared subjects that a user reads, the longest subscription first."""
        return self._engine.run(self._engine.core.shared.subscriptions(user=user))


class BlockingBulkService:
    """Work on many texts or conversations at once."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def add(
        self, notes: Sequence[str | NewNote], *, user: str | Subject | None = None, profile: str | None = None
    ) -> list[Memory]:
        """Store many sentences as notes in one commit: all of them or none.

        They are embedded together. Each is compared with what is known and with the notes before it; notes that differ
        only in case and punctuation are stored once.

        Args:
            notes: Up to 1,000 notes; a bare text has importance 0.7 and no type.
            user: User whose memory they are added to.
            profile: Profile whose retention and capacity policies apply; None is the settings' profile.

        Returns:
            A memory for each note, in their order; the same memory for notes that say the same.

        Raises:
            UnknownProfileError: there is no such profile.
            BadRequestError: there are too many notes, or one is invalid: the message says which. Nothing was stored.
        """
        return self._engine.bulk_add(notes, user=user, profile=profile)

    def form(self) -> int:
        """Form everything that is due now, many users side by side; return the number of formations.

        For imports and replays, while no chat waits for the worker: users are worked on concurrently, and their texts
        are embedded together. The memories are the same as with `AsyncToldOnce.form`.
        """
        return self._engine.run(self._engine.core.bulk.form())


class BlockingVectorService:
    """Nearest neighbours among memories' vectors."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def nearest(
        self,
        *,
        query: str | None = None,
        vector: Sequence[float] | None = None,
        user: str | Subject | None = None,
        limit: int = 10,
    ) -> list[RecalledMemory]:
        """Find the notes and episodes nearest to a text or a vector, most similar first.

        Args:
            query: Text to embed; give either this or a vector.
            vector: Vector of the embedder's space, of any length but zero.
            user: User whose memories to search.
            limit: Maximum number of memories to return, 1 to 200.

        Raises:
            BadRequestError: the limit is out of range, both or neither of query and vector are given, or the vector
                has another dimension than the embedder's or is all zeros.
        """
        return self._engine.run(self._engine.core.vectors.nearest(query=query, vector=vector, user=user, limit=limit))
