"""Train the learned gate on AlpsBench's chats, and score it on chats it has not seen. Reads a file, writes files.

    python -m venv /tmp/training && /tmp/training/bin/pip install --editable . scikit-learn==1.9.1
    /tmp/training/bin/python -m tools.train_gate FILE                     # toldonce/extraction/statement_gate.npz
    /tmp/training/bin/python -m tools.train_gate FILE --folds 5 --out DIR # DIR/gate-0.npz …, and scores by language

FILE is described in `benchmarks/alps_chats.py`. The second stage learns from what first stages say of chats they were
not trained on. With `--folds`, each gate is trained without one fifth of the chats and scored on it: a user's message
counts as taken if it is as likely as the threshold. scikit-learn is needed here alone; the gate itself needs numpy.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from benchmarks.alps_chats import ENGLISH, AlpsChat, fold_of, read_chats
from benchmarks.alps_gates import gate_file
from benchmarks.alps_scores import Score
from benchmarks.progress import steps
from toldonce.extraction.decision_trees import DecisionTrees
from toldonce.extraction.gate_features import COLUMNS, MESSAGE_NUMBERS, GateFeatures
from toldonce.extraction.statement_gate import GATE_FILE, StatementGate
from tools.gate_examples import GateExample, examples_of

SHIPPED = Path(__file__).parents[1] / "toldonce" / "extraction" / GATE_FILE
TRAINED_ON = "AlpsBench (ODC-BY 1.0), chats of WildChat-1M (ODC-BY 1.0), open half of 1,118 chats"
# Inverse strength of the L2 penalty; half and twice as much change F1 by at most .4 points.
_C = 1.0
# Share of the verified label in the targets of the stages; the rest is the share of the recorded models that took the
# message.
_GOLD_SHARE, _GOLD_SHARE_OF_TREES = 0.5, 0.75
# Parts of the training chats: the second stage learns what a first stage trained on the others says of each.
_INNER_FOLDS = 4
# Half or twice as many trees or leaves change F1 by at most .5 points.
_TREES = {
    "max_iter": 100,
    "learning_rate": 0.06,
    "max_leaf_nodes": 7,
    "min_samples_leaf": 60,
    "l2_regularization": 10.0,
    "max_features": 0.3,
    "random_state": 0,
    "early_stopping": False,
}
_THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)


def matrix_of(features: Sequence[GateFeatures]) -> csr_matrix:
    """Return the features of messages as rows."""
    columns = [np.concatenate((each.columns, each.shared_columns)) for each in features]
    values = [np.concatenate((each.values, each.shared_values)) for each in features]
    rows = np.repeat(np.arange(len(features)), [len(each) for each in columns])
    return csr_matrix(
        (np.concatenate(values), (rows, np.concatenate(columns))), shape=(len(features), COLUMNS), dtype=np.float32
    )


def train(chats: Sequence[AlpsChat], examples: Sequence[GateExample]) -> StatementGate:
    """Fit both stages."""
    part = np.array([fold_of(f"inner {chats[example.chat].id}", _INNER_FOLDS) for example in examples])
    rows = np.zeros((len(examples), MESSAGE_NUMBERS), np.float32)
    for number in range(_INNER_FOLDS):
        gate = _first_stage([examples[place] for place in np.flatnonzero(part != number).tolist()])
        for place in np.flatnonzero(part == number).tolist():
            rows[place] = examples[place].judged(gate)
    return replace(_first_stage(examples), trees=_second_stage(rows, _targets(examples, _GOLD_SHARE_OF_TREES)))


def _targets(examples: Sequence[GateExample], gold_share: float) -> NDArray[np.float64]:
    return np.array([gold_share * example.gold + (1 - gold_share) * example.taken for example in examples])


def _first_stage(examples: Sequence[GateExample]) -> StatementGate:
    """Fit weights; a message with a target between 0 and 1 is one of each label, weighted."""
    features = matrix_of([example.features for example in examples])
    targets = _targets(examples, _GOLD_SHARE)
    positive = np.flatnonzero(targets)
    model = LogisticRegression(C=_C, max_iter=300, tol=1e-3)
    model.fit(
        vstack([features, features[positive]]),
        np.concatenate((np.zeros(len(targets)), np.ones(len(positive)))),
        sample_weight=np.concatenate((1 - targets, targets[positive])),
    )
    weights = model.coef_[0].astype(np.float32)
    return StatementGate(weights, float(model.intercept_[0]), DecisionTrees.constant(0.0), TRAINED_ON)


def _second_stage(rows: NDArray[np.float32], targets: NDArray[np.float64]) -> DecisionTrees:
    """Fit trees to log odds; a target between 0 and 1 counts as in the first stage."""
    positive, negative = np.flatnonzero(targets), np.flatnonzero(targets < 1)
    model = HistGradientBoostingClassifier(**_TREES)
    model.fit(
        np.concatenate((rows[negative], rows[positive])),
        np.concatenate((np.zeros(len(negative)), np.ones(len(positive)))),
        sample_weight=np.concatenate((1 - targets[negative], targets[positive])),
    )
    trees = [tree.nodes for (tree,) in model._predictors]
    roots = np.cumsum([0, *map(len, trees)])[:-1]
    nodes = np.concatenate(trees)
    offsets = np.repeat(roots, [len(tree) for tree in trees])
    places, is_leaf = np.arange(len(nodes)), nodes["is_leaf"].astype(bool)
    return DecisionTrees(
        features=np.where(is_leaf, 0, nodes["feature_idx"]).astype(np.int16),
        thresholds=np.where(is_leaf, 0, nodes["num_threshold"]).astype(np.float32),
        left=np.where(is_leaf, places, nodes["left"] + offsets).astype(np.int16),
        right=np.where(is_leaf, places, nodes["right"] + offsets).astype(np.int16),
        values=np.where(is_leaf, nodes["value"], 0).astype(np.float32),
        roots=roots.astype(np.int16),
        bias=float(model._baseline_prediction.item()),
    )


def scores(
    chats: Sequence[AlpsChat], examples: Sequence[GateExample], taken: Sequence[float], threshold: float
) -> Mapping[str, Score]:
    """Score a gate by language and in all, counting a message as taken from a probability on.

    Args:
        chats: All chats.
        examples: Their messages.
        taken: For each message its probability.
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
    likely = np.zeros(len(examples))
    for number in steps("folds", range(folds)):
        gate = train(chats, [examples[place] for place in np.flatnonzero(fold != number).tolist()])
        gates.append(gate)
        for place in np.flatnonzero(fold == number).tolist():
            example = examples[place]
            likely[place] = gate.of_message(example.judged(gate))
    return gates, list(likely)


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
        train(chats, examples).save(given.out or SHIPPED)
        return 0
    gates, likely = cross_validate(chats, examples, given.folds)
    given.out.mkdir(parents=True, exist_ok=True)
    for number, gate in enumerate(gates):
        gate.save(gate_file(given.out, number))
    for threshold in _THRESHOLDS:
        for name, score in scores(chats, examples, likely, threshold).items():
            print(
                f"from {threshold:.2f}, {name:15}: precision {score.precision:4.1f} %, recall {score.recall:4.1f} %, "
                f"F1 {score.f1:4.1f} %"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
