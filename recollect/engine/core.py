"""`AsyncRecollect`: wires the steps into one engine; the public library API. Opens the store and the models."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any, Self
from uuid import UUID
from zoneinfo import ZoneInfo

from recollect.chat.request import read_request
from recollect.clock import Clock, SystemClock
from recollect.engine.dating import dated_log, said_dates
from recollect.engine.finding import Finder, Wish
from recollect.engine.parts import History, Parts, open_parts
from recollect.engine.turn import Turns
from recollect.errors import BadRequestError, UnknownMemoryError
from recollect.profiles.model import Profile
from recollect.settings import Settings
from recollect.store.protocol import StoreStats
from recollect.text import clean, squeeze
from recollect.types import (
    Conversation,
    ConversationId,
    Decision,
    FormationKey,
    FormationStatus,
    LoggedMessage,
    Memory,
    MemoryId,
    MemoryKind,
    Recall,
    Recorded,
    Subject,
    Turn,
)
from recollect.work.apart import apart
from recollect.work.byhand import add_by_hand, close_by_hand
from recollect.work.extracting import extract
from recollect.work.indexing import index_turns
from recollect.work.tools import Tools
from recollect.work.worker import Worker, WorkerCounters

ListOf = list  # inside the class `list` is its method

# Longest text that is kept as one memory by hand, in characters: a note is a sentence or two, not a document.
LONGEST_NOTE = 10_000


class AsyncRecollect:
    """Long-term memory for LLM chat.

    Open it with `async with await AsyncRecollect.open() as memory:`. A `user` is a name, or a `Subject` where the
    memory is not a user's; None means the settings' default user. All methods may raise `StoreUnavailableError`.
    """

    def __init__(self, parts: Parts) -> None:
        """Wire given parts; `open` is the usual way in."""
        self.settings = parts.settings
        self.clock = parts.clock
        self.counter = parts.counter
        self._store = parts.store
        self._parts = parts
        self._tools = Tools(
            store=parts.store,
            embedder=parts.embedder,
            model=parts.model,
            clock=parts.clock,
            zone=ZoneInfo(parts.settings.time_zone),
            profiles=parts.profiles,
        )
        self._worker = Worker(self._tools, {"index": index_turns, "extract": extract})
        self._finder = Finder(parts)
        self.turns = Turns(parts, self._finder, self._worker)

    @classmethod
    async def open(cls, settings: Settings | None = None, *, clock: Clock | None = None) -> Self:
        """Open the store and the models that the settings (by default: the environment) name.

        Raises:
            SetupError: a setting, file or package is not as it should be; the message says what to do.
        """
        return cls(await open_parts(settings or Settings.load(), clock or SystemClock()))

    async def close(self) -> None:
        """Finish what was accepted and let go of the store."""
        self._worker.stop()
        await self.turns.close()
        await self._parts.embedder.close()
        if self._parts.model is not None:
            await self._parts.model.close()
        await self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # ---- remembering

    async def add(self, text: str, *, user: str | Subject | None = None, importance: float = 0.7) -> Memory:
        """Keep a sentence as a note, word for word. What is known already is strengthened and returned.

        Args:
            text: What to remember, up to 10,000 characters.
            user: Whose memory.
            importance: 0 to 1.

        Raises:
            BadRequestError: the text is empty or too long, or the importance out of range.
        """
        text = squeeze(clean(text))
        if not text:
            raise BadRequestError("there is nothing to remember: the text is empty", param="text")
        if len(text) > LONGEST_NOTE:
            raise BadRequestError(f"the text has {len(text)} characters, a note at most {LONGEST_NOTE}", param="text")
        if not 0 <= importance <= 1:
            raise BadRequestError(f"importance is {importance}, it goes from 0 to 1", param="importance")
        return await add_by_hand(self._tools, self.subject(user), text, importance)

    async def record(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        said_at: datetime | Sequence[datetime] | None = None,
    ) -> Recorded:
        """Log messages (OpenAI's shape: role, content, name) and form memories of them behind the call.

        Durable when it returns. `form` waits for the memories.

        Args:
            messages: New messages, or the whole history with them: known ones are not logged twice.
            user: Whose conversation.
            conversation: Your id of it; None finds it by its messages, or begins one.
            said_at: When they were said (aware): one instant, or one for each message; None is now.

        Raises:
            BadRequestError: the messages cannot be read, or `said_at` has no time zone or another length.
        """
        dates = said_dates(messages, self.clock.now() if said_at is None else said_at)
        try:
            body = json.dumps({"messages": list(messages)}).encode()
        except (TypeError, ValueError) as error:
            raise BadRequestError(f"messages must be JSON objects: {error}", param="messages") from None
        request = await apart(len(body), partial(read_request, body, most_messages=max(1, len(messages))))
        log = await apart(len(body), partial(dated_log, request, dates))
        if not log:
            raise BadRequestError("there is nothing to log: system messages alone", param="messages")
        subject = self.subject(user)
        reply = log[-1] if log[-1].role == "assistant" else None
        return await self.turns.record(
            Turn(
                subject=subject,
                external_id=conversation,
                append=conversation is not None,
                messages=log[:-1] if reply else log,
                reply=reply,
                said_at=max(message.said_at for message in log),
                formations=self.turns.formations(subject, self.profile(self.settings.profile)),
            )
        )

    async def form(self) -> int:
        """Form everything that is due now; returns how many formations it took, those of a running `work` included."""
        return await self._worker.drain()

    async def work(self) -> None:
        """Form memories until `stop_work` is called: the worker."""
        await self._worker.run()

    def stop_work(self) -> None:
        """End `work` after what is under way."""
        self._worker.stop()

    @property
    def worker_counters(self) -> WorkerCounters:
        """What the worker did since it started."""
        return self._worker.counters

    # ---- recalling

    async def search(
        self, query: str, *, user: str | Subject | None = None, limit: int = 10, profile: str | None = None
    ) -> Recall:
        """Find the memories that bear on a query, best first, each with its reasons.

        Args:
            query: Words, a question, dates ('last May').
            user: Whose memory.
            limit: Most to return, 1 to 200.
            profile: Whose recall policy; None is the settings' profile.

        Raises:
            BadRequestError: the limit is out of range.
        """
        if not 1 <= limit <= 200:
            raise BadRequestError(f"limit is {limit}, it goes from 1 to 200", param="limit")
        policy = self.profile(profile or self.settings.profile).recall
        return await self._finder.recall(query, [self.subject(user)], Wish(policy=policy, limit=limit))

    # ---- looking

    async def list(
        self,
        *,
        user: str | Subject | None = None,
        kinds: Sequence[MemoryKind] = (MemoryKind.NOTE, MemoryKind.FACT, MemoryKind.EPISODE),
        closed: bool = False,
        after: str | None = None,
        limit: int = 100,
    ) -> ListOf[Memory]:
        """List memories, newest first, from behind the id `after`; closed ones only when asked."""
        position = _memory_id(after) if after else None
        return await self._store.list_memories(
            self.subject(user), kinds=kinds, closed=closed, after=position, limit=limit
        )

    async def get(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Read one memory of any state.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
        """
        found = await self._store.memories(self.subject(user), [_memory_id(memory_id)])
        if not found:
            raise UnknownMemoryError(memory_id)
        return found[0]

    async def history(self, memory_id: str, *, user: str | Subject | None = None) -> History:
        """Read one memory with its decisions, what it replaced and what replaced it, and its source messages.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
        """
        subject = self.subject(user)
        memory = await self.get(memory_id, user=subject)
        decisions = await self._store.decisions(subject, memory=memory.id)
        named = {other for line in decisions for other in (line.memory_id, line.target_id) if other} - {memory.id}
        related = await self._store.memories(subject, sorted(named))
        sources = [
            message
            for evidence in memory.evidence
            for message in await self._store.messages(
                subject, evidence.conversation, after_seq=evidence.seq - 1, limit=1
            )
        ]
        return History(memory=memory, decisions=tuple(decisions), related=tuple(related), sources=tuple(sources))

    async def forget(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Close a memory: it is recalled no more, its history stays. Closing a closed one changes nothing.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
        """
        memory = await self.get(memory_id, user=user)
        return await close_by_hand(self._tools, memory)

    async def conversations(
        self, *, user: str | Subject | None = None, limit: int = 100, before: datetime | None = None
    ) -> ListOf[Conversation]:
        """List conversations, last updated first."""
        return await self._store.conversations(self.subject(user), limit=limit, before=before)

    async def messages(
        self, conversation: str, *, user: str | Subject | None = None, after_seq: int = 0, limit: int = 1000
    ) -> ListOf[LoggedMessage]:
        """Read a conversation's log in order of arrival, all branches."""
        subject = self.subject(user)
        return await self._store.messages(subject, ConversationId(conversation), after_seq=after_seq, limit=limit)

    async def decisions(self, *, user: str | Subject | None = None, limit: int = 1000) -> ListOf[Decision]:
        """Read the log of decisions, oldest first."""
        return await self._store.decisions(self.subject(user), limit=limit)

    # ---- operating

    async def formations(self, *, parked: bool | None = None, limit: int = 100) -> ListOf[FormationStatus]:
        """List formations of all subjects, longest due first."""
        return await self._store.formations(parked=parked, limit=limit)

    async def retry(self, key: FormationKey) -> bool:
        """Make a parked formation due again; False where it is not parked."""
        return await self._store.retry_formation(key, now=self.clock.now())

    async def subjects(self, *, after: str = "", limit: int = 1000) -> ListOf[Subject]:
        """List all subjects by name."""
        return await self._store.subjects(after=after, limit=limit)

    async def stats(self, *, check: bool = False) -> StoreStats:
        """Count what is kept; with `check`, verify that files and indexes agree (slow)."""
        return await self._store.stats(check=check)

    async def ping(self) -> None:
        """Raise `StoreUnavailableError` unless the database answers."""
        await self._store.next_due()

    # ---- names

    def subject(self, user: str | Subject | None) -> Subject:
        """Return the subject behind a user's name.

        Raises:
            BadSubjectError: the name cannot be a user.
        """
        return user if isinstance(user, Subject) else Subject("user", user or self.settings.default_user or "local")

    def profile(self, name: str) -> Profile:
        """Return a profile.

        Raises:
            UnknownProfileError: there is none of that name.
        """
        return self._parts.profiles.get(name)


def _memory_id(text: str) -> MemoryId:
    try:
        return MemoryId(str(UUID(text)))
    except ValueError:
        raise UnknownMemoryError(text) from None
