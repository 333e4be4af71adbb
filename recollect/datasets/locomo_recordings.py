"""Read LoCoMo's samples: two people over many dated sessions, each person in turn as the user. Pure."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any

from recollect.datasets.recordings import BadRecord, BadRecordError, Recording, spread
from recollect.dates.session import session_date as read_session_date

_SESSION = re.compile(r"session_(\d+)")
# The data set dates sessions, not turns; people take about a minute for one.
_TURN = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocomoSample:
    """Two people's conversation over many sessions."""

    id: str
    speakers: tuple[str, ...]
    conversation: Mapping[str, Any]


def locomo_samples(data: bytes) -> list[LocomoSample | BadRecord]:
    """Read a file: a list of samples, or one sample. A bad sample is reported by itself.

    Raises:
        BadRecordError: the file as a whole is no JSON, or neither of these.
    """
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadRecordError(f"not UTF-8 at byte {error.start + 1}") from None
    except RecursionError:
        raise BadRecordError("JSON nested too deep") from None
    except json.JSONDecodeError as error:
        raise BadRecordError(f"not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except ValueError:
        raise BadRecordError("a number with more digits than can be read") from None
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list) or not value:
        raise BadRecordError("not LoCoMo's format: it is a list of samples, each with a `conversation`")
    return [_sample(sample, number) for number, sample in enumerate(value, start=1)]


def _sample(value: object, number: int) -> LocomoSample | BadRecord:
    where = f"sample {number}"
    conversation = value.get("conversation") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(conversation, dict):
        return BadRecord(where=where, reason="no object with a `conversation`")
    speakers = tuple(conversation.get(key) for key in ("speaker_a", "speaker_b"))
    if not all(isinstance(name, str) and name.strip() for name in speakers) or len(set(speakers)) < 2:
        return BadRecord(where=where, reason="`speaker_a` and `speaker_b` do not name two people")
    return LocomoSample(
        id=str(value.get("sample_id") or where.replace(" ", "-")),
        speakers=tuple(str(name) for name in speakers),
        conversation=conversation,
    )


def user_names(samples: Sequence[LocomoSample]) -> dict[tuple[str, str], str]:
    """Name a user for each (sample id, speaker): the speaker's name, with the sample's id where several share it."""
    count = Counter(name for sample in samples for name in sample.speakers)
    return {
        (sample.id, name): name if count[name] == 1 else f"{name}-{sample.id}"
        for sample in samples
        for name in sample.speakers
    }


def locomo_sessions(
    sample: LocomoSample, *, as_speaker: str, user: str, zone: tzinfo
) -> Iterator[Recording | BadRecord]:
    """Read a sample's sessions in order, `as_speaker` as the user and the other as the assistant.

    Args:
        sample: The sample.
        as_speaker: Whose memory is formed.
        user: That person's name as a user.
        zone: Time zone of the sessions' dates.
    """
    numbers = sorted(int(found[1]) for key in sample.conversation if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        where = f"{sample.id}/session_{number}"
        turns = sample.conversation[f"session_{number}"]
        try:
            said = session_date(sample.conversation.get(f"session_{number}_date_time"), zone)
            messages = _messages(turns, as_speaker)
        except BadRecordError as error:
            yield BadRecord(where=where, reason=str(error))
            continue
        if messages:
            dates = spread(said, len(messages), step=_TURN)
            yield Recording(id=where, messages=messages, dates=dates, where=where, user=user)


def _messages(turns: object, as_speaker: str) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(turns, list):
        raise BadRecordError("the session is not a list of turns")
    messages = []
    for place, turn in enumerate(turns, start=1):
        if not isinstance(turn, dict) or not isinstance(turn.get("speaker"), str):
            raise BadRecordError(f"turn {place} is not an object with a speaker")
        text = str(turn.get("text") or "")
        caption = turn.get("blip_caption")
        if isinstance(caption, str) and caption:
            text = f"{text}\n[photo: {caption}]".strip()
        role = "user" if turn["speaker"] == as_speaker else "assistant"
        messages.append({"role": role, "name": turn["speaker"], "content": text})
    return tuple(messages)


def session_date(value: object, zone: tzinfo) -> datetime:
    """Read a session's date, in UTC.

    Raises:
        BadRecordError: it is not of that form.

    >>> from datetime import UTC
    >>> session_date("1:56 pm on 8 May, 2023", UTC).isoformat()
    '2023-05-08T13:56:00+00:00'
    """
    found = read_session_date(value, zone)
    if found is None:
        raise BadRecordError(
            f"cannot read the session's date {str(value)[:40]!r}: it looks like '1:56 pm on 8 May, 2023'"
        )
    return found
