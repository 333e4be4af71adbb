"""LanceDB in a folder. Writes the folder it is given."""

import uuid
from collections.abc import Sequence
from pathlib import Path

import lancedb
import pyarrow as pa
from lancedb.index import BTree

from benchmarks.others.adapters.adapter_server import Asked, Given, serve

_TABLE = "memories"


class LanceDb:
    """One table of all users with an index on the user; without one on the vectors, so that searching is exact."""

    def __init__(self, folder: Path, dim: int) -> None:
        """Open the database."""
        database = lancedb.connect(str(folder))
        texts = [pa.field(name, pa.string()) for name in ("id", "user", "text")]
        schema = pa.schema([*texts, pa.field("vector", pa.list_(pa.float32(), dim))])
        self._table = database.create_table(_TABLE, schema=schema, exist_ok=True)

    def load(self, memories: Sequence[Given]) -> list[str]:
        """Add all as one version of the table."""
        ids = [str(uuid.uuid4()) for _ in memories]
        self._table.add(
            [
                {"id": one_id, "user": memory.user, "text": memory.text, "vector": memory.vector}
                for one_id, memory in zip(ids, memories, strict=True)
            ]
        )
        return ids

    def loaded(self) -> None:
        """Index the users and merge the fragments, as LanceDB's page on performance says."""
        self._table.create_index("user", config=BTree())
        self._table.optimize()

    def search(self, asked: Asked) -> list[str]:
        """Search with the user's filter."""
        found = (
            self._table.search(asked.vector, vector_column_name="vector")
            .distance_type("cosine")
            .where(f"user = '{asked.user}'")
            .select(["id", "text", "_distance"])
            .limit(asked.limit)
            .to_list()
        )
        return [str(row["id"]) for row in found]

    nearest = search

    def add(self, memory: Given) -> str:
        """Add one row."""
        [memory_id] = self.load([memory])
        return memory_id

    def delete(self, user: str, memory_id: str) -> None:
        """Delete one row."""
        self._table.delete(f"id = '{memory_id}'")

    def size(self) -> int:
        """Count the rows."""
        return int(self._table.count_rows())

    def close(self) -> None:
        """Do nothing: a table of LanceDB holds no files open."""


if __name__ == "__main__":
    serve(LanceDb)
