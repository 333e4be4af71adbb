"""Selects the embedder of each subject; during an embedder change several are in use. Reads the store.

The store records in which vector space a subject is read, and how to open the embedder of a space. Writers look the
space up each time. Recalls use the cached one, and the store raises `SpaceMovedError` if it is out of date: no recall
costs an extra read, and no process needs a restart.
"""

import asyncio
import logging
from collections import OrderedDict
from typing import Protocol

from toldonce.errors import SpaceMovedError
from toldonce.providers.embedder_loader import UnavailableEmbedder
from toldonce.providers.protocols import OpenedEmbedder
from toldonce.store.sql.embeddings import EmbeddingRepository
from toldonce.types import EmbedderRecord, Subject

logger = logging.getLogger(__name__)

# Cached subjects whose embedder is not the usual one; a dropped entry costs one retry.
_MAX_CACHED = 10_000


class EmbedderOpener(Protocol):
    """Opens an embedder recorded in a database."""

    def __call__(self, record: EmbedderRecord, *, patient: bool = False) -> OpenedEmbedder:
        """Open the embedder; a patient one keeps retrying a busy server."""
        ...


class EmbedderRouter:
    """All embedders of a process, by vector space; opened on first use."""

    def __init__(self, first: OpenedEmbedder, embeddings: EmbeddingRepository, opening: EmbedderOpener) -> None:
        """Create a router with the initial embedder, and a function that opens recorded ones."""
        self._opened = {first.space: first}
        self._further: list[OpenedEmbedder] = []
        self._usual = first
        self._embeddings = embeddings
        self._opening = opening
        self._others: OrderedDict[Subject, str] = OrderedDict()
        self._opens = asyncio.Lock()

    async def for_subject(self, subject: Subject) -> OpenedEmbedder:
        """Return the current embedder of a subject."""
        space = await self._embeddings.space_of(subject)
        return self._usual if space in (None, self._usual.space) else await self._in(space or "")

    async def cached_for(self, subject: Subject) -> OpenedEmbedder:
        """Return the last known embedder of a subject; the store raises `SpaceMovedError` if it has changed.

        One that is unavailable fails before the store is asked, so the subject's space is read.
        """
        space = self._others.get(subject)
        known = self._usual if space is None else await self._in(space)
        return await self.for_subject(subject) if isinstance(known, UnavailableEmbedder) else known

    def opened_for(self, subject: Subject) -> OpenedEmbedder | None:
        """Return the last known embedder of a subject from any thread; None if it has to be opened."""
        space = self._others.get(subject)
        return self._usual if space is None else self._opened.get(space)

    async def refresh(self, subject: Subject, moved: SpaceMovedError) -> None:
        """Update the cache after a subject was found in another space."""
        records = await self._embeddings.embedders()
        chosen = next((record.space for record in records if record.chosen_at is not None), self._usual.space)
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
        """Add an opened embedder, and use it if its space has none yet."""
        if self._opened.setdefault(embedder.space, embedder) is not embedder and embedder not in self._further:
            self._further.append(embedder)

    async def named(self, record: EmbedderRecord, *, patient: bool = False) -> OpenedEmbedder:
        """Return the embedder of a record; a patient one is opened separately."""
        if record.space == self._usual.space and not (patient and record.chosen_at):
            return self._usual
        if not patient:
            return await self._in(record.space)
        opened = await asyncio.to_thread(self._opening, record, patient=True)
        self._further.append(opened)
        return opened

    async def close(self) -> None:
        """Close all embedders."""
        for embedder in (*self._opened.values(), *self._further):
            await embedder.close()

    async def _in(self, space: str) -> OpenedEmbedder:
        async with self._opens:
            if space not in self._opened:
                records = {record.space: record for record in await self._embeddings.embedders()}
                # Opening reads files, which would block the event loop.
                self._opened[space] = await asyncio.to_thread(self._opening, records[space])
            return self._opened[space]
