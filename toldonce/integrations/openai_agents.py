"""A session of OpenAI's Agents SDK with memory. Needs the extra `openai-agents`; works through the library.

Another session keeps the items, because they come back exactly as they were given: the log keeps what was said, strikes
secrets in it, and takes nothing back.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from agents import OpenAIConversationsSession, Session, TResponseInputItem

from toldonce.engine import AsyncToldOnce
from toldonce.integrations.framework_chat import IDS, AddedMemory, FrameworkChat, spoken
from toldonce.sync import ToldOnce
from toldonce.types import NO_SCOPE, RequestScope, Subject

# Newest items in which a turn is looked for, with some before it by which the log recognizes what it has.
_RECORDED_ITEMS = 200
_TEXTS = {"input_text", "output_text", "text"}


class ToldOnceSession:
    """A `Session` that recalls before each run and records after it.

    Give it to `Runner.run(…, session=session, run_config=RunConfig(session_input_callback=session.with_memory))`.
    """

    def __init__(
        self,
        inner: Session,
        memory: AsyncToldOnce | ToldOnce,
        *,
        user: str | Subject | None = None,
        scope: RequestScope = NO_SCOPE,
    ) -> None:
        """Remember what is said in a session.

        Args:
            inner: Keeps the items, such as an `SQLiteSession`; its id is the conversation's.
            memory: An open library, or a connection to a server.
            user: User of the chat; None: the default user.
            scope: Profile, app and time zone of the chat.

        Raises:
            TypeError: `inner` keeps the items at OpenAI, or compacts them.
        """
        if isinstance(inner, OpenAIConversationsSession) or hasattr(inner, "run_compaction"):
            raise TypeError(
                f"inner is {type(inner).__name__}, which cannot keep the ids of memories: pass an SQLiteSession or "
                "another one that keeps items as they are; a session that compacts goes around this one"
            )
        self.session_id = inner.session_id
        self.session_settings = inner.session_settings
        self._inner = inner
        self._chat = FrameworkChat(memory=memory, user=user, conversation=inner.session_id, scope=scope)
        self._ids: dict[str, Sequence[str]] = {}

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the newest items, oldest first; None: as many as the session's settings say."""
        return [self._given(item) for item in await self._inner.get_items(limit)]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items, and record the turn once it has an answer."""
        await self._inner.add_items([self._kept(item) for item in items])
        if any(_field(item, "role") == "assistant" for item in items):
            await self._chat.record(_words(await self.get_items(_RECORDED_ITEMS)))

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the newest item and return it; None if there is none. The log keeps what was said."""
        item = await self._inner.pop_item()
        return None if item is None else self._given(item)

    async def clear_session(self) -> None:
        """Remove all items. Memories stay: `memory.erasure.conversation` erases what was said."""
        await self._inner.clear_session()

    async def with_memory(
        self, history: list[TResponseInputItem], new: list[TResponseInputItem]
    ) -> list[TResponseInputItem]:
        """Return the input of a run, with what memory adds after the user's newest message.

        It is the SDK's `session_input_callback`. What is added becomes an item of the session.
        """
        asked = max((place for place, item in enumerate(new) if _field(item, "role") == "user"), default=None)
        if asked is None:
            return history + new
        added = await self._chat.recall(
            _text(new[asked]),
            before=_words([*history, *new[:asked]]),
            shown=[memory for item in history for memory in self._ids.get(_added_text(item), ())],
        )
        if added is None:
            return history + new
        return [*history, *new[: asked + 1], self._item(added), *new[asked + 1 :]]

    def _item(self, added: AddedMemory) -> TResponseInputItem:
        self._ids[added.text] = added.ids
        return cast(TResponseInputItem, {"role": "developer", "content": added.text})

    def _kept(self, item: TResponseInputItem) -> TResponseInputItem:
        """Return an item as it is kept: an own one with the ids of its memories."""
        ids = self._ids.get(_added_text(item))
        return item if ids is None else cast(TResponseInputItem, {**item, IDS: list(ids)})

    def _given(self, item: TResponseInputItem) -> TResponseInputItem:
        """Return a kept item as it was given."""
        if IDS not in item:
            return item
        fields = dict(cast(Mapping[str, Any], item))
        self._ids[_added_text(item)] = fields.pop(IDS)
        return cast(TResponseInputItem, fields)


def _field(item: TResponseInputItem, name: str) -> Any:
    return cast(Mapping[str, Any], item).get(name)


def _added_text(item: TResponseInputItem) -> str:
    """Return the text of an item of the application's; empty for others."""
    return _text(item) if _field(item, "role") == "developer" else ""


def _text(item: TResponseInputItem) -> str:
    """Return the words of a message; empty for tool calls, their results and reasoning."""
    content = _field(item, "content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if part.get("type") in _TEXTS)


def _words(items: Sequence[TResponseInputItem]) -> list[dict[str, str]]:
    """Return what user and assistant said."""
    return [spoken(role, _text(item)) for item in items if (role := _field(item, "role")) in ("user", "assistant")]
