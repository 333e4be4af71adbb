"""`memory.erasure` without asyncio. Made by tools/make_sync.py from engine/erasure.py."""

from __future__ import annotations

from collections.abc import Sequence

from toldonce.engine.background import BackgroundEngine
from toldonce.types import EraseReceipt, Subject


class BlockingErasureService:
    """Permanent erasure of more than one memory. `AsyncToldOnce.erase` erases one."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def messages(
        self, conversation: str, seqs: Sequence[int], *, user: str | Subject | None = None, everywhere: bool = False
    ) -> EraseReceipt:
        """Erase messages of a conversation by their `seq`, with what was formed from them.

        Args:
            conversation: ToldOnce's id of the conversation.
            seqs: The `seq` of each message, at least one.
            user: User who has the conversation.
            everywhere: Also erase what other subjects have of these messages.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
            BadRequestError: `seqs` is empty.
        """
        return self._engine.run(
            self._engine.core.erasure.messages(conversation, seqs, user=user, everywhere=everywhere)
        )

    def conversation(
        self, conversation: str, *, user: str | Subject | None = None, everywhere: bool = False
    ) -> EraseReceipt:
        """Erase all messages of a conversation, with what was formed from them alone.

        Args:
            conversation: ToldOnce's id of the conversation.
            user: User who has the conversation.
            everywhere: Also erase what other subjects have of its messages.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
        """
        return self._engine.run(self._engine.core.erasure.conversation(conversation, user=user, everywhere=everywhere))

    def subject(self, user: str | Subject, *, everywhere: bool = False) -> EraseReceipt:
        """Erase everything about a user or another subject, its name included. It may be used again afterwards.

        Once begun it is finished, even if the call is cancelled; after a crash, by the worker or by `finish`.
        """
        return self._engine.run(self._engine.core.erasure.subject(user, everywhere=everywhere))

    def finish(self, *, rewrite: bool = False) -> bool:
        """Finish pending erasures, also interrupted ones; return False if some are still pending.

        On SQLite an erasure is pending while another process holds the write-ahead log; on PostgreSQL until `rewrite`
        rewrites the tables, which locks each of them meanwhile.
        """
        return self._engine.run(self._engine.core.erasure.finish(rewrite=rewrite))
