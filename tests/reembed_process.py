"""A process of its own that changes the embedder: `python reembed_process.py URL`. Prints how many were re-embedded.

The other embedder is one of words in other places, under the name of an API's model that is never asked.
"""

import asyncio
import sys

from toldonce.clock import SystemClock
from toldonce.engine import AsyncToldOnce, Components, EmbedderTrial
from toldonce.maintenance import reembed
from toldonce.providers.protocols import OpenedEmbedder
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.factory import open_store
from toldonce.testing import WordEmbedder
from toldonce.types import CalibrationCurve, EmbedderKind, EmbedderRecord, EmbedderSpec

BATCH_SIZE = 24
"""Memories that it embeds in one step: a few portions have the commits of large ones."""
OTHER = EmbedderRecord(
    space="other-32",
    dim=32,
    spec=EmbedderSpec(kind=EmbedderKind.API, where="http://127.0.0.1:9/v1", model="other"),
    curve=CalibrationCurve(midpoint=0.3, slope=10),
)
FIRST = EmbedderRecord(
    space="words-64",
    dim=64,
    spec=EmbedderSpec(kind=EmbedderKind.STATIC),
    curve=CalibrationCurve(midpoint=0.3, slope=10),
)


def opening(record: EmbedderRecord, *, patient: bool = False) -> OpenedEmbedder:
    """Open either."""
    del patient
    return WordEmbedder(32, name="other") if record.space == OTHER.space else WordEmbedder(64)


async def opened(url: str) -> AsyncToldOnce:
    """Open the engine over embedders of words."""
    settings, clock = Settings(database_url=url), SystemClock()
    parts = Components(
        settings=settings,
        clock=clock,
        store=await open_store(url, clock=clock),
        embedder=WordEmbedder(64),
        model=None,
        counter=token_counter(),
        opening=opening,
    )
    return AsyncToldOnce(parts)


async def main(url: str) -> None:
    """Change over, or go on with it."""
    reembed.BATCH_SIZE = BATCH_SIZE
    async with await opened(url) as engine:
        state = await engine.embedder.status()
        if state.record.space == OTHER.space:
            report = await engine.embedder.reembed()
        else:
            report = await engine.embedder.use(EmbedderTrial(record=OTHER, embedder=opening(OTHER)))
    sys.stdout.write(f"{report.memories}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
