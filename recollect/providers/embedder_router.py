"""Which embedder a subject's memories are read by: several may be in use during a change. Reads the store.

A subject says in which space it is read, and the database how the embedder of a space is reached. Who writes asks for
it each time; a recall goes by what it last heard, and is told by the store where that does not hold any more: no recall
costs a further read, and no process needs a restart.
"""

import asyncio
import logging
from collections import OrderedDict
from typing import Protocol

from recollect.errors import SpaceMovedError
from recollect.providers.protocols import OpenedEmbedder
from recollect.store.embedded import EmbeddedStore
from recollect.types import EmbedderRecord, Subject

logger = logging.getLogger(__name__)

# Subjects of which it is kept that they are read by another embedder than most; who is dropped costs one more try.
_MAX_CACHED = 10_000


class EmbedderOpener(Protocol):
    """Opens an embedder that a database names."""

    def __call__(self, record: EmbedderRecord, *, patient: bool = False) -> OpenedEmbedder:
        """Open it; a patient one asks a busy server again and again."""
        ...


class EmbedderRouter:
    """The embedders of a process, by their spaces; opened when they are first wanted."""

    def __init__(self, first: OpenedEmbedder, store: EmbeddedStore, opening: EmbedderOpener) -> None:
        """Take the embedder that the process began with, and what opens those that the database names."""
        self._opened = {first.space: first}
        self._further: list[OpenedEmbedder] = []
        self._usual = first
        self._store = store
        self._opening = opening
        self._others: OrderedDict[Subject, str] = OrderedDict()
        self._opens = asyncio.Lock()

    async def of(self, subject: Subject) -> OpenedEmbedder:
        """Return the embedder by which a subject is read and written now."""
        space = await self._store.space_of(subject)
        return self._usual if space in (None, self._usual.space) else await self._in(space or "")

    async def likely(self, subject: Subject) -> OpenedEmbedder:
        """Return the embedder by which a subject was last seen to be read; the store says where that is over."""
        space = self._others.get(subject)
        return self._usual if space is None else await self._in(space)

    async def learn(self, subject: Subject, moved: SpaceMovedError) -> None:
        """Take in that a subject is read in another space than was thought."""
        records = await self._store.embedders()
        chosen = next((one.space for one in records if one.chosen_at is not None), self._usual.space)
        if chosen != self._usual.space:
            self._usual = await self._in(chosen)
            self._others.clear()
            logger.info("embedder changed", extra={"space": chosen})
        self._others.pop(subject, None)
        if moved.found != chosen:
            self._others[subject] = moved.found
            while len(self._others) > _MAX_CACHED:
                self._others.popitem(last=False)

    def add(self, embedder: OpenedEmbedder) -> None:
        """Take an embedder that was opened elsewhere, unless its space has one."""
        if self._opened.setdefault(embedder.space, embedder) is not embedder and embedder not in self._further:
            self._further.append(embedder)

    async def named(self, record: EmbedderRecord, *, patient: bool = False) -> OpenedEmbedder:
        """Return the embedder of a record; for work that may wait for a busy server, one of its own."""
        if record.space == self._usual.space and not (patient and record.chosen_at):
            return self._usual
        if not patient:
            return await self._in(record.space)
        opened = await asyncio.to_thread(self._opening, record, patient=True)
        self._further.append(opened)
        return opened

    async def close(self) -> None:
        """Close all of them."""
        for embedder in (*self._opened.values(), *self._further):
            await embedder.close()

    async def _in(self, space: str) -> OpenedEmbedder:
        async with self._opens:
            if space not in self._opened:
                records = {one.space: one for one in await self._store.embedders()}
                # Files are read: on the loop a chat would wait for them.
                self._opened[space] = await asyncio.to_thread(self._opening, records[space])
            return self._opened[space]
