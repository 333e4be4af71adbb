"""Find answers to messages that are to be forgotten: a reply repeats or implies what the user said.

Reads the store.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from toldonce.extraction.evidence import evidence_of
from toldonce.formation.quotations import BATCH_SIZE, is_quotable, places
from toldonce.formation.runtime import Runtime
from toldonce.formation.stale import Outdated, stale_stretches
from toldonce.ids import id_text
from toldonce.lazy_pattern import LazyPattern
from toldonce.reading.sentences import fold, sentences
from toldonce.resolution.tokens import tokenize
from toldonce.resolution.topics import topic_words
from toldonce.text import squeeze, terms, words
from toldonce.text.languages import guess
from toldonce.types import (
    Evidence,
    LoggedMessage,
    Memory,
    MemoryDetail,
    MemoryId,
    MemoryKind,
    MessageRef,
    Subject,
    SubjectSnapshot,
    Withheld,
)

# Messages whose answers are read for one request to forget: the newest ones.
MAX_ANSWERED = 200
# Messages after a question that may hold its answer: tool calls and their results come between.
MAX_AFTER = 8
_NOTHING = frozenset[str]()
# A capitalised word that neither begins a sentence nor follows a title alone.
_NAME = LazyPattern(r"(?<=[a-zà-ÿ,.'’] )(?!I\b|I'|Dr\b|Dra\b|Mrs?\b|Ms\b)[A-ZÀ-ÖØ-Þ][\w'’-]{1,40}+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What a request to forget covers besides memories."""

    outdated: Sequence[Outdated] = ()
    """Words and messages by which answers and repetitions are found."""
    said: Sequence[tuple[str, Sequence[Withheld]]] = ()
    """Messages of the user, with the stretches to forget."""
    at: datetime | None = None
    """What was said up to this time is covered; None: up to now."""


async def find_forgotten(
    outdated: Sequence[Outdated], snapshot: SubjectSnapshot, runtime: Runtime, *, home: Subject | None = None
) -> Forgotten:
    """Find the answers to the user's messages that are to be forgotten, and to the requests themselves.

    Args:
        outdated: What no longer holds; only what is to be forgotten counts.
        snapshot: The subject's active memories.
        runtime: Store and clock.
        home: Owner of the conversations; None: the subject or one of its owners.
    """
    topics = [old for old in outdated if old.is_topic]
    if not topics:
        return Forgotten()
    quotations = await _quotations_meant(topics, snapshot, runtime)
    forgotten_places = _messages_meant(topics, quotations)
    threads = [
        await _with_answers(place, snapshot.subject, home, runtime) for place in forgotten_places[-MAX_ANSWERED:]
    ]
    first = [messages[0] for messages in threads if messages and messages[0].role == "user"]
    said = {memory.evidence[0].ref: (memory.text, memory.evidence[0]) for memory in quotations}
    said |= {message.ref: (message.text, evidence_of(message)) for message in first}
    ends = [old.until.said_at for old in topics if old.until]
    return Forgotten(
        outdated=[old for messages in threads for old in find_answers_among(messages, topics, of=messages[:1])],
        said=[(text, _meant(text, source, topics)) for text, source in said.values()],
        at=max(ends) if ends else None,
    )


async def find_answers(place: MessageRef, subject: Subject, runtime: Runtime) -> list[MessageRef]:
    """Return the places of the answers to a message of the user."""
    thread = await _with_answers(place, subject, None, runtime)
    return _answers(thread[0], thread) if thread else []


async def read_question_with_answer(said: Evidence, subject: Subject, runtime: Runtime) -> list[LoggedMessage]:
    """Read the user's message that a reply answers, and what follows it; empty if it is too far back.

    Args:
        said: The reply, as the source of its quotation.
        subject: Owner of the quotation.
        runtime: Store.
    """
    for owner in (subject, *subject.owners):
        first = max(0, said.seq - 1 - MAX_AFTER)
        messages = await runtime.store.conversations.messages(
            owner, said.conversation, after_seq=first, limit=said.seq - first
        )
        by_seq = {message.seq: message for message in messages}
        above = by_seq.get(said.seq)
        while above is not None and above.role != "user":
            above = by_seq.get(above.parent_seq)
        if above is not None:
            return [message for message in messages if message.seq >= above.seq]
    return []


def _meant(text: str, said: Evidence, topics: Sequence[Outdated]) -> Sequence[Withheld]:
    """Return the stretches of a message to forget: all of it if a summary, which has no quotes, was formed from it."""
    place = said.ref
    summed = any(not source.quote and source.ref == place for old in topics for source in old.evidence)
    return (Withheld(start=0, end=len(text)),) if summed else stale_stretches(text, said, topics)


def find_answers_among(
    messages: Sequence[LoggedMessage], outdated: Sequence[Outdated], *, of: Sequence[LoggedMessage] | None = None
) -> list[Outdated]:
    """Find, among messages, the answers to user messages that are to be forgotten in whole or in part.

    Args:
        messages: Messages in order.
        outdated: What no longer holds; only what is to be forgotten counts.
        of: Messages whose answers are wanted; None: all.
    """
    topics = [old for old in outdated if old.is_topic]
    found: list[Outdated] = []
    for message in (messages if of is None else of) if topics else ():
        if message.role != "user" or not message.text:
            continue
        stretches = stale_stretches(message.text, evidence_of(message), topics)
        if stretches:
            cause = next((old for old in topics if old.id == stretches[0].because), topics[0])
            found += describe_repetitions(cause, message, stretches, messages)
    return found


def describe_repetitions(
    cause: Outdated, message: LoggedMessage, stretches: Sequence[Withheld], messages: Iterable[LoggedMessage]
) -> list[Outdated]:
    """Describe how to find an assistant's sentences that answer or repeat the forgotten part of a message.

    Only those clauses of an answer stay that concern the rest of the message. A question in the rest does not count, as
    it may not name its topic: 'how do I explain that to my boss?'

    Args:
        cause: Why that part is to be forgotten.
        message: Message of the user.
        stretches: The forgotten part.
        messages: Messages in order, the answers among them.
    """
    answers = frozenset(_answers(message, messages))
    rest = MemoryDetail(withheld=tuple(stretches)).quoted(message.text).replace("…", ". ")
    remaining = [piece.text for piece in sentences(fold(rest))]
    stays = [text for text in remaining if is_quotable("user", squeeze(text)) and not text.endswith("?")]
    kept = topic_words(" ".join(stays))
    plain = Outdated(id=cause.id, content=_NOTHING, terms=_NOTHING, until=cause.until, cause=cause.cause)
    found = [replace(plain, is_searched=False, is_topic=True, answers=answers, kept=kept)] if answers else []
    for stretch in () if cause.is_everything else stretches:
        text = message.text[stretch.start : stretch.end]
        contents = [topic_words(text), *(frozenset({name}) for name in _names(text) - kept)]
        for place, content in enumerate(contents):
            value = content if place else _NOTHING
            named = frozenset(terms(" ".join(content)))
            found.append(
                replace(plain, role="assistant", value=value, content=content, terms=named, is_topic=bool(place))
            )
    return found


def _names(text: str) -> frozenset[str]:
    """Return the names in a stretch, as sentences are compared; none in German, where all nouns look like names."""
    found = [match.group() for match in _NAME.finditer(text)]
    if not found or guess(words(text), text)[0].latin == "de":
        return frozenset()
    return frozenset(word for name in found for word in tokenize(name).content)


def _answers(message: LoggedMessage, messages: Iterable[LoggedMessage]) -> list[MessageRef]:
    """Return the places of the assistant's answers to a message, up to the user's next message."""
    above = {message.seq}
    found: list[MessageRef] = []
    for other in messages:
        if other.conversation != message.conversation or other.parent_seq not in above or other.role == "user":
            continue
        above.add(other.seq)
        if other.role == "assistant":
            found.append(other.ref)
    return found


async def _quotations_meant(topics: Sequence[Outdated], snapshot: SubjectSnapshot, runtime: Runtime) -> list[Memory]:
    """Read the quotations of user messages that may be about what is to be forgotten."""
    ids = (
        [MemoryId(id_text(snapshot.ids[place])) for place in places(snapshot, topics, MemoryKind.TURN)]
        if len(snapshot)
        else []
    )
    found: list[Memory] = []
    for start in range(0, len(ids), BATCH_SIZE):
        memories = await runtime.memories(snapshot.subject, ids[start : start + BATCH_SIZE])
        found += [memory for memory in memories if memory.evidence and memory.evidence[0].role == "user"]
    return found


def _messages_meant(topics: Sequence[Outdated], quotations: Sequence[Memory]) -> list[MessageRef]:
    """Return the places of the messages that are to be forgotten, and of the requests, in order."""
    found: list[Evidence] = [memory.evidence[0] for memory in quotations]
    found += [said for old in topics for said in (*old.evidence, *((old.until,) if old.until else ()))]
    meant = {said.ref for said in found if said.role == "user"}
    return sorted(meant.union(*(old.messages for old in topics)))


async def _with_answers(
    place: MessageRef, subject: Subject, home: Subject | None, runtime: Runtime
) -> list[LoggedMessage]:
    """Read a message and those that follow it."""
    for owner in (home,) if home else (subject, *subject.owners):
        messages = await runtime.store.conversations.messages(
            owner, place.conversation, after_seq=place.seq - 1, limit=1 + MAX_AFTER
        )
        if messages:
            return messages
    return []
