"""Run statements, and turn rows into values. Works on a connection it is handed."""

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from toldonce.clock import from_micros, to_micros
from toldonce.errors import BadRequestError
from toldonce.former_name import present_address
from toldonce.ids import id_bytes, id_text
from toldonce.store.sql.database import Row, SqlConnection
from toldonce.text import clean
from toldonce.time_zones import in_zone, write_zone
from toldonce.types import (
    KIND_ORDER,
    MAX_OMITTED,
    NO_DETAIL,
    Action,
    Conversation,
    ConversationId,
    Decision,
    Destination,
    Evidence,
    FormationKey,
    FormationStatus,
    InjectionRecord,
    LoggedMessage,
    Memory,
    MemoryDetail,
    MemoryId,
    MemoryKind,
    MemoryRequest,
    MemoryState,
    OmittedMemory,
    Subject,
    SummarizedPart,
    Withheld,
)

STATE_ORDER = (MemoryState.ACTIVE, MemoryState.HELD, MemoryState.CLOSED)
"""A state is stored as its position here."""
WHOLE, ANCHOR_MASKED, ERASED = 0, 1, 2
"""How much of a message is erased: `message.erased`."""
STATE_NUMBER = {state: number for number, state in enumerate(STATE_ORDER)}
REMEMBERED = (
    *("subject", "id", "kind", "state", "text", "type", "category", "key", "value", "importance", "confidence"),
    *("speaker", "valid_from", "valid_to", "known_from", "closed_at", "profile", "version", "uses", "last_used_at"),
    *("detail", "number", "place", "conversation", "seq", "hash", "role", "said_by", "quote", "said_at"),
)
"""Columns of the view `remembered`: those of a memory, then those of one of its sources."""
_PLACE = REMEMBERED.index("place")
_MEMORY, _SOURCE = slice(_PLACE), slice(_PLACE + 1, len(REMEMBERED))
_ID = itemgetter(REMEMBERED.index("id"))
# The instants of a memory and of its source are mostly one and the same.
_instant = lru_cache(maxsize=1024)(from_micros)
# Longest name of a model or host that is stored with a request: clients choose them.
MAX_SHOWN_CHARACTERS = 200
# An item of a recall has one value more, whether it was used, once its answer is known.
_WITHOUT_HIT = 3


def fetch(db: SqlConnection, sql: str, *values: Any) -> list[Row]:
    """Run a statement to its end and return all its rows."""
    return db.execute(sql, values).fetchall()


def fetch_one(db: SqlConnection, sql: str, *values: Any) -> Row | None:
    """Run a statement to its end and return its first row, if there is one."""
    rows = db.execute(sql, values).fetchall()
    return rows[0] if rows else None


def fetch_value(db: SqlConnection, sql: str, *values: Any) -> Any:
    """Run a statement to its end and return the first value of its first row; None if there is none."""
    rows = db.execute(sql, values).fetchall()
    return rows[0][0] if rows else None


def require_id(text: str) -> bytes:
    """Return an id as stored.

    Raises:
        BadRequestError: It is none.
    """
    found = id_bytes(text)
    if found is None:
        raise BadRequestError(f"{text!r} is no id")
    return found


def cursor_id(text: str) -> bytes:
    """Return the id that a cursor of a list names.

    Raises:
        BadRequestError: It is none.
    """
    found = id_bytes(text)
    if found is None:
        raise BadRequestError("the cursor is none of this list", param="cursor")
    return found


def read_message(conversation: ConversationId, row: Row) -> LoggedMessage:
    """Read a row of `messages`."""
    seq, parent_seq, role, text, name, said_at, recorded_at, complete, hash_, level, zone = row
    return LoggedMessage(
        conversation=conversation,
        seq=seq,
        parent_seq=parent_seq,
        role=role,
        text=text,
        name=name,
        said_at=in_zone(from_micros(said_at), zone),
        recorded_at=from_micros(recorded_at),
        complete=bool(complete),
        hash=hash_,
        erased=level == ERASED,
    )


def read_conversation(subject: Subject, row: Row) -> Conversation:
    """Read a row of `conversations`."""
    id_, external_id, created_at, updated_at, last_seq, profile, app, options, ended_at, end_reason = row
    return Conversation(
        id=ConversationId(id_text(id_)),
        subject=subject,
        external_id=external_id,
        created_at=from_micros(created_at),
        updated_at=from_micros(updated_at),
        last_seq=last_seq,
        profile=profile,
        app=app,
        options=json.loads(options) if options else {},
        ended_at=instant(ended_at),
        end_reason=end_reason,
    )


def read_memories(subject: Subject, rows: Iterable[Row]) -> list[Memory]:
    """Read rows of `remembered`: one per source, those of a memory together."""
    return [_read_memory(subject, list(group)) for _, group in groupby(rows, key=_ID)]


def _read_memory(subject: Subject, rows: list[Row]) -> Memory:
    (_, id_, kind, state, text, type_, category, key, value, importance, confidence, speaker, *rest) = rows[0][_MEMORY]
    (valid_from, valid_to, known_from, closed_at, profile, version, uses, last_used_at, known, number) = rest
    detail = NO_DETAIL if known is None else read_detail(known)
    return Memory(
        id=MemoryId(id_text(id_)),
        subject=subject,
        kind=KIND_ORDER[kind],
        text=detail.quoted(text),
        type=type_,
        category=category,
        key=key,
        value=value,
        importance=importance,
        confidence=confidence,
        speaker=speaker,
        valid_from=in_zone(_instant(valid_from), detail.zone),
        valid_to=None if valid_to is None else _instant(valid_to),
        known_from=_instant(known_from),
        closed_at=None if closed_at is None else _instant(closed_at),
        state=STATE_ORDER[state],
        profile=profile,
        version=version,
        evidence=tuple(_read_evidence(row[_SOURCE]) for row in rows if row[_PLACE] is not None),
        uses=uses,
        last_used_at=None if last_used_at is None else _instant(last_used_at),
        detail=detail,
        number=number or 0,
    )


def _read_evidence(row: Row) -> Evidence:
    conversation, seq, hash_, role, speaker, quote, said_at = row
    return Evidence(
        conversation=ConversationId(id_text(conversation)),
        seq=seq,
        hash=hash_,
        role=role,
        speaker=speaker,
        quote=quote,
        said_at=_instant(said_at),
    )


def write_memory(memory: Memory, *, changed: int, number: int | None = None, app: str | None = None) -> Row:
    """Return the columns of a memory as the statement `add_memory` takes them, after those of its key.

    Args:
        memory: The memory.
        changed: Version of its subject.
        number: Of an app's memory.
        app: Name of that app.
    """
    zone = write_zone(memory.valid_from)
    valid_from = to_micros(memory.valid_from)
    return (
        memory.kind.number,
        STATE_NUMBER[memory.state],
        None if memory.kind is MemoryKind.TURN else clean(memory.text),
        clean(memory.type),
        clean(memory.category),
        clean(memory.key),
        clean(memory.value),
        memory.importance,
        memory.confidence,
        clean(memory.speaker),
        valid_from,
        micros(memory.valid_to),
        valid_from if memory.known_from is memory.valid_from else to_micros(memory.known_from),
        micros(memory.closed_at),
        memory.profile,
        memory.version,
        memory.uses,
        micros(memory.last_used_at),
        changed,
        write_detail(replace(memory.detail, zone=zone) if zone else memory.detail),
        number,
        app,
    )


def write_evidence(source: Evidence, home: int) -> Row:
    """Return the columns of a source as `add_evidence` takes them, after memory and place.

    Raises:
        BadRequestError: Its conversation is none.
    """
    conversation = id_bytes(source.conversation)
    if conversation is None:
        raise BadRequestError(f"evidence names the conversation {source.conversation!r}, which is no id")
    said = (clean(source.role), clean(source.speaker), clean(source.quote), to_micros(source.said_at))
    return (home, conversation, source.seq, source.hash, *said)


def read_detail(text: str) -> MemoryDetail:
    """Read the details of a memory."""
    known = json.loads(text)
    withheld = tuple(Withheld(**stretch) for stretch in known.get("withheld", ()))
    parts = tuple(SummarizedPart(**part) for part in known.get("parts", ()))
    addresses = {name: present_address(known[name]) for name in ("source_uri", "context_source") if name in known}
    tags = tuple(known.get("tags", ()))
    return MemoryDetail(**{**known, **addresses, "tags": tags, "withheld": withheld, "parts": parts})


def write_detail(detail: MemoryDetail) -> str | None:
    """Write a detail as JSON; None if it is empty."""
    if detail is NO_DETAIL or detail == NO_DETAIL:  # most memories; the comparison takes longer
        return None
    known = {name: value for name, value in asdict(detail).items() if value}
    return clean(json.dumps(known, ensure_ascii=False)) if known else None


def read_decision(subject: Subject, row: Row) -> Decision:
    """Read a row of `decisions`."""
    id_, at, action, memory, target, reason, text, profile, conversation, seq = row
    return Decision(
        id=id_text(id_),
        subject=subject,
        at=from_micros(at),
        action=Action(action),
        memory_id=None if memory is None else MemoryId(id_text(memory)),
        target_id=None if target is None else MemoryId(id_text(target)),
        reason=reason,
        text=text,
        profile=profile,
        conversation=None if conversation is None else ConversationId(id_text(conversation)),
        seq=seq,
    )


def read_formation_key(row: Row) -> FormationKey:
    """Read the six columns of a formation's key."""
    subject, home, conversation, profile, stage, version = row
    return FormationKey(
        subject=Subject.parse(subject),
        home=Subject.parse(home),
        conversation=ConversationId(id_text(conversation)),
        profile=profile,
        stage=stage,
        version=version,
    )


def read_formation(row: Row) -> FormationStatus:
    """Read a row of `formations`."""
    formed_seq, last_seq, due_at, attempts, parked, error = row[6:]
    return FormationStatus(
        key=read_formation_key(row[:6]),
        formed_seq=formed_seq,
        last_seq=last_seq,
        due_at=instant(due_at),
        attempts=attempts,
        parked=bool(parked),
        error=error,
    )


def write_items(record: InjectionRecord) -> str:
    """Write the items of a recall as JSON."""
    if record.hits is None:
        return json.dumps([[subject.text, memory, score] for subject, memory, score in record.items])
    return json.dumps([[subject.text, id_, score, id_ in record.hits] for subject, id_, score in record.items])


def write_omitted(record: InjectionRecord) -> str:
    """Write what a recall left out as JSON, the first ones if there are many; a failure comes first, without an id."""
    left_out = [[memory.id, clean(memory.reason)] for memory in record.omitted[:MAX_OMITTED]]
    if record.failure:
        left_out.insert(0, ["", clean(record.failure)])
    return json.dumps(left_out, ensure_ascii=False)


def write_request(request: MemoryRequest) -> str:
    """Write how memory was asked as JSON; subjects by their keys, so that no name stays when one is erased."""
    to = request.destination
    known = {
        "profile": clean(request.profile),
        "reads": [subject.key for subject in request.reads],
        "upstream": to.upstream and clean(to.upstream[:MAX_SHOWN_CHARACTERS]),
        "model": to.model and clean(to.model[:MAX_SHOWN_CHARACTERS]),
        "client": to.client and clean(to.client[:MAX_SHOWN_CHARACTERS]),
        "considered": request.considered,
        "took_ms": None if request.took_ms is None else round(request.took_ms, 2),
    }
    return json.dumps({name: value for name, value in known.items() if value not in (None, "", [])}, ensure_ascii=False)


def read_request(text: str) -> tuple[MemoryRequest, list[int]]:
    """Read how memory was asked; the keys of the reading list come apart, for their names are in another table."""
    known = json.loads(text)
    request = MemoryRequest(
        profile=known.get("profile", ""),
        destination=Destination(upstream=known.get("upstream"), model=known.get("model"), client=known.get("client")),
        considered=known.get("considered"),
        took_ms=known.get("took_ms"),
    )
    return request, known.get("reads", [])


def read_recall(row: Row) -> InjectionRecord:
    """Read a row of `recalls`."""
    id_, at, query_hash, items, block_hash, tokens, replayed, omitted, prefix, seq = row
    known = json.loads(items)
    left_out = json.loads(omitted)
    judged = bool(known) and len(known[0]) > _WITHOUT_HIT
    return InjectionRecord(
        id=id_text(id_),
        at=from_micros(at),
        query_hash=query_hash,
        items=tuple((Subject.parse(item[0]), MemoryId(item[1]), item[2]) for item in known),
        hits=frozenset(MemoryId(item[1]) for item in known if item[3]) if judged else None,
        block_hash=block_hash,
        tokens=tokens,
        replayed=replayed,
        omitted=tuple(OmittedMemory(id=MemoryId(id_), reason=reason) for id_, reason in left_out if id_),
        prefix=prefix,
        failure=next((reason for id_, reason in left_out if not id_), ""),
        seq=seq,
    )


def micros(instant: datetime | None) -> int | None:
    """Return an instant as stored; None stays None."""
    return None if instant is None else to_micros(instant)


def instant(micros: int | None) -> datetime | None:
    """Return a stored instant; None stays None."""
    return None if micros is None else from_micros(micros)
