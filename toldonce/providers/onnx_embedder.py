"""Embedder for an ONNX model folder, run locally by onnxruntime. Reads the model's files; no network.

onnxruntime and tokenizers are an extra (`make extras`): they take 60 MB, and the built-in embedder and APIs do not
need them.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from toldonce.errors import BadEmbedderError, ModelError
from toldonce.providers.calibration import Calibration
from toldonce.providers.onnx_model import OnnxModelFiles, Pooling, fingerprint, read_folder
from toldonce.providers.openai_models import GENERIC_CALIBRATION
from toldonce.text import clean
from toldonce.types import EmbedderSpec, Vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

# Pieces per run: a batch costs as much as its longest text, and larger ones gain nothing on few cores.
_BATCH = 16
# Maximum text to tokenize, and pieces of it to run: about ten pages.
_MAX_CHARACTERS, _MAX_PIECES = 40_000, 32
# Inputs of a model, and the tokenizer's attributes that fill them.
_INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
# Output names of models that pool by themselves.
_POOLED = ("sentence_embedding", "sentence_embeddings")
_PROBE = "Ana is allergic to peanuts."
_TOKENS_AXES, _TEXT_AXES = 3, 2


class OnnxEmbedder:
    """Embeds with an ONNX model. Safe for several tasks and threads."""

    def __init__(self, spec: EmbedderSpec, *, calibration: Calibration = GENERIC_CALIBRATION) -> None:
        """Read the files and run the model once.

        Raises:
            BadEmbedderError: onnxruntime or a file is missing, or the model does not embed texts.
        """
        folder = read_folder(spec.where)
        self._spec = spec
        self._folder = folder
        self._tokenizer = load_tokenizer(folder)
        self._session = open_session(folder.model, spec.where)
        self._inputs = {field.name: field.type for field in self._session.get_inputs()}
        self._output = self._choose_output()
        self._calibration = calibration
        self._dim = int(self._probe().shape[1])
        mark = fingerprint(folder, spec.passage_prefix)
        self._space = f"{spec.model or folder.name}-{self._dim}-{mark}"

    @property
    def space(self) -> str:
        """Name of the space: model, dimension and a hash of its files."""
        return self._space

    @property
    def dim(self) -> int:
        """Length of each vector."""
        return self._dim

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts of any length: rows of unit length, zeros for a blank text.

        Raises:
            ModelError: The model failed, or returned an invalid vector.
        """
        return await asyncio.to_thread(self.embed_now, [self._spec.passage_prefix + text for text in texts], texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed queries, with the query prefix."""
        return await asyncio.to_thread(self.embed_now, [self._spec.query_prefix + text for text in texts], texts)

    def embed_now(self, prefixed: Sequence[str], texts: Sequence[str]) -> Vectors:
        """Embed in the calling thread; the vector of a long text is the mean of its pieces."""
        sums = np.zeros((len(texts), self._dim), dtype=np.float32)
        pieces = [
            (place, piece)
            for place, text in enumerate(texts)
            if text.strip()
            for piece in self._pieces(prefixed[place])
        ]
        # Batch texts of similar length, because padding costs time.
        pieces.sort(key=lambda item: len(item[1].ids))
        size = self._spec.batch or _BATCH
        for start in range(0, len(pieces), size):
            batch = pieces[start : start + size]
            rows = self._run([piece for _, piece in batch])
            for (place, piece), row in zip(batch, rows, strict=True):
                sums[place] += row * np.float32(len(piece.ids))
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        np.divide(sums, lengths, out=sums, where=lengths > 0)
        return sums

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn this model's cosines into relevance, 0 to 1."""
        return self._calibration.relevance(cosine)

    async def close(self) -> None:
        """Do nothing: the files are released with the object."""

    def _pieces(self, text: str) -> "list[Encoding]":
        encoded = self._tokenizer.encode(clean(text[:_MAX_CHARACTERS]))
        return [encoded, *encoded.overflowing[: _MAX_PIECES - 1]]

    def _run(self, pieces: "Sequence[Encoding]") -> Vectors:
        """Return the unit vectors of pieces."""
        found = run_session(self._session, padded(pieces, self._inputs), self._output, str(self._folder.path))
        mask = padded(pieces, {"attention_mask": "int64"})["attention_mask"].astype(np.float32)
        return _unit(_pooled(found, mask, self._folder), self._folder)

    def _probe(self) -> Vectors:
        try:
            return self._run(self._pieces(_PROBE))
        except ModelError as error:
            raise BadEmbedderError(self._spec.where, str(error)) from None

    def _choose_output(self) -> str:
        outputs = [field.name for field in self._session.get_outputs()]
        return next((name for name in _POOLED if name in outputs), outputs[0])


def open_session(model: Path, where: str) -> "InferenceSession":
    """Load a model.

    Raises:
        BadEmbedderError: onnxruntime is missing or cannot read the file, or the model has other inputs than text.
    """
    try:
        import onnxruntime
    except ImportError:
        raise BadEmbedderError(where, "onnxruntime is not installed: run `make extras`, then try again") from None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Threads that spin between runs would take a core from the server.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(str(model), sess_options=options, providers=["CPUExecutionProvider"])
    except _runtime_errors() as error:
        raise BadEmbedderError(where, f"onnxruntime cannot read {model.name} ({type(error).__name__})") from None
    inputs = {field.name for field in session.get_inputs()}
    if inputs - _INPUTS.keys() or "input_ids" not in inputs:
        raise BadEmbedderError(
            where,
            f"its model has the inputs {', '.join(sorted(inputs))}; a text model takes input_ids, "
            "attention_mask and token_type_ids",
        )
    return session


def _runtime_errors() -> tuple[type[BaseException], ...]:
    """Return the exceptions of onnxruntime, which have no common base class of their own."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    own = (found for name in dir(state) if isinstance(found := vars(state)[name], type))
    return (RuntimeError, ValueError, *(error_class for error_class in own if issubclass(error_class, Exception)))


def load_tokenizer(folder: OnnxModelFiles) -> "Tokenizer":
    """Load a tokenizer that truncates to the model's maximum and does not pad.

    Raises:
        BadEmbedderError: The package tokenizers is missing, or the file cannot be read.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise BadEmbedderError(
            str(folder.path), "tokenizers is not installed: run `make extras`, then try again"
        ) from None
    try:
        description = folder.tokenizer.read_text("utf-8")
        whole = json.loads(description)
    except (OSError, ValueError, RecursionError) as error:
        raise BadEmbedderError(
            str(folder.path), f"its tokenizer.json cannot be read ({type(error).__name__})"
        ) from None
    if not isinstance(whole, dict) or not isinstance(whole.get("model"), dict):
        raise BadEmbedderError(str(folder.path), "its tokenizer.json describes no tokenizer: it has no model")
    found = Tokenizer.from_str(description)
    found.no_padding()
    found.enable_truncation(folder.max_tokens)
    return found


def padded(pieces: "Sequence[Encoding]", inputs: Mapping[str, str]) -> dict[str, npt.NDArray[Any]]:
    """Build a model's input arrays, padded to the longest piece."""
    longest = max(len(piece.ids) for piece in pieces)
    columns: dict[str, npt.NDArray[Any]] = {}
    for name, kind in inputs.items():
        rows = np.zeros((len(pieces), longest), dtype=np.int32 if "int32" in kind else np.int64)
        for row, piece in zip(rows, pieces, strict=True):
            row[: len(piece.ids)] = getattr(piece, _INPUTS[name])
        columns[name] = rows
    return columns


def run_session(
    session: "InferenceSession", columns: Mapping[str, npt.NDArray[Any]], output: str, where: str
) -> npt.NDArray[np.float32]:
    """Run a model.

    Raises:
        ModelError: The run failed.
    """
    try:
        [found] = session.run([output], dict(columns))
    except _runtime_errors() as error:
        raise ModelError(f"the model in {where} failed ({type(error).__name__})") from None
    return np.asarray(found, dtype=np.float32)


def _pooled(found: Vectors, mask: Vectors, folder: OnnxModelFiles) -> Vectors:
    """Pool the model's output to one row per text, unless it is pooled already."""
    if found.ndim == _TEXT_AXES and len(found) == len(mask):
        return found
    if found.ndim != _TOKENS_AXES or found.shape[:2] != mask.shape:
        raise ModelError(f"the model in {folder.path} returned an array of shape {found.shape}, not vectors")
    if folder.pooling is Pooling.CLS:
        return found[:, 0]
    weight = mask[:, :, None]
    mean: Vectors = (found * weight).sum(axis=1) / np.fmax(weight.sum(axis=1), np.float32(1))
    return mean


def _unit(rows: Vectors, folder: OnnxModelFiles) -> Vectors:
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ModelError(f"the model in {folder.path} returned a vector that is zero or not finite")
    unit: Vectors = (rows / lengths).astype(np.float32)
    return unit
