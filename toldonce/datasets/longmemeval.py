"""LongMemEval's JSON: each question has its own haystack of sessions. Pure."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal

from toldonce.datasets.dataset import DatasetConversation, DatasetQuestion, DatasetTurn
from toldonce.datasets.json_node import TURN, Node, parse, plain
from toldonce.errors import BadRequestError
from toldonce.lazy_pattern import LazyPattern

_DATE = LazyPattern(r"(\d{4})/(\d{1,2})/(\d{1,2})(?:\s*+\(\w+\))?(?:\s++(\d{1,2}):(\d{2}))?")
# Suffix of the ids of unanswerable questions.
_ABSTENTION = "_abs"


def read(where: str, data: bytes, zone: tzinfo) -> tuple[DatasetConversation, ...]:
    """Read a list of questions; those that share a haystack are asked of one conversation.

    Raises:
        BadRequestError: it is none, or a question in it cannot be read.
    """
    asked: dict[tuple[DatasetTurn, ...], list[DatasetQuestion]] = {}
    for entry in parse(where, data).items():
        turns, question = _haystack(entry, zone)
        asked.setdefault(turns, []).append(question)
    return tuple(
        DatasetConversation(id=questions[0].id, turns=turns, questions=tuple(questions))
        for turns, questions in asked.items()
    )


def _haystack(entry: Node, zone: tzinfo) -> tuple[tuple[DatasetTurn, ...], DatasetQuestion]:
    sessions, dates = entry.at("haystack_sessions").items(), entry.at("haystack_dates").items()
    ids = [session.name() for session in entry.at("haystack_session_ids").items()]
    if not len(sessions) == len(dates) == len(ids):
        raise BadRequestError(
            f"{entry.where}: {len(sessions)} haystack_sessions, {len(dates)} haystack_dates and {len(ids)} "
            "haystack_session_ids; there must be as many of each",
            param="data",
        )
    # Not every haystack is in chronological order in the file.
    told = sorted(zip([_instant(date, zone) for date in dates], _numbered(ids), sessions, strict=True), key=_when)
    turns: list[DatasetTurn] = []
    marked: set[str] = set()
    for began, session, said in told:
        for turn, answers in _session(session, said, began):
            turns.append(turn)
            if answers:
                marked.add(turn.id)
    if not turns:
        entry.refuse("no session has a message")
    return tuple(turns), _question(entry, zone, frozenset(ids), frozenset(marked))


def _when(told: tuple[datetime, str, Node]) -> datetime:
    return told[0]


def _numbered(ids: list[str]) -> list[str]:
    """Give distinct ids to sessions that occur twice in a haystack."""
    seen: Counter[str] = Counter()
    names = []
    for id_ in ids:
        seen[id_] += 1
        names.append(id_ if seen[id_] == 1 else f"{id_}~{seen[id_]}")
    return names


def _session(name: str, said: Node, began: datetime) -> Iterator[tuple[DatasetTurn, bool]]:
    for place, message in enumerate(said.items(), start=1):
        text = plain(message.at("content").value)
        answers = bool(message.value.get("has_answer"))
        if text:
            yield (
                DatasetTurn(
                    id=f"{name}#{place}",
                    session=name,
                    role=_role(message),
                    text=text,
                    said_at=began + (place - 1) * TURN,
                ),
                answers,
            )


def _session_of(turn: str) -> str:
    """Return the session's id in the data.

    >>> _session_of("answer_1~2#3")
    'answer_1'
    """
    return turn.rpartition("#")[0].partition("~")[0]


def _role(message: Node) -> Literal["user", "assistant"]:
    role = message.at("role")
    if role.value == "user":
        return "user"
    if role.value != "assistant":
        role.refuse("must be user or assistant")
    return "assistant"


def _question(entry: Node, zone: tzinfo, known: frozenset[str], marked: frozenset[str]) -> DatasetQuestion:
    id_ = entry.at("question_id").name()
    listed = entry.get("answer_session_ids")
    named = frozenset(session.name() for session in listed.items()) if listed else frozenset()
    date = entry.get("question_date")
    return DatasetQuestion(
        id=id_,
        text=entry.at("question").text(),
        category=entry.at("question_type").text(),
        answer=plain(entry.value.get("answer")),
        # Marks in other sessions belong to other questions on the same haystack.
        evidence=frozenset(turn for turn in marked if not named or _session_of(turn) in named),
        sessions=named & known,
        asked_at=_instant(date, zone) + timedelta(minutes=1) if date else None,
        unanswerable=id_.endswith(_ABSTENTION),
        lost=len(named - known),
    )


def _instant(date: Node, zone: tzinfo) -> datetime:
    found = _DATE.fullmatch(date.value.strip()) if isinstance(date.value, str) else None
    if found is None:
        date.refuse("must be a date such as '2023/05/20 (Sat) 02:21'")
    year, month, day, hour, minute = (int(part) if part else 0 for part in found.groups())
    try:
        return datetime(year, month, day, hour, minute, tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        date.refuse("must be a date such as '2023/05/20 (Sat) 02:21'")
