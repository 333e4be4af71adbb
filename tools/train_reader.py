"""Train the heads of the reading, or score them on writers and chats they have not seen. Reads files, writes a file.

    .venv/bin/python -m tools.train_reader DATA                  # toldonce/reading/heads.npz
    .venv/bin/python -m tools.train_reader DATA --folds 5 --out FOLDER     # FOLDER/heads-0.npz …, and scores

DATA is the folder of the public sets that `tools/label_messages.py` reads. The heads of sentences learn from
`corpora/messages` and `corpora/labels`, the head of messages from AlpsBench, whose verified memories name the messages
that are evidence, and from our own messages. Most of these were written without a reply before them: they are seen
alone, and after replies of `corpora/replies.toml` and of real chats, in turn. With `--folds`, heads are trained without
one part of the writers and chats and scored on it, one part after the other; each head's threshold is that of its best
F1, so that F1 is a little too good.

A network has a hidden layer of rectified units and is trained by Adam (Kingma and Ba, 2015) on the cross-entropy, with
dropout of the units. Four that begin with other weights and see the same batches are joined, which averages their log
odds: F1 was .5 better on our own messages and .8 on real ones, and a third fewer judgements change when heads are
trained again. The same seeds give the same weights on the same machine.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.alps_chats import read_chats
from benchmarks.alps_heads import heads_file
from benchmarks.progress import steps
from toldonce.memo import remembering
from toldonce.reading.head_features import HeadInput, Rows, message_row, sentence_rows
from toldonce.reading.heads import HEADS, HEADS_FILE, Heads, Judgement, Network, probabilities, vectors_of
from tools.reader_examples import (
    MAX_FOLDS,
    Evidence,
    Labelled,
    Replies,
    ReplyKind,
    evidence_of,
    fold,
    labelled_messages,
    later,
    own_messages,
    part_of,
    said_after,
)
from tools.reader_scores import is_kept, print_evidence, print_heads, print_kept

_ROOT = Path(__file__).parents[1]
SHIPPED = _ROOT / "toldonce" / "reading" / HEADS_FILE
TRAINED_ON = "ToldOnce's own labelled messages; AlpsBench (ODC-BY 1.0), chats of WildChat-1M (ODC-BY 1.0), open half"
_SENTENCE_UNITS, _MESSAGE_UNITS = 64, 32
_SENTENCE_EPOCHS, _MESSAGE_EPOCHS = 10, 4
_JOINED = 4
_BATCH, _RATE, _DROPOUT, _DECAY = 256, 1e-3, 0.2, 1e-3
# Parts of the training chats: the head of messages learns what sentence heads trained on the others say of each.
_INNER_FOLDS = 3
# Texts that are embedded together.
_EMBEDDED = 256
# How much one of our own messages counts for the head of messages, beside one of AlpsBench.
_OWN_SHARE = 0.5
# Variants of our own messages that are trained in turn: alone, and after a reply.
_VARIANTS = 2
_NOTHING = np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """What a network is trained on."""

    variants: Sequence[Rows]
    """Features of the examples, and of the same ones as they might be: each epoch sees the next."""
    targets: Rows
    """Shape (examples, outputs); what is between 0 and 1 counts as that share of either answer."""
    shares: Rows
    """How much each example counts."""


def fit(examples: Examples, chosen: NDArray[np.intp], *, units: int, epochs: int) -> Network:
    """Train networks side by side, and join them to one.

    Args:
        examples: All examples.
        chosen: Places of those that are trained on.
        units: Size of the hidden layer of each.
        epochs: How often each example is seen.
    """
    random = np.random.default_rng(0)
    count, columns, outputs = len(chosen), examples.variants[0].shape[1], examples.targets.shape[1]
    share = examples.targets[chosen].mean(axis=0)
    weights = [
        (random.standard_normal((columns, _JOINED * units)) * np.sqrt(2 / columns)).astype(np.float32),
        np.zeros(_JOINED * units, np.float32),
        (random.standard_normal((_JOINED, units, outputs)) * np.sqrt(1 / units)).astype(np.float32),
        np.tile(np.log((share + 1e-3) / (1 - share + 1e-3)).astype(np.float32), (_JOINED, 1, 1)),
    ]
    means, squares = [np.zeros_like(each) for each in weights], [np.zeros_like(each) for each in weights]
    batches = -(-count // _BATCH)
    for step in range(epochs * batches):
        if step % batches == 0:
            order = random.permutation(chosen)
            rows = examples.variants[step // batches % len(examples.variants)]
        batch = order[step % batches * _BATCH :][:_BATCH]
        gradients = _gradients(rows[batch], examples.targets[batch], examples.shares[batch], weights, random)
        rate = _RATE * min(1.0, 3 * (1 - step / (epochs * batches)))
        for weight, gradient, mean, square in zip(weights, gradients, means, squares, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            corrected = square / (1 - 0.999 ** (step + 1))
            weight -= rate * (mean / (1 - 0.9 ** (step + 1))) / (np.sqrt(corrected) + 1e-8)
    hidden, hidden_bias, out, out_bias = weights
    return Network(hidden, hidden_bias, out.reshape(-1, outputs) / np.float32(_JOINED), out_bias.mean(axis=(0, 1)))


def _gradients(
    rows: Rows, targets: Rows, shares: Rows, weights: Sequence[Rows], random: np.random.Generator
) -> list[Rows]:
    """Return the gradients of the weights; units, outputs and what is wrong have the network as their first axis."""
    hidden, hidden_bias, out, out_bias = weights
    kept = (random.random((len(rows), len(hidden_bias)), np.float32) >= _DROPOUT) / np.float32(1 - _DROPOUT)
    before = rows @ hidden + hidden_bias
    units = _by_network(np.maximum(before, np.float32(0)) * kept)
    wrong = (probabilities(units @ out + out_bias) - targets) * shares[:, None] / np.float32(len(rows))
    through = (wrong @ out.transpose(0, 2, 1)).transpose(1, 0, 2).reshape(before.shape)
    back = through * (before > 0) * kept
    decay = np.float32(_DECAY)
    return [
        rows.T @ back + decay * hidden,
        back.sum(axis=0),
        units.transpose(0, 2, 1) @ wrong + decay * out,
        wrong.sum(axis=1, keepdims=True),
    ]


def _by_network(units: Rows) -> Rows:
    """Return units of the shape (rows, networks and their units) in the shape (networks, rows, units)."""
    return np.ascontiguousarray(units.reshape(len(units), _JOINED, -1).transpose(1, 0, 2))


def train(labelled: Sequence[Labelled], evidence: Sequence[Evidence], replies: Replies) -> Heads:
    """Train both networks on the messages alone and after replies."""
    variants = [labelled, *(later(labelled, replies, seed) for seed in range(1, _VARIANTS))]
    embed(each.source for variant in variants for each in variant)
    sizes, ends = [len(each.labels) for each in labelled], np.cumsum([len(each.labels) for each in labelled])
    examples = Examples(
        _variant_rows(variants), np.concatenate([each.labels for each in labelled]), np.ones(ends[-1], np.float32)
    )
    own = [place for place, each in enumerate(labelled) if each.is_own]
    of_evidence: list[Rows] = [_NOTHING] * len(evidence)
    of_own: list[dict[int, Rows]] = [{} for _ in variants]
    parts = np.array([part_of(f"inner {each.group}", _INNER_FOLDS) for each in labelled])
    for number in range(_INNER_FOLDS):
        judge = _fit_sentences(examples, np.flatnonzero(np.repeat(parts != number, sizes)))
        for place, each in enumerate(evidence):
            if part_of(f"inner {each.group}", _INNER_FOLDS) == number:
                of_evidence[place] = _message_row(each.source, _sentence_rows(each.source), judge)
        for kept, variant, rows in zip(of_own, variants, examples.variants, strict=True):
            for place in own:
                if parts[place] == number:
                    sentences = rows[ends[place] - sizes[place] : ends[place]]
                    kept[place] = _message_row(variant[place].source, sentences, judge)
    targets = [example.target for example in evidence] + [labelled[place].tells for place in own]
    messages = Examples(
        [np.stack([*of_evidence, *(rows[place] for place in own)]) for rows in of_own],
        np.array(targets, np.float32)[:, None],
        np.concatenate((np.ones(len(evidence)), np.full(len(own), _OWN_SHARE))).astype(np.float32),
    )
    return Heads(
        _fit_sentences(examples, np.arange(ends[-1])),
        fit(messages, np.arange(len(targets)), units=_MESSAGE_UNITS, epochs=_MESSAGE_EPOCHS),
        TRAINED_ON,
    )


def _variant_rows(variants: Sequence[Sequence[Labelled]]) -> list[Rows]:
    """Return the rows of the sentences of each variant; the wording of a sentence is read once for all of them."""
    rows: list[list[Rows]] = [[] for _ in variants]
    for same in zip(*variants, strict=True):
        with remembering():
            for kept, each in zip(rows, same, strict=True):
                kept.append(_sentence_rows(each.source))
    return [np.concatenate(each) for each in rows]


def _fit_sentences(examples: Examples, chosen: NDArray[np.intp]) -> Network:
    return fit(examples, chosen, units=_SENTENCE_UNITS, epochs=_SENTENCE_EPOCHS)


_known: dict[str, NDArray[np.float16]] = {}
"""Vectors of texts, by the names of the texts."""


def _name(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def embed(sources: Iterable[HeadInput]) -> None:
    """Embed what messages are judged by."""
    texts = dict.fromkeys(text for source in sources for text in source.texts)
    new = sorted((text for text in texts if _name(text) not in _known), key=len)
    for start in steps("vectors", range(0, len(new), _EMBEDDED)):
        part = new[start : start + _EMBEDDED]
        _known.update(zip(map(_name, part), vectors_of(part).astype(np.float16), strict=True))


@contextmanager
def kept_vectors(file: Path | None) -> Iterator[None]:
    """Read vectors that a file keeps, and keep there what is embedded; None keeps nothing."""
    if file and file.exists():
        with np.load(file, allow_pickle=False) as kept:
            _known.update(zip(kept["names"].tolist(), kept["vectors"], strict=True))
    read = len(_known)
    try:
        yield
    finally:
        if file and len(_known) > read:
            np.savez(file, names=np.array(list(_known)), vectors=np.stack(list(_known.values())))


def _vectors(source: HeadInput) -> Rows:
    return np.stack([_known[_name(text)] for text in source.texts]).astype(np.float32)


def _sentence_rows(source: HeadInput) -> Rows:
    return sentence_rows(source, _vectors(source))


def _message_row(source: HeadInput, sentences: Rows, judge: Network) -> Rows:
    return message_row(source, _vectors(source), _log_odds(sentences, judge))


def _log_odds(rows: Rows, network: Network) -> Rows:
    """Do as `Network.log_odds`, all rows at once."""
    units = np.maximum(rows @ network.hidden + network.hidden_bias, np.float32(0))
    return np.asarray(units @ network.out + network.out_bias, np.float32)


def _judgement(source: HeadInput, heads: Heads) -> Judgement:
    rows = _sentence_rows(source)
    whole = _log_odds(_message_row(source, rows, heads.of_sentences)[None], heads.of_messages)
    return Judgement(probabilities(_log_odds(rows, heads.of_sentences)), float(probabilities(whole)[0, 0]))


def cross_validate(labelled: Sequence[Labelled], evidence: Sequence[Evidence], folds: int, out: Path) -> None:
    """Train without each part, write the heads, and print the scores on it."""
    out.mkdir(parents=True, exist_ok=True)
    judged: list[Rows] = [np.zeros((0, len(HEADS)), np.float32)] * len(labelled)
    kept = np.zeros(len(evidence), np.float32)
    after: dict[str, list[tuple[Labelled, bool]]] = {"alone": [], **{kind.name.lower(): [] for kind in ReplyKind}}
    for number in steps("folds", range(folds)):
        heads = train(
            [each for each in labelled if fold(each.group, folds) != number],
            [each for each in evidence if fold(each.group, folds) != number],
            Replies(evidence, folds, set(range(folds)) - {number}),
        )
        heads.save(heads_file(out, number))
        for place, example in enumerate(labelled):
            if fold(example.group, folds) == number:
                judged[place] = _judgement(example.source, heads).sentences
        for place, message in enumerate(evidence):
            if fold(message.group, folds) == number:
                kept[place] = _judgement(message.source, heads).kept
        own = [each for each in labelled if each.is_own and fold(each.group, folds) == number]
        unseen = Replies(evidence, folds, {number})
        for name, said in said_after(own, unseen).items():
            embed(each.source for each in said)
            after[name] += [(each, is_kept(_judgement(each.source, heads))) for each in said]
    print_heads(labelled, judged)
    print_evidence(evidence, kept)
    print_kept(after)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments, train, and write or print."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.train_reader", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder of the public sets")
    parser.add_argument("--folds", type=int, default=0, help="score on each of so many parts that were left out")
    parser.add_argument("--out", type=Path, help="file to write (default: the heads of this repository)")
    parser.add_argument("--vectors", type=Path, help="file (.npz) that keeps vectors of texts for the next run")
    given = parser.parse_args(arguments)
    if given.folds and not given.out:
        parser.error("--folds needs --out")
    if given.folds > MAX_FOLDS:
        parser.error(f"--folds is {given.folds}: at most {MAX_FOLDS}, as few as there are replies of a kind")
    labelled = [*own_messages(), *labelled_messages(given.data)]
    evidence = list(evidence_of(read_chats(given.data / "alpsbench_dev.jsonl.gz")))
    with kept_vectors(given.vectors):
        embed([*(each.source for each in labelled), *(each.source for each in evidence)])
        if given.folds:
            cross_validate(labelled, evidence, given.folds, given.out)
        else:
            train(labelled, evidence, Replies(evidence)).save(given.out or SHIPPED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
