"""LoCoMo's JSON: two people over many dated sessions, questions in five categories. Pure."""

import re
from datetime import tzinfo

from recollect.datasets.dataset import DatasetConversation, DatasetQuestion, DatasetTurn, Observation
from recollect.datasets.json_node import TURN, Node, parse, plain
from recollect.dates.session import session_date

# The data set numbers its categories; the paper names them.
CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", 5: "5 adversarial"}
_ADVERSARIAL = 5
_SESSION = re.compile(r"session_(\d+)")
# Some evidence is written 'D8:6; D9:17' or 'D:11:26', some with zeros in front.
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")


def read(where: str, data: bytes, zone: tzinfo) -> tuple[DatasetConversation, ...]:
    """Read a list of samples: `speaker_a` is the user, the other speaker the assistant.

    Raises:
        BadRequestError: it is none, or a sample in it cannot be read.
    """
    return tuple(_sample(one, zone) for one in parse(where, data).items())


def turn_ids(written: object) -> frozenset[str]:
    """Find the turns that evidence names, however it is written.

    >>> sorted(turn_ids(["D8:6; D9:17", "D:11:26", "D30:05"]))
    ['D11:26', 'D30:5', 'D8:6', 'D9:17']
    """
    return frozenset(f"D{int(session)}:{int(turn)}" for session, turn in _TURN_ID.findall(plain(written)))


def photo_text(text: str, caption: object) -> str:
    """Put a picture's caption behind the words of its turn.

    >>> photo_text("Look!", "a hive")
    'Look!\\n[photo: a hive]'
    """
    return f"{text}\n[photo: {caption}]".strip() if isinstance(caption, str) and caption else text


def _sample(sample: Node, zone: tzinfo) -> DatasetConversation:
    conversation = sample.at("conversation")
    user = conversation.at("speaker_a").text()
    conversation.at("speaker_b").text()
    numbers = sorted(int(found[1]) for name, _ in conversation.fields() if (found := _SESSION.fullmatch(name)))
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
            _question(one, f"{id_}/{place}", known)
            for place, one in enumerate(questions.items() if questions else (), start=1)
        ),
        observations=_observations(sample.get("observation"), known),
    )


def _session(conversation: Node, number: int, user: str, zone: tzinfo) -> list[DatasetTurn]:
    listed = conversation.at(f"session_{number}").items()
    if not listed:
        return []
    date = conversation.at(f"session_{number}_date_time")
    began = session_date(date.value, zone)
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
    """List what the sample observed, of what is there twice the first."""
    found: dict[tuple[str, tuple[str, ...]], Observation] = {}
    for _, session in observed.fields() if observed else ():
        for _, listed in session.fields():
            for one in listed.items():
                parts = one.items()
                turns = tuple(sorted(turn_ids(parts[1].value if len(parts) > 1 else None) & known.keys()))
                if turns:
                    text = " ".join(parts[0].text().split())
                    found.setdefault((text, turns), Observation(text=text, turns=turns))
    return tuple(found.values())
