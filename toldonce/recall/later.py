"""Put what a user said later about a thing before what they said earlier about it. Pure.

"My budget is $600" and, months later, "we raised the budget to $650" are equally near to a question. Which of them
holds is not for recall to say: both are shown, dated, the later one first. Two statements are about one thing if they
are alike in meaning and share a word that few of the compared statements have, whatever their language.
"""

from collections.abc import Container, Mapping, Sequence, Set
from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toldonce.recall.pack import RankedMemory
from toldonce.recall.rank import MAX_FEW_MEMORIES, RankedRow
from toldonce.text import terms
from toldonce.text.source_marks import words_said
from toldonce.types import KEPT_IMPORTANCE, QUESTION_FLAG, Memory, MemoryKind, SubjectSnapshot

# Likeness from which two statements are about one thing: the mean of their cosine and of the rarity of the rarest word
# that they share. Of a statement and what changes it later, 48 % reach it in the stories of the tests and 77 % in BEAM;
# of a statement and any later one, 11 and 17 %. With the share of their words instead it was 5 and 5 % in the stories.
LIKENESS_THRESHOLD = 0.45
# The same of the nearest later statement among few memories: in the stories of the tests, where anything changes what
# was said, the nearest statement does so three times of four, however it is worded.
MIN_LIKENESS_OF_FEW = 0.1
MAX_LATER = 2  # later statements that are placed before an older one
MAX_COMPARED = 100  # statements that are compared with one another, each with each
MAX_COUNTED = 1_000  # of more memories, a word's rarity is counted over those compared
MAX_FOLLOWED = 2  # facts beside which a later statement is shown, in any prompt
# A longer statement that is later than a fact costs much room: it stays out of prompts on which the fact does not bear.
MAX_UNASKED_CHARACTERS = 200
# Likeness from which a later statement is about a fact, whatever they share, among few memories. In the stories of the
# tests, 31 of 46 that change what a fact quotes reach it; 15 of 54 facts that nothing changes have one that does.
FOLLOWER_THRESHOLD = 0.4
# Statements that are read to see whether they are about facts, and of those about each besides the nearest.
MAX_FOLLOWERS, _MAX_EACH = 8, 2
# A word that more memories have tells little of what a statement is about.
_MIN_HOLDERS, _MAX_HOLDER_SHARE = 20, 0.05
_SAME_BEGINNING = 5  # equal letters with which words of two languages mean the same: "vegetarian", "végétarienne"
_HASHED = 1 << 16
_KINDS = np.array([MemoryKind.TURN.number, MemoryKind.NOTE.number, MemoryKind.FACT.number])
_NO_ONE, _USER, _ASSISTANT = 0, 1, 2


class Later(NamedTuple):
    """Statements that may be about the same thing as an earlier one."""

    ids: tuple[bytes, ...]
    """The nearest first."""
    is_alike: bool
    """They are about it; else it is only the nearest among few memories."""
    is_next: bool = False
    """Each is the other's nearest neighbour in time; see `successors`."""


NONE = Later((), False)


def find_later(
    snapshot: SubjectSnapshot, positions: npt.NDArray[np.intp], rows: Sequence[RankedRow], *, limit: int
) -> dict[bytes, Later]:
    """Return the nearest later statements of each of the `limit` rows that are shown, by id.

    `rows` are the best of the snapshot's memories, best first, and `positions` is where they are in it.
    """
    places = np.flatnonzero(_are_of_people(snapshot, positions))[:MAX_COMPARED]
    if len(places) < 2:
        return {}
    likeness = _likeness(snapshot, positions[places])
    said = snapshot.valid_from[positions[places]]
    threshold = LIKENESS_THRESHOLD if len(snapshot) >= MAX_FEW_MEMORIES else MIN_LIKENESS_OF_FEW
    found: dict[bytes, Later] = {}
    for number, place in enumerate(places[places < limit].tolist()):
        later = np.where((said > said[number]) & (likeness[number] >= threshold), likeness[number], 0.0)
        nearest = [each for each in np.argsort(-later, kind="stable")[:MAX_LATER].tolist() if later[each]]
        alike = [each for each in nearest if later[each] >= LIKENESS_THRESHOLD]
        if nearest:
            ids = tuple([rows[places[each]].id for each in alike or nearest[:1]])
            found[rows[place].id] = Later(ids, bool(alike))
    return found


class Follower(NamedTuple):
    """A statement that may be about a fact, and is later: positions of both."""

    fact: int
    statement: int
    is_alike: bool
    """It is the nearest of the later ones, and near enough."""


def find_followers(
    snapshot: SubjectSnapshot, facts: npt.NDArray[np.intp], unseen: npt.NDArray[np.bool_] | None = None
) -> list[Follower]:
    """Return what was said or noted later with a rare word of a fact, the most important fact first.

    Args:
        snapshot: The subject's memories.
        facts: Positions of facts, the most important first.
        unseen: Mask of the memories that are not to be shown.
    """
    is_statement = snapshot.roles == _USER
    are_few = len(snapshot) < MAX_FEW_MEMORIES
    if are_few:  # a change often ends in a question: of many memories, too many that do are about a fact
        is_statement = (snapshot.roles % QUESTION_FLAG == _USER) & _are_of_people(snapshot, np.arange(len(snapshot)))
    is_statement &= snapshot.kinds == MemoryKind.TURN.number
    is_statement |= (snapshot.kinds == MemoryKind.NOTE.number) & (snapshot.roles == _NO_ONE)  # of no message: as noted
    if unseen is not None:
        is_statement &= ~unseen
    if not len(facts) or not is_statement.any():
        return []
    holders = _holders(snapshot, np.concatenate([_terms_of(snapshot, fact) for fact in facts.tolist()]))
    found: list[Follower] = []
    for fact in facts.tolist():
        rarest = sorted((holders[key] for key in _terms_of(snapshot, fact).tolist() if key in holders), key=len)
        own = _sources_of(snapshot, fact)
        latest: dict[int, None] = {}
        rarity: dict[int, float] = {}
        for places in rarest:
            newer = places[is_statement[places] & (snapshot.valid_from[places] > snapshot.valid_from[fact])]
            others = [place for place in newer.tolist() if own.isdisjoint(_sources_of(snapshot, place))]
            latest.update(dict.fromkeys(others[-1:]))
            if are_few:  # among many, some statement is always like a fact: none says anything
                rarity = dict.fromkeys(others, _rarity(len(snapshot), len(places))) | rarity
        nearest = _find_nearest(snapshot, fact, rarity)
        found += [Follower(fact, place, True) for place in nearest]
        found += [Follower(fact, place, False) for place in list(latest)[:_MAX_EACH] if place not in nearest]
        if len(found) >= MAX_FOLLOWERS:
            break
    return found[:MAX_FOLLOWERS]


def _find_nearest(snapshot: SubjectSnapshot, fact: int, rarity: Mapping[int, float]) -> list[int]:
    """Return the statement that is most like a fact, if near enough; `rarity` is that of the rarest shared word."""
    if not rarity:
        return []
    places = list(rarity)
    cosines = _cosines(snapshot, np.array([fact, *places], dtype=np.intp))[0, 1:]
    likeness = (cosines + np.array(list(rarity.values()))) / 2
    best = int(likeness.argmax())
    return [places[best]] if likeness[best] >= FOLLOWER_THRESHOLD else []


def put_followers_first(
    ranked: Sequence[RankedMemory],
    followers: Mapping[bytes, Sequence[RankedMemory]],
    later: Mapping[bytes, Later],
    bearing: Container[bytes],
    *,
    limit: int,
    unasked: int = MAX_UNASKED_CHARACTERS,
) -> list[RankedMemory]:
    """Take facts about whose value something was said later out of the profile.

    Both are shown, the later one first; where that one is long, only if the fact bears on the query. A fact on health
    or another hard constraint stays in the profile, and what was said later is always shown with it. So does a fact of
    which a later statement names no word of the value, but is like it: a long one is shown if the fact bears.

    Args:
        ranked: Standing facts first, then the others, best first.
        followers: What may be such a later statement, by the id of the fact.
        later: What is like a fact, by its id.
        bearing: Ids of the facts that bear on the query.
        limit: How many memories are shown besides standing facts.
        unasked: Length of the longest statement that is shown with a fact that does not bear on the query; 0: none is.
    """
    standing: list[RankedMemory] = []
    unneeded: list[RankedMemory] = []
    pairs: dict[bytes, RankedMemory] = {}
    for each in ranked:
        if not each.row.standing:
            continue
        told = followers.get(each.row.id, ()) if len(pairs) < 2 * MAX_FOLLOWED else ()
        follower = _says_more(each.memory, told)
        alike = [other for other in told if other.row.id in later.get(each.row.id, NONE).ids]
        beside = follower or (alike[0] if alike and each.memory.category != "instruction" else None)
        is_needed = beside and (each.row.id in bearing or len(beside.memory.text) <= unasked)
        if follower is None or each.memory.is_safety_critical:
            standing.append(each)
            if beside and (is_needed or (follower and unasked)):
                pairs[beside.row.id] = beside
        elif is_needed:
            pairs[follower.row.id] = follower
            pairs[each.row.id] = each._replace(row=each.row._replace(standing=False))
        else:
            unneeded.append(each)
    if not pairs:
        return [each for each in ranked if each not in unneeded]
    others = [each for each in ranked if not each.row.standing and each.row.id not in pairs]
    best = max(each.row.evidence for each in pairs.values())
    place = next((place for place, each in enumerate(others) if each.row.evidence < best), len(others))
    place = min(place, max(limit - len(pairs), 0))
    return [*standing, *others[:place], *pairs.values(), *others[place:]]


def followed(shown: Sequence[RankedMemory], followers: Mapping[bytes, Sequence[RankedMemory]]) -> dict[bytes, Later]:
    """Return what was said later about the value of each fact that is shown out of the profile, by its id."""
    found: dict[bytes, Later] = {}
    for each in shown:
        told = () if each.row.standing else followers.get(each.row.id, ())
        if follower := _says_more(each.memory, told):
            found[each.row.id] = Later((follower.row.id,), True)
    return found


def _says_more(fact: Memory, followers: Sequence[RankedMemory]) -> RankedMemory | None:
    """Return the latest of some statements that has a word of a fact's value, as its speaker wrote it.

    The value of a wish is the whole of it: "Always …" is not about another wish that begins like it.
    """
    if not followers or fact.category == "instruction":
        return None
    about = words_of_value(fact)
    named = [each for each in followers if not about.isdisjoint(terms(each.memory.text))]
    return max(named, key=lambda each: each.memory.valid_from, default=None)


def words_of_value(fact: Memory) -> Set[str]:
    """Return the terms of a fact's value; of one stored in English the speaker's own: "vegetarian" is "Vegetarierin".

    Those that begin like it, or else all that they said.
    """
    value, said = terms(fact.value).keys(), terms(fact.text).keys()
    if not value.isdisjoint(said):
        return value
    begins = tuple(word[:_SAME_BEGINNING] for word in value if len(word) >= _SAME_BEGINNING)
    return {word for word in said if word.startswith(begins)} or said


def put_later_first(ranked: Sequence[RankedMemory], later: Mapping[bytes, Later]) -> list[RankedMemory]:
    """Move later statements directly before the first older one; what comes before it already stays.

    Only what is in its speaker's words, or as it was noted, moves: what a model wrote of messages is replaced by the
    model that reads the change.
    """
    by_id = {each.row.id: each for each in ranked if not each.row.standing and is_as_given(each.memory)}
    ordered: list[RankedMemory] = []
    placed: set[bytes] = set()

    def place(each: RankedMemory) -> None:
        if each.row.id in placed:
            return
        placed.add(each.row.id)
        said_later = later.get(each.row.id, NONE)
        if each.row.id in by_id and said_later.is_alike:
            about_it = [by_id[newer] for newer in said_later.ids if newer in by_id]
            for newer in sorted(about_it, key=lambda found: found.memory.valid_from, reverse=True):
                place(newer)
        ordered.append(each)

    for each in ranked:
        place(each)
    return ordered


def _holders(snapshot: SubjectSnapshot, keys: npt.NDArray[np.uint32]) -> dict[int, npt.NDArray[np.intp]]:
    """Return which memories have each of some terms, of those that few have."""
    bits = np.zeros(_HASHED, dtype=np.bool_)
    bits[keys % _HASHED] = True  # most terms are none of these, and a look into a table is the fastest way to see it
    at = np.flatnonzero(bits[snapshot.terms % _HASHED])
    at = at[np.isin(snapshot.terms[at], keys)]
    most = max(_MIN_HOLDERS, int(_MAX_HOLDER_SHARE * len(snapshot)))
    found: dict[int, npt.NDArray[np.intp]] = {}
    order = np.argsort(snapshot.terms[at], kind="stable")
    terms, starts = np.unique(snapshot.terms[at][order], return_index=True)
    for key, places in zip(terms.tolist(), np.split(at[order], starts[1:]), strict=True):
        if 1 < len(places) <= most:
            found[key] = np.asarray(snapshot.term_start.searchsorted(places, side="right") - 1, dtype=np.intp)
    return found


def _terms_of(snapshot: SubjectSnapshot, place: int) -> npt.NDArray[np.uint32]:
    return snapshot.terms[snapshot.term_start[place] : snapshot.term_start[place + 1]]


def _sources_of(snapshot: SubjectSnapshot, place: int) -> set[int]:
    return set(snapshot.source_key[snapshot.source_start[place] : snapshot.source_start[place + 1]].tolist())


def _are_of_people(snapshot: SubjectSnapshot, positions: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Return which memories are statements of a person, not of a model; of questions those that are kept."""
    roles = snapshot.roles[positions]
    stated = (roles < QUESTION_FLAG) | (snapshot.importance[positions] >= np.float32(KEPT_IMPORTANCE))
    stated &= np.isin(snapshot.kinds[positions], _KINDS) & (roles % QUESTION_FLAG != _ASSISTANT)
    return np.asarray(stated, np.bool_)


def _likeness(snapshot: SubjectSnapshot, positions: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return how alike memories are, an array of shape (memories, memories)."""
    return (_rarest_shared(snapshot, positions) + _cosines(snapshot, positions)) / 2


def _rarity(size: int, count: int) -> float:
    """Return how rare a word is that `count` of `size` memories have, from 0 to 1."""
    return log(1 + size / count) / log(1 + size)


class _Holdings:
    """How many memories have each word of a snapshot."""

    __slots__ = ("counts",)

    def __init__(self, snapshot: SubjectSnapshot) -> None:
        terms, counts = np.unique(snapshot.terms, return_counts=True)
        self.counts: dict[int, int] = dict(zip(terms.tolist(), counts.tolist(), strict=True))


def _rarest_shared(snapshot: SubjectSnapshot, positions: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return the rarity of the rarest word that two memories share, from 0 to 1; 0 where they share none."""
    holding: dict[int, list[int]] = {}
    for row, at in enumerate(positions.tolist()):
        for key in snapshot.terms[snapshot.term_start[at] : snapshot.term_start[at + 1]].tolist():
            holding.setdefault(key, []).append(row)
    if len(snapshot) <= MAX_COUNTED:
        size, counts = len(snapshot), snapshot.derive(_Holdings).counts
    else:
        size, counts = len(positions), {key: len(rows) for key, rows in holding.items()}
    shared = [(counts[key], rows) for key, rows in holding.items() if len(rows) > 1]
    rarest = np.zeros((len(positions), len(positions)))
    for count, rows in sorted(shared, key=lambda each: -each[0]):  # the rarest come last, and stay
        rarest[np.ix_(rows, rows)] = _rarity(size, count)
    return rarest


def _cosines(snapshot: SubjectSnapshot, positions: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return the cosines of the memories' first vectors; 0 where a memory has none at hand.

    Of few memories, a fact has that of the message it quotes; of many, some statement is like any fact.
    """
    first = np.full(len(snapshot), -1, dtype=np.intp)
    first[snapshot.vector_of[::-1]] = np.arange(len(snapshot.vector_of))[::-1]
    rows = first[positions]
    lacks = (rows < 0) & (snapshot.kinds[positions] == MemoryKind.FACT.number) & (len(snapshot) < MAX_FEW_MEMORIES)
    for place in np.flatnonzero(lacks).tolist():
        rows[place] = max(first[_quotations_of(snapshot, positions[place])], default=-1)
    vectors = np.zeros((len(positions), snapshot.vectors.dim), dtype=np.float32)
    order = np.argsort(rows, kind="stable")[np.count_nonzero(rows < 0) :]  # those that have one, ascending
    if len(order):
        vectors[order] = snapshot.vectors.take(rows[order])
    return np.asarray(vectors @ vectors.T, dtype=np.float64)


def _quotations_of(snapshot: SubjectSnapshot, place: int) -> npt.NDArray[np.intp]:
    """Return the positions of the quotations of a fact's messages."""
    keys = snapshot.source_key[snapshot.source_start[place] : snapshot.source_start[place + 1]]
    at = np.flatnonzero(np.isin(snapshot.source_key, keys))
    owners = snapshot.source_start.searchsorted(at, side="right") - 1
    return np.asarray(owners[snapshot.kinds[owners] == MemoryKind.TURN.number], dtype=np.intp)


def is_as_given(memory: Memory) -> bool:
    """Return whether a memory is in its speaker's words, or as it was noted."""
    return memory.kind is MemoryKind.TURN or not memory.evidence or words_said(memory.text) is not None
