"""Part of the API: take back what was decided or said. Writes through the store."""

from datetime import datetime

from recollect.curation.undo import undo_decision, undo_since, undo_source
from recollect.engine.base import Wired
from recollect.errors import BadRequestError
from recollect.resolution.undo_plan import UndoPlan
from recollect.types import ConversationId, Subject


class HistoryService(Wired):
    """Takes back. History is never deleted: what was undone, when and why stays in the log."""

    async def undo(self, decision: str, *, user: str | Subject | None = None, dry_run: bool = False) -> UndoPlan:
        """Do the inverse of what a decision did: close what it added, bring back what it closed.

        What it closed stays closed where something else fills its slot since.

        Args:
            decision: Its id, as `history`, `why` and `decisions` name it.
            user: Whose memory.
            dry_run: Return what would be done, and do nothing.

        Raises:
            BadRequestError: there is no such decision, it was undone already, or nothing of it is left to undo.
        """
        return await undo_decision(self._tools, self.subject(user), decision, dry_run=dry_run)

    async def undo_from(
        self,
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        seq: int | None = None,
        since: datetime | None = None,
        dry_run: bool = False,
    ) -> UndoPlan:
        """Take back everything that came from one source, or since a time.

        Of a source, memories stand afterwards as if it had never been said: those that rest on it alone are closed,
        what they had replaced comes back, and those that rest on other messages as well stay on these. Of a time,
        what was stored since is closed and what was closed since comes back. The log of messages stays as it is.

        Args:
            user: Whose memory.
            conversation: A conversation's id.
            seq: One message of it; None is all of it.
            since: An instant (aware) of storing, not of saying.
            dry_run: Return what would be done, and do nothing.

        Raises:
            BadRequestError: neither or both of conversation and time are given, the time has no time zone, or
                nothing of it is left to undo.
        """
        if (conversation is None) == (since is None) or (seq is not None and conversation is None):
            raise BadRequestError(
                "undo takes either a conversation (with or without a message) or a time", param="undo"
            )
        subject = self.subject(user)
        if conversation is not None:
            return await undo_source(self._tools, subject, ConversationId(conversation), seq=seq, dry_run=dry_run)
        if since is None or since.tzinfo is None:
            raise BadRequestError("the time to undo from needs a time zone", param="since")
        return await undo_since(self._tools, subject, since, dry_run=dry_run)
