"""A memory service of Google's Agent Development Kit. Needs the extra `google-adk`; works through the library."""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from google.adk.events import Event
from google.adk.memory import BaseMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai import types

from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError, UnknownConversationError
from toldonce.guard import guarded
from toldonce.integrations import framework_chat
from toldonce.sync import ToldOnce
from toldonce.types import NO_SCOPE, RecalledMemory, RequestScope, Subject

logger = logging.getLogger(__name__)

T = TypeVar("T")
# ADK's name for the author of what the user says.
_USER = "user"


class ToldOnceMemoryService(BaseMemoryService):  # type: ignore[misc]  # the tests' own environment has no google-adk
    """Give it to `Runner(…, memory_service=…)`. The user's id is the user, the session's id the conversation.

    What belongs to a run (search, adding a session or events) logs what fails, and the run goes on.
    """

    def __init__(
        self,
        memory: AsyncToldOnce | ToldOnce,
        *,
        user: Callable[[str, str], str | Subject] = lambda app_name, user_id: user_id,
        scope: RequestScope = NO_SCOPE,
        limit: int = 10,
    ) -> None:
        """Serve a memory.

        Args:
            memory: An open library, or a connection to a server.
            user: Returns the user for ADK's names of app and user. By default the apps share what they know of a user.
            scope: Profile, app, time zone and destination of the chats.
            limit: Maximum number of memories of a search, 1 to 200.
        """
        self._memory = memory
        self._user = user
        self._scope = scope
        self._limit = limit

    async def add_session_to_memory(self, session: Session) -> None:
        """Record a session. What was recorded of it before is not recorded again."""
        with guarded(logger, "a session was not recorded"):
            await self._record(session.app_name, session.user_id, _said(session.events), session.id)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Record newest events of a session; without its id it is recognized by its history. Metadata is not read."""
        with guarded(logger, "events were not recorded"):
            said = _said(events)
            if session_id is not None:
                # Alone, the same words later in a session would be said again.
                said = await self._new(app_name, user_id, said, session_id)
            await self._record(app_name, user_id, said, session_id)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Find the memories relevant to a query, best first, each with its id and the time since when it is true."""
        with guarded(logger, "recall failed, the run goes on without memory"):
            search = partial(
                self._memory.search,
                query,
                user=self._named(app_name, user_id),
                limit=self._limit,
                profile=self._scope.profile,
                destination=self._scope.destination,
                time_zone=self._scope.time_zone,
            )
            async with asyncio.timeout(framework_chat.RECALL_TIMEOUT_S):
                recall = await self._done(search)
            return SearchMemoryResponse(memories=[_entry(item) for item in recall.items])
        return SearchMemoryResponse()

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store each entry as a note, word for word. No metadata is read.

        Raises:
            BadRequestError: An entry has no text, or too much of it, or there is no user.
        """
        user, profile = self._named(app_name, user_id), self._scope.profile
        for entry in memories:
            await self._done(partial(self._memory.add, _text(entry.content), user=user, profile=profile))

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Erase a memory permanently, with the words that it was formed from; without an id nothing is done.

        Raises:
            UnknownMemoryError: This user has no memory with this id.
        """
        if memory_id:
            await self._done(partial(self._memory.erase, memory_id, user=self._named(app_name, user_id)))

    async def _record(self, app_name: str, user_id: str, said: Sequence[Event], session_id: str | None) -> None:
        if not any(event.author == _USER for event in said):
            return
        record = partial(
            self._memory.record,
            [
                framework_chat.spoken("user" if event.author == _USER else "assistant", _text(event.content))
                for event in said
            ],
            user=self._named(app_name, user_id),
            conversation=session_id,
            said_at=[_time(event) for event in said],
            scope=self._scope,
        )
        await self._done(record)

    async def _new(self, app_name: str, user_id: str, said: Sequence[Event], session_id: str) -> list[Event]:
        """Return those events that are not among the newest messages of a session's log."""
        conversations, user = self._memory.conversations, self._named(app_name, user_id)
        try:
            known = await self._done(partial(conversations.get, session_id, user=user))
        except UnknownConversationError:
            return list(said)
        after = max(0, known.last_seq - framework_chat.MAX_MESSAGES)
        logged = await self._done(partial(conversations.messages, known.id, user=user, after_seq=after))
        times = {message.said_at for message in logged}
        return [event for event in said if _time(event) not in times]

    async def _done(self, call: Callable[[], Awaitable[T] | T]) -> T:
        """Call a method of the library, blocking or not, and return its result."""
        answer = call() if isinstance(self._memory, AsyncToldOnce) else await asyncio.to_thread(call)
        return await answer if inspect.isawaitable(answer) else answer

    def _named(self, app_name: str, user_id: str) -> str | Subject:
        """Return the user of a session.

        Raises:
            BadRequestError: There is none: this must not become the default user's memory.
        """
        user = self._user(app_name, user_id)
        if not user:
            raise BadRequestError(f"user= returned no user for user_id {user_id!r} of {app_name!r}", param="user")
        return user


def _said(events: Sequence[Event]) -> list[Event]:
    """Return the events with words; the parts of a stream come once more as a whole."""
    return [event for event in events if not event.partial and _text(event.content).strip()]


def _time(event: Event) -> datetime:
    return datetime.fromtimestamp(event.timestamp, UTC)


def _text(content: types.Content | None) -> str:
    """Return the words of a content: no thoughts, no calls of tools and no results."""
    parts = (content.parts if content else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _entry(item: RecalledMemory) -> MemoryEntry:
    memory = item.shown
    return MemoryEntry(
        id=memory.id if item.is_stored else None,
        content=types.Content(role="user", parts=[types.Part(text=memory.text)]),
        timestamp=memory.valid_from.isoformat(),
        custom_metadata={"kind": memory.kind.value, "score": item.score},
    )
