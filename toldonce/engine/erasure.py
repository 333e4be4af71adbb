"""`memory.erasure`: erase messages, conversations and subjects permanently. Writes through the store."""

from collections.abc import Sequence

from toldonce.engine.components import Components
from toldonce.errors import BadRequestError, UnknownConversationError
from toldonce.ids import id_bytes
from toldonce.maintenance.eraser import WAIT_MS, Eraser
from toldonce.types import ConversationId, EraseReceipt, EraseRequest, Subject


class ErasureService:
    """Permanent erasure of more than one memory. `AsyncToldOnce.erase` erases one."""

    def __init__(self, components: Components, eraser: Eraser) -> None:
        self._components = components
        self._eraser = eraser

    async def messages(
        self,
        conversation: str,
        seqs: Sequence[int],
        *,
        user: str | Subject | None = None,
        everywhere: bool = False,
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
        if not seqs:
            raise BadRequestError("no message is named: to erase all, erase the conversation", param="seqs")
        return await self._erase_log(conversation, tuple(seqs), user, everywhere)

    async def conversation(
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
        return await self._erase_log(conversation, (), user, everywhere)

    async def subject(self, user: str | Subject, *, everywhere: bool = False) -> EraseReceipt:
        """Erase everything about a user or another subject, its name included. It may be used again afterwards.

        Once begun it is finished, even if the call is cancelled; after a crash, by the worker or by `finish`.
        """
        return await self._eraser.erase(
            EraseRequest(subject=self._components.subject(user), everything=True, everywhere=everywhere)
        )

    async def finish(self, *, rewrite: bool = False) -> bool:
        """Finish pending erasures, also interrupted ones; return False if some are still pending.

        On SQLite an erasure is pending while another process holds the write-ahead log; on PostgreSQL until `rewrite`
        rewrites the tables, which locks each of them meanwhile.
        """
        return await self._eraser.finish(wait_ms=WAIT_MS, rewrite=rewrite)

    async def _erase_log(
        self, conversation: str, seqs: tuple[int, ...], user: str | Subject | None, everywhere: bool
    ) -> EraseReceipt:
        if id_bytes(conversation) is None:
            raise UnknownConversationError(conversation)
        return await self._eraser.erase(
            EraseRequest(
                subject=self._components.subject(user),
                conversation=ConversationId(conversation),
                seqs=seqs,
                everywhere=everywhere,
            )
        )
