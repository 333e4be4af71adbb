"""The static embedder with the delay of a network call. Waits."""

import asyncio
from collections.abc import Sequence

from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.types import Vectors

# What an embedding service a country away answers in, for few texts as for some hundred.
CALL_S = 0.05


class FarEmbedder(StaticEmbedder):
    """Counts its calls, and waits in each."""

    def __init__(self, call_s: float = CALL_S) -> None:
        """Wait so long a call."""
        super().__init__()
        self._call_s = call_s
        self.calls = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed as the static one does, later."""
        self.calls += 1
        await asyncio.sleep(self._call_s)
        return await super().embed(texts)
