"""Resent history: leave out of it what was forgotten or erased since it was said. Reads the store.

A client that forks a chat, or has no ids, sends what it keeps as a new conversation. The newest message of the user is
said now; what comes before it is history, and says nothing new.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.concurrency import run_in_thread_if_large
from recollect.extraction.evidence import evidence_of
from recollect.extraction.forget_requests import forget_request
from recollect.extraction.sentences import TextSpan, fold, sentences
from recollect.extraction.speech_acts import is_small_talk
from recollect.formation.answers import MAX_AFTER, Forgotten, repeating
from recollect.formation.inputs import LARGE_BATCH, characters
from recollect.formation.runtime import Runtime
from recollect.formation.stale import Outdated, disjoint, joined_clauses, outdated_topic, stale_stretches, with_secrets
from recollect.text import hash64, normalise, squeeze, words
from recollect.types import (
    ConversationId,
    LoggedMessage,
    MarkWords,
    Memory,
    MemoryDetail,
    MemoryKind,
    Subject,
    Withheld,
)

_PLAIN = Outdated(content=frozenset(), terms=frozenset())
Place = tuple[ConversationId, int]
_Clause = tuple[str, Withheld, bool]
"""Its text, its place, and whether it asks to forget something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What of some messages is not to be read or quoted."""

    cut: Mapping[Place, tuple[Withheld, ...]] = field(default_factory=dict)
    """Stretches of messages, as they were written."""

    def of(self, message: LoggedMessage) -> tuple[Withheld, ...]:
        """Return the stretches of a message; none of most."""
        return self.cut.get((message.conversation, message.seq), ())

    def without(self, messages: Sequence[LoggedMessage]) -> list[LoggedMessage]:
        """Return the messages without them."""
        return [self._without(message) for message in messages]

    def _without(self, message: LoggedMessage) -> LoggedMessage:
        stretches = self.of(message)
        if not stretches:
            return message
        withheld = with_secrets(message.text, stretches)
        return replace(message, text=squeeze(MemoryDetail(withheld=withheld).quoted(message.text)))


NOTHING = Replayed()


async def replayed(messages: Sequence[LoggedMessage], subjects: Sequence[Subject], runtime: Runtime) -> Replayed:
    """Find what is forgotten or erased of messages as they were written.

    Args:
        messages: In order, of one conversation or more.
        subjects: Whose memories rest on them, and in whose log they are.
        runtime: Store and clock.
    """
    whose = [subject for subject in dict.fromkeys(subjects) if await runtime.store.erasures.has_forgotten(subject)]
    if not messages or not whose:
        return NOTHING
    around = await _around(messages, subjects[-1], runtime)
    own = [message for message in around if message.role == "user" and message.text]
    size = characters(own)
    marks = await run_in_thread_if_large(
        size, lambda: {number for message in own for number in _marks(message.text)}, above=LARGE_BATCH
    )
    known: dict[int, datetime] = {}
    for subject in whose:
        known |= await runtime.store.erasures.forgotten(subject, sorted(marks)) if marks else {}
    if not known and not any(message.erased for message in around):
        return NOTHING
    cut = await run_in_thread_if_large(characters(around), lambda: _cut(around, known), above=LARGE_BATCH)
    return Replayed(cut=cut)


def marking(forgotten: Forgotten, runtime: Runtime) -> list[MarkWords]:
    """Keep what is forgotten from coming back with a resent history."""
    marks = forgotten_marks(forgotten.said)
    return [MarkWords(forgotten=marks, at=forgotten.at or runtime.clock.now())] if marks else []


def said_again(back: Sequence[Memory], quotations: Iterable[Memory], runtime: Runtime) -> list[MarkWords]:
    """Let a resent history say again what comes back.

    Args:
        back: Memories that come back.
        quotations: Those of them, without what else is forgotten of their messages.
        runtime: The clock.
    """
    shown = [memory.text for memory in quotations if memory.kind is MemoryKind.TURN]
    quotes = [
        said.quote for memory in back for said in memory.evidence if said.quote and memory.kind is not MemoryKind.TURN
    ]
    marks = frozenset(number for text in (*shown, *quotes) for number in _marks(text))
    return [MarkWords(returned=marks, at=runtime.clock.now())] if marks else []


def forgotten_marks(messages: Iterable[tuple[str, Sequence[Withheld]]]) -> frozenset[int]:
    """Return the hashes of what is forgotten of messages, given with the stretches of it.

    What asks to forget has a hash of its own: said again in history it asks nothing of what was said since.
    """
    return frozenset(
        number
        for text, stretches in messages
        for clause, stretch, is_request in _clauses(text)
        if any(other.start < stretch.end and stretch.start < other.end for other in stretches)
        if (number := _number(clause, is_request=is_request)) is not None
    )


def _marks(text: str) -> set[int]:
    numbers = (_number(clause, is_request=is_request) for clause, _, is_request in _clauses(text))
    return {number for number in numbers if number is not None}


def _number(clause: str, *, is_request: bool) -> int | None:
    """Hash a clause by its words; None for one that says nothing by itself."""
    if is_small_talk(clause):
        return None
    return hash64("request" if is_request else "forgotten", " ".join(words(normalise(fold(clause)))))


def _clauses(text: str) -> list[_Clause]:
    """Cut a text into clauses; a request to forget is one of its own."""
    found: list[_Clause] = []
    for sentence in sentences(fold(text)):
        request = forget_request(sentence.text)
        if request is not None and request.topic:
            found.append((sentence.text, _stretch(sentence), True))
        elif request is None:
            cut = joined_clauses(sentence)
            found += [(clause.text, Withheld(start=clause.start, end=clause.end), False) for clause in cut]
    return found


def _stretch(piece: TextSpan) -> Withheld:
    return Withheld(start=piece.start, end=piece.end)


async def _around(messages: Sequence[LoggedMessage], home: Subject, runtime: Runtime) -> list[LoggedMessage]:
    """Return the messages with those right before and after them: a turn may be read in two parts."""
    found: dict[Place, LoggedMessage] = {}
    for conversation in dict.fromkeys(message.conversation for message in messages):
        own = [message for message in messages if message.conversation == conversation]
        start, last = max(0, own[0].seq - 1 - MAX_AFTER), own[-1].seq
        before = await runtime.store.conversations.messages(
            home, conversation, after_seq=start, limit=max(1, own[0].seq - 1 - start)
        )
        following = await runtime.store.conversations.messages(home, conversation, after_seq=last, limit=MAX_AFTER)
        for message in (*before, *own, *following):
            found[message.conversation, message.seq] = message
    return [found[place] for place in sorted(found)]


def _newest(messages: Sequence[LoggedMessage]) -> set[Place]:
    """Return the places of the messages with which the user began each turn that was recorded."""
    newest: dict[tuple[ConversationId, datetime], int] = {}
    for message in messages:
        if message.role == "user":
            newest[message.conversation, message.recorded_at] = message.seq
    return {(conversation, seq) for (conversation, _), seq in newest.items()}


def _cut(messages: Sequence[LoggedMessage], known: Mapping[int, datetime]) -> dict[Place, tuple[Withheld, ...]]:
    newest = _newest(messages)
    found: dict[Place, tuple[Withheld, ...]] = {}
    outdated: list[Outdated] = []
    for message in messages:
        if message.role != "user":
            continue
        place = (message.conversation, message.seq)
        meant = [clause for clause in _clauses(message.text) if _is_gone(clause, message, known, place in newest)]
        if meant:
            found[place] = tuple(stretch for _, stretch, _ in meant)
        if meant or message.erased:
            outdated += repeating(_PLAIN, message, found.get(place, ()), messages)
        requests = [forget_request(text) for text, _, is_request in meant if is_request]
        topics = [request.topic for request in requests if request]
        outdated += [old for topic in topics for old in outdated_topic(topic, until=evidence_of(message))]
    for message in messages if outdated else ():
        place = (message.conversation, message.seq)
        if message.role == "assistant" or (message.role == "user" and place not in newest):
            stale = stale_stretches(message.text, evidence_of(message), outdated)
            found |= {place: disjoint((*found.get(place, ()), *stale))} if stale else {}
    return found


def _is_gone(clause: _Clause, message: LoggedMessage, known: Mapping[int, datetime], is_newest: bool) -> bool:
    text, _, is_request = clause
    number = _number(text, is_request=is_request)
    at = known.get(number) if number is not None else None
    return at is not None and (not is_newest or message.said_at < at)
