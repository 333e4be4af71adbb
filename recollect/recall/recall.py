"""From a query and the subjects it may read to the memories worth showing, with reasons. Pure.

In two steps, so that only what may be shown is fetched: `rank_subjects` orders light rows, the caller reads their
memories (`Ranking.wanted`), and `finalize` settles what only their texts can tell.
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

# Rows weighed against one another for each one asked for: quotations and what was distilled from them come in pairs,
# and some fall to the request's own messages.
_POOL_EACH, _POOL_MORE = 2, 10
# Rows whose texts are fetched beside those asked for: some say the same, some do not fit.
_SPARE_SHARE, _SPARE_MORE = 0.2, 2
# Standing facts of one subject that are fetched; more never fit a prompt.
_MAX_STANDING = 100
# Near memories named as left out because the request holds them; the rest of a long chat goes unnamed.
_MAX_PRESENT = 10

# Mostly one embedder is all there is.
_NONE: Mapping[Subject, tuple[Query, Relevance]] = MappingProxyType({})
_NOT_SOUGHT: Mapping[Subject, AnnPlanner] = MappingProxyType({})

IN_REQUEST = "the request already contains it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What may be shown for a query, before texts are known."""

    query: Query
    rows: tuple[RankedRow, ...]
    """Standing facts first, then best first."""
    left_out: tuple[OmittedMemory, ...]
    reading_list: tuple[Subject, ...]
    """The subjects read, own before shared before global."""
    considered: int
    """How many active memories were weighed."""
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
    hots: Sequence[SubjectSnapshot],
    relevance: Relevance,
    others: Mapping[Subject, tuple[Query, Relevance]] = _NONE,
    seekers: Mapping[Subject, AnnPlanner] = _NOT_SOUGHT,
) -> Ranking:
    """Rank the memories of several subjects together.

    Args:
        query: What is asked.
        hots: The subjects read, own before shared before global; each is weighed by its own statistics.
        relevance: The embedder's calibration.
        others: Subjects whose vectors are another embedder's, each with the query in its space and its calibration.
        seekers: What said of subjects which vectors are needed: they know a part of the answer.

    Returns:
        Standing facts where the query wants them, then the best of all, ties in the order of the reading list and of
        ids; a few more than the query's limit, of which `finalize` keeps what fits.
    """
    if query.for_prompt and query.policy.recent and query.newest is None:
        query = replace(query, newest=newest(hots, query.policy.recent))
    few = few_notes(hots, query) if query.for_prompt else {}
    standing: list[RankedRow] = []
    near: list[RankedRow] = []
    left: list[OmittedMemory] = []
    for hot in hots:
        if len(hot):
            asked, meaning = others.get(hot.subject, (query, relevance))
            words = seekers[hot.subject].words(hot) if hot.subject in seekers else None
            matches = collect_signals(hot, asked, meaning, words)
            _rank(query, hot, matches, (standing, near, left), all_notes=hot.subject in few)
    standing.sort(key=lambda row: -row.importance)
    near.sort(key=lambda row: -row.evidence)
    ranked = standing + near
    kept, doubles = collapse_sources(ranked if len(hots) == 1 else _distinct(ranked))
    left += [OmittedMemory(id=_id(lost), reason=_said_by(shown)) for lost, shown in doubles]
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
        reading_list=tuple(hot.subject for hot in hots),
        considered=sum(len(hot) for hot in hots),
        vectors_compared=_compared(hots),
    )


def finalize(ranking: Ranking, memories: Mapping[MemoryId, Memory], *, count_tokens: Counting) -> Recall:
    """Settle a ranking with the texts of its memories.

    Args:
        ranking: From `rank_subjects`.
        memories: The memories of its rows; a row whose memory is missing was erased meanwhile and is dropped.
        count_tokens: Counts a text as the prompt's model would; asked only where the query has a token budget.
    """
    query = ranking.query
    asked = bare(query.text)
    rows = zip(ranking.rows, ranking.ids, strict=True)
    fetched = [RankedMemory(row, memories[memory_id]) for row, memory_id in rows if memory_id in memories]
    holders = _slot_holders(fetched, ranking.reading_list)
    found: list[RankedMemory] = []
    left = list(ranking.left_out)
    for one in fetched:
        memory = one.memory
        holder = holders[memory.category, memory.key] if memory.key else one.row.subject
        if holder != one.row.subject:
            left.append(OmittedMemory(id=memory.id, reason=f"{holder.text} has its own {memory.key}"))
        elif memory.kind is MemoryKind.TURN and bare(memory.text) == asked:
            left.append(OmittedMemory(id=memory.id, reason="is the query itself"))
        else:
            found.append(one)
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
    hot: SubjectSnapshot,
    matches: RankingSignals,
    into: tuple[list[RankedRow], list[RankedRow], list[OmittedMemory]],
    *,
    all_notes: bool,
) -> None:
    """Add the best rows of one subject, or those and all its notes, to the standing, the near and those left out."""
    standing, near, left = into
    evidence = score_memories(hot, matches, query)
    hidden = hidden_kinds(hot, query)
    if hidden is not None:
        evidence[hidden] = -np.inf
    evidence, kept_out = order_by_policy(hot, matches, query, evidence)
    left += kept_out
    most = query.limit and query.limit * _POOL_EACH + _POOL_MORE
    if matches.present is not None:
        places = top_k(np.where(matches.present, evidence, -np.inf), min(most, _MAX_PRESENT))
        bar = np.partition(evidence, -most)[-most] if 0 < most < len(hot) else -np.inf
        left += [
            OmittedMemory(id=MemoryId(id_text(hot.ids[place])), reason=IN_REQUEST)
            for place in places.tolist()
            if evidence[place] >= bar
        ]
        evidence[matches.present] = -np.inf
    if query.for_prompt:
        places = standing_facts(hot, query, _MAX_STANDING)
        if matches.present is not None:
            places = places[~matches.present[places]]
        standing += rows(hot, matches, evidence, places, standing=True)
        evidence[places] = -np.inf
    places = top_k(evidence, most)
    if all_notes:
        notes = np.flatnonzero((hot.kinds == MemoryKind.NOTE.number) & (evidence > -np.inf))
        places = np.concatenate((places, np.setdiff1d(notes, places)))
    near += rows(hot, matches, evidence, places, standing=False)


def _slot_holders(found: Sequence[RankedMemory], reading_list: Sequence[Subject]) -> dict[tuple[str, str], Subject]:
    """Tell for each slot of the facts found which subject's value counts: the first of the reading list with one."""
    place = {subject: number for number, subject in reversed(list(enumerate(reading_list)))}
    holders: dict[tuple[str, str], Subject] = {}
    for row, memory in found:
        if memory.key:
            slot = (memory.category, memory.key)
            holders[slot] = min(holders.get(slot, row.subject), row.subject, key=place.__getitem__)
    return holders


def _distinct(ranked: Sequence[RankedRow]) -> list[RankedRow]:
    """Keep the first of rows that are one memory, present in several subjects."""
    first: dict[bytes, RankedRow] = {}
    for row in ranked:
        first.setdefault(row.id, row)
    return list(first.values())


def _compared(hots: Sequence[SubjectSnapshot]) -> int | None:
    """Count the vectors that an index picked; None where all were read."""
    picked = [len(hot.vector_of) for hot in hots if hot.sampled_vectors is not None]
    return sum(picked) if picked else None


def _said_by(shown: RankedRow) -> str:
    return f"its {'quotation' if shown.kind is MemoryKind.TURN else shown.kind.value} {_id(shown)} is shown"


def _id(row: RankedRow) -> MemoryId:
    return MemoryId(id_text(row.id))
