"""BEAM's conversations, as bytes: a folder's `chat.json` and probing questions, or a line of a JSONL file. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal

from toldonce.datasets.dataset import MONTHS, DatasetConversation, DatasetQuestion, DatasetTurn
from toldonce.datasets.json_node import TURN, Node, parse, plain
from toldonce.errors import BadRequestError
from toldonce.lazy_pattern import LazyPattern

QUESTIONS = "probing_questions/probing_questions.json"
CHATS = ("chat_trunecated.json", "chat.json")
"""File names in order of preference: the first has the size that the questions refer to."""
_MARK = LazyPattern(r"->->[^\n]{0,24}$")
_ANCHOR = LazyPattern(r"([A-Za-z]{1,20})-(\d{1,2})-(\d{4})")
_UNDATED = datetime(2024, 1, 1, tzinfo=UTC)
# Fields with the expected answer, which differ between kinds of questions.
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")
_ABSTENTION = "abstention"


@dataclass(frozen=True, slots=True)
class _Batch:
    """Messages of a session, with the node that may date them."""

    session: str
    dated: Node
    messages: list[Node]


def read(id_: str, chat: tuple[str, bytes], questions: tuple[str, bytes], zone: tzinfo) -> DatasetConversation:
    """Read one conversation of a folder.

    Args:
        id_: Its folder's name.
        chat: Where the chat was read, and its bytes.
        questions: The same of its questions.
        zone: In which its days begin.

    Raises:
        BadRequestError: one of them cannot be read.
    """
    batches = parse(*chat)
    turns = tuple(_turns(_batches(batches), zone))
    if not turns:
        batches.refuse("no batch has a message")
    known = {turn.id: turn.session for turn in turns}
    asked = [
        _question(question, f"{id_}/{category}/{place}", category, known)
        for category, listed in parse(*questions).fields()
        for place, question in enumerate(listed.items(), start=1)
    ]
    return DatasetConversation(id=f"beam-{id_}", turns=turns, questions=tuple(asked))


def read_lines(where: str, data: bytes, zone: tzinfo) -> tuple[DatasetConversation, ...]:
    """Read a JSONL file with one conversation per line: `conv`, `messages` and `questions`, each with its `type`.

    Raises:
        BadRequestError: a line cannot be read; the message names it, the field and the value.
    """
    conversations = tuple(
        _line(parse(f"{where}: line {number}", line), zone)
        for number, line in enumerate(data.splitlines(), start=1)
        if line.strip()
    )
    if not conversations:
        raise BadRequestError(f"{where}: no conversations in it", param="data")
    return conversations


def _line(line: Node, zone: tzinfo) -> DatasetConversation:
    id_, messages = line.at("conv").name(), line.at("messages")
    turns = tuple(_turns((_Batch(item.at("batch").name(), item, [item]) for item in messages.items()), zone))
    if not turns:
        messages.refuse("no message has text")
    known = {turn.id: turn.session for turn in turns}
    asked: list[DatasetQuestion] = []
    places: Counter[str] = Counter()
    for question in line.at("questions").items():
        category = question.at("type").text()
        places[category] += 1
        asked.append(_question(question, f"{id_}/{category}/{places[category]}", category, known))
    return DatasetConversation(id=f"beam-{id_}", turns=turns, questions=tuple(asked))


def without_mark(text: str) -> str:
    """Remove the plan position that the data set appends to a message.

    >>> without_mark("Can you help me? ->-> 1,1")
    'Can you help me?'
    >>> without_mark("Thanks. ->-> 2,N/A")
    'Thanks.'
    """
    return _MARK.sub("", text).strip()


def numbers(value: object) -> set[str]:
    """Find all message ids in evidence, at any depth.

    >>> sorted(numbers({"first": [58], "second": [[24], 7]}))
    ['24', '58', '7']
    """
    if isinstance(value, dict):
        return {number for part in value.values() for number in numbers(part)}
    if isinstance(value, list):
        return {number for part in value for number in numbers(part)}
    return {str(value)} if isinstance(value, int) and not isinstance(value, bool) else set()


def _batches(chat: Node) -> Iterator[_Batch]:
    for place, batch in enumerate(chat.items(), start=1):
        number = batch.get("batch_number")
        messages = [message for group in batch.at("turns").items() for message in group.items()]
        yield _Batch(number.name() if number else str(place), batch, messages)


def _turns(batches: Iterable[_Batch], zone: tzinfo) -> Iterator[DatasetTurn]:
    now = _UNDATED.replace(tzinfo=zone).astimezone(UTC)
    seen: set[str] = set()
    for batch in batches:
        now = _anchored(batch.dated, now, zone)
        for message in batch.messages:
            now = _anchored(message, now, zone)
            id_ = message.at("id").name()
            if id_ in seen:
                message.at("id").refuse("another message has this id")
            seen.add(id_)
            text = without_mark(plain(message.value.get("content")))
            if text:
                yield DatasetTurn(id=id_, session=batch.session, role=_role(message), text=text, said_at=now)
                now += TURN


def _role(message: Node) -> Literal["user", "assistant"]:
    role = message.at("role")
    if role.value == "user":
        return "user"
    if role.value != "assistant":
        role.refuse("must be user or assistant")
    return "assistant"


def _anchored(node: Node, now: datetime, zone: tzinfo) -> datetime:
    """Advance to the date of a batch or message; time never goes back."""
    anchor = node.get("time_anchor")
    if anchor is None:
        return now
    found = _ANCHOR.fullmatch(anchor.text())
    month = found[1].lower() if found else ""
    if found is None or month not in MONTHS:
        anchor.refuse("must be a day such as March-15-2024")
    try:
        day = datetime(int(found[3]), MONTHS.index(month) + 1, int(found[2]), tzinfo=zone) + timedelta(hours=9)
    except ValueError:
        anchor.refuse("must be a day such as March-15-2024")
    return max(now, day.astimezone(UTC))


def _question(question: Node, id_: str, category: str, known: dict[str, str]) -> DatasetQuestion:
    named = numbers(question.value.get("source_chat_ids") if isinstance(question.value, dict) else None)
    evidence = frozenset(named & known.keys())
    answer = next((found for name in _ANSWERS if (found := question.get(name)) is not None), None)
    return DatasetQuestion(
        id=id_,
        text=question.at("question").text(),
        category=category,
        answer=plain(answer.value if answer else question.value.get("rubric")),
        evidence=evidence,
        sessions=frozenset(known[turn] for turn in evidence),
        unanswerable=category == _ABSTENTION,
        lost=len(named) - len(evidence),
    )
