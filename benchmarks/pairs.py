"""Which pairs of sentences become one memory without a model. Reads the folder of pairs it is given.

The folder holds SICK (`SICK_train.txt`, `SICK_trial.txt`) and STS (`sts_train.tsv`, `sts_val.tsv`). The first
sentence of a pair is a memory, the second a newer candidate; they go through the same `resolve` as every candidate.
A pair merged where the candidate was ignored as known, or merged.
"""

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.sentence_pairs import Pair, sentences, shuffled, sick, sts, variants
from toldonce.profiles.policies import ResolvePolicy
from toldonce.providers.multilingual_embedder import MultilingualEmbedder
from toldonce.resolution.decide import resolve
from toldonce.resolution.values import Claim, Neighbour, Neighbours, ResolveInputs
from toldonce.types import Action, Candidate, ConversationId, Evidence, Memory, MemoryId, MemoryKind, Subject

# What issue and docs promise.
MAX_CONTRADICTIONS, MAX_BESIDE, MIN_VARIANTS = 0.0, 0.001, 0.90
# STS pairs from this score on are held to mean the same.
PARAPHRASE = 4.8
_SEED = 3
_NOW = datetime(2026, 1, 2, tzinfo=UTC)
_BEFORE = _NOW - timedelta(days=1)
_WHO = Subject("user", "pairs")
_CHAT = ConversationId("01900000-0000-7000-8000-000000000001")
_ID = MemoryId("01900000-0000-7000-8000-000000000002")
_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of a pair."""

    pair: Pair
    merged: bool
    reason: str
    similarity: float


def judge(pairs: Sequence[Pair], policy: ResolvePolicy | None = None) -> list[Verdict]:
    """Resolve each pair by itself, with the built-in embedder."""
    embedder = MultilingualEmbedder()
    found: list[Verdict] = []
    for start in range(0, len(pairs), _BATCH):
        batch = pairs[start : start + _BATCH]
        ones = embedder.embed_now([pair.one for pair in batch])
        others = embedder.embed_now([pair.other for pair in batch])
        similar = embedder.relevance(np.vecdot(ones, others))
        found += [
            _verdict(pair, float(similarity), policy or ResolvePolicy())
            for pair, similarity in zip(batch, similar, strict=True)
        ]
    return found


def _verdict(pair: Pair, similarity: float, policy: ResolvePolicy) -> Verdict:
    near = [[Neighbour(memory=_memory(pair.one), similarity=similarity)]]
    candidate = Candidate(
        kind=MemoryKind.NOTE, text=pair.other, speaker="user", seq=2, quote=pair.other, valid_from=_NOW
    )
    [decided] = resolve(
        [Claim(candidate, _evidence(2, pair.other, _NOW))],
        Neighbours(near=near),
        policy=policy,
        inputs=ResolveInputs(now=_NOW),
    ).resolved
    return Verdict(
        pair=pair, merged=decided.action in (Action.IGNORE, Action.MERGE), reason=decided.reason, similarity=similarity
    )


def _memory(text: str) -> Memory:
    return Memory(
        id=_ID,
        subject=_WHO,
        kind=MemoryKind.NOTE,
        text=text,
        valid_from=_BEFORE,
        known_from=_BEFORE,
        evidence=(_evidence(1, text, _BEFORE),),
    )


def _evidence(seq: int, quote: str, said_at: datetime) -> Evidence:
    return Evidence(conversation=_CHAT, seq=seq, hash=seq, role="user", speaker="user", quote=quote, said_at=said_at)


def share(verdicts: Sequence[Verdict]) -> float:
    """Return the share that merged."""
    return sum(verdict.merged for verdict in verdicts) / len(verdicts) if verdicts else 0.0


def measure(sick_pairs: Sequence[Pair], sts_pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the shares that merge: contradictions, variants by kind, paraphrases, and what should mostly not."""
    seed = random.Random(_SEED)
    by_kind: defaultdict[str, list[Pair]] = defaultdict(list)
    for text in sentences(sick_pairs):
        for kind, written in variants(text, seed):
            by_kind[kind].append(Pair(one=text, other=written, score=5.0))
    shuffles = [Pair(one=text, other=shuffled(text, seed), score=5.0) for text in sentences(sick_pairs)]
    kinds = {kind: judge(pairs) for kind, pairs in sorted(by_kind.items())}
    contradictions = judge([pair for pair in sick_pairs if pair.judgment == "CONTRADICTION"])
    backwards = judge([_turned(verdict.pair) for verdict in contradictions])
    either = [verdict.merged or other.merged for verdict, other in zip(contradictions, backwards, strict=True)]
    paraphrases = judge([pair for pair in sts_pairs if pair.score >= PARAPHRASE])
    return {
        "contradictions": {"pairs": len(either), "merged": sum(either) / max(1, len(either))},
        "variants": {
            "pairs": sum(map(len, kinds.values())),
            "merged": share([verdict for found in kinds.values() for verdict in found]),
            "worst": min((share(found) for found in kinds.values()), default=0.0),
            "by kind": {kind: round(share(found), 4) for kind, found in kinds.items()},
            "words in any order": round(share(judge(shuffles)), 4),
        },
        "paraphrases": {
            "pairs": len(paraphrases),
            "merged": share(paraphrases),
        },
        "beside": {
            "SICK neutral, relatedness below 4": share(
                judge([pair for pair in sick_pairs if pair.judgment == "NEUTRAL" and pair.score < 4])
            ),
            "STS scored below 3": share(judge([pair for pair in sts_pairs if pair.score < 3])),
        },
    }


def _turned(pair: Pair) -> Pair:
    return Pair(one=pair.other, other=pair.one, score=pair.score, judgment=pair.judgment)


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder with SICK and STS")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    figures = {
        "chosen on (train)": measure(sick(given.folder / "SICK_train.txt"), sts(given.folder / "sts_train.tsv")),
        "reported (trial, val)": measure(sick(given.folder / "SICK_trial.txt"), sts(given.folder / "sts_val.tsv")),
    }
    text = json.dumps(figures, indent=2, ensure_ascii=False)
    print(text)
    if given.json:
        given.json.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
