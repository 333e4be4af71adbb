"""Measure turn recall on conversations in LoCoMo's format. Reads the file it is given; prints a table.

One subject a conversation, each turn a memory: its terms are of "Speaker: text", its vector of the text, its time that
of its session. Each question asks for ten memories; `hit@10` is the share of questions with at least one evidence turn
among them, `R@10` the mean share of a question's evidence turns. Evidence that names no turn of the conversation is
passed over, and a question without any. Rows for words alone (the same BM25) and vectors alone stand beside.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from benchmarks.hots import Entry, build_hot
from recollect.clock import to_micros
from recollect.profiles.model import RecallPolicy
from recollect.providers.static import StaticEmbedder
from recollect.recall.gather import gather
from recollect.recall.query import Query, make_query
from recollect.recall.rank import best
from recollect.recall.recall import rank_subjects
from recollect.text import terms
from recollect.types import Hot, Subject, Vector

LIMIT = 10
UTC_ZONE = ZoneInfo("UTC")
Order = Callable[[Hot, Query], list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question with the places of its evidence."""

    query: Query
    category: int
    evidence: frozenset[int]


def sessions(conversation: dict[str, Any]) -> Iterator[tuple[datetime, dict[str, Any]]]:
    """Read the turns in order, each with the time of its session."""
    number = 1
    while f"session_{number}" in conversation or f"session_{number}_date_time" in conversation:
        written = conversation[f"session_{number}_date_time"] + " +0000"
        held = datetime.strptime(written, "%I:%M %p on %d %B, %Y %z")
        for turn in conversation.get(f"session_{number}", []):
            yield held, turn
        number += 1


def read(sample: dict[str, Any], embedder: StaticEmbedder) -> tuple[Hot, list[Case]]:
    """Build one conversation's subject and its questions."""
    turns = list(sessions(sample["conversation"]))
    vectors = embedder.embed_now([turn["text"] for _, turn in turns])
    entries = [
        Entry(terms=terms(f"{turn['speaker']}: {turn['text']}"), vector=vector, valid_from_us=to_micros(held))
        for (held, turn), vector in zip(turns, vectors, strict=True)
    ]
    place = {turn["dia_id"]: index for index, (_, turn) in enumerate(turns)}
    asked = embedder.embed_now([item["question"] for item in sample["qa"]])
    cases = []
    for item, vector in zip(sample["qa"], asked, strict=True):
        evidence = frozenset(place[name] for name in item["evidence"] if name in place)
        if evidence:
            query = ask(item["question"], vector, now=turns[-1][0])
            cases.append(Case(query=query, category=item["category"], evidence=evidence))
    return build_hot(Subject("user", sample["sample_id"]), entries), cases


def ask(text: str, vector: Vector, *, now: datetime) -> Query:
    """Make the query a search would make."""
    return make_query(text, vector=vector, now=now, zone=UTC_ZONE, limit=LIMIT, policy=RecallPolicy())


def measure(data: list[tuple[Hot, list[Case]]], order: Order) -> dict[str, dict[str, float]]:
    """Ask all questions; figures in percent, by group of categories."""
    hits: dict[int, list[float]] = defaultdict(list)
    recalls: dict[int, list[float]] = defaultdict(list)
    started = perf_counter()
    for hot, cases in data:
        for case in cases:
            found = case.evidence & set(order(hot, case.query)[:LIMIT])
            hits[case.category].append(float(bool(found)))
            recalls[case.category].append(len(found) / len(case.evidence))
    spent = perf_counter() - started
    groups = {"1-4": [c for c in hits if c <= 4], "1-5": list(hits)} | {str(c): [c] for c in sorted(hits)}
    figures = {
        name: {
            "hit@10": 100 * float(np.mean([hit for c in group for hit in hits[c]])),
            "R@10": 100 * float(np.mean([share for c in group for share in recalls[c]])),
            "questions": float(sum(len(hits[c]) for c in group)),
        }
        for name, group in groups.items()
    }
    return figures | {"all": {"ms": 1e3 * spent / sum(map(len, hits.values()))}}


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("path", type=Path, help="a JSON file in LoCoMo's format")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    embedder = StaticEmbedder()
    relevance = embedder.relevance

    def recalled(hot: Hot, query: Query) -> list[int]:
        return [int.from_bytes(row.id, "big") for row in rank_subjects(query, [hot], relevance).rows]

    def alone(evidence: Callable[[Hot, Query], npt.NDArray[np.float64]]) -> Order:
        return lambda hot, query: best(evidence(hot, query), LIMIT).tolist()

    data = [read(sample, embedder) for sample in json.loads(given.path.read_text("utf-8"))]
    rows = {
        "words (BM25)": alone(lambda hot, query: gather(hot, query, relevance).words.evidence),
        "vectors": alone(lambda hot, query: gather(hot, query, relevance).meaning.evidence.astype(np.float64)),
        "recall": recalled,
    }
    figures = {name: measure(data, order) for name, order in rows.items()}
    if given.json:
        json.dump(figures, sys.stdout, indent=2)
        print()
        return
    groups = [name for name in figures["recall"] if name != "all"]
    print(f"{'hit@10 · R@10, %':<16}" + "".join(f"{group:>15}" for group in groups) + f"{'ms a query':>14}")
    for name, figure in figures.items():
        cells = "".join(f"{figure[group]['hit@10']:>8.1f} ·{figure[group]['R@10']:>5.1f}" for group in groups)
        print(f"{name:<16}{cells}{figure['all']['ms']:>14.2f}")


if __name__ == "__main__":
    main()
