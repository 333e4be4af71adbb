"""ToldOnce, through its blocking library. Writes a database in the folder it is given."""

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.others.adapters.adapter_server import Asked, Given, Told, serve
from toldonce import ToldOnce
from toldonce.providers.calibration import Calibration
from toldonce.providers.static_embedder import CALIBRATION
from toldonce.settings import Settings
from toldonce.types import Memory, Vectors

# Users whose share of a load is added at the same time.
LOADERS = 8


class Prepared:
    """The embedder: hands out the vectors that came with the texts."""

    def __init__(self, told: Told, dim: int, calibration: Calibration) -> None:
        """Use the vectors of the texts that were told last."""
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

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """Hand out vectors without an event loop, as the static embedder makes them."""
        return np.array(self._told.vectors(texts), dtype=np.float32)

    def embed_queries_now(self, texts: Sequence[str]) -> Vectors:
        """Hand out vectors of questions without an event loop."""
        return self.embed_now(texts)

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn cosines into relevance, as for the static embedder, which made the vectors."""
        return self._calibration.relevance(cosine)

    async def close(self) -> None:
        """Do nothing: nothing is held."""


class Ours:
    """ToldOnce's blocking library with the profile `default`, and no language model."""

    def __init__(self, folder: Path, dim: int, url: str | None = None) -> None:
        """Open the database at a URL; None is a file in the folder."""
        self._told = Told()
        settings = Settings.load(database_url=url or f"sqlite:///{folder / 'toldonce.sqlite3'}")
        self._memory = ToldOnce(settings, embedder=Prepared(self._told, dim, CALIBRATION))

    def load(self, memories: Sequence[Given]) -> list[str]:
        """Add notes, those of a user in one call, several users at once: they share an fsync."""
        self._told.tell(memories)
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, memory in enumerate(memories):
            places[memory.user].append(place)

        def add_all(user: str) -> Sequence[Memory]:
            return self._memory.bulk.add([memories[place].text for place in places[user]], user=user)

        ids = [""] * len(memories)
        with ThreadPoolExecutor(LOADERS) as pool:
            for user, kept in zip(places, pool.map(add_all, places), strict=True):
                for place, added in zip(places[user], kept, strict=True):
                    ids[place] = added.id
        return ids

    def loaded(self) -> None:
        """Do nothing: nothing is put off."""

    def search(self, asked: Asked) -> list[str]:
        """Recall by words, meaning, dates, importance and age together."""
        self._told.tell([asked])
        recall = self._memory.search(asked.text, user=asked.user, limit=asked.limit)
        return [item.memory.id for item in recall.items]

    def nearest(self, asked: Asked) -> list[str]:
        """Recall by meaning alone."""
        found = self._memory.vectors.nearest(vector=asked.vector, user=asked.user, limit=asked.limit)
        return [item.memory.id for item in found]

    def add(self, memory: Given) -> str:
        """Add a note."""
        self._told.tell([memory])
        return self._memory.add(memory.text, user=memory.user).id

    def delete(self, user: str, memory_id: str) -> None:
        """Erase: the row, its vector, its words and its history."""
        self._memory.erase(memory_id, user=user)

    def size(self) -> int:
        """Count the memories that hold."""
        return self._memory.admin.stats().memories

    def close(self) -> None:
        """Close the database. Idempotent."""
        self._memory.close()


if __name__ == "__main__":
    serve(Ours)
