"""Input of the extractors: messages, turns, and a message's own words without injected text and secrets. Pure.

`readable` is what every rule and every model reads of a message. Its results are cached, since each stage asks again.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import lru_cache
from threading import Lock

from recollect.chat.content import speaker_name
from recollect.extraction.own_words import Speaker, marked_words, own_words
from recollect.extraction.redaction import redact
from recollect.extraction.role_play import find_games
from recollect.text import fold_runs
from recollect.text_caches import register_text_cache
from recollect.types import LoggedMessage, Memory, Subject

# Characters of a message that extractors read: a longer one is a pasted document.
MAX_READ_CHARACTERS = 20_000
# Characters that are searched for them: own words may follow a pasted page, but not a book.
_MAX_SEEN_CHARACTERS = 3 * MAX_READ_CHARACTERS
# Extra characters that are redacted, so that no secret is cut in half at the edge and overlooked.
_MARGIN = 1_000
# Stages ask for a message's own words up to once per candidate: the results are cached.
MAX_CACHED_TEXTS, MAX_CACHED_CHARACTERS = 256, 1_000_000
# Each new message asks whether an earlier one left a game open: the answer is cached up to this length.
_MAX_CACHED_MESSAGE_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionInput:
    """The messages to form memories from, and their context."""

    messages: tuple[LoggedMessage, ...]
    """The new messages, in order."""
    earlier: tuple[LoggedMessage, ...] = ()
    """Some messages before them, for context only."""
    subject: Subject
    sources: frozenset[str] = frozenset({"user"})
    """Roles whose words may form memories."""
    time_zone: tzinfo
    """Decides when the subject's days begin."""
    neighbours: tuple[Memory, ...] = ()
    """Existing memories near the messages; may be empty."""
    interaction: str = "chat"
    """Mode of the conversation (`chat`, `qa`, `summary`), which sets the style of a model's extraction."""
    tags: tuple[str, ...] = ()
    """Tags of this conversation's records."""
    learned_gate: bool = False
    """The rules quote what the learned gate takes and they cannot read."""
    invented: Mapping[int, str] = field(default_factory=dict)
    """What messages say within a game, a story or a supposition, by `seq`: a model sees it, marked as such."""
    given: Mapping[int, str] = field(default_factory=dict)
    """Messages with the texts that they give to work on, by `seq`: a model sees these, between marks."""


def readable(message: LoggedMessage) -> str:
    """Return the words of a message that memories may be derived from: own, redacted, of limited length.

    Quotations of the assistant count as its own words, since it answers from documents.
    """
    speaker = speaker_kind(message.role, message.name)
    return readable_text(message.text, quotations=message.role == "assistant", speaker=speaker)


def is_read_whole(message: LoggedMessage) -> bool:
    """Return whether `readable` reads a message to its end."""
    return len(message.text) < MAX_READ_CHARACTERS or (
        len(message.text) <= _MAX_SEEN_CHARACTERS and len(readable(message)) < MAX_READ_CHARACTERS
    )


def keep_readable(message: LoggedMessage, words: str) -> None:
    """Cache the result of `readable` from another process, so that it is not computed here."""
    speaker = speaker_kind(message.role, message.name)
    _CACHE.keep(_key(message.text, message.role == "assistant", speaker), words)


def speaker_kind(role: str, name: str | None) -> Speaker:
    """Return the kind of speaker of a message: a user with a name talks to other people.

    >>> speaker_kind("user", None), speaker_kind("user", "Ben"), speaker_kind("tool", None)
    ('user', 'person', 'assistant')
    """
    if role != "user":
        return "assistant"
    return "person" if speaker_name(name) else "user"


_Key = tuple[str, bool, bool, Speaker]


class _ReadableCache:
    """Cache of the own words of recently read texts. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: OrderedDict[_Key, str] = OrderedDict()
        self._characters = 0

    def cache_clear(self) -> None:
        with self._lock:
            self._found.clear()
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
            while len(self._found) > MAX_CACHED_TEXTS or self._characters > MAX_CACHED_CHARACTERS:
                (text, *_), gone = self._found.popitem(last=False)
                self._characters -= len(text) + len(gone)


_CACHE = register_text_cache(_ReadableCache())


def _key(text: str, quotations: bool, speaker: Speaker) -> _Key:
    return text[:_MAX_SEEN_CHARACTERS], len(text) > _MAX_SEEN_CHARACTERS, quotations, speaker


def readable_text(text: str, *, quotations: bool = False, speaker: Speaker = "user") -> str:
    """Return the readable words of a text; `quotations` keeps quoted lines."""
    key = _key(text, quotations, speaker)
    known = _CACHE.get(key)
    if known is None:
        known = _read(*key)
        _CACHE.keep(key, known)
    return known


def _read(seen: str, is_cut: bool, quotations: bool, speaker: Speaker) -> str:
    own = redact(fold_runs(own_words(seen, quotations=quotations, speaker=speaker))[: MAX_READ_CHARACTERS + _MARGIN])
    # The edge of a cut text is dropped: half a secret does not have the shape of one.
    return own[: min(MAX_READ_CHARACTERS, max(0, len(own) - _MARGIN))] if is_cut else own[:MAX_READ_CHARACTERS]


def without_role_play(messages: Sequence[LoggedMessage], earlier: Iterable[str]) -> list[LoggedMessage]:
    """Remove text that belongs to a game which an earlier message opened.

    Args:
        messages: The new messages, in order.
        earlier: What the user said before them, in order.
    """
    is_open = _is_game_open(earlier)
    found: list[LoggedMessage] = []
    for message in messages:
        if speaker_kind(message.role, message.name) != "user":
            found.append(message)
            continue
        spans, still_open = find_games(message.text[:MAX_READ_CHARACTERS], is_open=is_open)
        within = is_open and bool(spans) and not spans[0][0]
        found.append(replace(message, text=message.text[spans[0][1] :]) if within else message)
        is_open = still_open
    return found


def invented_words(messages: Sequence[LoggedMessage], earlier: Iterable[str]) -> dict[int, str]:
    """Return what the user's messages say within a game, a story or a supposition, by `seq`; nothing of other parts.

    Args:
        messages: The new messages, in order, as they were said.
        earlier: What the user said before them, in order.
    """
    is_open = _is_game_open(earlier)
    found: dict[int, str] = {}
    for message in messages:
        if speaker_kind(message.role, message.name) != "user":
            continue
        seen = message.text[:MAX_READ_CHARACTERS]
        spans, still_open = find_games(seen, is_open=is_open)
        if spans:
            words = redact(fold_runs(own_words(seen, games=True)))
            spans, _ = find_games(words, is_open=is_open)
            found[message.seq] = "\n".join(words[start:end].strip() for start, end in spans)
        is_open = still_open
    return {seq: words for seq, words in found.items() if any(map(str.isalnum, words))}


def given_words(messages: Sequence[LoggedMessage], invented: Collection[int] = ()) -> dict[int, str]:
    """Return by `seq` the user's messages that give a text to work on: own words, and that text between marks.

    Args:
        messages: The new messages, as they were said.
        invented: Messages with parts of a game, which give nothing.
    """
    found = {
        message.seq: redact(fold_runs(marked_words(message.text[:MAX_READ_CHARACTERS])))
        for message in messages
        if message.seq not in invented and speaker_kind(message.role, message.name) == "user"
    }
    return {seq: words for seq, words in found.items() if words}


def _is_game_open(texts: Iterable[str]) -> bool:
    """Return whether a game is open after the user's messages."""
    is_open = False
    for text in texts:
        seen = text[:MAX_READ_CHARACTERS]
        is_open = (
            _cached_still_open(seen, is_open)
            if len(seen) <= _MAX_CACHED_MESSAGE_CHARACTERS
            else _still_open(seen, is_open)
        )
    return is_open


def _still_open(text: str, is_open: bool) -> bool:
    """Return whether a game is open after a message."""
    _, is_open_after = find_games(text, is_open=is_open)
    return is_open_after


_cached_still_open = register_text_cache(lru_cache(maxsize=2_000)(_still_open))


def quotation_text(memory: Memory) -> str:
    """Return the words that a quotation shows."""
    role = memory.evidence[0].role if memory.evidence else "user"
    name = memory.speaker if memory.speaker != role else None
    return readable_text(memory.text, speaker=speaker_kind(role, name))


def speaker_of(message: LoggedMessage) -> str:
    """Return the speaker's name, or the role if there is no name or it reads like a role."""
    return speaker_name(message.name) or message.role


def speaker_label(message: LoggedMessage) -> str:
    """Return the speaker as the subject of a sentence: 'Caroline', 'The user', 'The assistant'."""
    return speaker_name(message.name) or f"The {message.role}"


Exchange = tuple[LoggedMessage, ...]
"""One turn: a user message with its answer, and the tool calls between them."""


def exchanges(messages: Sequence[LoggedMessage]) -> list[Exchange]:
    """Cut messages into turns: each user message begins one, answered or not.

    Messages before the first user message (a greeting) belong to the first turn.
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
