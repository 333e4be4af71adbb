"""Trained heads: what a user's message and each of its sentences is, by probabilities. Loads `heads.npz` once.

Two small networks with one hidden layer each. The first judges every sentence by all heads at once, the second the
message as a whole, the first one's judgements among its numbers. `tools/train_reader.py` trains both on the labels in
`corpora/`; the file holds weights in 8 bits, no text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from toldonce.errors import SetupError
from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered, remembered_each, remembering
from toldonce.providers.multilingual_model import multilingual_model
from toldonce.reading.head_features import (
    DIM,
    FEATURES_VERSION,
    SENTENCE_COLUMNS,
    HeadInput,
    Rows,
    message_columns,
    message_row,
    sentence_rows,
)
from toldonce.text import clean, squeeze

HEADS_FILE = "heads.npz"
# Probability from which a sentence greets, thanks or wishes well, and below which it states nothing; the first for one
# that only asks, too. Of 36 greetings and statements in six languages all are told apart but a blessing.
POLITE_THRESHOLD, POLITE_STATES = 0.2, 0.25
ASKING_THRESHOLD = 0.8
# A question that tells something of its author so probably does, and so does one with a clause that does by itself and
# does not ask. Of
# messages of one question by held-out writers and chats, 6 % of those that only ask are taken for telling, and of those
# that tell something 41 % of our own, which imply it, and 17 % of real ones are taken for asking.
QUESTION_TELLS = 0.23
_CLAUSE_END = LazyPattern("[,;:，、；：،؛—–]|\\s-\\s")
# Largest weight as it is stored: in 8 bits with a sign.
_MAX_STORED = 127


class Head(StrEnum):
    """A judgement of a sentence; the guide is `corpora/README.md`."""

    KEPT = "kept"
    """Tells something of the user that is worth knowing later."""
    PREFERENCE = "preference"
    WISH = "wish"
    """Says how to answer from now on."""
    FORGETS = "forgets"
    PLANTED = "planted"
    UNMEANT = "unmeant"
    """Supposed, joked, fiction, role play."""
    OTHERS = "others"
    """Words of another person or of a machine."""
    ASKS = "asks"
    COMING = "coming"
    HABITUAL = "habitual"
    COURTESY = "courtesy"


HEADS = tuple(Head)


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """One hidden layer of rectified units."""

    hidden: Rows
    """Shape (columns, units)."""
    hidden_bias: Rows
    out: Rows
    """Shape (units, outputs)."""
    out_bias: Rows

    def log_odds(self, rows: Rows) -> Rows:
        """Return the log odds of each output for rows of features: shape (rows, outputs).

        Row by row: the threads that multiply matrices cost 50 ms where other processes keep the cores busy, against
        0.3 ms a row, and so a row gets the same result with any other rows.
        """
        found = np.zeros((len(rows), len(self.out_bias)), np.float32)
        for place, row in enumerate(rows):
            units = np.maximum(row @ self.hidden + self.hidden_bias, np.float32(0))
            found[place] = units @ self.out + self.out_bias
        return found

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays to store under a name, large weights in 8 bits with a scale for each unit."""
        return {
            **_packed(f"{name}_hidden", self.hidden),
            f"{name}_hidden_bias": self.hidden_bias,
            **_packed(f"{name}_out", self.out),
            f"{name}_out_bias": self.out_bias,
        }


def _packed(name: str, weights: Rows) -> dict[str, NDArray[Any]]:
    scale = np.maximum(np.abs(weights).max(axis=0), np.float32(1e-9)) / _MAX_STORED
    return {name: np.rint(weights / scale).astype(np.int8), f"{name}_scale": scale.astype(np.float32)}


def _network(stored: Mapping[str, NDArray[Any]], name: str, columns: int, outputs: int) -> Network:
    """Read what `Network.arrays` returned.

    Raises:
        KeyError: an array is missing.
        ValueError: the arrays do not fit together, or a weight is not a number.
    """
    parts = [
        stored[f"{name}_hidden"].astype(np.float32) * stored[f"{name}_hidden_scale"],
        stored[f"{name}_hidden_bias"].astype(np.float32),
        stored[f"{name}_out"].astype(np.float32) * stored[f"{name}_out_scale"],
        stored[f"{name}_out_bias"].astype(np.float32),
    ]
    units = len(parts[1])
    shapes = [part.shape for part in parts]
    if shapes != [(columns, units), (units,), (units, outputs), (outputs,)]:
        raise ValueError(f"the network {name!r} has weights of the shapes {shapes}")
    if not all(np.isfinite(part).all() for part in parts):
        raise ValueError(f"a weight of the network {name!r} is not a number")
    return Network(*parts)


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What the heads say of a message."""

    sentences: Rows
    """Probabilities: shape (sentences that are read, heads)."""
    kept: float
    """Probability that the message as a whole is evidence for something lasting about its speaker."""

    def of(self, place: int, head: Head) -> float:
        """Return the probability of a head for a sentence; 0 for one that was not read."""
        return float(self.sentences[place, HEADS.index(head)]) if place < len(self.sentences) else 0.0

    def told(self, place: int) -> float:
        """Return how likely a sentence tells something of its speaker, by the likeliest of the heads that say so."""
        return max(self.of(place, head) for head in (Head.KEPT, Head.PREFERENCE, Head.WISH))

    def states(self, place: int) -> bool:
        """Return whether a sentence states something: it neither only greets nor only asks."""
        only_asks = self.told(place) < QUESTION_TELLS and self.of(place, Head.ASKS) >= ASKING_THRESHOLD
        return not only_asks and not self.is_polite(place)

    def is_polite(self, place: int) -> bool:
        """Return whether a sentence only greets, thanks or wishes well."""
        return self.told(place) < POLITE_STATES and self.of(place, Head.COURTESY) >= POLITE_THRESHOLD


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """Weights of the heads."""

    of_sentences: Network
    of_messages: Network
    trained_on: str = ""
    """Data, its version and its licence."""

    def judge(self, source: HeadInput) -> Judgement:
        """Judge a message and its sentences, in time linear in what is read of them."""
        vectors = vectors_of(source.texts)
        judged = self.of_sentences.log_odds(sentence_rows(source, vectors))
        whole = self.of_messages.log_odds(message_row(source, vectors, judged)[None])
        return Judgement(probabilities(judged), float(probabilities(whole)[0, 0]))

    def save(self, path: Path) -> None:
        """Write the weights."""
        np.savez_compressed(
            path,
            allow_pickle=False,
            version=np.int64(FEATURES_VERSION),
            trained_on=np.array(self.trained_on),
            **self.of_sentences.arrays("sentence"),
            **self.of_messages.arrays("message"),
        )


def vectors_of(texts: Sequence[str]) -> Rows:
    """Embed texts with the packaged encoder, equal ones once: shape (texts, `DIM`); a blank one has zeros."""
    rows = np.zeros((len(texts), DIM), np.float32)
    places = {place: plain for place, text in enumerate(texts) if (plain := squeeze(clean(text)))}
    for place, vector in zip(places, _encoded(list(places.values())), strict=True):
        rows[place] = vector
    return rows


@remembered_each
def _encoded(texts: Sequence[str]) -> Sequence[Rows]:
    return [vector.copy() for vector in multilingual_model().encode(list(texts))]  # each alone, not the whole array


@remembered
def judge_alone(text: str) -> Judgement:
    """Let the shipped heads judge a sentence, or a part of one, as if it were a message."""
    return shipped_heads().judge(HeadInput(text=text, sentences=[text]))


def judge_each(texts: Sequence[str]) -> list[Judgement]:
    """Do as `judge_alone` for several texts: four times as fast, as they are embedded together."""
    with remembering():
        vectors_of(texts)
        return [judge_alone(text) for text in texts]


def only_asks(question: str) -> bool:
    """Return whether a question tells nothing of its author: 'My friend is ill, what helps?' tells something."""
    if judge_alone(question).told(0) >= QUESTION_TELLS:
        return False
    judged = judge_each([clause for clause in _CLAUSE_END.split(question)[:-1] if clause.strip()])
    return all(clause.told(0) < max(QUESTION_TELLS, clause.of(0, Head.ASKS)) for clause in judged)


def probabilities(log_odds: Rows) -> Rows:
    """Return the probabilities of log odds.

    >>> probabilities(np.array([0.0], np.float32))
    array([0.5], dtype=float32)
    """
    return np.asarray(1 / (1 + np.exp(-log_odds)), np.float32)


@cache
def shipped_heads() -> Heads:
    """Return the heads of this package."""
    return load_heads(files(__package__) / HEADS_FILE)


def load_heads(path: Path | Traversable) -> Heads:
    """Read heads.

    Raises:
        SetupError: the file is missing, damaged, or was made for other features.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        version = int(arrays["version"])
        if version != FEATURES_VERSION:
            raise SetupError(f"the heads {path} were trained for features {version}, not {FEATURES_VERSION}")
        return Heads(
            _network(arrays, "sentence", SENTENCE_COLUMNS, len(HEADS)),
            _network(arrays, "message", message_columns(len(HEADS)), 1),
            str(arrays["trained_on"]),
        )
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise SetupError(f"the heads {path} cannot be read ({error}): reinstall ToldOnce") from error
