"""Which messages users ask to remember by pointing back to them: 'remember that', '覚えておいて'. Pure."""

from collections.abc import Iterator, Sequence

from toldonce.chat.content import speaker_name
from toldonce.extraction.presumptions import is_assistants_small_talk
from toldonce.extraction.sources import readable
from toldonce.formation.quotations import is_bare_question, is_quotable
from toldonce.reading.heads import ASKING_THRESHOLD, Head, judge_alone
from toldonce.reading.keep_words import pointer
from toldonce.types import LoggedMessage

# Messages before such a request in which what it means is looked for.
_MAX_LOOKED_BACK = 8


def asked_to_keep(said: Sequence[LoggedMessage], known: Sequence[LoggedMessage]) -> list[LoggedMessage]:
    """Return the messages that users ask to remember.

    It is the message itself where it says something before 'remember that', else what the user said last; if that is
    but a question, what the assistant answered.

    Args:
        said: New messages of one conversation.
        known: These and the ones before, in order.
    """
    found: dict[int, LoggedMessage] = {}
    for message in said:
        request = pointer(readable(message)) if message.role == "user" else None
        if request is None:
            continue
        before = [other for other in known if other.seq < message.seq][-_MAX_LOOKED_BACK:]
        meant = message if request.to_itself else _meant(before)
        if meant is not None:
            found[meant.seq] = meant
    return list(found.values())


def _meant(before: Sequence[LoggedMessage]) -> LoggedMessage | None:
    """Return what a request means that tells nothing itself."""
    answer: LoggedMessage | None = None
    for message, words in _telling(before):
        if message.role == "assistant" and not speaker_name(message.name):
            answer = answer or message
        elif is_bare_question(words) or judge_alone(words).of(0, Head.ASKS) >= ASKING_THRESHOLD:
            if answer is not None:
                return answer
        elif is_quotable("user", words):
            return message
    return answer


def _telling(before: Sequence[LoggedMessage]) -> Iterator[tuple[LoggedMessage, str]]:
    """Yield the messages with their own words, newest first, without what only reacts."""
    for message in reversed(before):
        words = readable(message)
        if message.role not in ("user", "assistant") or not words.strip():
            continue
        if message.role == "user" or not is_assistants_small_talk(words):
            yield message, words
