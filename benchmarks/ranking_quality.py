"""Measure the ranking on conversations whose evidence is known, beside what anybody would build. Reads its arguments.

One subject a conversation and user; each message is a quotation as the product indexes it: terms of "speaker text", a
vector for each piece of "speaker: piece". All messages count, small talk and bare questions too, which the product
leaves out (`benchmarks.search_locomo` measures with all of that). With `--observations` what LoCoMo's files observed
becomes notes, and a result counts for the messages it rests on.

`R@10` is the mean share of a question's evidence among the first ten results, `hit@10` the share of questions with any
of it, `in 1,000` the mean share within the first results that fit into 1,000 tokens of shown text.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Protocol
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from benchmarks import baselines
from benchmarks.dialogues import Dialogue, Said, read_dialogues
from benchmarks.kept_vectors import KeptVectors
from benchmarks.snapshots import Entry, build_snapshot
from toldonce.chat.content import speaker_name
from toldonce.clock import to_micros
from toldonce.extraction.sources import readable_text
from toldonce.profiles.policies import RecallPolicy
from toldonce.providers.calibration import Calibration
from toldonce.providers.chunker import chunks
from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.providers.token_counter import token_counter
from toldonce.recall.query import Query, RecallRequest, make_query
from toldonce.recall.recall import rank_subjects
from toldonce.recall.similarity import Relevance
from toldonce.recall.top_k import top_k
from toldonce.text import asks, hash64, terms
from toldonce.types import MAX_MEMORY_CHARACTERS, QUESTION_FLAG, MemoryKind, Subject, SubjectSnapshot, Vectors

LIMIT, ROOM = 10, 1_000
# Results asked for to fill the room: more never fit, at ten tokens each.
_DEEP = 100
_UTC = ZoneInfo("UTC")
_ROLES = {"user": 1, "assistant": 2}
# LoCoMo's questions that have an answer; all but the fifth category.
_ANSWERED = ("1", "2", "3", "4")


class Embeds(Protocol):
    """What turns texts into vectors here."""

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """Return a row for each text."""
        ...

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn cosines into relevance."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question with its evidence."""

    query: Query
    category: str
    evidence: frozenset[int]
    """Source keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A subject, with what results tell: the sources of each place, and what it takes to show it."""

    snapshot: SubjectSnapshot
    sources: Sequence[frozenset[int]]
    tokens: Sequence[int]
    cases: Sequence[Case]


Order = Callable[[SubjectSnapshot, Query, int], Sequence[int]]
"""The places of the best, so many of them."""


def pieces(said: Said) -> list[str]:
    """Cut a message as the product does before it is embedded."""
    name = speaker_name(said.speaker)
    cut = chunks(readable_text(said.text)) or [""]
    return [f"{name}: {piece}" if name else piece for piece in cut]


def texts(dialogue: Dialogue) -> list[str]:
    """List all that is embedded: messages, observations, questions."""
    return [
        *(piece for said in dialogue.turns for piece in pieces(said)),
        *(observation.text for observation in dialogue.observed),
        *(asked.text for asked in dialogue.questions),
    ]


def lay_out(dialogue: Dialogue, embedder: Embeds, count: Callable[[str], int], *, observed: bool) -> Known:
    """Build a dialogue's subject and its questions."""
    turns = dialogue.turns
    by_name = {said.name: said for said in turns}
    key = {said.name: hash64("said", said.name) for said in turns}
    entries = [
        Entry(
            terms=terms(f"{said.speaker} {readable_text(said.text)}"),
            vectors=embedder.embed_now(pieces(said)),
            valid_from_us=to_micros(said.said_at),
            role=_ROLES[said.role] + QUESTION_FLAG * asks(readable_text(said.text)),
            sources=(key[said.name],),
        )
        for said in turns
    ]
    shown = [readable_text(said.text) for said in turns]
    for observation in dialogue.observed if observed else ():
        first = by_name[observation.turns[0]]
        entries.append(
            Entry(
                terms=terms(observation.text),
                vectors=embedder.embed_now([observation.text]),
                valid_from_us=to_micros(first.said_at),
                kind=MemoryKind.NOTE,
                role=_ROLES[first.role],
                sources=tuple(key[name] for name in observation.turns),
            )
        )
        shown.append(observation.text)
    asked = embedder.embed_now([question.text for question in dialogue.questions])
    now = max(said.said_at for said in turns)
    owner = Subject("user", dialogue.id)
    return Known(
        snapshot=build_snapshot(owner, entries),
        sources=[frozenset(entry.sources) for entry in entries],
        tokens=[count(text[:MAX_MEMORY_CHARACTERS]) for text in shown],
        cases=[
            Case(
                query=make_query(
                    RecallRequest(text=question.text, subject=owner, policy=RecallPolicy(), limit=LIMIT),
                    vector=vector,
                    now=now,
                    zone=_UTC,
                ),
                category=question.category,
                evidence=frozenset(key[name] for name in question.evidence),
            )
            for question, vector in zip(dialogue.questions, asked, strict=True)
        ],
    )


def recalled(snapshot: SubjectSnapshot, query: Query, most: int, *, relevance: Relevance) -> list[int]:
    """Order as recall does."""
    del most  # the query says it
    return [int.from_bytes(row.id, "big") for row in rank_subjects(query, [snapshot], relevance).rows]


def scored(
    snapshot: SubjectSnapshot,
    query: Query,
    most: int,
    *,
    score: Callable[[SubjectSnapshot, Query], npt.NDArray[np.float64]],
) -> list[int]:
    """Order by a score."""
    places: list[int] = top_k(score(snapshot, query), most).tolist()
    return places


def orders(relevance: Relevance) -> dict[str, Order]:
    """Name what is compared."""
    return {
        "words (BM25)": partial(scored, score=baselines.bm25),
        "vectors": partial(scored, score=baselines.vectors),
        "convex .35": partial(scored, score=partial(baselines.convex, words=0.35)),
        "convex .5": partial(scored, score=partial(baselines.convex, words=0.5)),
        "convex .5, .3 before": partial(scored, score=partial(baselines.convex, words=0.5, before=0.3)),
        "rank fusion": partial(scored, score=baselines.rank_fusion),
        "recall": partial(recalled, relevance=relevance),
    }


def measure(data: Sequence[Known], order: Order, *, room: int = ROOM) -> dict[str, dict[str, float]]:
    """Ask all questions; figures in percent, by category and over all, and what a question took."""
    found: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)
    spent = 0.0
    for known in data:
        for case in known.cases:
            began = perf_counter()
            first = order(known.snapshot, case.query, LIMIT)[:LIMIT]
            spent += perf_counter() - began
            share = _share(known, first, case)
            deep = order(known.snapshot, _deeper(case.query), _DEEP)
            found[case.category].append((share, float(share > 0), _share(known, _fitting(known, deep, room), case)))
    groups = {name: [name] for name in sorted(found)}
    if set(found) >= set(_ANSWERED):
        groups["1-4"] = list(_ANSWERED)
    groups["all"] = list(found)
    figures = {}
    for name, group in groups.items():
        rows = np.array([row for category in group for row in found[category]])
        recall, hit, within = (100 * rows.mean(axis=0)).tolist()
        figures[name] = {"R@10": recall, "hit@10": hit, f"in {room:,}": within, "questions": float(len(rows))}
    figures["all"]["ms"] = 1e3 * spent / sum(map(len, found.values()))
    return figures


def _deeper(query: Query) -> Query:
    return replace(query, limit=_DEEP)


def _share(known: Known, places: Sequence[int], case: Case) -> float:
    shown = {key for place in places for key in known.sources[place]}
    return len(case.evidence & shown) / len(case.evidence)


def _fitting(known: Known, places: Sequence[int], room: int) -> list[int]:
    """Walk down the ranking until the room is used."""
    kept = []
    for place in places:
        room -= known.tokens[place]
        if room < 0:
            break
        kept.append(place)
    return kept


def _print(figures: dict[str, dict[str, dict[str, float]]]) -> None:
    groups = list(next(iter(figures.values())))
    print(f"{'R@10 (in 1,000)':<22}" + "".join(f"{group[:13]:>14}" for group in groups) + f"{'ms':>7}")
    for name, figure in figures.items():
        cells = "".join(f"{figure[group]['R@10']:>6.1f} ({figure[group][f'in {ROOM:,}']:4.1f})" for group in groups)
        print(f"{name:<22}{cells}{figure['all']['ms']:>7.2f}")


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+", help="files in LoCoMo's format, folders of BEAM's conversations")
    parser.add_argument("--observations", action="store_true", help="what LoCoMo's files observed is remembered, too")
    parser.add_argument("--vectors", type=Path, help="vectors of another embedder: see benchmarks/kept_vectors.py")
    parser.add_argument("--midpoint", type=float, help="its calibration (with --vectors)")
    parser.add_argument("--slope", type=float)
    parser.add_argument("--texts", type=Path, help="write all that is to be embedded there, as a JSON list, and end")
    parser.add_argument("--only", help="one row alone")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    dialogues = {path.stem: read_dialogues(path) for path in given.paths}
    if given.texts:
        distinct = dict.fromkeys(text for held in dialogues.values() for dialogue in held for text in texts(dialogue))
        given.texts.write_text(json.dumps(list(distinct)), "utf-8")
        return
    embedder: Embeds = StaticEmbedder()
    if given.vectors:
        embedder = KeptVectors(given.vectors, Calibration(midpoint=given.midpoint, slope=given.slope))
    count = token_counter().count
    figures = {}
    for name, held in dialogues.items():
        print(f"{name}: {len(held)} memories", file=sys.stderr)
        data = [lay_out(dialogue, embedder, count, observed=given.observations) for dialogue in held]
        ways = {row: order for row, order in orders(embedder.relevance).items() if given.only in (None, row)}
        figures[name] = {row: measure(data, order) for row, order in ways.items()}
        _print(figures[name])
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
