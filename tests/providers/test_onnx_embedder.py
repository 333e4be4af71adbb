"""A model in a folder, run for real; skipped where onnxruntime, an extra, is not installed."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tiny_onnx import WORDS, embedding_model, word_table, write_folder
from toldonce.errors import BadEmbedderError, ModelError
from toldonce.providers.embedder_loader import UnavailableEmbedder, load_embedder, try_out
from toldonce.providers.onnx_embedder import OnnxEmbedder
from toldonce.types import CalibrationCurve, EmbedderKind, EmbedderRecord, EmbedderSpec

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

CURVE = CalibrationCurve(midpoint=0.4, slope=10)


def spec(folder: Path, *, model: str = "", query_prefix: str = "", passage_prefix: str = "") -> EmbedderSpec:
    return EmbedderSpec(
        kind=EmbedderKind.ONNX,
        where=str(folder),
        model=model,
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
    )


def mean(text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """What a text's vector must be: the mean of its words' rows, of unit length."""
    rows = word_table()[[WORDS.index(word) if word in WORDS else 1 for word in text.lower().split()]]
    total: np.ndarray[tuple[int], np.dtype[np.float32]] = rows.mean(axis=0)
    return (total / np.linalg.norm(total)).astype(np.float32)


async def test_a_text_is_the_mean_of_its_tokens_whatever_stands_in_its_batch(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(spec(write_folder(tmp_path / "tiny")))
    texts = ["Ana likes tea", "we met in Rome", "Ben lives in Oslo what nuts make Ana ill"]
    rows = await embedder.embed(texts)
    assert rows.dtype == np.float32
    assert rows == pytest.approx(np.array([mean(text) for text in texts]), abs=1e-5)
    for row, text in zip(rows, texts, strict=True):
        assert (await embedder.embed([text]))[0] == pytest.approx(row, abs=1e-5)
    await embedder.close()


async def test_a_blank_text_is_zeros_and_a_long_one_is_the_mean_of_its_pieces(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(spec(write_folder(tmp_path / "tiny", max_tokens=4)))
    long = "Ana likes tea Ben lives in Oslo we met in Rome"
    rows = await embedder.embed(["", long, " \n"])
    assert not rows[0].any()
    assert not rows[2].any()
    assert float(np.linalg.norm(rows[1])) == pytest.approx(1, abs=1e-6)
    # Nothing of it is cut: each piece counts by its length.
    pieces = ("Ana likes tea Ben", "lives in Oslo we", "met in Rome")
    total = np.sum([mean(piece) * len(piece.split()) for piece in pieces], axis=0)
    assert rows[1] == pytest.approx(total / np.linalg.norm(total), abs=1e-5)
    assert (await embedder.embed([])).shape == (0, 48)


async def test_queries_and_passages_have_their_own_prefixes(tmp_path: Path) -> None:
    files = {"config_sentence_transformers.json": {"prompts": {"query": "query : ", "passage": "passage : "}}}
    folder = write_folder(tmp_path / "e5", files=files)
    completed, embedder = await try_out(spec(folder))
    assert (completed.query_prefix, completed.passage_prefix) == ("query : ", "passage : ")
    assert (await embedder.embed(["tea"]))[0] == pytest.approx(mean("passage : tea"), abs=1e-5)
    assert (await embedder.embed_queries(["tea"]))[0] == pytest.approx(mean("query : tea"), abs=1e-5)


def test_the_space_names_model_dimension_and_what_is_in_the_files(tmp_path: Path) -> None:
    one = OnnxEmbedder(spec(write_folder(tmp_path / "a" / "tiny")))
    again = OnnxEmbedder(spec(write_folder(tmp_path / "b" / "tiny")))
    other = OnnxEmbedder(spec(write_folder(tmp_path / "c" / "tiny", embedding_model(word_table(seed=6)))))
    marked = OnnxEmbedder(spec(tmp_path / "a" / "tiny", passage_prefix="passage : "))
    named = OnnxEmbedder(spec(tmp_path / "a" / "tiny", model="mine"))
    assert one.space == again.space
    assert one.space.startswith("tiny-48-")
    assert len({one.space, other.space, marked.space, named.space}) == 4
    assert one.dim == 48


async def test_pooling_by_the_first_token_is_known_and_any_other_is_refused(tmp_path: Path) -> None:
    cls = {"1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}}
    embedder = OnnxEmbedder(spec(write_folder(tmp_path / "cls", files=cls)))
    assert (await embedder.embed(["tea in Rome"]))[0] == pytest.approx(mean("tea"), abs=1e-5)
    most = {"1_Pooling/config.json": {"pooling_mode_max_tokens": True}}
    with pytest.raises(BadEmbedderError, match="max_tokens"):
        OnnxEmbedder(spec(write_folder(tmp_path / "max", files=most)))
    dense = {"modules.json": [{"type": "sentence_transformers.models.Dense"}]}
    with pytest.raises(BadEmbedderError, match="Dense"):
        OnnxEmbedder(spec(write_folder(tmp_path / "dense", files=dense)))


def test_what_is_missing_or_broken_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadEmbedderError, match="no such folder"):
        OnnxEmbedder(spec(tmp_path / "nowhere"))
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(BadEmbedderError, match=r"no model\.onnx"):
        OnnxEmbedder(spec(empty))
    (empty / "model.safetensors").write_bytes(b"")
    with pytest.raises(BadEmbedderError, match="export it first"):
        OnnxEmbedder(spec(empty))
    (empty / "model.onnx").write_bytes(b"no model")
    with pytest.raises(BadEmbedderError, match=r"tokenizer\.json"):
        OnnxEmbedder(spec(empty))
    with pytest.raises(BadEmbedderError, match="name the folder"):
        OnnxEmbedder(spec(empty / "model.onnx"))
    (empty / "tokenizer.json").write_text("{", "utf-8")
    with pytest.raises(BadEmbedderError, match=r"tokenizer\.json cannot be read"):
        OnnxEmbedder(spec(empty))
    broken = write_folder(tmp_path / "broken", b"no model")
    with pytest.raises(BadEmbedderError, match=r"onnxruntime cannot read model\.onnx"):
        OnnxEmbedder(spec(broken))


def test_a_model_that_wants_other_inputs_is_refused(tmp_path: Path) -> None:
    odd = write_folder(tmp_path / "odd", embedding_model(word_table(), "pixel_values"))
    with pytest.raises(BadEmbedderError, match="pixel_values"):
        OnnxEmbedder(spec(odd))


async def test_a_model_that_gives_no_numbers_is_refused_when_it_is_tried(tmp_path: Path) -> None:
    for name, table in (("nan", word_table() * np.float32(np.nan)), ("zero", word_table() * np.float32(0))):
        with pytest.raises(BadEmbedderError, match="zero or not finite"):
            await try_out(spec(write_folder(tmp_path / name, embedding_model(table))))
    same = np.ones_like(word_table())
    with pytest.raises(BadEmbedderError, match="no model that embeds sentences"):
        await try_out(spec(write_folder(tmp_path / "same", embedding_model(same))))


async def test_changed_files_are_reported_instead_of_mixing_spaces(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tiny")
    _, first = await try_out(spec(folder))
    record = EmbedderRecord(space=first.space, dim=48, spec=spec(folder), curve=CURVE)
    assert load_embedder(record).space == first.space

    (folder / "onnx" / "model.onnx").write_bytes(embedding_model(word_table(seed=6)))
    opened = load_embedder(record)
    assert isinstance(opened, UnavailableEmbedder)
    assert (opened.space, opened.dim) == (first.space, 48)
    for asking in (opened.embed, opened.embed_queries):
        with pytest.raises(ModelError, match="changed"):
            await asking(["tea"])
    assert opened.relevance(np.array([0.4], np.float32)).tolist() == [0.5]
    await opened.close()


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_without_a_package_of_the_extra_it_says_how_to_install_it(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_folder(tmp_path / "tiny")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(BadEmbedderError, match=rf"{package} is not installed: run `make extras`"):
        OnnxEmbedder(spec(folder))
