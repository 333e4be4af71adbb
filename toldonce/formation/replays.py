"""Remove from resent history what was forgotten or erased since it was said. Reads the store.

A client that forks a chat, or has no ids, sends its whole history as a new conversation. Only the newest message of the
user is new; what comes before it is history.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from toldonce.extraction.evidence import bare_answer, evidence_of
from toldonce.extraction.forget_requests import find_requests
from toldonce.formation.forgotten_answers import MAX_AFTER, Forgotten, describe_repetitions
from toldonce.formation.runtime import Runtime
from toldonce.formation.stale import Outdated, outdated_topic, stale_stretches
from toldonce.formation.withheld import disjoint, with_secrets
from toldonce.reading.sentences import TextSpan, fold, joined_clauses, sentences
from toldonce.text import hash64, normalise, squeeze, words
from toldonce.types import (
    ConversationId,
    LoggedMessage,
    MarkWords,
    Memory,
    MemoryDetail,
    MemoryKind,
    MessageRef,
    Subject,
    Withheld,
)

_PLAIN = Outdated(content=frozenset(), terms=frozenset())


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a message, or a whole sentence that asks to forget something."""

    text: str
    stretch: Withheld
    topic: str = ""
    """What the sentence asks to forget; empty for a clause."""

    @property
    def number(self) -> int | None:
        """Hash of its words; None for a bare yes or no: that may answer another question as well."""
        if bare_answer(self.text) is not None:
            return None
        return hash64("request" if self.topic else "forgotten", " ".join(words(normalise(fold(self.text)))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """The parts of messages that must not be read or quoted."""

    cut: Mapping[MessageRef, tuple[Withheld, ...]] = field(default_factory=dict)
    """Stretches of the original text of each message."""

    def of(self, message: LoggedMessage) -> tuple[Withheld, ...]:
        """Return the stretches of a message; most have none."""
        return self.cut.get(message.ref, ())

    def without(self, messages: Sequence[LoggedMessage]) -> list[LoggedMessage]:
        """Return the messages without their stretches."""
        return [self._without(message) for message in messages]

    def _without(self, message: LoggedMessage) -> LoggedMessage:
        stretches = self.of(message)
        if not stretches:
            return message
        withheld = with_secrets(message.text, stretches)
        return replace(message, text=squeeze(MemoryDetail(withheld=withheld).quoted(message.text)))


NOTHING = Replayed()


async def replayed(messages: Sequence[LoggedMessage], subjects: Sequence[Subject], runtime: Runtime) -> Replayed:
    """Find the parts of messages that were forgotten or erased.

    Args:
        messages: Messages in order, of one conversation or more.
        subjects: Owners of the memories formed from them, and last the owner of their conversations.
        runtime: Store and clock.
    """
    forgetting = [subject for subject in dict.fromkeys(subjects) if await runtime.store.erasures.has_forgotten(subject)]
    if not messages or not forgetting:
        return NOTHING
    around = await _around(messages, subjects[-1], runtime)
    of_user = [message for message in around if message.role == "user" and message.text]
    marks = await asyncio.to_thread(lambda: {number for message in of_user for number in _marks(message.text)})
    known: dict[int, datetime] = {}
    for subject in forgetting:
        known |= await runtime.store.erasures.forgotten(subject, sorted(marks)) if marks else {}
    if not known and not any(message.erased for message in around):
        return NOTHING
    cut = await asyncio.to_thread(_cut, around, known)
    return Replayed(cut=cut)


def mark_forgotten(forgotten: Forgotten, runtime: Runtime) -> list[MarkWords]:
    """Mark forgotten words, so that resent history does not bring them back."""
    marks = forgotten_marks(forgotten.said)
    return [MarkWords(forgotten=marks, at=forgotten.at or runtime.clock.now())] if marks else []


def unmark_words(back: Sequence[Memory], quotations: Iterable[Memory], runtime: Runtime) -> list[MarkWords]:
    """Unmark the words of restored memories, so that resent history may say them again.

    Args:
        back: Restored memories.
        quotations: The restored quotations, without what else is forgotten of their messages.
        runtime: Clock.
    """
    shown = [memory.text for memory in quotations if memory.kind is MemoryKind.TURN]
    quotes = [
        said.quote for memory in back for said in memory.evidence if said.quote and memory.kind is not MemoryKind.TURN
    ]
    marks = frozenset(number for text in (*shown, *quotes) for number in _marks(text))
    return [MarkWords(returned=marks, at=runtime.clock.now())] if marks else []


def forgotten_marks(messages: Iterable[tuple[str, Sequence[Withheld]]]) -> frozenset[int]:
    """Return hashes of the forgotten clauses of messages, which are given with their forgotten stretches.

    A request to forget is hashed differently: repeated in resent history, it does not apply to later messages.
    """
    return frozenset(
        number
        for text, stretches in messages
        for clause in _clauses(text)
        if any(other.start < clause.stretch.end and clause.stretch.start < other.end for other in stretches)
        if (number := clause.number) is not None
    )


def note_mark(text: str) -> int:
    """Return the hash by which a note without sources is recognized after it was erased, when it is imported again."""
    return hash64("note", " ".join(words(normalise(fold(text)))))


def _marks(text: str) -> set[int]:
    return {number for clause in _clauses(text) if (number := clause.number) is not None}


def _clauses(text: str) -> list[_Clause]:
    """Split a text into clauses; a request to forget stays a whole sentence."""
    clauses: list[_Clause] = []
    folded = fold(text)
    pieces = sentences(folded)
    requests = {found.piece.start: found.request for found in find_requests(folded, pieces)}
    for sentence in pieces:
        request = requests.get(sentence.start)
        if request is not None and request.topic:
            clauses.append(_Clause(sentence.text, _stretch(sentence), request.topic))
        elif request is None:
            clauses += [
                _Clause(clause.text, Withheld(start=clause.start, end=clause.end))
                for clause in joined_clauses(sentence)
            ]
    return clauses


def _stretch(piece: TextSpan) -> Withheld:
    return Withheld(start=piece.start, end=piece.end)


async def _around(messages: Sequence[LoggedMessage], home: Subject, runtime: Runtime) -> list[LoggedMessage]:
    """Return the messages with those right before and after them, as a turn may be read in two parts."""
    found: dict[MessageRef, LoggedMessage] = {}
    for conversation in dict.fromkeys(message.conversation for message in messages):
        inside = [message for message in messages if message.conversation == conversation]
        start, last = max(0, inside[0].seq - 1 - MAX_AFTER), inside[-1].seq
        before = await runtime.store.conversations.messages(
            home, conversation, after_seq=start, limit=max(1, inside[0].seq - 1 - start)
        )
        following = await runtime.store.conversations.messages(home, conversation, after_seq=last, limit=MAX_AFTER)
        for message in (*before, *inside, *following):
            found[message.ref] = message
    return [found[place] for place in sorted(found)]


def _newest(messages: Sequence[LoggedMessage]) -> set[MessageRef]:
    """Return the places of the newest user message of each recorded turn."""
    newest: dict[tuple[ConversationId, datetime], int] = {}
    for message in messages:
        if message.role == "user":
            newest[message.conversation, message.recorded_at] = message.seq
    return {MessageRef(conversation, seq) for (conversation, _), seq in newest.items()}


def _cut(messages: Sequence[LoggedMessage], known: Mapping[int, datetime]) -> dict[MessageRef, tuple[Withheld, ...]]:
    newest = _newest(messages)
    found: dict[MessageRef, tuple[Withheld, ...]] = {}
    outdated: list[Outdated] = []
    for message in messages:
        if message.role != "user":
            continue
        place = message.ref
        meant = [clause for clause in _clauses(message.text) if _is_forgotten(clause, message, known, place in newest)]
        if meant:
            found[place] = tuple(clause.stretch for clause in meant)
        if meant or message.erased:
            outdated += describe_repetitions(_PLAIN, message, found.get(place, ()), messages)
        topics = [clause.topic for clause in meant if clause.topic]
        outdated += [old for topic in topics for old in outdated_topic(topic, until=evidence_of(message))]
    for message in messages if outdated else ():
        place = message.ref
        if message.role == "assistant" or (message.role == "user" and place not in newest):
            stale = stale_stretches(message.text, evidence_of(message), outdated)
            found |= {place: disjoint((*found.get(place, ()), *stale))} if stale else {}
    return found


def _is_forgotten(clause: _Clause, message: LoggedMessage, known: Mapping[int, datetime], is_newest: bool) -> bool:
    number = clause.number
    at = known.get(number) if number is not None else None
    return at is not None and (not is_newest or message.said_at < at)
