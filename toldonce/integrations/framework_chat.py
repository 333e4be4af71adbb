"""Recall before a framework's model answers, and record afterwards, for the adapters. Works through the library.

A framework keeps in its own history what an adapter adds to a chat, with the ids of the memories in it. So each prompt
begins as the one before it, and what the chat shows is not added again.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from toldonce.chat.content import without_memory
from toldonce.engine import AsyncToldOnce, PromptContext
from toldonce.errors import BadRequestError
from toldonce.guard import guarded
from toldonce.sync import ToldOnce
from toldonce.types import NO_SCOPE, RequestScope, Subject

logger = logging.getLogger(__name__)

RECALL_TIMEOUT_S = 5.0
"""How long an answer waits for memory; after that the chat goes on without."""
MAX_MESSAGES = 200
"""Newest messages of a chat that are looked at: the log recognizes what it has by a few of them."""
IDS = "toldonce"
"""Where adapters keep, beside a text that they added, the ids of the memories in it."""


def spoken(role: str, text: str) -> dict[str, str]:
    """Return what `user` or `assistant` said, as a message for the log; a block that memory added is left out."""
    return {"role": role, "content": without_memory(text)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedMemory:
    """What memory adds to a user's message."""

    text: str
    ids: tuple[str, ...]
    """Stored memories that the chat shows from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameworkChat:
    """One chat of a framework, and its memory. What fails is logged, and the chat goes on."""

    memory: AsyncToldOnce | ToldOnce
    user: str | Subject | Callable[[], str | Subject] | None
    """User of the chat, or what returns it; None: the default user, or that of the API key."""
    conversation: str | None
    """The framework's id of the chat."""
    scope: RequestScope = NO_SCOPE

    async def recall(
        self, query: str, *, before: Sequence[Mapping[str, str]] = (), shown: Sequence[str] = ()
    ) -> AddedMemory | None:
        """Return what memory adds to the newest message; None if that is nothing, or recall failed.

        Args:
            query: What the user says.
            before: What was said before it, as `spoken` returns it.
            shown: Ids of the memories in what was added before, as far as the chat still has it.
        """
        if not query.strip():
            return None
        with guarded(logger, "recall failed, the chat goes on without memory"):
            async with asyncio.timeout(RECALL_TIMEOUT_S):
                context = await self._context(query, before[-MAX_MESSAGES:], list(dict.fromkeys(shown)))
            if context.text:
                ids = tuple(item.memory.id for item in context.items if item.is_stored)
                return AddedMemory(text=context.text, ids=ids)
        return None

    async def record(self, messages: Sequence[Mapping[str, str]]) -> None:
        """Record what was said, once: what the log has of it is not added again.

        Args:
            messages: The newest messages of the chat, as `spoken` returns them, with some of those before.
        """
        said = [message for message in messages if message["content"].strip()][-MAX_MESSAGES:]
        if not any(message["role"] == "user" for message in said):
            return
        with guarded(logger, "a turn was not recorded"):
            user, conversation, scope = self._named_user(), self.conversation, self.scope
            if isinstance(self.memory, AsyncToldOnce):
                await self.memory.record(said, user=user, conversation=conversation, scope=scope)
            else:
                await asyncio.to_thread(self.memory.record, said, user=user, conversation=conversation, scope=scope)

    async def _context(self, query: str, before: Sequence[Mapping[str, str]], shown: Sequence[str]) -> PromptContext:
        user, conversation, scope = self._named_user(), self.conversation, self.scope
        if isinstance(self.memory, AsyncToldOnce):
            return await self.memory.context(
                query, user=user, conversation=conversation, scope=scope, messages=before, shown=shown
            )
        return await asyncio.to_thread(
            self.memory.context,
            query,
            user=user,
            conversation=conversation,
            scope=scope,
            messages=before,
            shown=shown,
        )

    def _named_user(self) -> str | Subject | None:
        """Return the user of the chat.

        Raises:
            BadRequestError: The function returned none: this must not become the default user's chat.
        """
        if not callable(self.user):
            return self.user
        user = self.user()
        if not user:
            raise BadRequestError("the function user= returned no user: return a name or a Subject", param="user")
        return user
