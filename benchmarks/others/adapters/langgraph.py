"""LangGraph's SQLite store with its vector index. Writes a database in the folder it is given."""

import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from benchmarks.others.adapters.adapter_server import Asked, Given, Told, serve

# Named with each item: version 3.1.2 embeds the whole item where the index's documented `fields` name it.
_EMBEDDED = ["text"]


class LangGraph:
    """A `SqliteStore` with a namespace for each user."""

    def __init__(self, folder: Path, dim: int) -> None:
        """Open the database."""
        self._told, self._open = Told(), ExitStack()
        index = {"dims": dim, "embed": self._told.vectors}
        file = str(folder / "langgraph.sqlite3")
        self._store = self._open.enter_context(SqliteStore.from_conn_string(file, index=index))
        self._store.setup()

    def load(self, memories: Sequence[Given]) -> list[str]:
        """Put all in one batch, which is one transaction."""
        self._told.tell(memories)
        keys = [str(uuid.uuid4()) for _ in memories]
        self._store.batch(
            [
                PutOp(_namespace(memory.user), key, {"text": memory.text}, index=_EMBEDDED)
                for key, memory in zip(keys, memories, strict=True)
            ]
        )
        return keys

    def loaded(self) -> None:
        """Do nothing: nothing is put off."""

    def search(self, asked: Asked) -> list[str]:
        """Search the user's namespace."""
        self._told.tell([asked])
        found = self._store.search(_namespace(asked.user), query=asked.text, limit=asked.limit)
        return [str(item.key) for item in found]

    nearest = search

    def add(self, memory: Given) -> str:
        """Put one item."""
        self._told.tell([memory])
        key = str(uuid.uuid4())
        self._store.put(_namespace(memory.user), key, {"text": memory.text}, index=_EMBEDDED)
        return key

    def delete(self, user: str, memory_id: str) -> None:
        """Delete one item."""
        self._store.delete(_namespace(user), memory_id)

    def size(self) -> int:
        """Count the items."""
        return int(self._store.conn.execute("SELECT count(*) FROM store").fetchone()[0])

    def close(self) -> None:
        """Close the database."""
        self._open.close()


def _namespace(user: str) -> tuple[str, ...]:
    return ("memories", user)


if __name__ == "__main__":
    serve(LangGraph)
