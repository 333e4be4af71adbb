"""Files of an exported embedding model, and its configuration. Reads files.

The layout is that of sentence-transformers: `model.onnx` (or `onnx/model.onnx`), `tokenizer.json`, and optionally
`1_Pooling/config.json`, `sentence_bert_config.json`, `config_sentence_transformers.json` and `modules.json`.
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from typing import Any

from toldonce.errors import BadEmbedderError
from toldonce.lazy_pattern import LazyPattern

# Default maximum input in tokens: that of BERT and most models derived from it.
_MAX_TOKENS = 512
# Tokenizer files express "no limit" as a very large number.
_UNLIMITED = 1_000_000
_READ_BYTES = 1024 * 1024
_HASH_BYTES = 4
_UNFIT = LazyPattern(r"[^\w.-]+")
# Supported modules; others would change the vectors after pooling.
_KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")


class Pooling(StrEnum):
    """How token vectors are combined into a text vector."""

    MEAN = "mean"
    CLS = "cls"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxModelFiles:
    """Files and configuration of a model folder."""

    path: Path
    model: Path
    tokenizer: Path
    pooling: Pooling
    max_tokens: int
    """Maximum input in tokens; longer texts are embedded in several pieces."""
    query_prefix: str
    """Prefix for queries, from the files; may be empty."""
    passage_prefix: str
    name: str
    """The folder's name, cleaned for use in a space name."""


def read_folder(where: str) -> OnnxModelFiles:
    """Read a model folder.

    Raises:
        BadEmbedderError: A file is missing or invalid, or the model has unsupported modules.
    """
    path = Path(where).expanduser().absolute()
    if path.suffix == ".onnx":
        raise BadEmbedderError(where, f"name the folder, {path.parent}, instead of a file in it")
    if not path.is_dir():
        raise BadEmbedderError(where, "there is no such folder; an http(s) URL is needed for an API")
    model = _first(path, "model.onnx", "onnx/model.onnx")
    if model is None:
        raise BadEmbedderError(where, f"it has no model.onnx and no onnx/model.onnx{_other_formats(path)}")
    tokenizer = _first(path, "tokenizer.json", "onnx/tokenizer.json", "../tokenizer.json")
    if tokenizer is None:
        raise BadEmbedderError(where, "it has no tokenizer.json, which turns words into the model's tokens")
    root = tokenizer.parent if tokenizer.parent != model.parent else path
    _refuse_unknown_modules(root)
    prompts = _object(root / "config_sentence_transformers.json").get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    return OnnxModelFiles(
        path=path,
        model=model,
        tokenizer=tokenizer,
        pooling=_pooling(root),
        max_tokens=_max_tokens(root),
        query_prefix=str(prompts.get("query") or ""),
        passage_prefix=str(prompts.get("document") or prompts.get("passage") or ""),
        name=_UNFIT.sub("-", path.name) or "onnx",
    )


def fingerprint(folder: OnnxModelFiles, *also: str) -> str:
    """Hash everything that determines the vectors: two models, or two exports of one, never share a space.

    Args:
        folder: The files; external weights (`model.onnx_data`) are included.
        also: Further inputs to each vector, such as a prefix.
    """
    digest = blake2b(digest_size=_HASH_BYTES)
    for file in (folder.model, folder.model.with_name(f"{folder.model.name}_data"), folder.tokenizer):
        if file.is_file():
            with file.open("rb") as opened:
                while part := opened.read(_READ_BYTES):
                    digest.update(part)
    for text in (folder.pooling.value, str(folder.max_tokens), *also):
        digest.update(f"\0{text}".encode())
    return digest.hexdigest()


def _first(folder: Path, *names: str) -> Path | None:
    return next((file for name in names if (file := (folder / name).resolve()).is_file()), None)


def _other_formats(path: Path) -> str:
    if any(path.glob("*.safetensors")) or any(path.glob("pytorch_model*.bin")):
        return ": export it first, for instance `optimum-cli export onnx --model FOLDER OUT`"
    return ""


def _pooling(root: Path) -> Pooling:
    file = root / "1_Pooling" / "config.json"
    config = _object(file)
    ways = sorted(name.removeprefix("pooling_mode_") for name, on in config.items() if on is True and "mode" in name)
    if not ways or ways == ["mean_tokens"]:
        return Pooling.MEAN
    if ways == ["cls_token"]:
        return Pooling.CLS
    raise BadEmbedderError(
        str(root), f"{file.name} requires pooling by {', '.join(ways)}; only mean and cls are supported"
    )


def _max_tokens(root: Path) -> int:
    for name, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
        ("config.json", "max_position_embeddings"),
    ):
        found = _object(root / name).get(key)
        if isinstance(found, int) and 0 < found < _UNLIMITED:
            return found
    return _MAX_TOKENS


def _refuse_unknown_modules(root: Path) -> None:
    file = root / "modules.json"
    if not file.is_file():
        return
    listed = _json(file)
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in listed if isinstance(module, dict)]
    unknown = [kind for kind in kinds if kind not in _KNOWN_MODULES]
    if unknown:
        raise BadEmbedderError(
            str(root), f"its modules.json contains {', '.join(unknown)} after the pooling, which is not supported"
        )


def _object(file: Path) -> dict[str, Any]:
    found = _json(file) if file.is_file() else {}
    return found if isinstance(found, dict) else {}


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise BadEmbedderError(str(file.parent), f"{file.name} cannot be read ({type(error).__name__})") from None
