"""What recall computes on: the pieces of a memory that are embedded, and its terms. Embeds what becomes recallable."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from toldonce.chat.content import speaker_name
from toldonce.concurrency import run_in_thread_if_large
from toldonce.extraction.rules.summary import NOTHING_SAID
from toldonce.extraction.sources import read_quotation
from toldonce.formation.runtime import Runtime
from toldonce.providers.chunker import chunks
from toldonce.reading.sentences import sentences
from toldonce.text import asks, terms
from toldonce.types import Memory, MemoryKind, ReopenMemory, Vector

# Characters that are read on the event loop: a millisecond or two. It is more work than reading a request's JSON.
_LARGE_TEXT = 2_000
# Memories whose rows are put together on the event loop.
_MANY = 500


async def rebuild_index_data(
    runtime: Runtime, memories: Sequence[Memory], *, vectors: bool = True
) -> list[ReopenMemory]:
    """Make again what recall computes on, for memories that are closed; all texts are embedded in one go, or none."""
    size = sum(len(memory.text) for memory in memories)
    read = await run_in_thread_if_large(size, lambda: [index_pieces(memory) for memory in memories], above=_LARGE_TEXT)
    pieces = [piece for found, _ in read for piece in found] if vectors else []
    rows: Iterable[Vector] = await runtime.embedder.embed(pieces) if pieces else ()
    space = runtime.embedder.space
    return await run_in_thread_if_large(len(memories), lambda: _put_together(memories, read, rows, space), above=_MANY)


def _put_together(
    memories: Sequence[Memory],
    read: Sequence[tuple[list[str], Mapping[str, int]]],
    embedded: Iterable[Vector],
    space: str,
) -> list[ReopenMemory]:
    rows = iter(embedded)
    made: list[ReopenMemory] = []
    for memory, (found, counted) in zip(memories, read, strict=True):
        own = tuple(row for row in islice(rows, len(found)) if row.any())
        made.append(
            ReopenMemory(
                id=memory.id,
                space=space if own else "",
                vectors=own,
                terms=counted,
                asks=memory.kind is MemoryKind.TURN and asks(read_quotation(memory).words),
            )
        )
    return made


def index_pieces(memory: Memory) -> tuple[list[str], Mapping[str, int]]:
    """Return the pieces of a memory's text that are embedded, and its terms: as those that made it did."""
    match memory.kind:
        case MemoryKind.TURN:
            name = speaker_name(memory.speaker) if memory.speaker not in ("user", "assistant") else None
            text = read_quotation(memory).words
            return [f"{name}: {piece}" if name else piece for piece in chunks(text)], terms(f"{name or ''} {text}")
        case MemoryKind.EPISODE:
            if memory.text == NOTHING_SAID:
                return [], {}
            # The whole first; then each statement, as a question mostly bears on one of them.
            return [memory.text, *(piece.text for piece in sentences(memory.text))], terms(memory.text)
        case MemoryKind.FACT if memory.evidence:  # the quotations of its messages are embedded
            return [], terms(memory.text)
        case MemoryKind.FACT | MemoryKind.NOTE:
            return chunks(memory.text) or [memory.text], terms(memory.text)
