"""The messages that the rules read: own words, the times in them, who speaks and after what. Pure."""

from collections.abc import Iterator, Sequence

from recollect.chat.content import speaker_name
from recollect.dates import Direction, parse_dates
from recollect.extraction.quotes import without_quoted
from recollect.extraction.rules.parsed_message import ParsedMessage
from recollect.extraction.rules.rewrite import Speaker
from recollect.extraction.sentences import fold
from recollect.extraction.sources import ExtractionInput, readable, who
from recollect.extraction.transcript import is_third_party, without_transcript
from recollect.types import LoggedMessage

# Messages before it in which a correction finds what it corrects.
MAX_LOOKED_BACK = 4


def each_message(source: ExtractionInput) -> Iterator[ParsedMessage]:
    """Read the messages whose words form memories, others' words in them blanked."""
    everybody = [*source.earlier, *source.messages]
    for message in source.messages:
        if message.role not in source.sources or (message.role != "user" and not speaker_name(message.name)):
            continue
        text, talk = readable(message), bool(speaker_name(message.name))
        masked = without_quoted(fold(text))
        if not talk and is_third_party(masked):
            continue
        yield ParsedMessage(
            message=message,
            text=text,
            mentions=parse_dates(text, said_at=message.said_at, zone=source.time_zone, default=Direction.AHEAD),
            speaker=_speaker(message, everybody),
            talk=talk,
            masked=masked if talk else without_transcript(masked),
            answers=_answered(message, everybody),
            before=_before(message, everybody),
            zone=source.time_zone,
            before_seq=max((one.seq for one in everybody if one.role == "user" and one.seq < message.seq), default=0),
        )


def _before(message: LoggedMessage, everybody: Sequence[LoggedMessage]) -> tuple[str, ...]:
    """Return what the speaker said before a message, the newest first."""
    said = [one for one in everybody if one.role == message.role and one.name == message.name and one.seq < message.seq]
    return tuple(fold(readable(one)) for one in sorted(said, key=lambda one: -one.seq)[:MAX_LOOKED_BACK])


def _answered(message: LoggedMessage, everybody: Sequence[LoggedMessage]) -> str:
    """Return what the assistant said last before a message."""
    before = [one.text for one in everybody if one.role == "assistant" and one.seq < message.seq]
    return before[-1] if before else ""


def _speaker(message: LoggedMessage, everybody: Sequence[LoggedMessage]) -> Speaker:
    mine = speaker_name(message.name)
    others = {name for one in everybody if (name := speaker_name(one.name)) and name != mine}
    return Speaker(who(message), bool(mine), others.pop() if len(others) == 1 and mine else "")
