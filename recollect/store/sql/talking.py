"""The part of the store that keeps what was said and what was put into prompts: see `Store`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from recollect.store.executor import INLINE_ROWS, Executor
from recollect.store.paging import check_limit
from recollect.store.sql import episodes
from recollect.store.sql.log import conversations as talks
from recollect.store.sql.log import record
from recollect.types import (
    Conversation,
    ConversationId,
    ConversationSetup,
    EpisodeRange,
    InjectionRecord,
    LoggedMessage,
    MemoryId,
    RecordedTurn,
    Subject,
    Turn,
)


class Talking(Executor):
    """Messages, conversations and recalls."""

    async def record(self, turn: Turn) -> RecordedTurn:
        """See `Store.record`."""
        return await self._write(
            partial(record.record, turn=turn, clock=self._clock, term_key=self._term_key),
            turn.subject,
            *(wanted.key_subject for wanted in turn.formations),
            *(charged for charged, _ in turn.charges),
        )

    async def messages(
        self, subject: Subject, conversation: ConversationId, *, after_seq: int = 0, limit: int = 1000
    ) -> list[LoggedMessage]:
        """See `Store.messages`."""
        check_limit(limit)
        return await self._read_short(
            lambda db: record.messages(db, subject, conversation, after_seq=after_seq, limit=limit),
            small=limit <= INLINE_ROWS,
        )

    async def conversations(
        self, subject: Subject, *, limit: int = 100, before: datetime | None = None
    ) -> list[Conversation]:
        """See `Store.conversations`."""
        check_limit(limit)
        return await self._read(lambda db: talks.conversations(db, subject, before=before, limit=limit))

    async def open_conversation(self, subject: Subject, external_id: str, opening: ConversationSetup) -> Conversation:
        """See `Store.open_conversation`."""
        return await self._write(lambda db: talks.open_(db, subject, external_id, opening, self._clock), subject)

    async def conversation(
        self, subject: Subject, *, id: ConversationId | None = None, external_id: str | None = None
    ) -> Conversation | None:
        """See `Store.conversation`."""
        return await self._read_short(lambda db: talks.conversation(db, subject, id_=id, external_id=external_id))

    async def end_conversation(
        self, subject: Subject, conversation: ConversationId, reason: str, now: datetime
    ) -> None:
        """See `Store.end_conversation`."""
        await self._write(lambda db: talks.end(db, subject, conversation, reason, now), subject)

    async def ask_formation(self, writes: Subject, home: Subject, conversation: ConversationId, now: datetime) -> int:
        """See `Store.ask_formation`."""
        return await self._write(lambda db: talks.ask(db, writes, home, conversation, now), writes, home)

    async def abandoned(self, subject: Subject, conversation: ConversationId) -> set[int]:
        """See `Store.abandoned`."""
        return await self._read_short(lambda db: record.abandoned(db, subject, conversation))

    async def path(
        self, subject: Subject, conversation: ConversationId, *, after_seq: int = 0, limit: int = 1000
    ) -> list[LoggedMessage]:
        """See `Store.path`."""
        check_limit(limit)
        return await self._read(lambda db: episodes.path(db, subject, conversation, after_seq=after_seq, limit=limit))

    async def spans(self, subject: Subject, conversation: ConversationId) -> list[EpisodeRange]:
        """See `Store.spans`."""
        return await self._read(lambda db: episodes.spans(db, subject, conversation))

    async def note_hits(self, subject: Subject, recall: InjectionRecord, hits: Sequence[MemoryId]) -> None:
        """See `Store.note_hits`."""
        judged = replace(recall, hits=frozenset(hits))
        self._write_later(lambda db: record.note_hits(db, subject, judged), subject)

    async def recalls(
        self, subject: Subject, *, conversation: ConversationId | None = None, limit: int = 100
    ) -> list[InjectionRecord]:
        """See `Store.recalls`."""
        check_limit(limit)
        return await self._read_short(
            lambda db: record.recalls(db, subject, conversation=conversation, limit=limit), small=limit <= INLINE_ROWS
        )
