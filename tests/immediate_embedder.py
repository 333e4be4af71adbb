"""An embedder that answers the blocking library in the thread of its caller, for tests."""

from collections.abc import Sequence

from toldonce.errors import ModelError
from toldonce.testing import WordEmbedder
from toldonce.types import Vectors


class ImmediateWordEmbedder(WordEmbedder):
    """Embeds words without an event loop, unless it fails."""

    fails = False

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in the calling thread."""
        if self.fails:
            raise ModelError("no answer")
        call = self.embed(texts)
        try:
            call.send(None)
        except StopIteration as done:
            vectors: Vectors = done.value
            return vectors
        raise AssertionError("the embedder waits for something")

    def embed_queries_now(self, texts: Sequence[str]) -> Vectors:
        """Embed queries in the calling thread."""
        return self.embed_now(texts)
