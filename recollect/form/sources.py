"""What an extractor is given, and a message's own words without what was injected or is secret. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from zoneinfo import ZoneInfo

from recollect.chat.names import spoken_name
from recollect.form.role_play import played
from recollect.form.scrub import scrub
from recollect.form.strip import Speaker, own_words
from recollect.text import fold_runs
from recollect.types import LoggedMessage, Memory, Subject

# Longest stretch of a message that extractors read: a longer one is a pasted document, not somebody talking.
LONGEST_READ = 20_000
# What is looked at of a text to find that stretch: own words may stand behind a pasted page, not behind a book.
_LONGEST_SEEN = 3 * LONGEST_READ
# Read beyond it while scrubbing, so that no secret is cut in half at the edge and overlooked.
_MARGIN = 1_000
# A batch's messages are read by gate, extractor and check of evidence in turn.
_KEPT_READ, _SHORT = 32, 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FormInput:
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


def speaker_kind(role: str, name: str | None) -> Speaker:
    """Tell whose words a message holds: under a name somebody talks to other people.

    >>> speaker_kind("user", None), speaker_kind("user", "Ben"), speaker_kind("tool", None)
    ('user', 'person', 'assistant')
    """
    if role != "user":
        return "assistant"
    return "person" if spoken_name(name) else "user"


def readable_text(text: str, *, quotations: bool = False, speaker: Speaker = "user") -> str:
    """Return what may be derived from a text: own words (and, if told to, quoted lines), scrubbed, not endless."""
    read = _short_read if len(text) <= _SHORT else _read
    return read(text, quotations, speaker)


@lru_cache(maxsize=_KEPT_READ)
def _short_read(text: str, quotations: bool, speaker: Speaker) -> str:
    return _read(text, quotations, speaker)


def _read(text: str, quotations: bool, speaker: Speaker) -> str:
    seen = own_words(text[:_LONGEST_SEEN], quotations=quotations, speaker=speaker)
    own = scrub(fold_runs(seen)[: LONGEST_READ + _MARGIN])
    # Of what was cut the edge is not read either: half a secret has not the shape of one.
    return own[: min(LONGEST_READ, max(0, len(own) - _MARGIN))] if len(text) > _LONGEST_SEEN else own[:LONGEST_READ]


def without_role_play(messages: Sequence[LoggedMessage], earlier: Iterable[LoggedMessage]) -> list[LoggedMessage]:
    """Take out of messages what belongs to a game that an earlier one of the conversation began.

    Args:
        messages: In order.
        earlier: Those before them, in order.
    """
    is_open = False
    for message in earlier:
        if speaker_kind(message.role, message.name) == "user":
            _, is_open = played(message.text[:LONGEST_READ], is_open=is_open)
    found: list[LoggedMessage] = []
    for message in messages:
        if speaker_kind(message.role, message.name) != "user":
            found.append(message)
            continue
        spans, still_open = played(message.text[:LONGEST_READ], is_open=is_open)
        within = is_open and bool(spans) and not spans[0][0]
        found.append(replace(message, text=message.text[spans[0][1] :]) if within else message)
        is_open = still_open
    return found


def quotation_text(memory: Memory) -> str:
    """Return what a quotation shows of its message."""
    role = memory.evidence[0].role if memory.evidence else "user"
    name = memory.speaker if memory.speaker != role else None
    return readable_text(memory.text, speaker=speaker_kind(role, name))


def speaker_of(message: LoggedMessage) -> str:
    """Return who speaks: the name, or the role where no name is known, or one that reads as a role."""
    return spoken_name(message.name) or message.role


def who(message: LoggedMessage) -> str:
    """Return the speaker as the subject of a sentence: 'Caroline', 'The user', 'The assistant'."""
    return spoken_name(message.name) or f"The {message.role}"
