"""What a long conversation costs under `tiered`: recall, the whole prompt, and forming. Uses a database of its own."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import settings_for
from benchmarks.made_up import Writer
from benchmarks.progress import steps
from benchmarks.recall import QUERY_WORDS
from benchmarks.rows import Row, spread
from toldonce.engine import AsyncToldOnce
from toldonce.types import MemoryKind

# The promise (issue 3): recall in a conversation of 1,000 turns, the embedding of the query included.
BAR_MS = 20.0
USER, CHAT = "bench", "chat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    turns: int
    """Of the one conversation."""
    queries: int


FULL = Sizes(turns=1000, queries=300)
QUICK = Sizes(turns=100, queries=50)


def run(quick: bool) -> list[Row]:
    """Tell a long conversation turn by turn, then ask."""
    with TemporaryDirectory(prefix="toldonce-bench-") as folder:
        return asyncio.run(long_chat(Path(folder), QUICK if quick else FULL))


async def long_chat(folder: Path, sizes: Sizes) -> list[Row]:
    """Measure one conversation."""
    writer = Writer()
    messages = writer.conversation(sizes.turns)
    forming: list[float] = []
    searching: list[float] = []
    prompting: list[float] = []
    async with await AsyncToldOnce.open(settings_for(folder, profile="tiered")) as engine:
        for at in steps("tiered: telling", range(0, len(messages), 2)):
            await engine.record(messages[at : at + 2], user=USER, conversation=CHAT)
            start = time.perf_counter()
            await engine.form()
            forming.append((time.perf_counter() - start) * 1000)
        for _ in steps("tiered: asking", range(sizes.queries)):
            query = " ".join(writer.words(QUERY_WORDS))
            start = time.perf_counter()
            await engine.search(query, user=USER)
            searching.append((time.perf_counter() - start) * 1000)
            start = time.perf_counter()
            await engine.prompt(query, user=USER, conversation=CHAT)
            prompting.append((time.perf_counter() - start) * 1000)
        episodes = await engine.list(user=USER, kinds=(MemoryKind.EPISODE,), limit=10_000)
        kept = (await engine.admin.stats()).memories
    note = f"{len(episodes):,} episodes, {kept:,} memories"
    where = f"{sizes.turns:,} turns"
    return [
        *spread(f"{where}, recall", searching, "ms", note=note, bar=BAR_MS),
        *spread(f"{where}, whole prompt", prompting, "ms", note="memories, summary of the chat, window"),
        *spread(f"{where}, forming a turn", forming, "ms", note="by rules, after the answer; every tenth an episode"),
    ]
