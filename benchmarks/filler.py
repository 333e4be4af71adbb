"""Put many memories into a store quickly, by the door that formation uses. Writes the store."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from toldonce.clock import Clock, SystemClock
from toldonce.engine.components import Components, open_components
from toldonce.ids import new_id
from toldonce.settings import Settings
from toldonce.text import hash64, terms
from toldonce.types import (
    Action,
    AddMemory,
    ConversationId,
    Decision,
    Evidence,
    LoggedMessage,
    Memory,
    MemoryId,
    MemoryKind,
    Subject,
)

# Memories for one transaction: large enough that its fsync does not count, small enough to stay far from any limit.
BATCH = 1000


def settings_for(folder: Path, **more: object) -> Settings:
    """Return settings for a database in a folder of the benchmark's own."""
    return Settings.load(database_url=f"sqlite:///{folder / 'toldonce.sqlite3'}", **more)


@asynccontextmanager
async def parts_in(settings: Settings, clock: Clock | None = None) -> AsyncIterator[Components]:
    """Open store and models for as long as the block lasts; None: by the system's clock."""
    parts = await open_components(settings, clock or SystemClock())
    try:
        yield parts
    finally:
        await parts.embedder.close()
        await parts.store.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filler:
    """Adds memories as formation would: with vectors, terms, a source and a line in the decision log."""

    parts: Components

    async def notes(
        self, subject: Subject, texts: Sequence[str], *, messages: Sequence[LoggedMessage] | None = None
    ) -> None:
        """Add a note for each text.

        Args:
            subject: Whose notes they are.
            texts: What they say.
            messages: The logged message that each rests on, which an import asks for; None: messages that no log has.
        """
        if messages is None:
            conversation = ConversationId(new_id(self.parts.clock))
            sources = [_source(conversation, seq, text, self.parts.clock) for seq, text in enumerate(texts, start=1)]
        else:
            sources = [_quoting(message) for message in messages]
        await self._add(subject, MemoryKind.NOTE, texts, sources)

    async def turns(self, subject: Subject, messages: Sequence[LoggedMessage]) -> None:
        """Make logged messages recallable."""
        sources = [replace(_quoting(message), quote="") for message in messages]
        await self._add(subject, MemoryKind.TURN, [message.text for message in messages], sources)

    async def _add(self, subject: Subject, kind: MemoryKind, texts: Sequence[str], sources: Sequence[Evidence]) -> None:
        for start in range(0, len(texts), BATCH):
            some = texts[start : start + BATCH]
            vectors = await self.parts.embedder.embed(some)
            changes = [
                AddMemory(
                    memory=self._memory(subject, kind, text, source),
                    space=self.parts.embedder.space,
                    vectors=(vector,),
                    terms=terms(text),
                )
                for text, source, vector in zip(some, sources[start : start + BATCH], vectors, strict=True)
            ]
            decisions = []
            if kind is not MemoryKind.TURN:
                decisions = [decision_on(change.memory, new_id(self.parts.clock)) for change in changes]
            await self.parts.store.memories.apply(subject, changes, decisions)

    def _memory(self, subject: Subject, kind: MemoryKind, text: str, source: Evidence) -> Memory:
        return Memory(
            id=MemoryId(new_id(self.parts.clock)),
            subject=subject,
            kind=kind,
            text=text,
            type="" if kind is MemoryKind.TURN else "fact",
            speaker=source.speaker,
            valid_from=source.said_at,
            known_from=source.said_at,
            version="benchmark-1",
            evidence=(source,),
        )


def decision_on(memory: Memory, id_: str) -> Decision:
    """Decide to add a memory."""
    return Decision(
        id=id_,
        subject=memory.subject,
        at=memory.known_from,
        action=Action.ADD,
        memory_id=memory.id,
        target_id=None,
        reason="nothing like it was known",
        text=memory.text,
        profile=memory.profile,
        conversation=memory.evidence[0].conversation,
        seq=memory.evidence[0].seq,
    )


def _quoting(message: LoggedMessage) -> Evidence:
    return Evidence(
        conversation=message.conversation,
        seq=message.seq,
        hash=message.hash,
        role=message.role,
        speaker=message.name or message.role,
        quote=message.text,
        said_at=message.said_at,
    )


def _source(conversation: ConversationId, seq: int, text: str, clock: Clock) -> Evidence:
    return Evidence(
        conversation=conversation,
        seq=seq,
        hash=hash64("benchmark", text),
        role="user",
        speaker="user",
        quote=text,
        said_at=clock.now(),
    )
