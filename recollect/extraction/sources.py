"""What an extractor is given: messages, turns, and a message's own words without injected text and secrets. Pure."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from zoneinfo import ZoneInfo

from recollect.chat.content import speaker_name
from recollect.extraction.own_words import Speaker, own_words
from recollect.extraction.redaction import scrub
from recollect.extraction.role_play import played
from recollect.text import fold_runs
from recollect.types import LoggedMessage, Memory, Subject

# Longest stretch of a message that extractors read: a longer one is a pasted document, not somebody talking.
MAX_READ_CHARACTERS = 20_000
# What is looked at of a text to find that stretch: own words may stand behind a pasted page, not behind a book.
_MAX_SEEN_CHARACTERS = 3 * MAX_READ_CHARACTERS
# Read beyond it while scrubbing, so that no secret is cut in half at the edge and overlooked.
_MARGIN = 1_000
# Stages ask for a message's own words again and again, up to once for each candidate: the results are kept.
MAX_KEPT_TEXTS, MAX_KEPT_CHARACTERS = 256, 1_000_000
# Earlier messages are asked again with each new one whether a game is still open: up to this length that is kept.
_MAX_KEPT_TURN = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionInput:
    """The messages to form memories from, and what an extractor may know beside them."""

    messages: tuple[LoggedMessage, ...]
    """The new ones, in order."""
    earlier: tuple[LoggedMessage, ...] = ()
    """Some before them, for context only."""
    subject: Subject
    sources: frozenset[str] = frozenset({"user"})
    """Roles whose words may form memories."""
    time_zone: ZoneInfo
    """Where the subject's days begin."""
    neighbours: tuple[Memory, ...] = ()
    """Existing memories near the messages; may be empty."""
    interaction: str = "chat"
    """The mode of the conversation (`chat`, `qa`, `summary`): the style in which a model extracts."""
    tags: tuple[str, ...] = ()
    """Names under which records of this conversation are listed."""


def readable(message: LoggedMessage) -> str:
    """Return the words of a message that memories may be derived from: own, scrubbed, and not endless.

    What the assistant quotes counts as its words: it answers out of documents.
    """
    speaker = speaker_kind(message.role, message.name)
    return readable_text(message.text, quotations=message.role == "assistant", speaker=speaker)


def is_read_whole(message: LoggedMessage) -> bool:
    """Return whether `readable` looks at a message to its end."""
    return len(message.text) < MAX_READ_CHARACTERS or (
        len(message.text) <= _MAX_SEEN_CHARACTERS and len(readable(message)) < MAX_READ_CHARACTERS
    )


def keep_readable(message: LoggedMessage, words: str) -> None:
    """Keep the result of `readable`, found in another process: it is not worked out here."""
    speaker = speaker_kind(message.role, message.name)
    _KEPT.keep(_key(message.text, message.role == "assistant", speaker), words)


def speaker_kind(role: str, name: str | None) -> Speaker:
    """Tell whose words a message holds: under a name somebody talks to other people.

    >>> speaker_kind("user", None), speaker_kind("user", "Ben"), speaker_kind("tool", None)
    ('user', 'person', 'assistant')
    """
    if role != "user":
        return "assistant"
    return "person" if speaker_name(name) else "user"


_Key = tuple[str, bool, bool, Speaker]


class _KeptReadings:
    """The own words of the texts read last. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: OrderedDict[_Key, str] = OrderedDict()
        self._characters = 0

    def get(self, key: _Key) -> str | None:
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def keep(self, key: _Key, words: str) -> None:
        with self._lock:
            if key in self._found:
                return
            self._found[key] = words
            self._characters += len(key[0]) + len(words)
            while len(self._found) > MAX_KEPT_TEXTS or self._characters > MAX_KEPT_CHARACTERS:
                (text, *_), gone = self._found.popitem(last=False)
                self._characters -= len(text) + len(gone)


_KEPT = _KeptReadings()


def _key(text: str, quotations: bool, speaker: Speaker) -> _Key:
    return text[:_MAX_SEEN_CHARACTERS], len(text) > _MAX_SEEN_CHARACTERS, quotations, speaker


def readable_text(text: str, *, quotations: bool = False, speaker: Speaker = "user") -> str:
    """Return what may be derived from a text: own words (and, if told to, quoted lines), scrubbed, not endless."""
    key = _key(text, quotations, speaker)
    known = _KEPT.get(key)
    if known is None:
        known = _read(*key)
        _KEPT.keep(key, known)
    return known


def _read(seen: str, is_cut: bool, quotations: bool, speaker: Speaker) -> str:
    own = scrub(fold_runs(own_words(seen, quotations=quotations, speaker=speaker))[: MAX_READ_CHARACTERS + _MARGIN])
    # Of what was cut the edge is not read either: half a secret has not the shape of one.
    return own[: min(MAX_READ_CHARACTERS, max(0, len(own) - _MARGIN))] if is_cut else own[:MAX_READ_CHARACTERS]


def without_role_play(messages: Sequence[LoggedMessage], earlier: Iterable[LoggedMessage]) -> list[LoggedMessage]:
    """Take out of messages what belongs to a game that an earlier one of the conversation began.

    Args:
        messages: In order.
        earlier: Those before them, in order.
    """
    is_open = False
    for message in earlier:
        if speaker_kind(message.role, message.name) == "user":
            seen = message.text[:MAX_READ_CHARACTERS]
            is_open = _kept_open(seen, is_open) if len(seen) <= _MAX_KEPT_TURN else _still_open(seen, is_open)
    found: list[LoggedMessage] = []
    for message in messages:
        if speaker_kind(message.role, message.name) != "user":
            found.append(message)
            continue
        spans, still_open = played(message.text[:MAX_READ_CHARACTERS], is_open=is_open)
        within = is_open and bool(spans) and not spans[0][0]
        found.append(replace(message, text=message.text[spans[0][1] :]) if within else message)
        is_open = still_open
    return found


def _still_open(text: str, is_open: bool) -> bool:
    """Return whether a game is open behind a message."""
    _, open_behind = played(text, is_open=is_open)
    return open_behind


_kept_open = lru_cache(maxsize=2_000)(_still_open)


def quotation_text(memory: Memory) -> str:
    """Return what a quotation shows of its message."""
    role = memory.evidence[0].role if memory.evidence else "user"
    name = memory.speaker if memory.speaker != role else None
    return readable_text(memory.text, speaker=speaker_kind(role, name))


def speaker_of(message: LoggedMessage) -> str:
    """Return who speaks: the name, or the role where no name is known, or one that reads as a role."""
    return speaker_name(message.name) or message.role


def who(message: LoggedMessage) -> str:
    """Return the speaker as the subject of a sentence: 'Caroline', 'The user', 'The assistant'."""
    return speaker_name(message.name) or f"The {message.role}"


Exchange = tuple[LoggedMessage, ...]
"""One turn: a user message with its answer, and the rounds of tools between them."""


def exchanges(messages: Sequence[LoggedMessage]) -> list[Exchange]:
    """Cut messages into turns: each user message begins one, answered or not.

    What stands before the first user message (a greeting) belongs to the first turn.
    """
    found: list[list[LoggedMessage]] = []
    spoken = False
    for message in messages:
        user = message.role == "user"
        if not found or (user and spoken):
            found.append([])
        spoken = spoken or user
        found[-1].append(message)
    return [tuple(turn) for turn in found]
