"""The baselines find what a page of code finds."""

from datetime import UTC, datetime

import numpy as np

from toldonce.datasets.dataset import DatasetTurn
from toldonce.evaluation.retrieval_run import BM25, FUSED, VECTORS, index
from toldonce.testing import WordEmbedder

TEXTS = ("The dog barks at night.", "My hives are painted blue.", "Blue is a colour, blue as the sky.", "Good morning!")
TURNS = [
    DatasetTurn(id=str(place), session="s", role="user", text=text, said_at=datetime(2026, 1, 1, tzinfo=UTC))
    for place, text in enumerate(TEXTS)
]


async def test_each_way_ranks_what_it_has_something_to_say_for() -> None:
    embedder = WordEmbedder(256)
    baselines = await index(TURNS, embedder)
    [vector] = await embedder.embed(["painted hives"])
    ranked = baselines.rank("painted hives", vector)

    assert ranked[BM25] == [1]
    assert ranked[VECTORS][0] == ranked[FUSED][0] == 1


async def test_bm25_prefers_the_rarer_word_and_the_shorter_text() -> None:
    baselines = await index(TURNS, WordEmbedder(256))
    ranked = baselines.rank("blue hives", np.zeros(256, dtype=np.float32))

    assert ranked[BM25] == [1, 2]
    assert ranked[VECTORS] == []
    assert ranked[FUSED] == [1, 2]


async def test_a_word_that_nobody_says_finds_nothing() -> None:
    baselines = await index(TURNS, WordEmbedder(256))
    assert baselines.rank("zeppelin", np.zeros(256, dtype=np.float32))[BM25] == []


async def test_equal_weights_put_first_what_both_ways_have_high() -> None:
    embedder = WordEmbedder(256)
    baselines = await index(TURNS, embedder)
    [vector] = await embedder.embed(["sky colour"])
    ranked = baselines.rank("the dog, the sky", vector)

    assert set(ranked[BM25]) == {0, 2}
    assert ranked[VECTORS][0] == 2
    assert ranked[FUSED][0] == 2
