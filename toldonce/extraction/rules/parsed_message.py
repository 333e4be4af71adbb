"""Messages as the rules read them: own words, dates, speaker, and what was said before. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from toldonce.chat.content import speaker_name
from toldonce.dates import DateMention, Direction, parse_dates
from toldonce.extraction.own_text.chat_bridges import by_speaker
from toldonce.extraction.own_text.quotes import without_quoted
from toldonce.extraction.own_text.transcripts import is_third_party, without_transcript
from toldonce.extraction.sources import ExtractionInput, readable, speaker_label
from toldonce.reading.sentences import TextSpan, fold
from toldonce.time_zones import zone_of
from toldonce.types import LoggedMessage

# Confidence of plain statements, of statements read from running talk, and of those the speaker doubts.
PLAIN, READ, DOUBTED = 1.0, 0.8, 0.5


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """A message, prepared for the rules."""

    message: LoggedMessage
    text: str
    """Own words, redacted; evidence quotes it."""
    masked: str
    """The same with others' words blanked, keeping every character's place."""
    mentions: Sequence[DateMention]
    speaker: str
    """The speaker as the subject of a sentence: 'The user', 'Ana'."""
    between_people: bool
    """Said under a name, in a conversation between people, rather than to an assistant."""
    previous_reply: str
    """What the other side said last; empty if unknown."""
    to_assistant: bool = True
    """Only the assistant answers: what is asked for is asked of it, also where several people write."""
    previous_seq: int = 0
    """`seq` of the speaker's previous message; 0 for the first."""
    previous_texts: tuple[str, ...] = ()
    """The speaker's previous messages, newest first."""
    zone: tzinfo = UTC
    """Decides when the speaker's days begin."""

    def quote(self, clause: TextSpan) -> str:
        """Return the words of a clause as they are in the message."""
        return self.text[clause.start : clause.end]

    def with_coming(self, coming: Sequence[tuple[int, int]]) -> "ParsedMessage":
        """Return the message with the weekdays of sentences that tell of something ahead read as the next ones."""
        if not coming:
            return self
        said_at, zone = self.message.said_at, self.zone
        mentions = parse_dates(self.text, said_at=said_at, zone=zone, default=Direction.AHEAD, coming=coming)
        return replace(self, mentions=mentions)

    def mentions_in(self, clause: TextSpan) -> list[DateMention]:
        """Return the dates within a clause, with spans from its start."""
        return [
            replace(mention, span=(mention.span[0] - clause.start, mention.span[1] - clause.start))
            for mention in self.mentions
            if clause.start <= mention.span[0] and mention.span[1] <= clause.end
        ]


# Earlier messages that a correction can correct.
MAX_LOOKED_BACK = 4


def parse_messages(source: ExtractionInput) -> Iterator[ParsedMessage]:
    """Prepare the messages whose words may form memories, with others' words blanked."""
    known = by_speaker((*source.earlier, *source.messages))
    for message in by_speaker(source.messages):
        if message.role not in source.sources or (message.role != "user" and not speaker_name(message.name)):
            continue
        text, between_people = readable(message), bool(speaker_name(message.name))
        masked = without_quoted(fold(text))
        if not between_people and is_third_party(masked):
            continue
        zone = zone_of(message.said_at, source.time_zone)
        yield ParsedMessage(
            message=message,
            text=text,
            mentions=parse_dates(text, said_at=message.said_at, zone=zone, default=Direction.AHEAD),
            speaker=speaker_label(message),
            between_people=between_people,
            masked=masked if between_people else without_transcript(masked),
            previous_reply=_last_reply(message, known),
            to_assistant=not any(other.role == "assistant" and speaker_name(other.name) for other in known),
            previous_texts=_previous_texts(message, known),
            zone=zone,
            previous_seq=max(
                (other.seq for other in known if _is_of(message, other) and other.seq < message.seq), default=0
            ),
        )


def _previous_texts(message: LoggedMessage, known: Sequence[LoggedMessage]) -> tuple[str, ...]:
    """Return the speaker's messages before a message, newest first."""
    before = [other for other in known if _is_of(message, other) and other.seq < message.seq]
    return tuple(fold(readable(other)) for other in sorted(before, key=lambda other: -other.seq)[:MAX_LOOKED_BACK])


def _is_of(message: LoggedMessage, other: LoggedMessage) -> bool:
    """Return whether another message has the same speaker."""
    return (other.role, other.name) == (message.role, message.name)


def _last_reply(message: LoggedMessage, known: Sequence[LoggedMessage]) -> str:
    """Return the last message of the assistant before a message."""
    before = [other.text for other in known if other.role == "assistant" and other.seq < message.seq]
    return before[-1] if before else ""
