"""LoCoMo's JSON: two people over many dated sessions, questions in five categories. Pure.

`read` turns the file into an evaluation data set and refuses it as a whole; `locomo_samples` and `locomo_sessions` turn
it into recordings for `toldonce replay`, once for each of the two people as the user, and report bad parts one by one.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from toldonce.datasets.dataset import (
    DatasetConversation,
    DatasetQuestion,
    DatasetTurn,
    Observation,
    parse_session_date,
)
from toldonce.datasets.json_node import TURN, Node, decode, parse, plain
from toldonce.datasets.recordings import BadRecord, BadRecordError, Recording, spread
from toldonce.lazy_pattern import LazyPattern

# The data set numbers its categories; the paper names them.
CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", 5: "5 adversarial"}
_ADVERSARIAL = 5
_SESSION = LazyPattern(r"session_(\d+)")
# Evidence may be written as 'D8:6; D9:17' or 'D:11:26', or with leading zeros.
_TURN_ID = LazyPattern(r"D:?(\d+):(\d+)")


def read(where: str, data: bytes, zone: tzinfo) -> tuple[DatasetConversation, ...]:
    """Read a list of samples: `speaker_a` is the user, the other speaker the assistant.

    Raises:
        BadRequestError: it is none, or a sample in it cannot be read.
    """
    return tuple(_sample(sample, zone) for sample in parse(where, data).items())


def turn_ids(written: object) -> frozenset[str]:
    """Parse the turn ids in evidence, in any notation.

    >>> sorted(turn_ids(["D8:6; D9:17", "D:11:26", "D30:05"]))
    ['D11:26', 'D30:5', 'D8:6', 'D9:17']
    """
    return frozenset(f"D{int(session)}:{int(turn)}" for session, turn in _TURN_ID.findall(plain(written)))


def photo_text(text: str, caption: object) -> str:
    """Append a picture's caption to the text of its turn.

    >>> photo_text("Look!", "a hive")
    'Look!\\n[photo: a hive]'
    """
    return f"{text}\n[photo: {caption}]".strip() if isinstance(caption, str) and caption else text


def _session_numbers(conversation: Mapping[str, object]) -> list[int]:
    return sorted(int(found[1]) for name in conversation if (found := _SESSION.fullmatch(name)))


def _sample(sample: Node, zone: tzinfo) -> DatasetConversation:
    conversation = sample.at("conversation")
    user = conversation.at("speaker_a").text()
    conversation.at("speaker_b").text()
    numbers = _session_numbers(dict(conversation.fields()))
    turns = [turn for number in numbers for turn in _session(conversation, number, user, zone)]
    if not turns:
        conversation.refuse("no session has a turn")
    id_ = sample.at("sample_id").name()
    known = {turn.id: turn.session for turn in turns}
    questions = sample.get("qa")
    return DatasetConversation(
        id=id_,
        turns=tuple(turns),
        questions=tuple(
            _question(question, f"{id_}/{place}", known)
            for place, question in enumerate(questions.items() if questions else (), start=1)
        ),
        observations=_observations(sample.get("observation"), known),
    )


def _session(conversation: Node, number: int, user: str, zone: tzinfo) -> list[DatasetTurn]:
    listed = conversation.at(f"session_{number}").items()
    if not listed:
        return []
    date = conversation.at(f"session_{number}_date_time")
    began = parse_session_date(date.value, zone)
    if began is None:
        date.refuse("must be a date such as '1:56 pm on 8 May, 2023'")
    turns = []
    for place, turn in enumerate(listed):
        speaker = turn.at("speaker").text()
        text = photo_text(plain(turn.value.get("text")), turn.value.get("blip_caption"))
        if text.strip():
            turns.append(
                DatasetTurn(
                    id=next(iter(turn_ids(turn.at("dia_id").text())), turn.value["dia_id"]),
                    session=f"session_{number}",
                    role="user" if speaker == user else "assistant",
                    speaker=speaker,
                    text=text,
                    said_at=began + place * TURN,
                )
            )
    return turns


def _question(question: Node, id_: str, known: dict[str, str]) -> DatasetQuestion:
    category = question.at("category")
    if category.value not in CATEGORIES:
        category.refuse("must be a number from 1 to 5")
    named = turn_ids(question.value.get("evidence"))
    evidence = named & known.keys()
    return DatasetQuestion(
        id=id_,
        text=question.at("question").text(),
        category=CATEGORIES[category.value],
        answer=plain(question.value.get("answer")),
        evidence=evidence,
        sessions=frozenset(known[turn] for turn in evidence),
        unanswerable=category.value == _ADVERSARIAL,
        lost=len(named - evidence),
    )


def _observations(observed: Node | None, known: dict[str, str]) -> tuple[Observation, ...]:
    """List the observations of a sample, without duplicates."""
    found: dict[tuple[str, tuple[str, ...]], Observation] = {}
    for _, session in observed.fields() if observed else ():
        for _, listed in session.fields():
            for observation in listed.items():
                parts = observation.items()
                turns = tuple(sorted(turn_ids(parts[1].value if len(parts) > 1 else None) & known.keys()))
                if turns:
                    text = " ".join(parts[0].text().split())
                    found.setdefault((text, turns), Observation(text=text, turns=turns))
    return tuple(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class LocomoSample:
    """Two people's conversation over many sessions."""

    id: str
    speakers: tuple[str, ...]
    conversation: Mapping[str, Any]


def locomo_samples(data: bytes) -> list[LocomoSample | BadRecord]:
    """Read a file with a list of samples or one sample. Bad samples are reported individually.

    Raises:
        BadRecordError: The file is not JSON, or neither of these.
    """
    try:
        value = decode(data)
    except ValueError as error:
        raise BadRecordError(str(error)) from None
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list) or not value:
        raise BadRecordError("not LoCoMo's format: it is a list of samples, each with a `conversation`")
    return [_recorded_sample(sample, number) for number, sample in enumerate(value, start=1)]


def _recorded_sample(value: object, number: int) -> LocomoSample | BadRecord:
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
    """Return a user name per sample and speaker: the speaker's name, plus the sample's id if not unique."""
    count = Counter(name for sample in samples for name in sample.speakers)
    return {
        (sample.id, name): name if count[name] == 1 else f"{name}-{sample.id}"
        for sample in samples
        for name in sample.speakers
    }


def locomo_sessions(
    sample: LocomoSample, *, as_speaker: str, user: str, zone: tzinfo
) -> Iterator[Recording | BadRecord]:
    """Read a sample's sessions in order, with `as_speaker` as the user and the other one as the assistant.

    Args:
        sample: The sample.
        as_speaker: Speaker who is the user.
        user: Name of that user.
        zone: Time zone of the sessions' dates.
    """
    for number in _session_numbers(sample.conversation):
        where = f"{sample.id}/session_{number}"
        turns = sample.conversation[f"session_{number}"]
        try:
            said = session_date(sample.conversation.get(f"session_{number}_date_time"), zone)
            messages = _messages(turns, as_speaker)
        except BadRecordError as error:
            yield BadRecord(where=where, reason=str(error))
            continue
        if messages:
            dates = spread(said, len(messages), step=TURN)
            yield Recording(id=where, messages=messages, dates=dates, where=where, user=user)


def _messages(turns: object, as_speaker: str) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(turns, list):
        raise BadRecordError("the session is not a list of turns")
    messages = []
    for place, turn in enumerate(turns, start=1):
        if not isinstance(turn, dict) or not isinstance(turn.get("speaker"), str):
            raise BadRecordError(f"turn {place} is not an object with a speaker")
        text = photo_text(str(turn.get("text") or ""), turn.get("blip_caption"))
        role = "user" if turn["speaker"] == as_speaker else "assistant"
        messages.append({"role": role, "name": turn["speaker"], "content": text})
    return tuple(messages)


def session_date(value: object, zone: tzinfo) -> datetime:
    """Parse a session's date, in UTC.

    Raises:
        BadRecordError: It has another form.

    >>> from datetime import UTC
    >>> session_date("1:56 pm on 8 May, 2023", UTC).isoformat()
    '2023-05-08T13:56:00+00:00'
    """
    found = parse_session_date(value, zone)
    if found is None:
        raise BadRecordError(
            f"cannot read the session's date {str(value)[:40]!r}: it looks like '1:56 pm on 8 May, 2023'"
        )
    return found
