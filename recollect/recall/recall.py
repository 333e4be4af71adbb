"""Rank the memories of a query's subjects, and choose the ones to show, with reasons. Pure.

This takes two steps, so that only memories that may be shown are fetched: `rank_subjects` orders rows without texts,
the caller reads their memories (`Ranking.wanted`), and `finalize` decides what depends on the texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from recollect.ids import id_text
from recollect.recall.ann import AnnPlanner
from recollect.recall.dedupe import collapse_sources
from recollect.recall.order import few_notes, is_of_few, newest, order_by_policy, worth_showing
from recollect.recall.pack import Counting, RankedMemory, pack
from recollect.recall.query import Query
from recollect.recall.rank import RankedRow, hidden_kinds, reasons, rows, score_memories, standing_facts
from recollect.recall.signals import RankingSignals, collect_signals
from recollect.recall.similarity import Relevance
from recollect.recall.top_k import top_k
from recollect.text import bare
from recollect.types import (
    Memory,
    MemoryId,
    MemoryKind,
    OmittedMemory,
    Recall,
    RecalledMemory,
    Subject,
    SubjectSnapshot,
)

# Rows that compete, as factor and addend of the limit: quotations and the notes formed from them come in pairs, and
# some rows are in the request already.
_POOL_EACH, _POOL_MORE = 2, 10
# Rows fetched beyond the limit, as share and addend: some say the same, some do not fit.
_SPARE_SHARE, _SPARE_MORE = 0.2, 2
# Maximum number of standing facts fetched of one subject; more never fit a prompt.
_MAX_STANDING = 100
# Maximum number of memories reported as left out because the request contains them.
_MAX_PRESENT = 10

# Most databases have one embedder.
_NONE: Mapping[Subject, tuple[Query, Relevance]] = MappingProxyType({})
_NO_PLANNERS: Mapping[Subject, AnnPlanner] = MappingProxyType({})

IN_REQUEST = "the request already contains it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The rows that may be shown for a query, before their texts are known."""

    query: Query
    rows: tuple[RankedRow, ...]
    """Standing facts first, then best first."""
    left_out: tuple[OmittedMemory, ...]
    reading_list: tuple[Subject, ...]
    """The subjects read, own before shared before global."""
    considered: int
    """Number of active memories that were scored."""
    vectors_compared: int | None
    """See `Recall.vectors_compared`."""
    ids: tuple[MemoryId, ...]
    """Of the rows."""

    def wanted(self) -> dict[Subject, list[MemoryId]]:
        """Return the ids to fetch from each subject."""
        ids: dict[Subject, list[MemoryId]] = {}
        for row, memory_id in zip(self.rows, self.ids, strict=True):
            ids.setdefault(row.subject, []).append(memory_id)
        return ids


def rank_subjects(
    query: Query,
    snapshots: Sequence[SubjectSnapshot],
    relevance: Relevance,
    others: Mapping[Subject, tuple[Query, Relevance]] = _NONE,
    planners: Mapping[Subject, AnnPlanner] = _NO_PLANNERS,
) -> Ranking:
    """Rank the memories of several subjects together.

    Args:
        query: The query.
        snapshots: The subjects read, own before shared before global; each is scored by its own statistics.
        relevance: The embedder's calibration.
        others: Subjects read with another embedder, each with the query in its space and its calibration.
        planners: The planners that chose the vectors of subjects; they have computed the word signal already.

    Returns:
        Standing facts if the query is for a prompt, then the best of all, ties in the order of the reading list and of
        ids; a few more than the query's limit, of which `finalize` keeps what fits.
    """
    if query.for_prompt and query.policy.recent and query.newest is None:
        query = replace(query, newest=newest(snapshots, query.policy.recent))
    few = few_notes(snapshots, query) if query.for_prompt else {}
    standing: list[RankedRow] = []
    near: list[RankedRow] = []
    left: list[OmittedMemory] = []
    for snapshot in snapshots:
        if len(snapshot):
            asked, meaning = others.get(snapshot.subject, (query, relevance))
            words = planners[snapshot.subject].words(snapshot) if snapshot.subject in planners else None
            signals = collect_signals(snapshot, asked, meaning, words)
            _rank(query, snapshot, signals, (standing, near, left), all_notes=snapshot.subject in few)
    standing.sort(key=lambda row: -row.importance)
    near.sort(key=lambda row: -row.evidence)
    ranked = standing + near
    kept, doubles = collapse_sources(ranked if len(snapshots) == 1 else _distinct(ranked))
    left += [OmittedMemory(id=_id(lost), reason=_shown_as(shown)) for lost, shown in doubles]
    if query.for_prompt:
        strong = [row for row in kept if worth_showing(row, query)]
        strong += [row for row in kept if row not in strong and is_of_few(row, few)]
        weak = [row for row in kept if row not in strong][: query.limit]
        left += [OmittedMemory(id=_id(row), reason=f"too weak ({row.score:.2f})") for row in weak]
        kept = strong
    most = len(standing) + (query.limit and query.limit + int(query.limit * _SPARE_SHARE) + _SPARE_MORE)
    shown = tuple(kept[:most])
    return Ranking(
        query=query,
        rows=shown,
        ids=tuple(_id(row) for row in shown),
        left_out=tuple(left),
        reading_list=tuple(snapshot.subject for snapshot in snapshots),
        considered=sum(len(snapshot) for snapshot in snapshots),
        vectors_compared=_compared(snapshots),
    )


def finalize(ranking: Ranking, memories: Mapping[MemoryId, Memory], *, count_tokens: Counting) -> Recall:
    """Finish a ranking with the texts of its memories.

    Args:
        ranking: From `rank_subjects`.
        memories: The memories of its rows; a row whose memory is missing was erased meanwhile and is dropped.
        count_tokens: Counts a text as the prompt's model would; called only if the query has a token budget.
    """
    query = ranking.query
    asked = bare(query.text)
    rows = zip(ranking.rows, ranking.ids, strict=True)
    fetched = [RankedMemory(row, memories[memory_id]) for row, memory_id in rows if memory_id in memories]
    holders = _slot_holders(fetched, ranking.reading_list)
    found: list[RankedMemory] = []
    left = list(ranking.left_out)
    for ranked in fetched:
        memory = ranked.memory
        holder = holders[memory.category, memory.key] if memory.key else ranked.row.subject
        if holder != ranked.row.subject:
            left.append(OmittedMemory(id=memory.id, reason=f"{holder.text} has its own {memory.key}"))
        elif memory.kind is MemoryKind.TURN and bare(memory.text) == asked:
            left.append(OmittedMemory(id=memory.id, reason="is the query itself"))
        else:
            found.append(ranked)
    kept, lost = pack(found, limit=query.limit, budget_tokens=query.budget_tokens, count_tokens=count_tokens)
    items = tuple(
        RecalledMemory(
            memory=memory,
            score=row.score,
            similarity=row.similarity,
            word_share=row.word_share,
            reasons=reasons(row, query),
            standing=row.standing,
        )
        for row, memory in kept
    )
    return Recall(
        query=query.text,
        items=items,
        left_out=tuple(left + lost),
        considered=ranking.considered,
        vectors_compared=ranking.vectors_compared,
    )


def _rank(
    query: Query,
    snapshot: SubjectSnapshot,
    signals: RankingSignals,
    into: tuple[list[RankedRow], list[RankedRow], list[OmittedMemory]],
    *,
    all_notes: bool,
) -> None:
    """Add the best rows of one subject to the standing, the near and the omitted ones; with `all_notes`, all notes."""
    standing, near, left = into
    evidence = score_memories(snapshot, signals, query)
    hidden = hidden_kinds(snapshot, query)
    if hidden is not None:
        evidence[hidden] = -np.inf
    evidence, kept_out = order_by_policy(snapshot, signals, query, evidence)
    left += kept_out
    most = query.limit and query.limit * _POOL_EACH + _POOL_MORE
    if signals.present is not None:
        places = top_k(np.where(signals.present, evidence, -np.inf), min(most, _MAX_PRESENT))
        bar = np.partition(evidence, -most)[-most] if 0 < most < len(snapshot) else -np.inf
        left += [
            OmittedMemory(id=MemoryId(id_text(snapshot.ids[place])), reason=IN_REQUEST)
            for place in places.tolist()
            if evidence[place] >= bar
        ]
        evidence[signals.present] = -np.inf
    if query.for_prompt:
        places = standing_facts(snapshot, query, _MAX_STANDING)
        if signals.present is not None:
            places = places[~signals.present[places]]
        standing += rows(snapshot, signals, evidence, places, standing=True)
        evidence[places] = -np.inf
    places = top_k(evidence, most)
    if all_notes:
        notes = np.flatnonzero((snapshot.kinds == MemoryKind.NOTE.number) & (evidence > -np.inf))
        places = np.concatenate((places, np.setdiff1d(notes, places)))
    near += rows(snapshot, signals, evidence, places, standing=False)


def _slot_holders(found: Sequence[RankedMemory], reading_list: Sequence[Subject]) -> dict[tuple[str, str], Subject]:
    """Return whose value counts for each slot of the facts found: the first subject's of the reading list."""
    place = {subject: number for number, subject in reversed(list(enumerate(reading_list)))}
    holders: dict[tuple[str, str], Subject] = {}
    for row, memory in found:
        if memory.key:
            slot = (memory.category, memory.key)
            holders[slot] = min(holders.get(slot, row.subject), row.subject, key=place.__getitem__)
    return holders


def _distinct(ranked: Sequence[RankedRow]) -> list[RankedRow]:
    """Keep the first row of each memory: a linked memory is present in several subjects."""
    first: dict[bytes, RankedRow] = {}
    for row in ranked:
        first.setdefault(row.id, row)
    return list(first.values())


def _compared(snapshots: Sequence[SubjectSnapshot]) -> int | None:
    """Return how many vectors an index picked; None if all were read."""
    picked = [len(snapshot.vector_of) for snapshot in snapshots if snapshot.sampled_vectors is not None]
    return sum(picked) if picked else None


def _shown_as(shown: RankedRow) -> str:
    return f"its {'quotation' if shown.kind is MemoryKind.TURN else shown.kind.value} {_id(shown)} is shown"


def _id(row: RankedRow) -> MemoryId:
    return MemoryId(id_text(row.id))
