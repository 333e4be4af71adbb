"""Input of the extractors: messages, turns, and a message's own words without injected text and secrets. Pure.

`readable` is what every rule and every model reads of a message. Its results are cached, since each stage asks again.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import lru_cache
from threading import Lock

from toldonce.chat.content import speaker_name
from toldonce.extraction.own_text.chat_bridges import labelled_parts
from toldonce.extraction.own_text.marked_text import Origin, without_marks
from toldonce.extraction.own_text.own_words import Speaker, mark, own_words
from toldonce.extraction.redaction import redact
from toldonce.extraction.role_play import find_games
from toldonce.text import bare, fold_runs, squeeze
from toldonce.text.byte_runs import without_bytes
from toldonce.text_caches import register_text_cache
from toldonce.types import LoggedMessage, Memory, Subject

# Characters of a message that extractors read: a longer one is a pasted document.
MAX_READ_CHARACTERS = 20_000
"""Of a message's own words, its first ones are read."""
MAX_INLINE_CHARACTERS = 4_000
"""Longest text that is read on the event loop."""
# Characters that are searched for them: own words may follow a pasted page, but not a book.
_MAX_SEEN_CHARACTERS = 3 * MAX_READ_CHARACTERS
# Extra characters that are redacted, so that no secret is cut in half at the edge and overlooked.
_MARGIN = 1_000
# Stages ask for a message's own words up to once per candidate: the results are cached.
MAX_CACHED_TEXTS, MAX_CACHED_CHARACTERS = 256, 1_000_000
_GAP = "…"
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
    items: int = 0
    """Number of items of the model's answer so far: they are numbered on from the neighbours."""
    interaction: str = "chat"
    """Mode of the conversation (`chat`, `qa`, `summary`), which sets the style of a model's extraction."""
    tags: tuple[str, ...] = ()
    """Tags of this conversation's records."""
    keeps_sentences: bool = False
    """Sentences that the trained heads keep become notes."""
    invented: Mapping[int, str] = field(default_factory=dict)
    """What messages say within a game, a story or a supposition, by `seq`: a model sees it, marked as such."""
    carried: Mapping[int, "CarriedText"] = field(default_factory=dict)
    """Messages that carry others' words, by `seq`: a model sees these, between marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedText:
    """A message of a user that carries words that are not their own."""

    shown: str
    """As a model is shown it: own words, and the others between marks."""
    given: str
    """Own words and the texts to work on: evidence for a note that names its source. Empty without such texts."""


@dataclass(frozen=True, slots=True)
class CarriedWords:
    """What messages hold beside the user's own statements, by `seq`."""

    invented: Mapping[int, str] = field(default_factory=dict)
    """What they say within games and stories: evidence for what a candidate says of a game."""
    texts: Mapping[int, CarriedText] = field(default_factory=dict)
    """Texts to work on are evidence for a note that names its source, what else they carry for nothing."""

    def given(self, seq: int) -> str:
        """Return the own words of a message and its texts to work on; empty without such texts."""
        return self.texts[seq].given if seq in self.texts else ""

    def shown(self, seq: int) -> str:
        """Return all that a model was shown of a message; empty if it carries nothing."""
        return without_marks(self.texts[seq].shown) if seq in self.texts else ""


NOTHING_CARRIED = CarriedWords()


@dataclass(frozen=True, slots=True)
class Readable:
    """What may be read of a message: own, redacted, of limited length."""

    words: str
    """The speaker's own words."""
    quoted: str
    """The same with "…" where words of others are left out; the same object where none are."""


def readable(message: LoggedMessage) -> str:
    """Return the words of a message that memories may be derived from."""
    return read_message(message).words


def read_message(message: LoggedMessage) -> Readable:
    """Read a message. Quotations of the assistant count as its own words, since it answers from documents."""
    return read_said(message.text, message.role, message.name, quotations=message.role == "assistant")


def read_said(text: str, role: str, name: str | None, *, quotations: bool = False) -> Readable:
    """Read what a speaker said, without the label that a chat bridge put before it.

    The words of several speakers keep their names. Who writes through a bridge talks to the assistant, as a user does.
    """
    parts = labelled_parts(text, name) if role == "user" else []
    if not parts:
        return _read_text(text, quotations, speaker_kind(role, name))
    read = [(part.name, _read_text(part.words, False, "user")) for part in parts]
    if len(read) == 1:
        return read[0][1]
    return Readable(
        words="\n".join(f"{speaker}: {part.words}" for speaker, part in read),
        quoted="\n".join(f"{speaker}: {part.quoted}" for speaker, part in read),
    )


def is_read_whole(message: LoggedMessage) -> bool:
    """Return whether `readable` reads a message to its end."""
    length = len(without_bytes(message.text))
    return length < MAX_READ_CHARACTERS or (
        length <= _MAX_SEEN_CHARACTERS and len(readable(message)) < MAX_READ_CHARACTERS
    )


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
        self._found: OrderedDict[_Key, Readable] = OrderedDict()
        self._characters = 0

    def cache_clear(self) -> None:
        with self._lock:
            self._found.clear()
            self._characters = 0

    def get(self, key: _Key) -> Readable | None:
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def keep(self, key: _Key, read: Readable) -> None:
        with self._lock:
            if key in self._found:
                return
            self._found[key] = read
            self._characters += _size(key, read)
            while len(self._found) > MAX_CACHED_TEXTS or self._characters > MAX_CACHED_CHARACTERS:
                self._characters -= _size(*self._found.popitem(last=False))


def _size(key: _Key, read: Readable) -> int:
    return len(key[0]) + len(read.words) + (len(read.quoted) if read.quoted is not read.words else 0)


_CACHE = register_text_cache(_ReadableCache())


def _key(text: str, quotations: bool, speaker: Speaker) -> _Key:
    seen = without_bytes(text)
    return seen[:_MAX_SEEN_CHARACTERS], len(seen) > _MAX_SEEN_CHARACTERS, quotations, speaker


def readable_text(text: str, *, quotations: bool = False, speaker: Speaker = "user") -> str:
    """Return the readable words of a text; `quotations` keeps quoted lines."""
    return _read_text(text, quotations, speaker).words


def _read_text(text: str, quotations: bool, speaker: Speaker) -> Readable:
    key = _key(text, quotations, speaker)
    known = _CACHE.get(key)
    if known is None:
        known = _read(*key)
        _CACHE.keep(key, known)
    return known


def _read(seen: str, is_cut: bool, quotations: bool, speaker: Speaker) -> Readable:
    marked = mark(seen, quotations=quotations, speaker=speaker)
    own = marked.own()
    quoted = marked.quoted() if marked.spans else own
    words = _shown(own, is_cut)
    if is_cut or len(own) > MAX_READ_CHARACTERS:
        return Readable(words, f"{words}{_GAP}" if quoted == own else f"{_GAP}\n{words}{_GAP}")
    if quoted == own:
        return Readable(words, words)
    plain = fold_runs(quoted)
    shown = plain if words == fold_runs(own) else redact(plain)
    # A mark may part the words that show something to be a secret: then one mark precedes all of them.
    is_same = squeeze(shown.replace(_GAP, " ")) == squeeze(words.replace(_GAP, " "))
    return Readable(words, shown if is_same else f"{_GAP}\n{words}")


def _shown(words: str, is_cut: bool) -> str:
    read = redact(fold_runs(words)[: MAX_READ_CHARACTERS + _MARGIN])
    # The edge of a cut text is dropped: half a secret does not have the shape of one.
    return read[: min(MAX_READ_CHARACTERS, max(0, len(read) - _MARGIN))] if is_cut else read[:MAX_READ_CHARACTERS]


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
        seen = without_bytes(message.text)
        spans, still_open = find_games(seen[:MAX_READ_CHARACTERS], is_open=is_open)
        within = is_open and bool(spans) and not spans[0][0]
        found.append(replace(message, text=seen[spans[0][1] :]) if within else message)
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
        seen = without_bytes(message.text)[:MAX_READ_CHARACTERS]
        spans, still_open = find_games(seen, is_open=is_open)
        if spans:
            words = redact(fold_runs(own_words(seen, games=True)))
            spans, _ = find_games(words, is_open=is_open)
            found[message.seq] = "\n".join(words[start:end].strip() for start, end in spans)
        is_open = still_open
    return {seq: words for seq, words in found.items() if any(map(str.isalnum, words))}


def carried_texts(messages: Sequence[LoggedMessage], invented: Collection[int] = ()) -> dict[int, CarriedText]:
    """Return the user's messages that carry words that are not their own, by `seq`.

    Args:
        messages: The new messages, as they were said.
        invented: Messages with parts of a game, which give no text to work on.
    """
    found: dict[int, CarriedText] = {}
    for message in messages:
        if speaker_kind(message.role, message.name) != "user":
            continue
        marked = mark(without_bytes(message.text)[:MAX_READ_CHARACTERS])
        if marked.holds():
            given = marked.own(with_given=True) if message.seq not in invented and marked.holds(Origin.GIVEN) else ""
            found[message.seq] = CarriedText(shown=_safe(marked.for_model()), given=_safe(given))
    return found


def _safe(words: str) -> str:
    return redact(fold_runs(words))


def _is_game_open(texts: Iterable[str]) -> bool:
    """Return whether a game is open after the user's messages."""
    is_open = False
    for text in texts:
        seen = without_bytes(text)[:MAX_READ_CHARACTERS]
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


def read_quotation(memory: Memory) -> Readable:
    """Read the message of a quotation."""
    role = memory.evidence[0].role if memory.evidence else "user"
    return read_said(memory.text, role, memory.speaker if memory.speaker != role else None)


def speaker_of(message: LoggedMessage, quote: str = "") -> str:
    """Return the speaker's name, or the role if there is no name or it reads like a role.

    Args:
        message: The message.
        quote: Words of it, where it may be of several speakers; empty: of the whole.
    """
    parts = labelled_parts(message.text, message.name) if quote and message.role == "user" else []
    name = next((part.name for part in parts if bare(quote) in bare(part.words)), message.name)
    return speaker_name(name) or message.role


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
