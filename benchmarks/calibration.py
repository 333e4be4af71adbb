"""What an embedder's cosines mean: fit its curve and show it against what was observed. Reads the files it is given.

Fitted on questions about conversations in LoCoMo's format: the cosines of each question with its evidence turns
against those with all other turns of its conversation. With a folder of STS pairs, a second table shows beside each
cosine how often people held two sentences of it to mean the same. The embedder is the one that the settings name.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.dialogues import sessions
from benchmarks.kept_vectors import KeptVectors
from benchmarks.pairs import PARAPHRASE
from benchmarks.sentence_pairs import Pair, sts
from toldonce.profiles.policies import ResolvePolicy
from toldonce.providers.calibration import ANSWERS_AMONG_CANDIDATES, Calibration
from toldonce.providers.model_factory import open_embedder
from toldonce.providers.protocols import Embedder, OpenedEmbedder
from toldonce.settings import Settings

# LoCoMo's categories whose evidence answers the question; the fifth has questions without an answer.
_ANSWERED = frozenset({1, 2, 3, 4})
_EDGES = (-1.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01)
Cosines = npt.NDArray[np.float32]


async def question_cosines(embedder: Embedder, samples: Sequence[dict[str, Any]]) -> tuple[Cosines, Cosines]:
    """Return the cosines of questions with their evidence turns, and with the other turns of their conversation."""
    related: list[Cosines] = []
    unrelated: list[Cosines] = []
    for sample in samples:
        turns = [turn for _, turn in sessions(sample["conversation"])]
        place = {turn["dia_id"]: index for index, turn in enumerate(turns)}
        vectors = await embedder.embed([turn["text"].strip() for turn in turns])
        asked = [item for item in sample["qa"] if item["category"] in _ANSWERED]
        questions = await embedder.embed([item["question"] for item in asked])
        for item, question in zip(asked, questions, strict=True):
            evidence = {place[name] for name in item["evidence"] if name in place}
            if evidence:
                cosine = np.vecdot(vectors, question)
                answers = np.isin(np.arange(len(turns)), list(evidence))
                related.append(cosine[answers])
                unrelated.append(cosine[~answers])
    return np.concatenate(related), np.concatenate(unrelated)


def answering(calibration: Calibration, related: Cosines, unrelated: Cosines) -> list[dict[str, float]]:
    """Show, by cosine, the fitted relevance beside the share that answers, weighted as the fit weighs them."""
    rows = []
    for low, high in pairwise(_EDGES):
        yes = float(np.mean((related >= low) & (related < high))) * ANSWERS_AMONG_CANDIDATES
        no = float(np.mean((unrelated >= low) & (unrelated < high))) * (1 - ANSWERS_AMONG_CANDIDATES)
        if yes + no:
            within = np.concatenate([related, unrelated])
            middle = within[(within >= low) & (within < high)].mean(keepdims=True)
            rows.append(
                {
                    "cosine": round(float(middle[0]), 3),
                    "relevance": round(float(calibration.relevance(middle.astype(np.float32))[0]), 3),
                    "observed": round(yes / (yes + no), 3),
                }
            )
    return rows


async def meaning_the_same(embedder: Embedder, pairs: Sequence[Pair]) -> list[dict[str, float]]:
    """Show, by cosine, the relevance and the share of pairs that people scored as the same."""
    ones = await embedder.embed([pair.one for pair in pairs])
    others = await embedder.embed([pair.other for pair in pairs])
    cosine, same = np.vecdot(ones, others), np.array([pair.score >= PARAPHRASE for pair in pairs])
    rows = []
    for low, high in pairwise(_EDGES):
        inside = (cosine >= low) & (cosine < high)
        if inside.any():
            middle = cosine[inside].mean(keepdims=True)
            relevance = embedder.relevance(middle.astype(np.float32))[0]
            rows.append(
                {
                    "cosine": round(float(middle[0]), 3),
                    "relevance": round(float(relevance), 4),
                    "the same": round(float(same[inside].mean()), 3),
                    "pairs": int(inside.sum()),
                }
            )
    return rows


async def measure(embedder: Embedder, samples: Sequence[dict[str, Any]], pairs: Sequence[Pair]) -> dict[str, Any]:
    """Fit, and put the tables together."""
    related, unrelated = await question_cosines(embedder, samples)
    fitted = Calibration.fit(related.tolist(), unrelated.tolist())
    policy = ResolvePolicy()
    figures: dict[str, Any] = {
        "space": embedder.space,
        "fitted": {"midpoint": round(fitted.midpoint, 3), "slope": round(fitted.slope, 2)},
        "pairs": {"related": len(related), "unrelated": len(unrelated)},
        "answers a question": answering(fitted, related, unrelated),
    }
    if pairs:
        thresholds = {"meaning": policy.meaning, "wording": policy.wording}
        figures["thresholds as cosines of the fit"] = {
            name: round(fitted.midpoint + float(np.log(value / (1 - value))) / fitted.slope, 3)
            for name, value in thresholds.items()
        }
        figures["means the same"] = await meaning_the_same(embedder, pairs)
    return figures


async def _run(samples: Sequence[dict[str, Any]], pairs: Sequence[Pair], vectors: Path | None) -> dict[str, Any]:
    embedder: OpenedEmbedder = open_embedder(Settings.load())
    if vectors:
        embedder = KeptVectors(vectors, Calibration(midpoint=0, slope=1))  # the curve is what is looked for
    try:
        return await measure(embedder, samples, pairs)
    finally:
        await embedder.close()


def main() -> None:
    """Read the arguments, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="a file in LoCoMo's format")
    parser.add_argument("--pairs", type=Path, help="a folder with sts_train.tsv")
    parser.add_argument("--vectors", type=Path, help="vectors of another embedder: see benchmarks/kept_vectors.py")
    given = parser.parse_args()
    samples = json.loads(given.path.read_text("utf-8"))
    pairs = sts(given.pairs / "sts_train.tsv") if given.pairs else []
    print(json.dumps(asyncio.run(_run(samples, pairs, given.vectors)), indent=2))


if __name__ == "__main__":
    main()
