"""ToldOnce's own format for evaluation data: one conversation per line, see docs/eval.md. Pure."""

from datetime import UTC, datetime, timedelta, tzinfo

from toldonce.datasets.dataset import DatasetConversation, DatasetQuestion, DatasetTurn, Observation
from toldonce.datasets.json_node import TURN, Node, parse, plain
from toldonce.errors import BadRequestError

# Sessions without dates start here and are a day apart, the same in every run.
_UNDATED = datetime(2024, 1, 1, 9, 0)  # noqa: DTZ001  # the zone is the settings'
_DAY = timedelta(days=1)


def read(where: str, data: bytes, zone: tzinfo) -> tuple[DatasetConversation, ...]:
    """Read conversations, one per line; empty lines are skipped.

    Raises:
        BadRequestError: a line cannot be read; the message names it, the field and the value.
    """
    found = [
        _conversation(parse(f"{where}: line {number}", line), zone, number)
        for number, line in enumerate(data.splitlines(), start=1)
        if line.strip()
    ]
    if not found:
        raise BadRequestError(f"{where}: no conversations in it", param="data")
    return tuple(found)


def _conversation(line: Node, zone: tzinfo, number: int) -> DatasetConversation:
    line.only("id", "sessions", "questions", "observations")
    id_ = line.get("id")
    turns: list[DatasetTurn] = []
    began = _UNDATED.replace(tzinfo=zone).astimezone(UTC)
    for place, session in enumerate(line.at("sessions").items(), start=1):
        turns += _session(session, place, began, zone)
        began = (turns[-1].said_at if turns else began) + _DAY
    if not turns:
        line.at("sessions").refuse("no session has a turn")
    known = {turn.id: turn.session for turn in turns}
    if len(known) < len(turns):
        twice = next(item.id for place, item in enumerate(turns) if item.id in {turn.id for turn in turns[:place]})
        raise BadRequestError(f"{line.where}.sessions: two turns have the id {twice!r}", param="data")
    questions, observations = line.get("questions"), line.get("observations")
    name = id_.name() if id_ else f"line-{number}"
    return DatasetConversation(
        id=name,
        turns=tuple(turns),
        questions=tuple(
            _question(question, f"{name}/{place}", known, zone)
            for place, question in enumerate(questions.items() if questions else (), start=1)
        ),
        observations=tuple(
            _observation(observation, known) for observation in (observations.items() if observations else ())
        ),
    )


def _session(session: Node, place: int, began: datetime, zone: tzinfo) -> list[DatasetTurn]:
    session.only("id", "date", "turns")
    id_, date = session.get("id"), session.get("date")
    name = id_.name() if id_ else f"session-{place}"
    now = date.instant(zone) if date else began
    turns = []
    for number, turn in enumerate(session.at("turns").items(), start=1):
        turn.only("id", "role", "speaker", "text", "date")
        own, said, speaker = turn.get("id"), turn.get("date"), turn.get("speaker")
        now = said.instant(zone) if said else now
        role = turn.at("role")
        if role.value not in ("user", "assistant"):
            role.refuse("must be user or assistant")
        turns.append(
            DatasetTurn(
                id=own.name() if own else f"{name}#{number}",
                session=name,
                role=role.value,
                speaker=speaker.text() if speaker else "",
                text=turn.at("text").text(),
                said_at=now,
            )
        )
        now += TURN
    return turns


def _question(question: Node, id_: str, known: dict[str, str], zone: tzinfo) -> DatasetQuestion:
    question.only("id", "question", "answer", "category", "evidence", "sessions", "asked_at", "unanswerable")
    own, category, asked = question.get("id"), question.get("category"), question.get("asked_at")
    evidence = _turns(question.get("evidence"), known)
    return DatasetQuestion(
        id=own.name() if own else id_,
        text=question.at("question").text(),
        category=category.name() if category else "questions",
        answer=plain(question.value.get("answer")),
        evidence=frozenset(evidence),
        sessions=_sessions(question.get("sessions"), known) or frozenset(known[turn] for turn in evidence),
        asked_at=asked.instant(zone) if asked else None,
        unanswerable=_flag(question.get("unanswerable")),
    )


def _turns(listed: Node | None, known: dict[str, str]) -> list[str]:
    found = []
    for turn in listed.items() if listed else ():
        if turn.name() not in known:
            turn.refuse("names no turn of the conversation")
        found.append(turn.name())
    return found


def _sessions(listed: Node | None, known: dict[str, str]) -> frozenset[str]:
    for session in listed.items() if listed else ():
        if session.name() not in known.values():
            session.refuse("names no session of the conversation")
    return frozenset(session.name() for session in listed.items()) if listed else frozenset()


def _flag(node: Node | None) -> bool:
    if node is not None and not isinstance(node.value, bool):
        node.refuse("must be true or false")
    return bool(node and node.value)


def _observation(observation: Node, known: dict[str, str]) -> Observation:
    observation.only("text", "evidence")
    turns = _turns(observation.at("evidence"), known)
    if not turns:
        observation.at("evidence").refuse("must name the turns it rests on")
    return Observation(text=observation.at("text").text(), turns=tuple(turns))
