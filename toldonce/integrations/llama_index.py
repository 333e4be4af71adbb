"""Memory as a block of LlamaIndex's `Memory`. Needs the extra `llama-index`; works through the library.

LlamaIndex asks its blocks before each model call, and shows what they return in that call alone. It gives them a chat's
messages only when these leave its short-term memory; this block records what it sees when it is asked.
"""

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.utils import get_tokenizer
from pydantic import ConfigDict, Field, PrivateAttr

from toldonce.engine import AsyncToldOnce
from toldonce.errors import UnknownConversationError
from toldonce.guard import guarded
from toldonce.integrations.framework_chat import FrameworkChat, spoken
from toldonce.integrations.opened_memory import OpenedMemory
from toldonce.sync import ToldOnce
from toldonce.types import NO_SCOPE, RequestScope, Subject

logger = logging.getLogger(__name__)
_PAGE = 1000
_ROW, _END = "- ", "</toldonce-memory"


class ToldOnceMemoryBlock(BaseMemoryBlock[str]):  # type: ignore[misc]  # the type checker's environment lacks it
    """Recalls for the user's newest message: `Memory.from_defaults(memory_blocks=[ToldOnceMemoryBlock(memory=…)])`.

    The conversation is the `session_id` of LlamaIndex's memory.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = "toldonce"
    description: str | None = "What is known about the user from earlier conversations."
    memory: ToldOnce | AsyncToldOnce = Field(exclude=True, repr=False)
    """An open `ToldOnce`, which also serves calls without asyncio, or an `AsyncToldOnce`; also of a server."""
    user: str | Subject | None = None
    """User of the chat; None: the default user."""
    scope: RequestScope = NO_SCOPE
    """Profile, app and time zone of the chat, and the model that the memories go to."""

    _opened: OpenedMemory = PrivateAttr()
    _newest: tuple[tuple[object, ...], str] = PrivateAttr(default=((), ""))
    """Chat, number and words of the newest message that was recalled for, and what was recalled."""
    _recorded: tuple[object, ...] = PrivateAttr(default=())
    """Chat, number and words of the newest message that was recorded."""

    def model_post_init(self, _context: Any) -> None:
        """Look at the memory's kind."""
        self._opened = OpenedMemory(self.memory)

    async def _aget(self, messages: Sequence[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """Return what memory adds to the user's newest message, and record the chat so far; empty if that is nothing.

        The calls of one tool loop get the same.
        """
        session, said = block_kwargs.get("session_id"), list(_said(messages or ()))
        place = max((place for place, message in enumerate(said) if message["role"] == "user"), default=None)
        if place is None:
            return ""
        asked, told = (session, place, said[place]["content"]), (session, len(said), said[-1]["content"])
        chat = self._chat(session)
        known, text = self._newest  # of another chat, perhaps: one block may serve several at once
        if known != asked:
            added = await self._opened.wait(chat.recall(said[place]["content"], before=said[:place]))
            text = added.text if added else ""
            self._newest = asked, text
        if self._recorded != told:
            await self._opened.wait(chat.record(said))
            self._recorded = told
        return text

    async def _aput(self, messages: Sequence[ChatMessage]) -> None:
        """Record messages; those that the log of their chat has already are left out."""
        for session in dict.fromkeys(message.additional_kwargs.get("session_id") for message in messages):
            of_chat = [each for each in messages if each.additional_kwargs.get("session_id") == session]
            await self._opened.wait(self._record_unknown(session, list(_said(of_chat))))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Leave out rows from the end on, until enough tokens are saved; None if no row is left."""
        count, lines, saved = get_tokenizer(), content.split("\n"), 0
        rows = [place for place, line in enumerate(lines) if line.startswith(_ROW)]
        while rows and saved < tokens_to_truncate:
            start = rows.pop()
            end = next((place for place in range(start + 1, len(lines)) if lines[place].startswith(_END)), len(lines))
            saved += len(count("\n".join(lines[start:end])))
            del lines[start:end]
        return "\n".join(lines) if rows else None

    async def _record_unknown(self, session: str | None, said: Sequence[dict[str, str]]) -> None:
        with guarded(logger, "messages that left the short-term memory were not recorded"):
            known = await self._logged(session) if session else set[tuple[str, str]]()
            unknown = [message for message in said if (message["role"], message["content"]) not in known]
            await self._chat(session).record(unknown)

    async def _logged(self, session: str) -> set[tuple[str, str]]:
        """Return role and words of what the log of a chat has."""
        conversations = self._opened.engine.conversations
        try:
            chat = await conversations.get(session, user=self.user)
        except UnknownConversationError:
            return set()
        known: set[tuple[str, str]] = set()
        after = 0
        while page := await conversations.messages(chat.id, user=self.user, after_seq=after, limit=_PAGE):
            known |= {(message.role, message.text) for message in page}
            after = page[-1].seq
        return known

    def _chat(self, session: str | None) -> FrameworkChat:
        return FrameworkChat(memory=self._opened.engine, user=self.user, conversation=session, scope=self.scope)


def _said(messages: Sequence[ChatMessage]) -> Iterator[dict[str, str]]:
    """Yield what user and assistant said; not what tools returned.

    A message that is repeated at once comes once: agents put what the user says into the memory, and ask with it, too.
    """
    last = None
    for message in messages:
        role = message.role.value
        if role in ("user", "assistant") and message.content:
            said = spoken(role, message.content)
            if said != last:
                yield said
            last = said
