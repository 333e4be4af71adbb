"""mem0 over its default vector store, Qdrant in a folder. Writes that folder and mem0's history beside it."""

from collections.abc import Sequence
from pathlib import Path

from mem0 import Memory

from benchmarks.others.adapters.adapter_server import Asked, Given, Told, serve

# The model is never asked (`infer=False`), but its client wants a key to be made.
_UNUSED = {"provider": "openai", "config": {"api_key": "never-used"}}
_COLLECTION = "memories"


class Embedding:
    """What mem0 asks of an embedder."""

    def __init__(self, told: Told) -> None:
        """Hand out what is told."""
        self._told = told

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Hand out a vector."""
        return self._told.vectors([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        """Hand out vectors."""
        return self._told.vectors(texts)


class Mem0:
    """A `Memory` whose embedder hands out our vectors, and whose texts are kept as they are."""

    def __init__(self, folder: Path, dim: int) -> None:
        """Open the database."""
        self._told = Told()
        store = {"collection_name": _COLLECTION, "path": str(folder / "qdrant"), "embedding_model_dims": dim}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
                "llm": _UNUSED,
                "embedder": _UNUSED,
            }
        )
        self._memory.embedding_model = Embedding(self._told)

    def load(self, memories: Sequence[Given]) -> list[str]:
        """Add one after the other: there is no way for many of several users."""
        return [self.add(memory) for memory in memories]

    def loaded(self) -> None:
        """Do nothing: nothing is put off."""

    def search(self, asked: Asked) -> list[str]:
        """Search with the user's filter; without a floor, so that ten come back."""
        self._told.tell([asked])
        found = self._memory.search(asked.text, filters={"user_id": asked.user}, top_k=asked.limit, threshold=0.0)
        return [str(item["id"]) for item in found["results"]]

    nearest = search

    def add(self, memory: Given) -> str:
        """Add a text as it is."""
        self._told.tell([memory])
        added = self._memory.add(memory.text, user_id=memory.user, infer=False)
        return str(added["results"][0]["id"])

    def delete(self, user: str, memory_id: str) -> None:
        """Delete; mem0 keeps the text in its history."""
        self._memory.delete(memory_id)

    def size(self) -> int:
        """Count the points."""
        return int(self._memory.vector_store.client.count(_COLLECTION).count)

    def close(self) -> None:
        """Close both databases."""
        self._memory.vector_store.client.close()
        self._memory.close()


if __name__ == "__main__":
    serve(Mem0)
