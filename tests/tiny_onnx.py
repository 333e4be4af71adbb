"""Models of a few kilobytes, written byte by byte as the ONNX format has them: real ones are large.

A message of protocol buffers is fields, each a number with its wire type and then a varint (0) or counted bytes (2).
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

from toldonce.providers.calibration import pairs

FLOAT, INT64 = 1, 7
_IR, _OPSET = 7, 12
_INTS = 7
_BASE = (
    "[PAD] [UNK] ana is allergic to peanuts make ill the train oslo leaves at nine what nuts where does live lives in "
    "ben rome met we tea likes query passage : . ?"
).split()


def _sentences() -> str:
    known = pairs()
    return " ".join(word for pair in (*known.answers, *known.same, *known.apart) for word in pair)


# What the sentences say by which a curve is fitted: an embedder that knows none of it tells nothing apart.
_SAID = Counter(re.findall(r"\w+|[^\w\s]", _sentences().lower()))
WORDS = [*_BASE, *sorted(_SAID.keys() - set(_BASE))]


def varint(number: int) -> bytes:
    """Write an unsigned number, seven bits a byte."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number: int, value: int | bytes | str) -> bytes:
    """Write one field."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(kind: str, inputs: Sequence[str], output: str, axes: int | None = None) -> bytes:
    """Write a step of the graph."""
    parts = [field(1, name) for name in inputs] + [field(2, output), field(4, kind)]
    if axes is not None:
        parts.append(field(5, field(1, "axes") + field(8, axes) + field(20, _INTS)))
    return b"".join(parts)


def port(name: str, kind: int, axes: Sequence[str | int]) -> bytes:
    """Write an input or output: a name, a type, a shape with names for what varies."""
    dims = b"".join(field(1, field(2, axis) if isinstance(axis, str) else field(1, axis)) for axis in axes)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dims)))


def model(nodes: Sequence[bytes], table: npt.NDArray[np.float32], inputs: Sequence[bytes], output: bytes) -> bytes:
    """Write a model over one table of numbers."""
    dims = b"".join(field(1, size) for size in table.shape)
    tensor = dims + field(2, FLOAT) + field(8, "table") + field(9, table.astype("<f4").tobytes())
    graph = b"".join(
        [
            *(field(1, node) for node in nodes),
            field(2, "tiny"),
            field(5, tensor),
            *(field(11, value) for value in inputs),
            field(12, output),
        ]
    )
    return field(1, _IR) + field(8, field(1, "") + field(2, _OPSET)) + field(7, graph)


def ports(*names: str) -> list[bytes]:
    """Write inputs of whole numbers, a row for each text."""
    return [port(name, INT64, ("batch", "tokens")) for name in names]


def embedding_model(table: npt.NDArray[np.float32], *inputs: str) -> bytes:
    """A model whose vector of a token is its row in the table, whatever stands beside it."""
    rows = node("Gather", ("table", "input_ids"), "last_hidden_state")
    shown = port("last_hidden_state", FLOAT, ("batch", "tokens", table.shape[1]))
    return model([rows], table, ports("input_ids", "attention_mask", *inputs), shown)


def scoring_model(table: npt.NDArray[np.float32]) -> bytes:
    """A cross-encoder whose score of a pair is the sum of its tokens' numbers."""
    steps = [node("Gather", ("table", "input_ids"), "each"), node("ReduceSum", ("each",), "both", axes=1)]
    steps.append(node("Squeeze", ("both",), "logits", axes=1))
    return model(steps, table, ports("input_ids", "attention_mask", "token_type_ids"), port("logits", FLOAT, ("b", 1)))


def word_table(dim: int = 48, *, seed: int = 5) -> npt.NDArray[np.float32]:
    """A direction for each word; words of one matter lie together, so that it is a model that means something."""
    rows = np.random.default_rng(seed).normal(size=(len(WORDS), dim)).astype(np.float32)
    for word, other in (("nuts", "peanuts"), ("ill", "allergic"), ("lives", "live")):
        rows[WORDS.index(other)] = rows[WORDS.index(word)]
    for quiet in ("[PAD]", "[UNK]", "is", "to", "the", "at", "in", "what", ":", ".", "?"):
        rows[WORDS.index(quiet)] *= 0.1
    often = np.array([_SAID[word] for word in WORDS], dtype=np.float32)
    rows /= np.sqrt(np.fmax(often, 1))[:, None]
    return rows.astype(np.float32)


def write_tokenizer(folder: Path) -> None:
    """Write a tokenizer that, as some do, pads and cuts by itself."""
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.enable_padding(length=24, pad_id=WORDS.index("[UNK]"))
    tokenizer.enable_truncation(4)
    tokenizer.save(str(folder / "tokenizer.json"))


def write_folder(
    folder: Path, data: bytes | None = None, *, max_tokens: int = 12, files: Mapping[str, object] | None = None
) -> Path:
    """Write a folder as sentence-transformers exports one; `files` are further ones, as JSON."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(embedding_model(word_table()) if data is None else data)
    write_tokenizer(folder)
    for name, content in {"sentence_bert_config.json": {"max_seq_length": max_tokens}, **(files or {})}.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(content), "utf-8")
    return folder
