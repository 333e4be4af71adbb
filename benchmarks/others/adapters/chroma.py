"""Chroma's persistent client. Writes the folder it is given."""

import uuid
from collections.abc import Sequence
from pathlib import Path

import chromadb
from chromadb.config import Settings

from benchmarks.others.adapters.adapter_server import Asked, Given, serve


class Chroma:
    """One collection of all users, the user in the metadata."""

    def __init__(self, folder: Path, dim: int) -> None:
        """Open the database."""
        self._client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
        self._collection = self._client.get_or_create_collection(
            "memories", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def load(self, memories: Sequence[Given]) -> list[str]:
        """Add in batches as large as the client takes."""
        most = self._client.get_max_batch_size()
        ids = [str(uuid.uuid4()) for _ in memories]
        for start in range(0, len(memories), most):
            some = memories[start : start + most]
            self._collection.add(
                ids=ids[start : start + most],
                embeddings=[memory.vector for memory in some],
                documents=[memory.text for memory in some],
                metadatas=[{"user": memory.user} for memory in some],
            )
        return ids

    def loaded(self) -> None:
        """Do nothing: the index follows the log by itself."""

    def search(self, asked: Asked) -> list[str]:
        """Query with the user's filter."""
        found = self._collection.query(
            query_embeddings=[asked.vector], n_results=asked.limit, where={"user": asked.user}
        )
        return [str(id_) for id_ in found["ids"][0]]

    nearest = search

    def add(self, memory: Given) -> str:
        """Add one document."""
        [memory_id] = self.load([memory])
        return memory_id

    def delete(self, user: str, memory_id: str) -> None:
        """Delete one document."""
        self._collection.delete(ids=[memory_id])

    def size(self) -> int:
        """Count the documents."""
        return int(self._collection.count())

    def close(self) -> None:
        """Close the client."""
        self._client.close()


if __name__ == "__main__":
    serve(Chroma)
