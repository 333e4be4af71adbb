"""The baselines find what a page of code finds, and fill a prompt with it."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np

from toldonce.datasets.dataset import DatasetTurn
from toldonce.evaluation.baselines import BM25, FUSED, VECTORS, BlockWriter, index
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


class CharacterCounter:
    """Counts characters as tokens."""

    def count(self, text: str) -> int:
        """Return the length of the text."""
        return len(text)


def block_of(order: list[int], tokens: int, *, cut: bool = False) -> list[str]:
    block = BlockWriter(TURNS, CharacterCounter(), ZoneInfo("UTC")).block(order, tokens, cut=cut)
    assert block.tokens == len(block.text) <= tokens
    assert block.shown == block.quoted
    return block.text.splitlines()


def test_a_block_has_the_best_messages_in_the_order_of_time_with_their_days() -> None:
    assert block_of([2, 0], 1_000) == [
        '- "The dog barks at night." (the user, 1 January 2026)',
        '- "Blue is a colour, blue as the sky." (the user, 1 January 2026)',
    ]


def test_a_message_without_room_is_skipped_and_a_session_is_cut_there() -> None:
    # Rows have 55, 57, 66 and 45 characters with their line breaks.
    assert [row[3:7] for row in block_of([1, 2, 3], 110)] == ["My h", "Good"]
    assert [row[3:7] for row in block_of([1, 2, 3], 110, cut=True)] == ["My h"]
    assert block_of([0], 10) == []


async def test_sessions_are_whole_the_best_first_and_of_equal_ones_the_newest() -> None:
    said = ["I sold the boat.", "It rains.", "The boat is blue.", "Good night.", "The boat is blue.", "Sleep well."]
    turns = [replace(TURNS[0], id=str(n), session=str(n // 2), text=text) for n, text in enumerate(said)]
    baselines = await index(turns, WordEmbedder(256))

    assert baselines.sessions("blue boat") == [4, 5, 2, 3, 0, 1]
    assert baselines.sessions("sold") == [0, 1]
