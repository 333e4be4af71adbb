"""Cross-encoders: in a folder, run for real where onnxruntime is installed; and what APIs answer."""

from pathlib import Path

import numpy as np
import pytest

from tiny_onnx import WORDS, embedding_model, scoring_model, word_table, write_folder
from toldonce.errors import BadSettingError, ModelError
from toldonce.providers.rerankers import ApiReranker, OnnxReranker, open_reranker, read_scores, shares
from toldonce.settings import Settings


def likes(**words: float) -> bytes:
    """A cross-encoder that adds up what it holds of each word."""
    table = np.zeros((len(WORDS), 1), dtype=np.float32)
    for word, worth in words.items():
        table[WORDS.index(word)] = worth
    return scoring_model(table)


async def test_a_cross_encoder_scores_each_pair_independently_of_its_batch(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    reranker = OnnxReranker(str(write_folder(tmp_path / "cross", likes(oslo=2.0, tea=-1.0))))
    texts = ["Ben lives in Oslo", "Ana likes tea", *["we met in Rome at nine"] * 30, ""]
    scores = await reranker.score("where does Ben live", texts)
    assert scores[:3] == pytest.approx([1 / (1 + np.exp(-2)), 1 / (1 + np.exp(1)), 0.5], abs=1e-4)
    assert scores[2:] == pytest.approx([0.5] * 31, abs=1e-4)
    assert await reranker.score("Oslo", []) == []
    await reranker.close()


def test_the_settings_choose_a_folder_an_api_or_nothing(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    folder = write_folder(tmp_path / "cross", likes(oslo=2.0))
    assert open_reranker(Settings()) is None
    assert isinstance(open_reranker(Settings.load(rerank_path=folder)), OnnxReranker)
    api = open_reranker(Settings.load(rerank_url="http://127.0.0.1:9/v1", rerank_model="m"))
    assert isinstance(api, ApiReranker)
    with pytest.raises(BadSettingError, match=r"TOLDONCE_RERANK_PATH.*no such folder"):
        open_reranker(Settings.load(rerank_path=tmp_path / "nowhere"))
    no_cross = write_folder(tmp_path / "embeds", embedding_model(word_table()))
    with pytest.raises(BadSettingError, match="not a cross-encoder"):
        open_reranker(Settings.load(rerank_path=no_cross))


def test_settings_that_cannot_work_are_refused() -> None:
    for given, said in (
        ({"rerank_url": "http://127.0.0.1:9/v1"}, "RERANK_MODEL"),
        ({"rerank_url": "http://127.0.0.1:9/v1", "rerank_model": "m", "rerank_path": "x"}, "one of them"),
        ({"rerank_path": "x", "rerank_timeout_s": 1.0}, "RECALL_TIMEOUT_S"),
        ({"rerank_url": "ftp://x", "rerank_model": "m"}, "RERANK_URL"),
    ):
        with pytest.raises(BadSettingError, match=said):
            Settings.load(**given)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"results": [{"index": 0, "relevance_score": 0.5}]},
        {"results": [{"index": 0, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0.5}]},
        {"results": [{"index": 0, "relevance_score": 0.5}, {"index": 1}]},
        {"results": [{"index": 0, "relevance_score": 0.5}, {"index": 1, "relevance_score": float("nan")}]},
        {"results": [{"index": 0, "relevance_score": 0.5}, {"index": 2, "relevance_score": 0.5}]},
    ],
)
def test_an_answer_without_a_score_for_each_document_is_none(answer: object) -> None:
    with pytest.raises(ValueError, match=r"result|scores"):
        read_scores(answer, count=2)


def test_logits_become_shares_and_shares_stay() -> None:
    logits = {"results": [{"index": 0, "relevance_score": -4.0}, {"index": 1, "relevance_score": 4.0}]}
    assert read_scores(logits, count=2) == pytest.approx([0.018, 0.982], abs=1e-3)
    assert read_scores([{"index": 0, "score": 0.25}], count=1) == [0.25]


def test_one_number_a_pair_is_a_logit_and_of_two_the_second_speaks_for_it() -> None:
    assert shares(np.array([[0.0], [2.0]], np.float32), 2, "m") == pytest.approx([0.5, 0.881], abs=1e-3)
    assert shares(np.array([0.0, 2.0], np.float32), 2, "m") == pytest.approx([0.5, 0.881], abs=1e-3)
    assert shares(np.array([[1.0, 1.0], [0.0, 2.0]], np.float32), 2, "m") == pytest.approx([0.5, 0.881], abs=1e-3)
    for wrong in (np.zeros((2, 3), np.float32), np.zeros((3, 1), np.float32), np.full((2, 1), np.nan, np.float32)):
        with pytest.raises(ModelError, match="an array of shape"):
            shares(wrong, 2, "m")
