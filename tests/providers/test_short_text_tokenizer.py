"""Short texts have the tokens that the `tokenizers` library gives them, without its file being loaded."""

import json
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from language_samples import LANGUAGES
from toldonce.providers import static_embedder
from toldonce.providers.static_embedder import (
    MAX_SHORT_TEXTS,
    WORD_START,
    ShortTextTokenizer,
    StaticEmbedder,
    StaticModel,
    merge_order,
)

FILE = static_embedder._package_folder() / static_embedder._TOKENIZER
TEXTS = sorted(chain.from_iterable((*language.memories, *language.asked) for language in LANGUAGES.values()))
ODD = ["", " ", "a  b", "▁", "▁▁ ▁a", "🍵🎂", "e\u0301", "\x00\ufffd", "<0x0A>", "a<s", "C++/C# @ 50%", "á" * 39]


@pytest.fixture(scope="module")
def description() -> dict[str, dict[str, dict[str, int]]]:
    read: dict[str, dict[str, dict[str, int]]] = json.loads(FILE.read_text("utf-8"))
    return read


@pytest.fixture(scope="module")
def short(description: dict[str, dict[str, dict[str, int]]]) -> ShortTextTokenizer:
    return ShortTextTokenizer(description["model"]["vocab"])


@pytest.fixture(scope="module")
def whole() -> Tokenizer:
    tokenizer: Tokenizer = Tokenizer.from_file(str(FILE))
    return tokenizer


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> StaticEmbedder:
    """An embedder over a model that no other test has used."""
    model = static_embedder._read.__wrapped__(static_embedder._package_folder())
    monkeypatch.setattr(static_embedder, "static_model", lambda: model)
    return StaticEmbedder()


def test_the_merges_of_the_file_follow_from_its_vocabulary(
    description: dict[str, dict[str, dict[str, int]]],
) -> None:
    numbers = description["model"]["vocab"]
    merges = [tuple(merge.split(" ") if isinstance(merge, str) else merge) for merge in description["model"]["merges"]]
    splits = [(token[:at], token[at:]) for token in numbers for at in range(1, len(token))]
    possible = [(left, right) for left, right in splits if left in numbers and right in numbers]
    possible.sort(
        key=lambda pair: merge_order(numbers[pair[0]], numbers[pair[1]], numbers["".join(pair)], "".join(pair))
    )

    assert possible == merges
    assert [token for token in numbers if WORD_START in token.lstrip(WORD_START)] == []


@pytest.mark.parametrize("text", [*TEXTS, *ODD])
def test_a_short_text_has_the_same_tokens(text: str, short: ShortTextTokenizer, whole: Tokenizer) -> None:
    assert short.encode(text) in (None, whole.encode(text, add_special_tokens=False).ids)


def test_hardly_any_text_of_the_samples_is_left_to_the_library(short: ShortTextTokenizer) -> None:
    assert [text for text in TEXTS if short.encode(text) is None] == []


@given(st.text(max_size=60) | st.text("ab <>/s▁'0x", max_size=60))
def test_random_texts_have_the_same_tokens(short: ShortTextTokenizer, whole: Tokenizer, text: str) -> None:
    assert short.encode(text) in (None, whole.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize("text", ["<s>", "a</s>b", "the <unk> token", "x" * 501, "b" * 41])
def test_special_tokens_and_long_words_are_left_to_the_library(text: str, short: ShortTextTokenizer) -> None:
    assert short.encode(text) is None


def test_vectors_are_the_same_before_and_after_the_tokenizer_is_loaded(fresh: StaticEmbedder) -> None:
    texts = [*TEXTS[:: len(TEXTS) // 12][:12], "Ana is allergic to 🥜.", "C++"]
    before = [fresh.embed_now([text]) for text in texts]
    assert not is_loaded(fresh._model)
    fresh.embed_now(["word " * 200])
    assert is_loaded(fresh._model)
    after = [fresh.embed_now([text]) for text in texts]

    assert [row.tobytes() for row in before] == [row.tobytes() for row in after]
    assert np.isfinite(before).all()


def test_the_tokenizer_is_loaded_after_some_short_texts(fresh: StaticEmbedder) -> None:
    fresh.embed_now(TEXTS[:MAX_SHORT_TEXTS])
    assert not is_loaded(fresh._model)
    fresh.embed_now(TEXTS[:1])
    assert is_loaded(fresh._model)


def is_loaded(model: StaticModel) -> bool:
    return "tokenizer" in vars(model)
