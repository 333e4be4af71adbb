"""How well heads judge messages that they were not trained on: scores, and tables of them. Prints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.alps_chats import ENGLISH
from toldonce.extraction.rules.kept_sentences import FURTHER_THRESHOLD, MESSAGE_THRESHOLD, VETO_THRESHOLD
from toldonce.reading.head_features import Rows
from toldonce.reading.heads import HEADS, Head, Judgement
from tools.reader_examples import Evidence, Labelled

_MIN_EXAMPLES = 10
_VETOES = (Head.UNMEANT, Head.OTHERS, Head.COURTESY)


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


def print_heads(labelled: Sequence[Labelled], judged: Sequence[Rows]) -> None:
    """Print the scores of the heads of sentences, for our own messages by language too."""
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


def print_evidence(evidence: Sequence[Evidence], kept: NDArray[np.float32]) -> None:
    """Print the scores of the head of messages on AlpsBench."""
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


def is_kept(judgement: Judgement) -> bool:
    """Return whether something of a message is kept: see `toldonce/extraction/rules/kept_sentences.py`."""
    told = [judgement.told(place) for place in range(len(judgement.sentences))]
    return judgement.kept >= MESSAGE_THRESHOLD and any(
        (each == max(told) or each >= FURTHER_THRESHOLD)
        and all(judgement.of(place, head) < VETO_THRESHOLD for head in _VETOES)
        for place, each in enumerate(told)
    )


def print_kept(kept: Mapping[str, Sequence[tuple[Labelled, bool]]]) -> None:
    """Print the shares of our own messages that are kept: of those that tell something, and of the others.

    Args:
        kept: Messages, and whether something of them is kept, by what stands before them.
    """
    languages = sorted({each.language for said in kept.values() for each, _ in said})
    for name, spoken in (("all", languages), *((language, [language]) for language in languages)):
        shares = []
        for before, said in kept.items():
            chosen = [(each.tells, is_so) for each, is_so in said if each.language in spoken]
            told, others = ([is_so for tells, is_so in chosen if tells == wanted] for wanted in (1.0, 0.0))
            shares.append(f"{before} {100 * np.mean(told):5.1f} % and {100 * np.mean(others):4.1f} %")
        print(f"own, {name:4} kept of statements, and of other messages: {', '.join(shares)}")
