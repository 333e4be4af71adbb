"""`Recollect`: the engine for code without asyncio. Forwards to `AsyncRecollect` on one background loop; no logic."""

import asyncio
import threading
from collections.abc import Coroutine, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypeVar

from recollect.clock import Clock
from recollect.engine import AsyncRecollect, HeldMemory, MemoryExplanation, MemoryHistory, PromptContext, UndoPlan
from recollect.engine.sync_operations import BlockingOperations
from recollect.settings import Settings
from recollect.types import (
    NO_SCENE,
    Conversation,
    Decision,
    EnergyStatus,
    EraseReceipt,
    LoggedMessage,
    MaintenanceReport,
    Memory,
    MemoryKind,
    NewNote,
    Recall,
    RecalledMemory,
    RecordedTurn,
    RequestScope,
    Subject,
)

T = TypeVar("T")
# Inside the class `list` is its method.
ListOf = list


class Recollect(BlockingOperations):
    """Long-term memory for LLM chat, blocking. See `AsyncRecollect` for what each method promises.

    Memories of recorded messages are formed in the background while the object is open; `form` waits for them.
    """

    def __init__(self, settings: Settings | None = None, *, clock: Clock | None = None) -> None:
        """Open the store and the models that the settings (by default: the environment) name.

        Raises:
            SetupError: a setting, file or package is not as it should be; the message says what to do.
        """
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="recollect", daemon=True)
        self._thread.start()
        self._closed = True
        try:
            self._core = self._run(AsyncRecollect.open(settings, clock=clock))
            self._closed = False
        finally:
            if self._closed:
                self._end_loop()
        self._worker = asyncio.run_coroutine_threadsafe(self._core.work(), self._loop)

    def _run(self, call: Coroutine[Any, Any, T]) -> T:
        if self._loop.is_closed():
            call.close()
            raise RuntimeError("this Recollect is closed; open another one")
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()

    def _end_loop(self) -> None:
        self._closed = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def close(self) -> None:
        """Finish what was accepted and let go of the store. Idempotent."""
        if self._closed:
            return
        self._loop.call_soon_threadsafe(self._core.stop_work)
        self._worker.result()
        self._run(self._core.close())
        self._end_loop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(
        self,
        text: str,
        *,
        user: str | Subject | None = None,
        importance: float = 0.7,
        type: str = "",
        profile: str | None = None,
    ) -> Memory:
        """Keep a sentence as a note, word for word."""
        return self._run(self._core.add(text, user=user, importance=importance, type=type, profile=profile))

    def add_all(
        self, notes: Sequence[str | NewNote], *, user: str | Subject | None = None, profile: str | None = None
    ) -> ListOf[Memory]:
        """Keep many sentences as notes in one commit: all of them or none."""
        return self._run(self._core.add_all(notes, user=user, profile=profile))

    def record(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        said_at: datetime | Sequence[datetime] | None = None,
        scene: RequestScope = NO_SCENE,
    ) -> RecordedTurn:
        """Log messages and form memories of them behind the call."""
        return self._run(
            self._core.record(messages, user=user, conversation=conversation, said_at=said_at, scene=scene)
        )

    def form(self, *, many: bool = False) -> int:
        """Form everything that is due now."""
        return self._run(self._core.form(many=many))

    def search(  # as its twin
        self,
        query: str,
        *,
        user: str | Subject | None = None,
        limit: int = 10,
        profile: str | None = None,
        at: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Recall:
        """Find the memories that bear on a query, best first, each with its reasons."""
        asked = self._core.search(query, user=user, limit=limit, profile=profile, at=at, known_at=known_at)
        return self._run(asked)

    def context(
        self,
        query: str,
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        scene: RequestScope = NO_SCENE,
        messages: Sequence[Mapping[str, Any]] = (),
        use: bool = True,
    ) -> PromptContext:
        """Say what memory would put into a prompt that ends in `query`."""
        return self._run(
            self._core.context(query, user=user, conversation=conversation, scene=scene, messages=messages, use=use)
        )

    def list(  # noqa: PLR0913  # as its twin
        self,
        *,
        user: str | Subject | None = None,
        kinds: Sequence[MemoryKind] = (MemoryKind.NOTE, MemoryKind.FACT, MemoryKind.EPISODE),
        closed: bool = False,
        after: str | None = None,
        tag: str = "",
        limit: int = 100,
        at: datetime | None = None,
        known_at: datetime | None = None,
    ) -> ListOf[Memory]:
        """List memories, newest first."""
        return self._run(
            self._core.list(
                user=user, kinds=kinds, closed=closed, after=after, tag=tag, limit=limit, at=at, known_at=known_at
            )
        )

    def get(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Read one memory of any state."""
        return self._run(self._core.get(memory_id, user=user))

    def history(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryHistory:
        """Read one memory with its decisions, relations and sources."""
        return self._run(self._core.history(memory_id, user=user))

    def why(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryExplanation:
        """Explain a memory: sources, decisions, what it replaced, where it was last recalled."""
        return self._run(self._core.why(memory_id, user=user))

    def undo(self, decision: str, *, user: str | Subject | None = None, dry_run: bool = False) -> UndoPlan:
        """Do the inverse of what a decision did."""
        return self._run(self._core.undo(decision, user=user, dry_run=dry_run))

    def undo_from(
        self,
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        seq: int | None = None,
        since: datetime | None = None,
        dry_run: bool = False,
    ) -> UndoPlan:
        """Take back everything that came from one source, or since a time."""
        return self._run(
            self._core.undo_from(user=user, conversation=conversation, seq=seq, since=since, dry_run=dry_run)
        )

    def forget(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Close a memory: it is recalled no more, its history stays."""
        return self._run(self._core.forget(memory_id, user=user))

    def held(self, *, user: str | Subject | None = None, limit: int = 100) -> ListOf[HeldMemory]:
        """List what waits for review."""
        return self._run(self._core.held(user=user, limit=limit))

    def approve(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Let a held memory hold."""
        return self._run(self._core.approve(memory_id, user=user))

    def reject(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Close a held memory."""
        return self._run(self._core.reject(memory_id, user=user))

    def erase(
        self,
        memory_id: str,
        *,
        user: str | Subject | None = None,
        keep_messages: bool = False,
        everywhere: bool = False,
    ) -> EraseReceipt:
        """Erase a memory for good, with the messages it was formed of."""
        return self._run(self._core.erase(memory_id, user=user, keep_messages=keep_messages, everywhere=everywhere))

    def erase_messages(
        self,
        conversation: str,
        seqs: Sequence[int],
        *,
        user: str | Subject | None = None,
        everywhere: bool = False,
    ) -> EraseReceipt:
        """Erase messages of a conversation, with what was formed of them."""
        return self._run(self._core.erase_messages(conversation, seqs, user=user, everywhere=everywhere))

    def erase_conversation(
        self, conversation: str, *, user: str | Subject | None = None, everywhere: bool = False
    ) -> EraseReceipt:
        """Erase all messages of a conversation, with what was formed of them alone."""
        return self._run(self._core.erase_conversation(conversation, user=user, everywhere=everywhere))

    def erase_subject(self, user: str | Subject, *, everywhere: bool = False) -> EraseReceipt:
        """Erase all there is of a user or another subject."""
        return self._run(self._core.erase_subject(user, everywhere=everywhere))

    def link(self, memory_id: str, *, to: Subject, user: str | Subject | None = None) -> Memory:
        """Share a memory with another subject."""
        return self._run(self._core.link(memory_id, to=to, user=user))

    def unlink(self, memory_id: str, *, user: str | Subject | None = None) -> None:
        """Take a memory from this user alone."""
        self._run(self._core.unlink(memory_id, user=user))

    def conversations(
        self, *, user: str | Subject | None = None, limit: int = 100, before: datetime | None = None
    ) -> ListOf[Conversation]:
        """List conversations, last updated first."""
        return self._run(self._core.conversations(user=user, limit=limit, before=before))

    def messages(
        self, conversation: str, *, user: str | Subject | None = None, after_seq: int = 0, limit: int = 1000
    ) -> ListOf[LoggedMessage]:
        """Read a conversation's log in order of arrival, all branches."""
        return self._run(self._core.messages(conversation, user=user, after_seq=after_seq, limit=limit))

    def tend(self, *, user: str | Subject | None = None, dry_run: bool = False) -> MaintenanceReport:
        """End what is over, merge near-duplicates and make everything fit its room, of one user or of all."""
        return self._run(self._core.tend(user=user, dry_run=dry_run))

    def window(
        self, conversation: str, *, user: str | Subject | None = None, scene: RequestScope = NO_SCENE
    ) -> ListOf[LoggedMessage]:
        """Return the newest turns of a conversation, which no episode sums up."""
        return self._run(self._core.window(conversation, user=user, scene=scene))

    def summary_so_far(
        self, conversation: str, *, user: str | Subject | None = None, scene: RequestScope = NO_SCENE
    ) -> str:
        """Sum up what was said before the window."""
        return self._run(self._core.summary_so_far(conversation, user=user, scene=scene))

    def prompt(
        self,
        query: str,
        *,
        conversation: str,
        user: str | Subject | None = None,
        scene: RequestScope = NO_SCENE,
        system: str = "",
        one_system: bool = False,
    ) -> ListOf[dict[str, str]]:
        """Write the messages of a chat request: system prompt, memories, summary, window, query."""
        return self._run(
            self._core.prompt(
                query, conversation=conversation, user=user, scene=scene, system=system, one_system=one_system
            )
        )

    def decisions(self, *, user: str | Subject | None = None, limit: int = 1000) -> ListOf[Decision]:
        """Read the log of decisions, oldest first."""
        return self._run(self._core.decisions(user=user, limit=limit))

    def energy(
        self, *, user: str | Subject | None = None, profile: str | None = None, poller: str | None = None
    ) -> EnergyStatus:
        """Tell what memory work costs a subject, and what its budget still allows."""
        return self._run(self._core.energy(user=user, profile=profile, poller=poller))

    def open_conversation(
        self,
        conversation: str | None = None,
        *,
        user: str | Subject | None = None,
        scene: RequestScope = NO_SCENE,
        options: Mapping[str, Any] | None = None,
    ) -> Conversation:
        """Open a conversation before its first message."""
        return self._run(self._core.open_conversation(conversation, user=user, scene=scene, options=options))

    def conversation(self, conversation: str, *, user: str | Subject | None = None) -> Conversation:
        """Read a conversation by your id of it, or by ours."""
        return self._run(self._core.conversation(conversation, user=user))

    def end_conversation(
        self,
        conversation: str,
        *,
        reason: str = "ended",
        messages: Sequence[Mapping[str, Any]] = (),
        user: str | Subject | None = None,
        scene: RequestScope = NO_SCENE,
    ) -> Conversation:
        """End a conversation: what its profile forms at the end is formed behind the call."""
        return self._run(
            self._core.end_conversation(conversation, reason=reason, messages=messages, user=user, scene=scene)
        )

    def save_conversation(
        self, conversation: str, *, user: str | Subject | None = None, scene: RequestScope = NO_SCENE
    ) -> int:
        """Form behind the call what a conversation waits to have formed."""
        return self._run(self._core.save_conversation(conversation, user=user, scene=scene))

    def memory_of(
        self, *, user: str | Subject | None = None, conversation: str | None = None, scene: RequestScope = NO_SCENE
    ) -> Subject:
        """Return whose memory a scene writes to."""
        return self._run(self._core.memory_of(user=user, conversation=conversation, scene=scene))

    def formed_of(
        self, conversation: str, *, user: str | Subject | None = None, scene: RequestScope = NO_SCENE, limit: int = 100
    ) -> ListOf[Memory]:
        """List the notes, facts and episodes that rest on a conversation, newest first."""
        return self._run(self._core.formed_of(conversation, user=user, scene=scene, limit=limit))

    def nearest(
        self,
        *,
        query: str | None = None,
        vector: Sequence[float] | None = None,
        user: str | Subject | None = None,
        limit: int = 10,
    ) -> ListOf[RecalledMemory]:
        """Find the notes and episodes nearest in meaning alone."""
        return self._run(self._core.nearest(query=query, vector=vector, user=user, limit=limit))

    def subscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> ListOf[Subject]:
        """Let a user read a shared subject beside their own memories."""
        return self._run(self._core.subscribe(shared, user=user))

    def unsubscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> bool:
        """Let a user read a shared subject no more."""
        return self._run(self._core.unsubscribe(shared, user=user))

    def subscriptions(self, *, user: str | Subject | None = None) -> ListOf[Subject]:
        """List the shared subjects that a user reads."""
        return self._run(self._core.subscriptions(user=user))
