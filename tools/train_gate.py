"""Train the learned gate on AlpsBench's chats, and score it on chats it has not seen. Reads a file, writes files.

    python -m venv /tmp/training && /tmp/training/bin/pip install --editable . scikit-learn==1.9.1
    /tmp/training/bin/python -m tools.train_gate FILE                     # recollect/extraction/statement_gate.npz
    /tmp/training/bin/python -m tools.train_gate FILE --folds 5 --out DIR # DIR/gate-0.npz …, and scores by language

FILE is described in `benchmarks/alps_chats.py`. With `--folds`, each gate is trained without one fifth of the chats and
scored on it: a user's message counts as taken if one of its sentences is as likely as the threshold. scikit-learn is
needed here alone; the gate itself needs numpy.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.linear_model import LogisticRegression

from benchmarks.alps_chats import ENGLISH, AlpsChat, fold_of, read_chats
from benchmarks.alps_gates import gate_file
from benchmarks.alps_scores import Score
from benchmarks.progress import steps
from recollect.extraction.gate_features import COLUMNS, GateFeatures
from recollect.extraction.statement_gate import GATE_FILE, StatementGate, probabilities
from tools.gate_examples import GateExample, examples_of

SHIPPED = Path(__file__).parents[1] / "recollect" / "extraction" / GATE_FILE
TRAINED_ON = "AlpsBench (ODC-BY 1.0), chats of WildChat-1M (ODC-BY 1.0), open half of 1,118 chats"
# Inverse strength of the L2 penalty; half and twice as much change F1 by at most .4 points.
_C = 1.0
# Share of the verified label in the target; the rest is the share of the recorded models that took the message.
_GOLD_SHARE = 0.5
_THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)


def matrix_of(features: Sequence[GateFeatures]) -> csr_matrix:
    """Return the features of messages as rows."""
    columns = [np.concatenate((each.columns, each.shared_columns)) for each in features]
    values = [np.concatenate((each.values, each.shared_values)) for each in features]
    rows = np.repeat(np.arange(len(features)), [len(each) for each in columns])
    return csr_matrix(
        (np.concatenate(values), (rows, np.concatenate(columns))), shape=(len(features), COLUMNS), dtype=np.float32
    )


def train(examples: Sequence[GateExample]) -> StatementGate:
    """Fit weights; a message with a target between 0 and 1 is one of each label, weighted."""
    features = matrix_of([example.features for example in examples])
    targets = np.array([_GOLD_SHARE * example.gold + (1 - _GOLD_SHARE) * example.taken for example in examples])
    positive = np.flatnonzero(targets)
    model = LogisticRegression(C=_C, max_iter=300, tol=1e-3)
    model.fit(
        vstack([features, features[positive]]),
        np.concatenate((np.zeros(len(targets)), np.ones(len(positive)))),
        sample_weight=np.concatenate((1 - targets, targets[positive])),
    )
    return StatementGate(model.coef_[0].astype(np.float32), float(model.intercept_[0]), TRAINED_ON)


def scores(
    chats: Sequence[AlpsChat], examples: Sequence[GateExample], taken: Sequence[float], threshold: float
) -> Mapping[str, Score]:
    """Score a gate by language and in all, counting a message as taken from a probability on.

    Args:
        chats: All chats.
        examples: Their messages.
        taken: For each message the probability of its likeliest sentence.
        threshold: Probability from which a message is taken.
    """
    found: list[set[int]] = [set() for _ in chats]
    for example, probability in zip(examples, taken, strict=True):
        if probability >= threshold:
            found[example.chat].add(example.place)
    by_language = {"English": Score(), "other languages": Score()}
    for chat, places in zip(chats, found, strict=True):
        group = "English" if chat.language == ENGLISH else "other languages"
        by_language[group].add(chat, [frozenset({place}) for place in places])
    return by_language


def cross_validate(
    chats: Sequence[AlpsChat], examples: Sequence[GateExample], folds: int
) -> tuple[list[StatementGate], list[float]]:
    """Train a gate without each fold; return the gates, and each message's probability from the gate without it."""
    fold = np.array([fold_of(chats[example.chat].id, folds) for example in examples])
    gates: list[StatementGate] = []
    likeliest = np.zeros(len(examples))
    for number in steps("folds", range(folds)):
        gate = train([example for example, its in zip(examples, fold, strict=True) if its != number])
        gates.append(gate)
        for place in np.flatnonzero(fold == number).tolist():
            example = examples[place]
            likeliest[place] = probabilities(gate.log_odds(example.of_sentences, example.sentences)).max()
    return gates, list(likeliest)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments, train, write and print."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.train_gate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="chats with verified and recorded memories, one a line; may be .gz")
    parser.add_argument("--folds", type=int, default=0, help="train without each of so many parts, and score on it")
    parser.add_argument("--out", type=Path, help="file, with --folds folder (default: the gate of this repository)")
    given = parser.parse_args(arguments)
    if given.folds and not given.out:
        parser.error("--folds needs --out")
    chats = read_chats(given.file)
    examples = [example for place, chat in enumerate(steps("chats", chats)) for example in examples_of(place, chat)]
    if not given.folds:
        train(examples).save(given.out or SHIPPED)
        return 0
    gates, likeliest = cross_validate(chats, examples, given.folds)
    given.out.mkdir(parents=True, exist_ok=True)
    for number, gate in enumerate(gates):
        gate.save(gate_file(given.out, number))
    for threshold in _THRESHOLDS:
        for name, score in scores(chats, examples, likeliest, threshold).items():
            print(
                f"from {threshold:.2f}, {name:15}: precision {score.precision:4.1f} %, recall {score.recall:4.1f} %, "
                f"F1 {score.f1:4.1f} %"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
