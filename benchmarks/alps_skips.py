"""Which of the user's messages in AlpsBench's chats no model is shown, and why. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from benchmarks.alps_chats import AlpsChat
from benchmarks.alps_evidence import bare_messages, find_evidence, hidden_parts
from benchmarks.alps_heads import heads_in_use
from toldonce.extraction.model_gate import SkipReason, skip_of
from toldonce.extraction.sources import carried_texts, invented_words, without_role_play
from toldonce.formation.extract import EARLIER
from toldonce.reading.heads import Heads
from toldonce.types import ConversationId, LoggedMessage

# The data set dates nothing, and nothing here depends on dates.
_SAID_AT = datetime(2026, 1, 1, tzinfo=UTC)


def skipped_messages(chat: AlpsChat, heads: Heads | None = None) -> Mapping[int, SkipReason]:
    """Return why messages are not shown to a model, by their places, where each turn is formed by itself.

    Args:
        chat: The chat.
        heads: Asked instead of the package's.
    """
    played = logged_messages(chat)
    said = [_logged(chat, place) for place in range(len(chat.messages))]
    invented = invented_words(said, ())
    carried = carried_texts(said, invented)
    shown = {*invented, *(seq for seq, text in carried.items() if text.given)}
    with heads_in_use(heads):
        reasons = {
            place: skip_of(message, played[max(0, place - EARLIER) : place + 1])
            for place, message in enumerate(played)
            if message.role == "user" and message.seq not in shown
        }
    return {place: reason for place, reason in reasons.items() if reason}


def count_skipped(chats: Sequence[AlpsChat], skipped: Sequence[Mapping[int, SkipReason]]) -> Counter[str]:
    """Count the gold utterances that no model is shown, by the reason and by what of the message holds the evidence.

    Args:
        chats: The chats.
        skipped: For each of them its `skipped_messages`.
    """
    counted: Counter[str] = Counter()
    for chat, skips in zip(chats, skipped, strict=True):
        said = bare_messages(chat)
        for place in sorted(chat.gold_utterances & skips.keys()):
            evidence = [find_evidence(item, said) for item in chat.gold if place in item.utterances]
            parts = [hidden_parts(found, chat.said) for found in evidence if found]
            counted[": ".join(filter(None, (skips[place], *parts[:1])))] += 1
    return counted


def logged_messages(chat: AlpsChat) -> list[LoggedMessage]:
    """Return the messages as a log has them, without what belongs to a game; `seq` is a message's place plus 1."""
    return without_role_play([_logged(chat, place) for place in range(len(chat.messages))], ())


def _logged(chat: AlpsChat, place: int) -> LoggedMessage:
    message = chat.messages[place]
    return LoggedMessage(
        conversation=ConversationId("alps"),
        seq=place + 1,
        parent_seq=place,
        role=message.role,
        text=message.text,
        name=None,
        said_at=_SAID_AT,
        recorded_at=_SAID_AT,
        complete=True,
        hash=0,
    )
