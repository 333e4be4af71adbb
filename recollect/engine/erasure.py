"""Part of the API: end what is known, erase it, and share it with other subjects. Writes through the store."""

from collections.abc import Sequence

from recollect.curation.edits import link_memory, unlink_memory
from recollect.engine.base import memory_id_of
from recollect.engine.memories import MemoryService
from recollect.errors import BadRequestError, UnknownConversationError
from recollect.formation.forget import forget_by_hand
from recollect.ids import id_bytes
from recollect.maintenance.eraser import WAIT_MS, Eraser
from recollect.providers.token_counter import CachingCounter
from recollect.types import ConversationId, EraseReceipt, EraseRequest, Memory, Subject


class ErasureService(MemoryService):
    """Closes, erases, links and unlinks memories."""

    async def forget(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Close a memory and what says the same, quotations included: no later prompt holds it, its history stays.

        A closed memory stays as it is. `erase` removes for good.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
        """
        memory = await self.get(memory_id, user=user)
        return await forget_by_hand(self._tools, memory)

    async def erase(
        self,
        memory_id: str,
        *,
        user: str | Subject | None = None,
        keep_messages: bool = False,
        everywhere: bool = False,
    ) -> EraseReceipt:
        """Erase a memory for good, with the closed ones it replaced and all that tells of them.

        The messages it was formed of lose their words, too, and what else was formed of them goes unless it rests on
        other messages as well. A client that sends its history again does not bring them back.

        Args:
            memory_id: The memory, of any state.
            user: Whose memory.
            keep_messages: Leave the messages, and what else was formed of them.
            everywhere: In other subjects, too: copies linked there, and what was formed there of the messages.

        Returns:
            The receipt: of each place whether it was reached, is pending or is out of reach.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
        """
        return await self._eraser().erase(
            EraseRequest(
                subject=self.subject(user),
                memories=(memory_id_of(memory_id),),
                keep_messages=keep_messages,
                everywhere=everywhere,
            )
        )

    async def erase_messages(
        self,
        conversation: str,
        seqs: Sequence[int],
        *,
        user: str | Subject | None = None,
        everywhere: bool = False,
    ) -> EraseReceipt:
        """Erase messages of a conversation by their `seq`, with what was formed of them.

        Raises:
            UnknownConversationError: this user has no such conversation.
            BadRequestError: no message is named.
        """
        if not seqs:
            raise BadRequestError("no message is named: to erase all, erase the conversation", param="seqs")
        return await self._erase_log(conversation, tuple(seqs), user, everywhere)

    async def erase_conversation(
        self, conversation: str, *, user: str | Subject | None = None, everywhere: bool = False
    ) -> EraseReceipt:
        """Erase all messages of a conversation, with what was formed of them alone.

        Raises:
            UnknownConversationError: this user has no such conversation.
        """
        return await self._erase_log(conversation, (), user, everywhere)

    async def erase_subject(self, user: str | Subject, *, everywhere: bool = False) -> EraseReceipt:
        """Erase all there is of a user or another subject, its name included. It may begin anew afterwards."""
        return await self._eraser().erase(
            EraseRequest(subject=self.subject(user), everything=True, everywhere=everywhere)
        )

    async def finish_erasing(self, *, rewrite: bool = False) -> bool:
        """Finish what erasures left pending; False where something still is.

        On SQLite that is where another process holds the log; on PostgreSQL until `rewrite` writes the tables anew,
        which locks each of them for as long as that takes.
        """
        return await self._eraser().finish(wait_ms=WAIT_MS, rewrite=rewrite)

    async def link(self, memory_id: str, *, to: Subject, user: str | Subject | None = None) -> Memory:
        """Share an active note, fact or episode with another subject, which gets a row of its own under the same id.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
            BadRequestError: it cannot be shared: a quotation, held, closed, or `to` holds another value of its slot.
        """
        return await link_memory(self._tools, await self.get(memory_id, user=user), to)

    async def unlink(self, memory_id: str, *, user: str | Subject | None = None) -> None:
        """Take a memory from this user alone; whoever else holds it keeps it.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
        """
        await unlink_memory(self._tools, await self.get(memory_id, user=user))

    async def _erase_log(
        self, conversation: str, seqs: tuple[int, ...], user: str | Subject | None, everywhere: bool
    ) -> EraseReceipt:
        if id_bytes(conversation) is None:
            raise UnknownConversationError(conversation)
        return await self._eraser().erase(
            EraseRequest(
                subject=self.subject(user),
                conversation=ConversationId(conversation),
                seqs=seqs,
                everywhere=everywhere,
            )
        )

    def _eraser(self) -> Eraser:
        return Eraser(store=self._store, forget_texts=self._forget_texts)

    def _forget_texts(self) -> None:
        if isinstance(self.counter, CachingCounter):
            self.counter.forget()
