"""Add notes that say nothing known, in one write and mostly without a read. Reads and writes the store.

A subject's cached memories show whether a note is new; the write is refused if the subject has changed since. What
takes a closer look (a known sentence, sources, no room left) is left to `edits`.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import NamedTuple

from toldonce.clock import Clock
from toldonce.concurrency import run_in_thread_if_large
from toldonce.errors import ModelError, SpaceMovedError, StaleSubjectError
from toldonce.formation.runtime import Runtime
from toldonce.ids import id_text, new_ids
from toldonce.lazy_pattern import LazyPattern
from toldonce.maintenance.capacity import has_room, session_of
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.protocols import ImmediateTextEmbedder
from toldonce.store.sql.memories.notes import NotesCheck
from toldonce.store.sql.recall.snapshot_cache import CachedSubject
from toldonce.store.sql.recall.spelling_index import SpellingIndex
from toldonce.store.sql.snapshot_codec import pack_terms
from toldonce.text import clean, count_terms, normalise, squeeze, terms
from toldonce.types import (
    NO_DETAIL,
    NO_VECTORS,
    Evidence,
    Memory,
    MemoryDetail,
    MemoryId,
    MemoryKind,
    NoteBatch,
    Subject,
    Vectors,
)

MAX_PREPARED_NOTES = 50
"""Notes prepared without a pause for others on the event loop: one or two milliseconds."""
# Memories whose spellings are indexed on the event loop: a few milliseconds.
_MAX_INLINE = 10_000
_PUNCTUATION = LazyPattern("[.,;:!?…'\"‘’“”()]")
# A mark within a word makes other terms of it than a blank: "12:30" is "12" and "30" where it is written with one.
_MARK_WITHIN = LazyPattern("(?<=\\S)[.,;:!?…'\"‘’“”()](?=\\w)")


class ManualNote(NamedTuple):
    """A note to add by hand."""

    text: str
    importance: float
    type: str = ""
    profile: str = "default"
    reason: str = "added by hand"
    hold_reason: str = ""
    """Why it must wait for review; empty if it need not."""
    evidence: tuple[Evidence, ...] = ()
    detail: MemoryDetail = NO_DETAIL
    valid_from: datetime | None = None
    """When it became true (aware); None: now."""
    alike: tuple[str, ...] = ()
    """Other wordings of the same, such as with another name of its subject."""


def is_plain(note: ManualNote) -> bool:
    """Return whether a note has neither sources, details, a past nor other wordings, and need not be reviewed."""
    further = note.hold_reason or note.evidence or note.valid_from or note.alike
    return not further and note.detail == NO_DETAIL


def fold_wording(text: str) -> str:
    """Fold case, white space and punctuation of sentences; signs that carry meaning stay.

    >>> fold_wording("I like C!") == fold_wording("i like  C."), fold_wording("I like C++") == fold_wording("I like C")
    (True, False)
    """
    return squeeze(_PUNCTUATION.sub(" ", normalise(text))) or text


async def add_unknown(
    runtime: Runtime, subject: Subject, wanted: Sequence[ManualNote], vectors: Vectors
) -> list[Memory] | None:
    """Add plain notes of one profile; None, and nothing added, if it takes a closer look.

    Call it while the subject's turn is held.
    """
    if subject.kind == "app" or session_of(subject):  # with numbers, or a room of the conversation's own
        return None
    store, space = runtime.store.memories, runtime.embedder.space
    notes = _Notes(runtime.clock, subject, store.salt(subject), wanted)
    for _ in notes.prepare():
        await asyncio.sleep(0)
    batch = notes.batch(space, vectors)
    try:
        if store.cached(subject, space) is None and await _add_unread(runtime, notes, batch):
            return notes.memories
        try:
            is_added = await _add_read(runtime, notes, batch)
        except SpaceMovedError:
            raise
        except StaleSubjectError:  # another process changed the subject
            is_added = await _add_unread(runtime, notes, batch)
    except SpaceMovedError as moved:
        if runtime.embedders is not None:
            await runtime.embedders.refresh(subject, moved)
        return None
    except StaleSubjectError:  # such as two users who are the first in a space, on PostgreSQL: decided on again
        return None
    return notes.memories if is_added else None


async def _add_read(runtime: Runtime, notes: "_Notes", batch: NoteBatch) -> bool:
    """Add notes by what is known of the subject, which is read if it is not cached; return whether they were added.

    Raises:
        StaleSubjectError: the subject has changed since, or is read in another space.
    """
    subject = notes.subject
    known = await _known(runtime, subject)
    profiles = await _profiles(runtime, subject, known) | {notes.profile}
    if known.snapshot.has_legacy_terms or not notes.has_room(runtime.profiles, known.count, profiles):
        return False
    spellings = known.spellings
    if spellings is None:
        index = partial(SpellingIndex, known.snapshot)
        spellings = await run_in_thread_if_large(known.count, index, above=_MAX_INLINE)
    if notes.may_repeat(spellings):
        return False
    known = replace(known, profiles=profiles, spellings=spellings)
    await runtime.store.memories.add_notes(subject, batch, known=known)
    return True


async def _add_unread(runtime: Runtime, notes: "_Notes", batch: NoteBatch) -> bool:
    """Add notes to a subject that the write looks at; return whether they were added.

    Raises:
        SpaceMovedError: the subject is read in another space.
        StaleSubjectError: something equal was stored meanwhile.
    """
    check = notes.check(runtime.profiles)
    return check is not None and await runtime.store.memories.add_notes_unread(notes.subject, batch, check=check)


def add_unknown_now(
    runtime: Runtime, embedder: ImmediateTextEmbedder, subject: Subject, wanted: Sequence[ManualNote]
) -> list[Memory] | None:
    """Add plain notes of one profile for a thread without an event loop; None, and nothing added, if it takes one.

    The subject's turn is not held: if another thread adds to the subject meanwhile, one of the writes is refused. While
    a task holds the turn, or waits for it, threads add nothing: else that one could be refused again and again.
    """
    if not runtime.store.memories.adds_for_callers or subject.kind == "app" or session_of(subject):
        return None
    if not runtime.turns.enter(subject):
        return None
    try:
        return _add_now(runtime, embedder, subject, wanted)
    finally:
        runtime.turns.leave(subject)


def _add_now(
    runtime: Runtime, embedder: ImmediateTextEmbedder, subject: Subject, wanted: Sequence[ManualNote]
) -> list[Memory] | None:
    store = runtime.store.memories
    known = store.cached(subject, embedder.space)
    if known is not None and known.profiles is None:
        known = store.known_for_caller(subject, embedder.space)
        if known is None:
            return None
    notes = _Notes(runtime.clock, subject, store.salt(subject), wanted)
    if known is not None:
        known = _extended(runtime, notes, known)
        if known is None:
            return None
    deque(notes.prepare(), maxlen=0)
    try:
        if known is None:
            return _add_unread_now(runtime, embedder, notes)
        if known.spellings is None or notes.may_repeat(known.spellings):
            return None
        store.add_notes_for_caller(subject, notes.embedded_batch(embedder), known=known)
    except (StaleSubjectError, ModelError):  # decided on again, or reported, by the ordinary way
        return None
    return notes.memories


def _extended(runtime: Runtime, notes: "_Notes", known: CachedSubject) -> CachedSubject | None:
    """Return what is known of a subject with the notes' profile and all spellings; None if it takes an event loop."""
    profiles, spellings = (known.profiles or frozenset()) | {notes.profile}, known.spellings
    if known.snapshot.has_legacy_terms or not notes.has_room(runtime.profiles, known.count, profiles):
        return None
    if spellings is None:
        if known.count > _MAX_INLINE:
            return None
        spellings = SpellingIndex(known.snapshot)
    return replace(known, profiles=profiles, spellings=spellings)


def _add_unread_now(runtime: Runtime, embedder: ImmediateTextEmbedder, notes: "_Notes") -> list[Memory] | None:
    check = notes.check(runtime.profiles)
    if check is None:
        return None
    batch = notes.embedded_batch(embedder)
    is_added = runtime.store.memories.add_notes_unread_for_caller(notes.subject, batch, check=check)
    return notes.memories if is_added else None


async def _known(runtime: Runtime, subject: Subject) -> CachedSubject:
    """Return what is known of a subject, read if it is not cached.

    Raises:
        SpaceMovedError: it is read in another space.
    """
    space = runtime.embedder.space
    known = runtime.store.memories.cached(subject, space)
    if known is None:
        known = CachedSubject.of(await runtime.store.snapshots.snapshot(subject, space, vectors=NO_VECTORS))
    return known


async def _profiles(runtime: Runtime, subject: Subject, known: CachedSubject) -> frozenset[str]:
    """Return the profiles that formed what is known of a subject."""
    if known.profiles is not None:
        return known.profiles
    return frozenset(await runtime.store.maintenance.profiles_of(subject))


class _Notes:
    """Notes on their way into the store."""

    def __init__(self, clock: Clock, subject: Subject, salt: bytes, wanted: Sequence[ManualNote]) -> None:
        self.subject = subject
        self._salt = salt
        self._wanted = wanted
        self.profile = wanted[0].profile
        """The profile of all of them."""
        self._clock = clock
        self._now = clock.now()
        self._decisions: list[bytes] = []
        self._terms: list[bytes] = []
        self._folded: list[bytes] = []
        """Terms of the texts without case and punctuation: texts that differ in these alone have the same."""
        self._lengths: list[int] = []
        self.memories: list[Memory] = []

    def prepare(self) -> Iterator[None]:
        """Prepare them, and yield before each portion but the first: others may run on the event loop."""
        for start in range(0, len(self._wanted), MAX_PREPARED_NOTES):
            if start:
                yield
            portion = self._wanted[start : start + MAX_PREPARED_NOTES]
            ids = new_ids(self._clock, 2 * len(portion))
            self._decisions += ids[len(portion) :]
            for note, id_ in zip(portion, ids, strict=False):
                self._prepare(note, id_)

    def _prepare(self, note: ManualNote, id_: bytes) -> None:
        text = clean(note.text)
        counted = count_terms(text)
        packed = folded = pack_terms(counted.counts, self._salt)
        if not counted.is_plain or _MARK_WITHIN.search(text):
            folded = pack_terms(terms(fold_wording(text)), self._salt)
        self._terms.append(packed)
        self._folded.append(folded)
        self._lengths.append(sum(counted.counts.values()))
        self.memories.append(
            Memory(
                id=MemoryId(id_text(id_)),
                subject=self.subject,
                kind=MemoryKind.NOTE,
                text=text,
                type=clean(note.type),
                importance=float(note.importance),
                valid_from=self._now,
                known_from=self._now,
                profile=note.profile,
            )
        )

    def may_repeat(self, known: SpellingIndex) -> bool:
        """Return whether a note may say what another does, known or one of these; if none does, index these."""
        spellings = [*self._terms, *self._folded]
        if len(set(self._folded)) < len(self._folded) or known.has_any(spellings):
            return True
        known.add(self._terms)
        return False

    def has_room(self, shelf: ProfileRegistry, count: int, formed_under: frozenset[str]) -> bool:
        """Return whether there is room for these besides `count` memories."""
        return has_room(self.subject, count + len(self._wanted), formed_under | {self.profile}, shelf)

    def check(self, shelf: ProfileRegistry) -> NotesCheck | None:
        """Return what the subject must not have for these to be added unread; None if two of these may say the same."""
        if len(set(self._folded)) < len(self._folded):
            return None
        return NotesCheck(frozenset(chain(self._terms, self._folded)), partial(self.has_room, shelf))

    def embedded_batch(self, embedder: ImmediateTextEmbedder) -> NoteBatch:
        """Embed them in this thread, and return them as the store takes them.

        Raises:
            ModelError: the embedder failed.
        """
        return self.batch(embedder.space, embedder.embed_now([note.text for note in self._wanted]))

    def batch(self, space: str, vectors: Vectors) -> NoteBatch:
        """Return them as the store takes them."""
        return NoteBatch(
            memories=self.memories,
            at=self._now,
            terms=self._terms,
            lengths=self._lengths,
            space=space,
            vectors=vectors,
            decisions=self._decisions,
            reasons=[note.reason for note in self._wanted],
        )
