"""Rank the memories of a query's subjects. Pure.

Recall takes two steps, so that only memories that may be shown are fetched: `rank_subjects` orders rows without texts,
the caller reads their memories (`Ranking.wanted`), and `finalize` decides what depends on the texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from toldonce.ids import id_text, is_unstored
from toldonce.recall.ann import AnnPlanner
from toldonce.recall.bring_in import bring_in
from toldonce.recall.dedupe import collapse_sources
from toldonce.recall.floor import Floor, asks_in_general
from toldonce.recall.known_names import weigh_known_names
from toldonce.recall.later import Later, find_followers, find_later
from toldonce.recall.newest import asks_what_holds_now
from toldonce.recall.order import (
    find_newest_notes,
    find_note_floors,
    is_above_note_floor,
    is_worth_showing,
    order_by_policy,
)
from toldonce.recall.pack import Gists
from toldonce.recall.query import Query
from toldonce.recall.rank import (
    RankedRow,
    build_rows,
    find_own_words,
    find_standing_facts,
    find_statements,
    mask_hidden,
    score_memories,
    score_overview,
)
from toldonce.recall.score_parts import ScoreParts, score_parts
from toldonce.recall.signals import RankingSignals, collect_signals
from toldonce.recall.similarity import Relevance
from toldonce.recall.successors import find_successors
from toldonce.recall.top_k import top_k
from toldonce.types import (
    MemoryId,
    MemoryKind,
    OmittedMemory,
    Subject,
    SubjectSnapshot,
)

# Rows of each subject that compete, as factor and addend of the limit: a quotation and the note formed from it are two
# rows of which one is shown, and some rows are in the request already.
_POOL_FACTOR, _POOL_EXTRA = 2, 10
# Rows fetched beyond the limit, as share and addend: some say the same, some do not fit.
_SPARE_SHARE, _SPARE_EXTRA = 0.2, 2
# The same for a question about what holds now, as the newest value may rank far below the old one: 18 rows for a limit
# of 10. With 30, no more newest values are found on BEAM, and recall falls.
_SPARE_SHARE_NOW, _SPARE_EXTRA_NOW = 0.6, 2
# A small memory fills a prompt up to so many lines with what little speaks for. In the stories of the tests, prompts
# then have as much of what is expected as with all there is (572 of 620 contents), with 4 lines they have 569.
MIN_SHOWN_OF_FEW = 6
# Maximum number of standing facts fetched of one subject; more never fit a prompt. See `find_standing_facts`.
_MAX_STANDING = 100
# Maximum number of memories reported as left out because the request contains them.
_MAX_PRESENT = 10

# Most databases have one embedder.
_NO_OTHER_SPACES: Mapping[Subject, tuple[Query, Relevance]] = MappingProxyType({})
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
    spares: Mapping[bytes, RankedRow]
    """Standing facts that bear on the query, by id, as the rows they are where the profile block has no room."""
    quotations: Mapping[bytes, RankedRow]
    """For a question about what holds now: the quotations of which a note is shown, by the note's id."""
    later: Mapping[bytes, Later]
    """Statements that come before an older one about the same thing, by its id."""
    followers: Mapping[bytes, Sequence[RankedRow]]
    """What may have been said later about standing facts, by their ids."""
    gists: Gists
    """What the memories of a single subject say, as far as it was shown before."""
    parts: ScoreParts
    """What the scores of a search by hand are made of; empty for a prompt."""

    def wanted(self) -> dict[Subject, list[MemoryId]]:
        """Return the ids to fetch from each subject."""
        ids: dict[Subject, list[MemoryId]] = {}
        for row, id_ in zip(self.rows, self.ids, strict=True):
            if not is_unstored(id_):
                ids.setdefault(row.subject, []).append(id_)
        for quotation in chain(self.quotations.values(), *self.followers.values()):
            ids.setdefault(quotation.subject, []).append(memory_id(quotation))
        return ids


def rank_subjects(
    query: Query,
    snapshots: Sequence[SubjectSnapshot],
    relevance: Relevance,
    others: Mapping[Subject, tuple[Query, Relevance]] = _NO_OTHER_SPACES,
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
        query = replace(query, newest=find_newest_notes(snapshots, query.policy.recent))
    note_floors = find_note_floors(snapshots, query) if query.for_prompt else {}
    is_about_now = asks_what_holds_now(query)
    share, extra = (_SPARE_SHARE_NOW, _SPARE_EXTRA_NOW) if is_about_now else (_SPARE_SHARE, _SPARE_EXTRA)
    max_shown = query.limit and query.limit + int(query.limit * share) + extra
    found = _Candidates(max_alone=max_shown if len(snapshots) == 1 and not query.for_prompt else None)
    for snapshot in snapshots:
        if len(snapshot):
            own_query, calibration = others.get(snapshot.subject, (query, relevance))
            words = planners[snapshot.subject].words(snapshot) if snapshot.subject in planners else None
            signals = collect_signals(snapshot, own_query, calibration, words)
            _add_candidates(found, query, snapshot, signals, all_notes=snapshot.subject in note_floors)
    found.standing.sort(key=lambda row: -row.importance)
    if len(snapshots) > 1 or note_floors:  # the further notes of a subject with few are in no order
        found.near.sort(key=lambda row: -row.evidence)
    ranked = found.standing + found.near
    kept, collapsed = collapse_sources(ranked if len(snapshots) == 1 else _keep_first_of_each(ranked))
    omitted = found.omitted + [
        OmittedMemory(id=memory_id(lost), reason=describe_collapse(shown)) for lost, shown in collapsed
    ]
    spares = _find_spares(found, collapsed, query, note_floors)
    if query.for_prompt:
        shows_all = asks_in_general(query)  # then what is kept, the most important first, is what is asked for
        strong = [row for row in kept if (shows_all and row.is_kept) or is_worth_showing(row, query)]
        few = [row for row in kept if row not in strong and is_above_note_floor(row, note_floors)]
        missing = max(0, MIN_SHOWN_OF_FEW - sum(not row.standing for row in strong))
        room = len(kept) if shows_all else missing
        strong = bring_in(strong, few, found.later, found.said_later, room=room, limit=query.limit)
        known = {memory_id(row) for row in strong}
        weak = [row for row in kept if memory_id(row) not in known][: query.limit]
        omitted += [OmittedMemory(id=memory_id(row), reason=f"too weak ({row.score:.2f})") for row in weak]
        omitted = [each for each in omitted if each.id not in known]
        kept = strong
    shown = tuple(kept[: len(found.standing) + max_shown])
    return Ranking(
        query=query,
        rows=shown,
        ids=tuple([memory_id(row) for row in shown]),
        spares=spares,
        quotations=_find_quotations(shown, collapsed) if is_about_now else {},
        left_out=tuple(omitted),
        reading_list=tuple([snapshot.subject for snapshot in snapshots]),
        considered=sum(map(len, snapshots)),
        vectors_compared=_count_compared(snapshots),
        later=found.later,
        followers=found.followers,
        gists=snapshots[0].derive(Gists) if len(snapshots) == 1 else Gists(),
        parts=found.parts,
    )


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Rows of all subjects that may be shown, collected subject by subject."""

    max_alone: int | None
    """Rows that may be shown where no quotation competes with a note, if one subject is searched by hand."""
    standing: list[RankedRow] = field(default_factory=list)
    spares: list[RankedRow] = field(default_factory=list)
    """The standing facts that the floor leaves in, as rows that are not standing."""
    followers: dict[bytes, list[RankedRow]] = field(default_factory=dict)
    """What may have been said later about standing facts, by their ids."""
    near: list[RankedRow] = field(default_factory=list)
    omitted: list[OmittedMemory] = field(default_factory=list)
    parts: dict[bytes, tuple[float, ...]] = field(default_factory=dict)
    later: dict[bytes, Later] = field(default_factory=dict)
    """Statements about the same thing that were said later, by id."""
    said_later: dict[bytes, RankedRow] = field(default_factory=dict)
    """What may be such a statement, by its id."""

    def explain(
        self, snapshot: SubjectSnapshot, signals: RankingSignals, query: Query, positions: npt.NDArray[np.intp]
    ) -> None:
        """Note what the scores are made of, if that is asked; the first subject of a linked memory counts."""
        if query.explain:
            self.parts.update(score_parts(snapshot, signals, query, positions) | self.parts)

    def note_later(
        self, snapshot: SubjectSnapshot, positions: npt.NDArray[np.intp], rows: Sequence[RankedRow], query: Query
    ) -> None:
        """Note which rows are later statements than others."""
        self.later.update(find_later(snapshot, positions, rows, limit=query.limit))
        self.said_later.update({row.id: row for row in rows})

    def note_successors(self, successors: Mapping[bytes, RankedRow]) -> None:
        """Note what was said later about the things of some rows, by their ids."""
        for id_, row in successors.items():
            self.later[id_] = Later((row.id,), is_alike=True, is_next=True)
            self.said_later.setdefault(row.id, row)


def _add_candidates(
    found: _Candidates, query: Query, snapshot: SubjectSnapshot, signals: RankingSignals, *, all_notes: bool
) -> None:
    """Add the best rows of one subject; with `all_notes`, all its notes."""
    if query.for_prompt and asks_in_general(query):
        evidence = score_overview(snapshot, query)
    else:
        evidence = score_memories(snapshot, signals, query)
        evidence += weigh_known_names(query, signals) if query.for_prompt else 0.0
    hidden = mask_hidden(snapshot, query)
    if hidden is not None:
        evidence[hidden] = -np.inf
    evidence, omitted = order_by_policy(snapshot, signals, query, evidence)
    found.omitted.extend(omitted)
    max_rows = query.limit and query.limit * _POOL_FACTOR + _POOL_EXTRA
    if signals.present is not None:
        positions = top_k(np.where(signals.present, evidence, -np.inf), min(max_rows, _MAX_PRESENT))
        min_evidence = np.partition(evidence, -max_rows)[-max_rows] if 0 < max_rows < len(snapshot) else -np.inf
        found.omitted.extend(
            OmittedMemory(id=MemoryId(id_text(snapshot.ids[position])), reason=IN_REQUEST)
            for position in positions.tolist()
            if evidence[position] >= min_evidence
        )
        evidence[signals.present] = -np.inf
    statements = find_own_words(snapshot, query) if all_notes else find_statements(snapshot)
    standing = _take_standing(found, query, snapshot, signals, evidence, statements) if query.for_prompt else []
    positions = top_k(evidence, max_rows)
    if all_notes:
        notes = np.flatnonzero(statements & (evidence > -np.inf))
        positions = np.concatenate((positions, np.setdiff1d(notes, positions)))
    most = found.max_alone
    if most is not None and np.count_nonzero(snapshot.kinds[positions] == MemoryKind.TURN.number):
        most = None
    positions = positions[:most]
    rows = build_rows(snapshot, signals, evidence, positions, statements=statements, standing=False)
    found.explain(snapshot, signals, query, positions)
    if query.for_prompt:
        found.note_later(snapshot, positions, rows, query)
        successors = find_successors(snapshot, positions, evidence)
        newer = np.array(list(successors.values()), dtype=np.intp)
        said = build_rows(snapshot, signals, evidence, newer, statements=statements, standing=False)
        found.note_successors({snapshot.ids[old]: row for old, row in zip(successors, said, strict=True)})
        floor = Floor(query, snapshot, signals, few_notes=all_notes)
        found.standing.extend(standing)
        found.spares.extend(floor.apply(_as_spares(standing)).rows)
        shown, reason = floor.apply(rows)
        kept = {row.id for row in shown}
        left = [row for row in rows if row.id not in kept][: query.limit]
        found.omitted.extend(OmittedMemory(id=memory_id(row), reason=reason) for row in left)
        rows = shown
    found.near.extend(rows)


def _take_standing(
    found: _Candidates,
    query: Query,
    snapshot: SubjectSnapshot,
    signals: RankingSignals,
    evidence: npt.NDArray[np.float64],
    statements: npt.NDArray[np.bool_],
) -> list[RankedRow]:
    """Return the standing facts of a subject, take them out of the evidence, and note what may be later than they."""
    hidden = mask_hidden(snapshot, query)
    unseen = hidden if signals.present is None else signals.present if hidden is None else hidden | signals.present
    positions = find_standing_facts(snapshot, query, _MAX_STANDING)
    if unseen is not None:
        positions = positions[~unseen[positions]]
    standing = build_rows(snapshot, signals, evidence, positions, statements=statements, standing=True)
    followers = find_followers(snapshot, positions, unseen)
    later = np.array([follower.statement for follower in followers], dtype=np.intp)
    newer = build_rows(snapshot, signals, evidence, later, statements=statements, standing=False)
    for follower, row in zip(followers, newer, strict=True):
        fact = snapshot.ids[follower.fact]
        found.followers.setdefault(fact, []).append(row)
        if follower.is_alike:
            found.later[fact] = Later((row.id,), True)
    evidence[positions] = -np.inf
    return standing


def _as_spares(standing: Sequence[RankedRow]) -> list[RankedRow]:
    """Return standing facts as ordinary rows, best first, without those that the policy ranks nowhere."""
    spares = [row._replace(standing=False) for row in standing if row.evidence > -np.inf]
    return sorted(spares, key=lambda row: -row.evidence)


def _find_spares(
    found: _Candidates,
    collapsed: Sequence[tuple[RankedRow, RankedRow]],
    query: Query,
    note_floors: Mapping[Subject, float],
) -> dict[bytes, RankedRow]:
    """Return the standing facts that are worth showing for what they say, by id.

    A fact has the evidence of the quotation that it replaces, as other facts do.
    """

    def is_worth_it(row: RankedRow) -> bool:
        return shows_all or is_worth_showing(row, query) or is_above_note_floor(row, note_floors)

    shows_all = asks_in_general(query)
    spares = {row.id: row for row in found.spares if is_worth_it(row)}
    for lost, shown in collapsed:
        if shown.standing and is_worth_it(lost):
            evidence = max(lost.evidence, shown.evidence)
            spares[shown.id] = spares.get(shown.id, shown)._replace(standing=False, evidence=evidence)
    return spares


def _find_quotations(
    shown: Sequence[RankedRow], collapsed: Sequence[tuple[RankedRow, RankedRow]]
) -> dict[bytes, RankedRow]:
    """Return the quotations in whose place a note of the same message alone is shown, by the note's id."""
    notes = {row.id for row in shown if row.kind is MemoryKind.NOTE}
    return {
        note.id: lost
        for lost, note in collapsed
        if note.id in notes and lost.kind is MemoryKind.TURN and lost.sources == note.sources
    }


def _keep_first_of_each(ranked: Sequence[RankedRow]) -> list[RankedRow]:
    """Keep the first row of each memory: a linked memory is present in several subjects."""
    first: dict[bytes, RankedRow] = {}
    for row in ranked:
        first.setdefault(row.id, row)
    return list(first.values())


def _count_compared(snapshots: Sequence[SubjectSnapshot]) -> int | None:
    """Return how many vectors an index picked; None if all were read."""
    picked = [len(snapshot.vector_of) for snapshot in snapshots if snapshot.sampled_vectors is not None]
    return sum(picked) if picked else None


def describe_collapse(shown: RankedRow) -> str:
    """Return why a row is left out for another one that has the same source."""
    kind = "quotation" if shown.kind is MemoryKind.TURN else shown.kind.value
    # A standing fact may still have no room.
    return f"its {kind} {memory_id(shown)} {'says the same' if shown.standing else 'is shown'}"


def memory_id(row: RankedRow) -> MemoryId:
    """Return the id of a row's memory."""
    return _id_text(row.id)


@lru_cache(maxsize=10_000)
def _id_text(data: bytes) -> MemoryId:
    return MemoryId(id_text(data))
