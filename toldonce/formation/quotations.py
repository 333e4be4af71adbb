"""Which messages are quoted, and quotations without what no longer holds. Reads the store and embeds what is left."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import numpy as np

from toldonce.concurrency import run_in_thread_if_large
from toldonce.extraction.sources import read_quotation
from toldonce.formation.inputs import LARGE_BATCH
from toldonce.formation.recallable import index_pieces
from toldonce.formation.runtime import Runtime
from toldonce.formation.stale import Outdated, stale_stretches
from toldonce.formation.withheld import with_secrets
from toldonce.ids import id_text, new_id
from toldonce.reading.heads import only_asks
from toldonce.reading.keep_words import points_back
from toldonce.text import asks, is_small_talk, source_key, split_sentences, squeeze, term_key
from toldonce.text.byte_runs import BYTE_MARK
from toldonce.types import (
    Action,
    AddMemory,
    Change,
    CloseMemory,
    Decision,
    Memory,
    MemoryId,
    MemoryKind,
    Subject,
    SubjectSnapshot,
    Vector,
    Withheld,
)

# Quotations that are read because they have half the words of a closed note; the newest count. Those that have the
# value of a fact, or speak of what is to be forgotten, are all read.
MAX_SEARCHED = 200
# Quotations that are made again without what no longer holds; the newest. Older ones are closed whole.
MAX_SHORTENED = 200
# Quotations that are read at once, so that neither the loop nor the memory is taken up by them.
BATCH_SIZE = 64
# Share of a note's terms that a quotation must have to be read; its sentences are then compared by their words.
MIN_SHARED_TERMS = 0.5
# Of a quotation that is not kept: see `KEPT_IMPORTANCE`.
_QUOTED_IMPORTANCE = 0.5
# Memories whose terms are looked through on the loop; more go to a thread.
MANY_ROWS = 2_000
# Questions of a message that are judged, at most: a longer list is a text.
MAX_QUESTIONS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shortened:
    """A quotation and what is left of it."""

    old: Memory
    new: Memory | None
    """None: nothing worth quoting is left."""
    outdated: Outdated
    """What it said that no longer holds."""


async def withhold(
    outdated: Sequence[Outdated],
    snapshot: SubjectSnapshot,
    runtime: Runtime,
    *,
    gone: frozenset[MemoryId] = frozenset(),
) -> tuple[list[Change], list[Decision]]:
    """Leave the sentences that no longer hold out of the subject's quotations.

    A quotation is closed, so that searches as of an earlier time still find it. What still holds of the message takes
    its place; where nothing worth quoting is left, nothing does.

    Args:
        outdated: What no longer holds.
        snapshot: The subject's active memories.
        runtime: Store, embedder and clock.
        gone: Memories that the same commit closes already.
    """
    if not outdated or not len(snapshot):
        return [], []
    found = await run_in_thread_if_large(
        len(snapshot), lambda: places(snapshot, outdated, MemoryKind.TURN), above=MANY_ROWS
    )
    ids = [MemoryId(id_text(snapshot.ids[place])) for place in reversed(found)]
    shortened = await _all_shortened([id_ for id_ in ids if id_ not in gone], outdated, snapshot.subject, runtime)
    added = await added_quotations([short.new for short in shortened if short.new], runtime)
    now = runtime.clock.now()
    forgotten = any(old.is_forgotten for old in outdated)
    closes: list[Change] = []
    decisions: list[Decision] = []
    for place, short in enumerate(shortened, start=1):
        closes.append(
            CloseMemory(id=short.old.id, valid_to=max(short.old.valid_from, now), closed_at=now, forgotten=forgotten)
        )
        decisions.append(_decision(short, now, runtime))
        if not place % BATCH_SIZE:
            await asyncio.sleep(0)
    return [*closes, *added], decisions


async def _all_shortened(
    ids: Sequence[MemoryId], outdated: Sequence[Outdated], subject: Subject, runtime: Runtime
) -> list[_Shortened]:
    """Read quotations in portions, the newest first, and find those that say what no longer holds."""
    found: list[_Shortened] = []
    for start in range(0, len(ids), BATCH_SIZE):
        read = await runtime.memories(subject, ids[start : start + BATCH_SIZE])
        size = sum(len(quotation.text) for quotation in read) * len(outdated)
        found += await run_in_thread_if_large(size, partial(_shorten, read, outdated, runtime), above=LARGE_BATCH // 4)
    kept = [place for place, short in enumerate(found) if short.new]
    dropped = frozenset(kept[MAX_SHORTENED:])
    return [replace(short, new=None) if place in dropped else short for place, short in enumerate(found)]


def _shorten(quotations: Sequence[Memory], outdated: Sequence[Outdated], runtime: Runtime) -> list[_Shortened]:
    return [short for quotation in quotations if (short := _shortened(quotation, outdated, runtime))]


async def without_outdated(
    quotations: Sequence[AddMemory], outdated: Sequence[Outdated], runtime: Runtime
) -> list[AddMemory]:
    """Leave what no longer holds out of quotations that are about to be added."""
    size = sum(len(add.memory.text) for add in quotations) * len(outdated)
    made = await run_in_thread_if_large(
        size, lambda: [_shortened(add.memory, outdated, runtime) for add in quotations], above=LARGE_BATCH
    )
    kept = [add for add, short in zip(quotations, made, strict=True) if short is None]
    return [*kept, *await added_quotations([short.new for short in made if short and short.new], runtime)]


def places(snapshot: SubjectSnapshot, outdated: Sequence[Outdated], kind: MemoryKind) -> list[int]:
    """Find the quotations, or episodes, that may say what no longer holds: by their source, or by their words."""
    is_wanted = snapshot.kinds == kind.number
    keys = {source_key(said.conversation, said.seq) for old in outdated for said in old.evidence}
    keys |= {source_key(*place) for old in outdated for place in (*old.messages, *old.answers)}
    owner = np.repeat(np.arange(len(snapshot)), np.diff(snapshot.source_start))
    sourced = owner[np.isin(snapshot.source_key, np.array(sorted(keys), dtype=np.int64))]
    found = set(sourced[is_wanted[sourced]].tolist())
    if any(old.is_everything for old in outdated):
        found.update(np.flatnonzero(is_wanted).tolist())
    term_owner = np.repeat(np.arange(len(snapshot)), np.diff(snapshot.term_start))
    for old in outdated:
        needed = old.terms
        hits = term_owner[
            np.isin(snapshot.terms, np.array(sorted(term_key(snapshot.salt, term) for term in needed), np.uint32))
        ]
        share = np.bincount(hits, minlength=len(snapshot)) / max(len(needed), 1)
        enough = 1.0 if old.value else 0.0 if old.is_topic else MIN_SHARED_TERMS
        near = np.flatnonzero(is_wanted & (share > 0) & (share >= enough))
        found.update((near if old.value or old.is_topic else near[-MAX_SEARCHED:]).tolist())
    return sorted(found)


def _shortened(quotation: Memory, outdated: Sequence[Outdated], runtime: Runtime) -> _Shortened | None:
    """Leave out of a quotation what no longer holds; None where all of it does."""
    if not quotation.evidence:
        return None
    fresh = stale_stretches(quotation.text, quotation.evidence[0], outdated)
    if not fresh:
        return None
    withheld = with_secrets(quotation.text, (*quotation.detail.withheld, *fresh))
    why = next(old for old in outdated if old.id == fresh[0].because)
    return _Shortened(old=quotation, new=without_stretches(quotation, withheld, runtime), outdated=why)


def without_stretches(quotation: Memory, withheld: tuple[Withheld, ...], runtime: Runtime) -> Memory | None:
    """Return a quotation of the same message without these stretches; None where nothing worth quoting is left."""
    detail = replace(quotation.detail, withheld=withheld)
    text = detail.quoted(quotation.text)
    left = read_quotation(replace(quotation, text=text)).words.replace("…", " ")
    if not is_quotable(quotation.evidence[0].role, squeeze(left)):
        return None
    return replace(
        quotation,
        id=MemoryId(new_id(runtime.clock)),
        text=text,
        known_from=runtime.clock.now(),
        importance=min(quotation.importance, _QUOTED_IMPORTANCE),  # what is left was not judged
        uses=0,
        last_used_at=None,
        detail=detail,
    )


async def added_quotations(quotations: Sequence[Memory], runtime: Runtime) -> list[AddMemory]:
    """Make quotations recallable by the words that are left."""
    if not quotations:
        return []
    size = sum(len(quotation.text) for quotation in quotations)
    read = await run_in_thread_if_large(
        size, lambda: [index_pieces(quotation) for quotation in quotations], above=LARGE_BATCH
    )
    rows: Iterator[Vector] = iter(await runtime.embedder.embed([piece for pieces, _ in read for piece in pieces]))
    return [
        AddMemory(
            memory=quotation,
            space=runtime.embedder.space,
            vectors=tuple(row for row in [next(rows) for _ in pieces] if row.any()),
            terms=counted,
            asks=asks(read_quotation(quotation).words),
        )
        for quotation, (pieces, counted) in zip(quotations, read, strict=True)
    ]


def _decision(short: _Shortened, at: datetime, runtime: Runtime) -> Decision:
    """Log why a quotation was closed, as a part of what the statement that ended it changed."""
    reason = "part of the message no longer holds" if short.new else "the message no longer holds"
    return replace(
        Decision.of(short.old, Action.CLOSE, reason, clock=runtime.clock, target=short.outdated.cause), at=at
    ).said_in(short.outdated.until)


def is_quotable(role: str, text: str) -> bool:
    """Tell whether a message is worth finding again by itself.

    >>> is_quotable("assistant", "Thanks a lot!"), is_quotable("user", "I live in Oslo.")
    (False, True)
    >>> is_quotable("user", "Please remember that. Thanks!")  # what it points to is kept
    False
    """
    plain = squeeze(BYTE_MARK.sub(" ", text).replace("[secret]", " "))
    if role not in ("user", "assistant") or not plain or is_bare_question(plain):
        return False
    return not all(is_small_talk(part) or (role == "user" and points_back(part)) for part in split_sentences(plain))


def is_bare_question(text: str) -> bool:
    """Return whether a text is a question that says nothing of its author, by the trained heads.

    They judge what ends asking, and nothing else.

    >>> is_bare_question("What should I avoid? Any ideas?"), is_bare_question("I moved to Oslo, what should I see?")
    (True, False)
    >>> is_bare_question("How can I help Ben, considering he lost his job in May?")
    False
    """
    plain = squeeze(text)
    parts = split_sentences(plain) if asks(plain) else []
    return 0 < len(parts) <= MAX_QUESTIONS and all(map(asks, parts)) and all(map(only_asks, parts))
