import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copyfile

import numpy as np
import pytest

from toldonce.errors import MissingModelFilesError, SetupError
from toldonce.providers import static_embedder
from toldonce.providers.protocols import Embedder
from toldonce.providers.static_embedder import StaticEmbedder, spans, static_model

TEXTS = ["I'm allergic to peanuts", "My peanut allergy is severe", "The train to Oslo was late again"]


async def test_vectors_have_unit_length_and_near_texts_are_near() -> None:
    embedder: Embedder = StaticEmbedder()
    rows = await embedder.embed(TEXTS)
    assert rows.shape == (3, embedder.dim) == (3, 256)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)
    assert rows[0] @ rows[1] > 0.5 > rows[0] @ rows[2]


async def test_texts_without_words_are_zeros() -> None:
    rows = await StaticEmbedder().embed(["", " \n ", "?!", "word"])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([0, 0, 0, 1], abs=1e-5)


async def test_no_texts_give_no_rows() -> None:
    assert (await StaticEmbedder().embed([])).shape == (0, 256)


async def test_case_spacing_and_punctuation_do_not_change_the_vector() -> None:
    rows = await StaticEmbedder().embed(["Ana lives in Oslo.", "ana  LIVES\nin oslo"])
    assert rows[0] @ rows[1] == pytest.approx(1, abs=1e-5)


async def test_lone_surrogates_and_nul_are_taken() -> None:
    rows = await StaticEmbedder().embed(["tea\ud800", "tea\x00"])
    assert np.isfinite(rows).all()
    assert rows[0] @ rows[1] == pytest.approx(1, abs=1e-5)


async def test_emoji_alone_can_be_told_apart() -> None:
    tea, cake, tea_again = await StaticEmbedder().embed(["🍵", "🎂", "🍵"])
    assert tea @ tea_again == pytest.approx(1, abs=1e-5)
    assert tea @ cake < 0.99


async def test_one_text_embeds_the_same_alone_and_in_a_large_batch() -> None:
    embedder = StaticEmbedder()
    alone = await embedder.embed(TEXTS[:1])
    many = await embedder.embed([*TEXTS] * 50)
    assert np.array_equal(many[::3], np.repeat(alone, 50, axis=0))


async def test_all_of_a_long_text_counts() -> None:
    embedder = StaticEmbedder()
    filler = "the weather is fine today. " * 1500
    with_end, without, end = await embedder.embed([filler + "peanuts " * 500, filler, "peanuts"])
    assert with_end @ end > without @ end + 0.1


async def test_a_long_text_is_embedded_while_the_event_loop_goes_on() -> None:
    task = asyncio.create_task(StaticEmbedder().embed(["some words to read. " * 5000]))
    turns = 0
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 2
    assert np.linalg.norm(await task) == pytest.approx(1, abs=1e-4)


def test_threads_share_one_reading_and_agree() -> None:
    with ThreadPoolExecutor(8) as pool:
        models = list(pool.map(lambda _: static_model(), range(16)))
        rows = list(pool.map(lambda _: StaticEmbedder().embed_now(TEXTS), range(32)))
    assert all(model is models[0] for model in models)
    assert all(np.array_equal(row, rows[0]) for row in rows)


def test_relevance_means_one_in_ten_at_the_midpoint_and_rises() -> None:
    relevance = StaticEmbedder().relevance(np.array([0, 0.403, 0.65, 1], dtype=np.float32))
    assert relevance.tolist() == pytest.approx([0.022, 0.5, 0.91, 0.996], abs=0.005)


def test_the_table_stays_in_half_precision() -> None:
    model = static_model()
    assert model.table.dtype == np.float16
    assert model.table.nbytes == 32_000 * 256 * 2


def test_word_beginnings_and_rare_words_have_more_weight() -> None:
    model = static_model()

    def weight(token: str) -> float:
        return float(model.weight[model.tokenizer.token_to_id(token)])

    assert weight("▁peace") > weight("▁the") > 0
    assert weight("▁able") > weight("able")
    assert weight(",") == weight("<s>") == 0
    assert 0 < weight("<0xF0>") < weight("▁the")


@pytest.mark.parametrize(
    "missing", ["weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"]
)
def test_a_missing_file_is_named_with_what_to_do(tmp_path: Path, missing: str) -> None:
    _copy_package(tmp_path)
    (tmp_path / missing).unlink()
    with pytest.raises(MissingModelFilesError, match=f"{missing} is missing; install it again"):
        static_embedder._read(tmp_path)


@pytest.mark.parametrize(
    "broken", ["weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"]
)
def test_a_file_that_breaks_off_is_a_setup_error(tmp_path: Path, broken: str) -> None:
    _copy_package(tmp_path)
    (tmp_path / broken).write_bytes((tmp_path / broken).read_bytes()[:5000])
    with pytest.raises(SetupError, match=r"cannot be read|incomplete"):
        static_embedder._read(tmp_path)


def _copy_package(folder: Path) -> None:
    for name in (static_embedder._WEIGHTS, static_embedder._TOKENIZER):
        (folder / name).parent.mkdir()
        copyfile(static_embedder._package_folder() / name, folder / name)


def test_spans_cut_at_blanks_and_drop_only_those() -> None:
    text = "many words " * 5000
    cut = list(spans(text))
    assert max(map(len, cut)) <= 20_000
    assert " ".join(cut) == text
    assert [len(span) for span in spans("x" * 45_000)] == [20_000, 20_000, 5_000]
