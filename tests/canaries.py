"""Words that stand nowhere else, and the search for them in every byte of a folder, however they may be written."""

import base64
import json
import random
import string
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

import numpy as np

from toldonce.testing import WordEmbedder
from toldonce.text import hash64, stem, term_key
from toldonce.types import Vectors

LENGTH = 22
# What of a pattern is looked for at once; the rest is compared where that stands.
_HEAD = 6


def canary(luck: random.Random, *, accented: bool = False) -> str:
    """Make a word; an accented one looks different once it is JSON."""
    word = "".join(luck.choices(string.ascii_lowercase, k=LENGTH))
    return f"{word[:11]}ø{word[11:]}" if accented else word


class DenseEmbedder(WordEmbedder):
    """An embedder whose vectors have no zeros, so that each can be told by any part of its bytes."""

    async def embed(self, texts: object) -> Vectors:
        """Embed texts: a random direction for each, always the same."""
        assert isinstance(texts, list | tuple)
        self.seen.update(text for text in texts)
        rows = [np.random.default_rng(abs(hash64(text))).normal(size=self.dim) for text in texts]
        units = [row / np.linalg.norm(row) for row in rows]
        return np.array(units, dtype=np.float32).reshape(len(rows), self.dim)

    def __init__(self) -> None:
        """Begin with nothing seen."""
        super().__init__()
        self.seen: set[str] = set()


def spellings(word: str, salts: Iterable[bytes] = ()) -> Iterator[tuple[str, bytes]]:
    """Write a word in every way it could be kept, its term key with a count of one among them."""
    data = word.encode()
    yield "plain", data
    yield "upper case", word.upper().encode()
    yield "title case", word.title().encode()
    yield "JSON", json.dumps(word)[1:-1].encode()
    for phase in range(3):
        whole = base64.b64encode(b"x" * phase + data)
        yield f"base64, phase {phase}", whole[4 if phase else 0 : -4]
    yield "hex", data.hex().encode()
    yield "UTF-16", word.encode("utf-16-le")
    for salt in salts:
        yield "term key", term_key(salt, stem(word)).to_bytes(4, "little") + b"\1\0"


def vector_parts(row: Vectors) -> Iterator[tuple[str, bytes]]:
    """Take parts of a vector's float32 bytes: whole ones may lie across two pages."""
    data = row.astype("<f4").tobytes()
    for start in range(0, len(data), 64):
        yield "vector", data[start : start + 24]


def found(folder: Path, patterns: Mapping[bytes, str]) -> list[str]:
    """Search every byte of every file; return what was found, and where."""
    hits = []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        # By another process: to open and close the file here would drop the locks that SQLite holds in this one.
        data = subprocess.run(["cat", str(file)], capture_output=True, check=True).stdout
        hits += [f"{patterns[pattern]} in {file.name} at {at}" for pattern, at in occurrences(data, patterns)]
    return hits


def occurrences(data: bytes, patterns: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Find patterns of at least six bytes in one pass: each with where it stands."""
    by_head: dict[bytes, list[bytes]] = {}
    for pattern in patterns:
        by_head.setdefault(pattern[:_HEAD], []).append(pattern)
    for at in _places(data, by_head.keys()):
        for pattern in by_head.get(data[at : at + _HEAD], ()):
            if data.startswith(pattern, at):
                yield pattern, at


def _places(data: bytes, heads: Set[bytes]) -> list[int]:
    """Find where a pattern may begin: by two bytes first, of which there are few enough for a table."""
    begins = np.zeros(1 << 16, dtype=np.bool_)
    begins[[int.from_bytes(head[:2], "little") for head in heads]] = True
    octets = np.frombuffer(data, dtype=np.uint8).astype(np.uint16)
    likely = np.flatnonzero(begins[octets[:-1] | octets[1:] << 8])
    return [at for at in likely.tolist() if data[at : at + _HEAD] in heads]
