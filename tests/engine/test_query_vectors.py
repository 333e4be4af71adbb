"""Questions of chats are embedded while their recall reads, once, and nothing of them stays after an erasure."""

from collections.abc import Sequence

import pytest

from immediate_embedder import ImmediateWordEmbedder
from toldonce.engine.query_builder import MAX_KEPT, QueryVectors
from toldonce.testing import WordEmbedder
from toldonce.types import Vectors


class CountingEmbedder(ImmediateWordEmbedder):
    """Notes what it embeds."""

    def __init__(self) -> None:
        """Begin without texts."""
        super().__init__()
        self.asked: list[str] = []

    def embed_queries_now(self, texts: Sequence[str]) -> Vectors:
        """Embed queries in the calling thread."""
        self.asked += texts
        return super().embed_queries_now(texts)


async def test_a_begun_question_is_embedded_once() -> None:
    embedder, vectors = CountingEmbedder(), QueryVectors()
    for _ in range(2):
        vectors.begin("a red canoe", embedder)
    found = [await vectors.find(["a red canoe", "Porto"], embedder) for _ in range(2)]
    [expected] = await embedder.embed_queries(["a red canoe"])
    assert embedder.asked == ["a red canoe"]
    for each in found:
        assert [*each] == ["a red canoe"]
        assert each["a red canoe"].tolist() == expected.tolist()


async def test_a_question_that_fails_is_left_to_the_ordinary_way() -> None:
    embedder, vectors = CountingEmbedder(), QueryVectors()
    embedder.fails = True
    vectors.begin("a red canoe", embedder)
    assert await vectors.find(["a red canoe"], embedder) == {}
    embedder.fails = False
    vectors.begin("a red canoe", embedder)
    assert [*await vectors.find(["a red canoe"], embedder)] == ["a red canoe"]


@pytest.mark.parametrize(("text", "embedder"), [("", ImmediateWordEmbedder()), ("a red canoe", WordEmbedder())])
async def test_what_needs_no_embedder_or_a_network_is_not_begun(text: str, embedder: WordEmbedder) -> None:
    vectors = QueryVectors()
    vectors.begin(text, embedder)
    assert await vectors.find([text], embedder) == {}


async def test_an_erasure_and_many_questions_drop_the_oldest() -> None:
    embedder, vectors = CountingEmbedder(), QueryVectors()
    for number in range(MAX_KEPT + 1):
        vectors.begin(f"crate {number}", embedder)
    texts = ["crate 0", "crate 1", f"crate {MAX_KEPT}"]
    assert [*await vectors.find(texts, embedder)] == texts[1:]
    vectors.forget()
    assert await vectors.find(texts, embedder) == {}
