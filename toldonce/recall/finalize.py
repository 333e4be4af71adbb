"""Finish a ranking with the texts of its memories: what depends on them is decided here, and explained. Pure."""

from collections.abc import Mapping, Sequence

from toldonce.recall.coverage import cover_words
from toldonce.recall.floor import is_idle, weigh_terms
from toldonce.recall.later import MAX_UNASKED_CHARACTERS, NONE, Later, followed, put_followers_first, put_later_first
from toldonce.recall.newest import asks_what_holds_now, put_newest_first
from toldonce.recall.pack import Counting, RankedMemory, Room, pack
from toldonce.recall.passages import MAX_READ, find_passage
from toldonce.recall.rank import Explanation
from toldonce.recall.recall import Ranking, describe_collapse, memory_id
from toldonce.recall.score_parts import named_parts
from toldonce.recall.unindexed import put_unindexed_first
from toldonce.text import bare
from toldonce.types import (
    MAX_MEMORY_CHARACTERS,
    Memory,
    MemoryId,
    MemoryKind,
    OmittedMemory,
    Recall,
    RecalledMemory,
    Subject,
)

SAID_MORE = "much was said later about it, and it does not bear on the message"


def finalize(ranking: Ranking, memories: Mapping[MemoryId, Memory], *, count_tokens: Counting) -> Recall:
    """Finish a ranking with the texts of its memories.

    Args:
        ranking: From `rank_subjects`.
        memories: The memories of its rows; a row whose memory is missing was erased meanwhile and is dropped.
        count_tokens: Counts a text as the prompt's model would; called only if the query has a token budget.
    """
    query = ranking.query
    rows = zip(ranking.rows, ranking.ids, strict=True)
    fetched = [RankedMemory(row, memories[id_]) for row, id_ in rows if id_ in memories]
    omitted = list(ranking.left_out)
    found = _without_overruled(fetched, ranking, omitted)
    standing = {each.memory.id for each in found if each.row.standing}
    followers = _followers(ranking, memories)
    room = 0 if is_idle(query) else MAX_UNASKED_CHARACTERS
    found = put_followers_first(found, followers, ranking.later, ranking.spares, limit=query.limit, unasked=room)
    unneeded = standing - {each.memory.id for each in found}
    omitted += [OmittedMemory(id=id_, reason=SAID_MORE) for id_ in sorted(unneeded)]
    found = _order_by_time(found, ranking, memories, omitted)
    if query.for_prompt and query.policy.order == "evidence":
        weights = weigh_terms(query)
        found = _with_passages(cover_words(found, weights), weights)
    found = put_unindexed_first(found, query, ranking.spares)
    kept, lost = pack(
        found,
        limit=query.limit,
        room=None
        if query.budget_tokens is None
        else Room(query.budget_tokens, query.policy.profile_tokens, count_tokens),
        spares=ranking.spares,
        gists=ranking.gists,
    )
    later = {**ranking.later, **followed(kept, followers)} if followers else ranking.later
    kept = put_later_first(kept, later) if later else kept
    explanation = Explanation(query, _older(kept, ranking.later))
    items = tuple(
        [
            RecalledMemory(
                memory=memory,
                score=row.score,
                similarity=row.similarity,
                word_share=row.word_share,
                reasons=explanation.reasons(row),
                standing=row.standing,
                passage=passage,
                parts=named_parts(row, ranking.parts) if ranking.parts else {},
            )
            for row, memory, passage in kept
        ]
    )
    return Recall(
        query=query.text,
        items=items,
        left_out=tuple(omitted + lost),
        considered=ranking.considered,
        vectors_compared=ranking.vectors_compared,
    )


def _with_passages(found: Sequence[RankedMemory], weights: Mapping[str, float]) -> list[RankedMemory]:
    """Choose what is shown of the long messages, the best first; of those too many to read it is the beginning."""
    left = MAX_READ
    chosen: list[RankedMemory] = []
    for each in found:
        text = each.memory.text
        if each.memory.kind is MemoryKind.TURN and len(text) > MAX_MEMORY_CHARACTERS and left > 0:
            chosen.append(each._replace(passage=find_passage(text, weights, max_read=left)))
            left -= len(text)
        else:
            chosen.append(each)
    return chosen


def _older(kept: Sequence[RankedMemory], later: Mapping[bytes, Later]) -> dict[bytes, MemoryId]:
    """Return the first memory shown that each of the others was said later than, about the same thing or near it."""
    return {id_: each.memory.id for each in reversed(kept) for id_ in later.get(each.row.id, NONE).ids}


def _followers(ranking: Ranking, memories: Mapping[MemoryId, Memory]) -> dict[bytes, list[RankedMemory]]:
    """Return what may have been said later about standing facts, but the query itself."""
    asked = bare(ranking.query.text)
    return {
        fact: [
            RankedMemory(row, memory)
            for row in rows
            if (memory := memories.get(memory_id(row))) is not None and bare(memory.text) != asked
        ]
        for fact, rows in ranking.followers.items()
    }


def _without_overruled(
    fetched: list[RankedMemory], ranking: Ranking, omitted: list[OmittedMemory]
) -> list[RankedMemory]:
    """Leave out facts of which another subject has its own value, and the query itself where it was recorded."""
    if not [ranked for ranked in fetched if ranked.memory.key or ranked.row.kind is MemoryKind.TURN]:
        return fetched
    query_words = bare(ranking.query.text)
    holders = _find_slot_holders(fetched, ranking.reading_list)
    found: list[RankedMemory] = []
    for ranked in fetched:
        memory = ranked.memory
        holder = holders[memory.category, memory.key] if memory.key else ranked
        if holder.row.subject != ranked.row.subject:
            # The reason is stored with the prompt: it names the memory, and has no word of it that would outlive it.
            reason = f"{holder.row.subject.text} has its own value: {holder.memory.id}"
            omitted.append(OmittedMemory(id=memory.id, reason=reason))
        elif memory.kind is MemoryKind.TURN and bare(memory.text) == query_words:
            omitted.append(OmittedMemory(id=memory.id, reason="is the query itself"))
        else:
            found.append(ranked)
    return found


def _order_by_time(
    found: list[RankedMemory], ranking: Ranking, memories: Mapping[MemoryId, Memory], omitted: list[OmittedMemory]
) -> list[RankedMemory]:
    """Put the newest values first; a quotation that takes its notes' place leaves them out."""
    if not asks_what_holds_now(ranking.query):
        return found
    query_words = bare(ranking.query.text)
    quotations = {
        note: RankedMemory(row, memories[memory_id(row)])
        for note, row in ranking.quotations.items()
        if memory_id(row) in memories and bare(memories[memory_id(row)].text) != query_words
    }
    ordered = put_newest_first(found, ranking.query, quotations)
    known = {ranked.row.id for ranked in found}
    shown_instead = {ranked.row.sources: ranked.row for ranked in ordered if ranked.row.id not in known}
    if not shown_instead:
        return ordered
    returned = {memory_id(row) for row in shown_instead.values()}
    omitted[:] = [left for left in omitted if left.id not in returned]
    kept: list[RankedMemory] = []
    seen: set[bytes] = set()
    for ranked in ordered:
        if ranked.row.id in seen:
            continue
        seen.add(ranked.row.id)
        quotation = shown_instead.get(ranked.row.sources)
        if quotation is None or quotation.id == ranked.row.id or ranked.row.standing:
            kept.append(ranked)
    left = known - {ranked.row.id for ranked in kept}
    omitted += [
        OmittedMemory(id=ranked.memory.id, reason=describe_collapse(shown_instead[ranked.row.sources]))
        for ranked in found
        if ranked.row.id in left
    ]
    return kept


def _find_slot_holders(
    fetched: Sequence[RankedMemory], reading_list: Sequence[Subject]
) -> dict[tuple[str, str], RankedMemory]:
    """Return for each slot of the facts the memory that counts: of the first of the reading list that has one."""
    position = {subject: number for number, subject in reversed(list(enumerate(reading_list)))}
    holders: dict[tuple[str, str], RankedMemory] = {}
    for ranked in fetched:
        if ranked.memory.key:
            slot = (ranked.memory.category, ranked.memory.key)
            holders[slot] = min(holders.get(slot, ranked), ranked, key=lambda held: position[held.row.subject])
    return holders
