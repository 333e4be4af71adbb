"""Messages as the rules read them: own words, the times in them, who speaks and after what. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from recollect.chat.content import speaker_name
from recollect.dates import DateMention, Direction, parse_dates
from recollect.extraction.quotes import without_quoted
from recollect.extraction.rules.rewrite import Speaker
from recollect.extraction.sentences import TextSpan, fold
from recollect.extraction.sources import ExtractionInput, readable, speaker_label
from recollect.extraction.transcripts import is_third_party, without_transcript
from recollect.types import LoggedMessage

# Confidence of what was said plainly, of what was read out of running talk, and of what the speaker doubts.
PLAIN, READ, DOUBTED = 1.0, 0.8, 0.5
_UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """A message while it is read."""

    message: LoggedMessage
    text: str
    """Own words, scrubbed; quotes in evidence are cut from it."""
    masked: str
    """The same with others' words blanked, each character in its place."""
    mentions: Sequence[DateMention]
    speaker: Speaker
    between_people: bool
    """Said under a name, in a conversation between people, rather than to an assistant."""
    previous_reply: str
    """What the other side said last; empty if unknown."""
    previous_seq: int = 0
    """`seq` of the speaker's previous message; 0 for the first."""
    previous_texts: tuple[str, ...] = ()
    """The speaker's previous messages, newest first."""
    zone: ZoneInfo = _UTC
    """Where the speaker's days begin."""

    def quote(self, clause: TextSpan) -> str:
        """Return the words of a clause as they stand in the message."""
        return self.text[clause.start : clause.end]

    def mentions_in(self, clause: TextSpan) -> list[DateMention]:
        """Return the times named within a clause, spans counted from its start."""
        return [
            replace(one, span=(one.span[0] - clause.start, one.span[1] - clause.start))
            for one in self.mentions
            if clause.start <= one.span[0] and one.span[1] <= clause.end
        ]


# Messages before it in which a correction finds what it corrects.
MAX_LOOKED_BACK = 4


def parse_messages(source: ExtractionInput) -> Iterator[ParsedMessage]:
    """Read the messages whose words form memories, others' words in them blanked."""
    everybody = [*source.earlier, *source.messages]
    for message in source.messages:
        if message.role not in source.sources or (message.role != "user" and not speaker_name(message.name)):
            continue
        text, between_people = readable(message), bool(speaker_name(message.name))
        masked = without_quoted(fold(text))
        if not between_people and is_third_party(masked):
            continue
        yield ParsedMessage(
            message=message,
            text=text,
            mentions=parse_dates(text, said_at=message.said_at, zone=source.time_zone, default=Direction.AHEAD),
            speaker=_speaker(message, everybody),
            between_people=between_people,
            masked=masked if between_people else without_transcript(masked),
            previous_reply=_last_reply(message, everybody),
            previous_texts=_previous_texts(message, everybody),
            zone=source.time_zone,
            previous_seq=max((one.seq for one in everybody if one.role == "user" and one.seq < message.seq), default=0),
        )


def _previous_texts(message: LoggedMessage, everybody: Sequence[LoggedMessage]) -> tuple[str, ...]:
    """Return what the speaker said before a message, the newest first."""
    said = [one for one in everybody if one.role == message.role and one.name == message.name and one.seq < message.seq]
    return tuple(fold(readable(one)) for one in sorted(said, key=lambda one: -one.seq)[:MAX_LOOKED_BACK])


def _last_reply(message: LoggedMessage, everybody: Sequence[LoggedMessage]) -> str:
    """Return what the assistant said last before a message."""
    before = [one.text for one in everybody if one.role == "assistant" and one.seq < message.seq]
    return before[-1] if before else ""


def _speaker(message: LoggedMessage, everybody: Sequence[LoggedMessage]) -> Speaker:
    mine = speaker_name(message.name)
    others = {name for one in everybody if (name := speaker_name(one.name)) and name != mine}
    return Speaker(speaker_label(message), bool(mine), others.pop() if len(others) == 1 and mine else "")
