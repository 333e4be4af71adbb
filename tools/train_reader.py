"""Train the heads of the reading, or score them on writers and chats they have not seen. Reads files, writes a file.

    .venv/bin/python -m tools.train_reader DATA                  # toldonce/reading/heads.npz
    .venv/bin/python -m tools.train_reader DATA --folds 5 --out FOLDER     # FOLDER/heads-0.npz …, and scores

DATA is the folder of the public sets that `tools/label_messages.py` reads. The heads of sentences learn from
`corpora/messages` and `corpora/labels`, the head of messages from AlpsBench, whose verified memories name the messages
that are evidence, and from our own messages. With `--folds`, heads are trained without one part of the writers and
chats and scored on it, one part after the other; each head's threshold is that of its best F1, so that F1 is a little
too good.

A network has a hidden layer of rectified units and is trained by Adam (Kingma and Ba, 2015) on the cross-entropy, with
dropout of the units. Four that begin with other weights are joined, which averages their log odds: F1 +.5 on our own
messages and +.8 on real ones, and a third fewer judgements change when heads are trained again. The same seeds give the
same weights on the same machine.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.alps_chats import ENGLISH, AlpsChat, fold_of, read_chats
from benchmarks.alps_heads import heads_file
from benchmarks.progress import steps
from toldonce.reading.head_features import HeadInput, Rows, message_row, sentence_rows
from toldonce.reading.heads import HEADS, HEADS_FILE, Heads, Network, probabilities, vectors_of
from toldonce.reading.sentences import sentences
from tools.corpus import read_corpus
from tools.label_messages import LABELS, real_messages

_ROOT = Path(__file__).parents[1]
SHIPPED = _ROOT / "toldonce" / "reading" / HEADS_FILE
TRAINED_ON = "ToldOnce's own labelled messages; AlpsBench (ODC-BY 1.0), chats of WildChat-1M (ODC-BY 1.0), open half"
_SENTENCE_UNITS, _MESSAGE_UNITS = 64, 32
_SENTENCE_EPOCHS, _MESSAGE_EPOCHS = 10, 4
_JOINED = 4
_BATCH, _RATE, _DROPOUT, _DECAY = 256, 1e-3, 0.2, 1e-3
# Share of the verified label in the target of a message; the rest is the share of the recorded models that took it.
_GOLD_SHARE = 0.5
# Parts of the training chats: the head of messages learns what sentence heads trained on the others say of each.
_INNER_FOLDS = 3
# Texts that are embedded together.
_EMBEDDED = 256
# How much one of our own messages counts for the head of messages, beside one of AlpsBench.
_OWN_SHARE = 0.5
# Labels that make a message of our own worth keeping, and those that take a sentence out.
_TOLD, _NOT_MEANT = frozenset("KPW"), frozenset("UO")
_MIN_EXAMPLES = 10
_NOTHING = np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A message with the labels of its sentences."""

    group: str
    """Its writer or chat: all of it is trained on, or none."""
    is_own: bool
    """Written for this project."""
    language: str
    source: HeadInput
    labels: NDArray[np.float32]
    """Shape (sentences that are read, heads)."""

    @property
    def tells(self) -> float:
        """1 if a sentence tells something lasting in earnest, otherwise 0."""
        named = [{label for label, has in zip(LABELS, row, strict=True) if has} for row in self.labels]
        return float(any(each & _TOLD and not each & _NOT_MEANT for each in named))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A user's message of AlpsBench."""

    chat: AlpsChat
    place: int
    source: HeadInput
    target: float


def own_messages() -> Iterator[Labelled]:
    """Read the messages in `corpora/messages`."""
    for path in sorted((_ROOT / "corpora" / "messages").glob("*.txt")):
        for message in read_corpus(path):
            source = HeadInput(
                text=message.text,
                sentences=[sentence.text for sentence in message.sentences],
                previous_reply=message.reply,
                turn=2 if message.reply else 0,
            )
            labels = [sentence.labels for sentence in message.sentences]
            group = f"{message.language} {message.writer}"
            yield _labelled(source, labels, group=group, is_own=True, language=message.language)


def labelled_messages(folder: Path) -> Iterator[Labelled]:
    """Read the real messages that `corpora/labels` names."""
    known = {(each.data, each.chat, each.place): each for each in real_messages(folder)}
    languages = {chat.id: chat.language for chat in read_chats(folder / "alpsbench_dev.jsonl.gz")}
    for path in sorted((_ROOT / "corpora" / "labels").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            chat, place, *spans = line.split()
            message = known[path.stem, chat, int(place)]
            texts, labels = [], []
            for span in spans:
                offsets, _, named = span.partition(":")
                start, end = map(int, offsets.split("-"))
                texts.append(message.text[start:end])
                labels.append(frozenset(named))
            source = HeadInput(text=message.text, sentences=texts, previous_reply=message.reply, turn=int(place))
            language = languages.get(chat, ENGLISH)
            yield _labelled(source, labels, group=f"{path.stem} {chat}", is_own=False, language=language)


def _labelled(
    source: HeadInput, labels: Sequence[frozenset[str]], *, group: str, is_own: bool, language: str
) -> Labelled:
    read = len(source.read_sentences)
    rows = np.array([[label in named for label in LABELS] for named in labels[:read]], np.float32)
    return Labelled(group=group, is_own=is_own, language=language, source=source, labels=rows)


def evidence_of(chats: Iterable[AlpsChat]) -> Iterator[Evidence]:
    """Read the users' messages of AlpsBench."""
    for chat in chats:
        models = [frozenset(at for item in items for at in item.utterances) for items in chat.recorded.values()]
        before: list[str] = []
        reply = ""
        for place, message in enumerate(chat.messages):
            pieces = sentences(message.text) if message.role == "user" else []
            if pieces:
                source = HeadInput(
                    text=message.text,
                    sentences=[piece.text for piece in pieces],
                    previous_reply=reply,
                    previous_texts=before[::-1],
                    turn=place,
                )
                taken = sum(place in each for each in models) / max(len(models), 1)
                target = _GOLD_SHARE * (place in chat.gold_utterances) + (1 - _GOLD_SHARE) * taken
                yield Evidence(chat=chat, place=place, source=source, target=target)
                before.append(message.text)
            elif message.role != "user":
                reply = message.text


def fit(rows: Rows, targets: Rows, *, units: int, epochs: int, shares: Rows | None = None) -> Network:
    """Train networks and join them to one.

    Args:
        rows: Features of the examples.
        targets: Shape (examples, outputs); what is between 0 and 1 counts as that share of either answer.
        units: Size of the hidden layer of each.
        epochs: How often each example is seen.
        shares: How much each example counts; all alike by default.
    """
    shares = np.ones(len(rows), np.float32) if shares is None else shares
    parts = [_fit_one(rows, targets, shares, units=units, epochs=epochs, seed=seed) for seed in range(_JOINED)]
    return Network(
        np.concatenate([part.hidden for part in parts], axis=1),
        np.concatenate([part.hidden_bias for part in parts]),
        (np.concatenate([part.out for part in parts]) / _JOINED).astype(np.float32),
        np.stack([part.out_bias for part in parts]).mean(axis=0).astype(np.float32),
    )


def _fit_one(rows: Rows, targets: Rows, shares: Rows, *, units: int, epochs: int, seed: int) -> Network:
    random = np.random.default_rng(seed)
    count, columns = rows.shape
    share = targets.mean(axis=0)
    weights = [
        (random.standard_normal((columns, units)) * np.sqrt(2 / columns)).astype(np.float32),
        np.zeros(units, np.float32),
        (random.standard_normal((units, targets.shape[1])) * np.sqrt(1 / units)).astype(np.float32),
        np.log((share + 1e-3) / (1 - share + 1e-3)).astype(np.float32),
    ]
    means, squares = [np.zeros_like(each) for each in weights], [np.zeros_like(each) for each in weights]
    batches = -(-count // _BATCH)
    for step in range(epochs * batches):
        if step % batches == 0:
            order = random.permutation(count)
        chosen = order[step % batches * _BATCH :][:_BATCH]
        gradients = _gradients(rows[chosen], targets[chosen], shares[chosen], weights, random)
        rate = _RATE * min(1.0, 3 * (1 - step / (epochs * batches)))
        for weight, gradient, mean, square in zip(weights, gradients, means, squares, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            corrected = square / (1 - 0.999 ** (step + 1))
            weight -= rate * (mean / (1 - 0.9 ** (step + 1))) / (np.sqrt(corrected) + 1e-8)
    return Network(*weights)


def _gradients(
    rows: Rows, targets: Rows, shares: Rows, weights: Sequence[Rows], random: np.random.Generator
) -> list[Rows]:
    hidden, hidden_bias, out, out_bias = weights
    kept = (random.random((len(rows), len(hidden_bias)), np.float32) >= _DROPOUT) / np.float32(1 - _DROPOUT)
    before = rows @ hidden + hidden_bias
    units = np.maximum(before, np.float32(0)) * kept
    wrong = (probabilities(units @ out + out_bias) - targets) * shares[:, None] / np.float32(len(rows))
    back = (wrong @ out.T) * (before > 0) * kept
    decay = np.float32(_DECAY)
    return [rows.T @ back + decay * hidden, back.sum(axis=0), units.T @ wrong + decay * out, wrong.sum(axis=0)]


def fit_sentences(examples: Sequence[Labelled]) -> Network:
    """Train the heads of sentences."""
    rows = np.concatenate([_sentence_rows(each.source) for each in examples])
    targets = np.concatenate([each.labels for each in examples])
    return fit(rows, targets, units=_SENTENCE_UNITS, epochs=_SENTENCE_EPOCHS)


def train(labelled: Sequence[Labelled], evidence: Sequence[Evidence]) -> Heads:
    """Train both networks."""
    own = [each for each in labelled if each.is_own]
    of_evidence, of_own = [_NOTHING] * len(evidence), [_NOTHING] * len(own)
    for number in range(_INNER_FOLDS):
        judge = fit_sentences([each for each in labelled if _part(f"inner {each.group}", _INNER_FOLDS) != number])
        for place, example in enumerate(evidence):
            if _part(f"inner alpsbench {example.chat.id}", _INNER_FOLDS) == number:
                of_evidence[place] = _message_row(example.source, judge)
        for place, each in enumerate(own):
            if _part(f"inner {each.group}", _INNER_FOLDS) == number:
                of_own[place] = _message_row(each.source, judge)
    targets = [example.target for example in evidence] + [each.tells for each in own]
    shares = np.concatenate((np.ones(len(evidence)), np.full(len(own), _OWN_SHARE))).astype(np.float32)
    of_messages = fit(
        np.stack([*of_evidence, *of_own]),
        np.array(targets, np.float32)[:, None],
        units=_MESSAGE_UNITS,
        epochs=_MESSAGE_EPOCHS,
        shares=shares,
    )
    return Heads(fit_sentences(labelled), of_messages, TRAINED_ON)


_known: dict[str, NDArray[np.float16]] = {}
"""Vectors of all texts, by the text."""


def embed(sources: Iterable[HeadInput], file: Path | None) -> None:
    """Embed what messages are judged by.

    Args:
        sources: The messages.
        file: Where the vectors are kept for the next run.
    """
    texts = dict.fromkeys(text for source in sources for text in source.texts)
    names = {text: sha256(text.encode("utf-8", "replace")).hexdigest() for text in texts}
    stored: dict[str, NDArray[np.float16]] = {}
    if file and file.exists():
        with np.load(file, allow_pickle=False) as kept:
            stored = dict(zip(kept["names"].tolist(), kept["vectors"], strict=True))
    _known.update({text: stored[name] for text, name in names.items() if name in stored})
    new = sorted((text for text in texts if text not in _known), key=len)
    for start in steps("vectors", range(0, len(new), _EMBEDDED)):
        part = new[start : start + _EMBEDDED]
        _known.update(zip(part, vectors_of(part).astype(np.float16), strict=True))
    if file and new:
        rows = np.stack([_known[text] for text in texts])
        np.savez(file, names=np.array([names[text] for text in texts]), vectors=rows)


def _vectors(source: HeadInput) -> Rows:
    return np.stack([_known[text] for text in source.texts]).astype(np.float32)


def _sentence_rows(source: HeadInput) -> Rows:
    return sentence_rows(source, _vectors(source))


def _message_row(source: HeadInput, judge: Network) -> Rows:
    vectors = _vectors(source)
    return message_row(source, vectors, judge.log_odds(sentence_rows(source, vectors)))


def _part(group: str, parts: int) -> int:
    return int.from_bytes(sha256(group.encode()).digest()[:8]) % parts


def _fold(group: str, folds: int) -> int:
    """Return the part of a writer or chat; a chat of AlpsBench has the one that `fold_of` gives it."""
    data, _, chat = group.partition(" ")
    return fold_of(chat, folds) if data == "alpsbench" else _part(group, folds)


@dataclass(frozen=True, slots=True)
class Score:
    """How well probabilities tell the labelled from the others."""

    count: int
    precision: float
    recall: float
    f1: float
    auc: float


def score(likely: NDArray[np.float32], labels: NDArray[np.float32], missed: int = 0) -> Score:
    """Score probabilities at the threshold of the best F1; `missed` are labelled ones that have no probability."""
    order = np.argsort(-likely, kind="stable")
    hits = np.cumsum(labels[order])
    total = float(labels.sum()) + missed
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + total)
    best = int(f1.argmax())
    ranks = np.empty(len(order))
    ranks[order[::-1]] = np.arange(1, len(order) + 1)
    positive, negative = float(labels.sum()), float((1 - labels).sum())
    auc = (ranks[labels > 0].sum() - positive * (positive + 1) / 2) / max(positive * negative, 1.0)
    return Score(int(positive), float(hits[best] / (best + 1)), float(hits[best] / total), float(f1[best]), float(auc))


def cross_validate(labelled: Sequence[Labelled], evidence: Sequence[Evidence], folds: int, out: Path) -> None:
    """Train without each part, write the heads, and print the scores on it."""
    out.mkdir(parents=True, exist_ok=True)
    judged: list[Rows] = [np.zeros((0, len(HEADS)), np.float32)] * len(labelled)
    kept = np.zeros(len(evidence), np.float32)
    for number in steps("folds", range(folds)):
        heads = train(
            [each for each in labelled if _fold(each.group, folds) != number],
            [each for each in evidence if fold_of(each.chat.id, folds) != number],
        )
        heads.save(heads_file(out, number))
        for place, example in enumerate(labelled):
            if _fold(example.group, folds) == number:
                judged[place] = probabilities(heads.of_sentences.log_odds(_sentence_rows(example.source)))
        for place, message in enumerate(evidence):
            if fold_of(message.chat.id, folds) == number:
                row = _message_row(message.source, heads.of_sentences)
                kept[place] = probabilities(heads.of_messages.log_odds(row[None]))[0, 0]
    _print_heads(labelled, judged)
    _print_evidence(evidence, kept)


def _print_heads(labelled: Sequence[Labelled], judged: Sequence[Rows]) -> None:
    languages = sorted({each.language for each in labelled if each.is_own})
    groups = [("own, all", True, languages), *((f"own, {each}", True, [each]) for each in languages)]
    groups.append(("real, all", False, sorted({each.language for each in labelled if not each.is_own})))
    for name, is_own, spoken in groups:
        chosen = [n for n, each in enumerate(labelled) if each.is_own is is_own and each.language in spoken]
        likely = np.concatenate([judged[place] for place in chosen])
        labels = np.concatenate([labelled[place].labels for place in chosen])
        for place, head in enumerate(HEADS):
            got = score(likely[:, place], labels[:, place])
            if got.count >= _MIN_EXAMPLES:
                print(
                    f"{name:10} {head:11} {got.count:5}: precision {100 * got.precision:5.1f} %, recall "
                    f"{100 * got.recall:5.1f} %, F1 {100 * got.f1:5.1f} %, AUC {got.auc:.3f}"
                )


def _print_evidence(evidence: Sequence[Evidence], kept: NDArray[np.float32]) -> None:
    gold = np.array([each.place in each.chat.gold_utterances for each in evidence], np.float32)
    chats = {each.chat.id: each.chat for each in evidence}
    for name, is_english in (("English", True), ("others", False)):
        chosen = np.array([(each.chat.language == ENGLISH) is is_english for each in evidence])
        spoken = [chat for chat in chats.values() if (chat.language == ENGLISH) is is_english]
        missed = sum(len(chat.gold_utterances) for chat in spoken) - int(gold[chosen].sum())
        got = score(kept[chosen], gold[chosen], missed)
        print(
            f"AlpsBench, {name:8} {got.count:5}: precision {100 * got.precision:5.1f} %, "
            f"recall {100 * got.recall:5.1f} %, F1 {100 * got.f1:5.1f} %, AUC {got.auc:.3f}"
        )


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
    labelled = [*own_messages(), *labelled_messages(given.data)]
    chats = read_chats(given.data / "alpsbench_dev.jsonl.gz")
    evidence = list(evidence_of(chats))
    embed([*(each.source for each in labelled), *(each.source for each in evidence)], given.vectors)
    if given.folds:
        cross_validate(labelled, evidence, given.folds, given.out)
    else:
        train(labelled, evidence).save(given.out or SHIPPED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
