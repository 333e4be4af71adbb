"""Recollect, through its library. Writes a database in the folder it is given."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.others.adapters.adapter_server import Asked, Given, Told, serve
from recollect.clock import SystemClock
from recollect.engine import AsyncRecollect, Components
from recollect.providers.calibration import Calibration
from recollect.providers.static_embedder import CALIBRATION
from recollect.providers.token_counter import token_counter
from recollect.settings import Settings
from recollect.store.factory import open_store
from recollect.types import Vectors


class Prepared:
    """The embedder: hands out the vectors that came with the texts."""

    def __init__(self, told: Told, dim: int, calibration: Calibration) -> None:
        """Stand for the model that made the vectors."""
        self._told, self._dim, self._calibration = told, dim, calibration

    @property
    def space(self) -> str:
        """Name of the space."""
        return f"prepared-{self._dim}"

    @property
    def dim(self) -> int:
        """Length of each vector."""
        return self._dim

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Hand out vectors."""
        return np.array(self._told.vectors(texts), dtype=np.float32)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Hand out vectors of questions."""
        return await self.embed(texts)

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn cosines into relevance, as for the built-in embedder, which made the vectors."""
        return self._calibration.relevance(cosine)

    async def close(self) -> None:
        """Do nothing: nothing is held."""


class Ours:
    """Recollect with the profile `default`, and no language model."""

    def __init__(self, folder: Path, dim: int) -> None:
        """Open the database."""
        self._loop = asyncio.new_event_loop()
        self._told = Told()
        self._engine = AsyncRecollect(self._loop.run_until_complete(self._parts(folder, dim)))

    async def _parts(self, folder: Path, dim: int) -> Components:
        settings, clock = Settings.load(database_url=f"sqlite:///{folder / 'recollect.sqlite3'}"), SystemClock()
        return Components(
            settings=settings,
            clock=clock,
            store=await open_store(settings.database_url, clock=clock, cache_bytes=settings.cache_bytes),
            embedder=Prepared(self._told, dim, CALIBRATION),
            model=None,
            counter=token_counter(),
        )

    def load(self, memories: Sequence[Given]) -> list[str]:
        """Add notes, those of a user in one call."""
        self._told.tell(memories)
        return self._loop.run_until_complete(self._all(memories))

    def loaded(self) -> None:
        """Do nothing: nothing is put off."""

    def search(self, asked: Asked) -> list[str]:
        """Recall by words, meaning, dates, importance and age together."""
        self._told.tell([asked])
        recall = self._loop.run_until_complete(self._engine.search(asked.text, user=asked.user, limit=asked.limit))
        return [item.memory.id for item in recall.items]

    def nearest(self, asked: Asked) -> list[str]:
        """Recall by meaning alone."""
        found = self._loop.run_until_complete(
            self._engine.vectors.nearest(vector=asked.vector, user=asked.user, limit=asked.limit)
        )
        return [item.memory.id for item in found]

    def add(self, memory: Given) -> str:
        """Add a note."""
        self._told.tell([memory])
        return self._loop.run_until_complete(self._engine.add(memory.text, user=memory.user)).id

    def delete(self, user: str, memory_id: str) -> None:
        """Erase: the row, its vector, its words and its history."""
        self._loop.run_until_complete(self._engine.erase(memory_id, user=user))

    def size(self) -> int:
        """Count the memories that hold."""
        return self._loop.run_until_complete(self._engine.admin.stats()).memories

    def close(self) -> None:
        """Close the engine. Idempotent."""
        if self._loop.is_closed():
            return
        self._loop.run_until_complete(self._engine.close())
        self._loop.close()

    async def _all(self, memories: Sequence[Given]) -> list[str]:
        """Add those of each user in one go, the users side by side, as a server does; they share an fsync."""
        of: defaultdict[str, list[int]] = defaultdict(list)
        for place, memory in enumerate(memories):
            of[memory.user].append(place)
        ids = [""] * len(memories)

        async def one_user(places: Sequence[int]) -> None:
            user = memories[places[0]].user
            kept = await self._engine.bulk.add([memories[place].text for place in places], user=user)
            for place, memory in zip(places, kept, strict=True):
                ids[place] = memory.id

        await asyncio.gather(*map(one_user, of.values()))
        return ids


if __name__ == "__main__":
    serve(Ours)
