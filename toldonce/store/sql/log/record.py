"""Record turns. Works on a connection."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import chain, count
from uuid import UUID

from toldonce.clock import Clock, to_micros
from toldonce.errors import BadRequestError
from toldonce.ids import id_text, new_id
from toldonce.store.sql import budgets, subjects
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.erase.tombstones import TombstoneLedger
from toldonce.store.sql.log import insertions
from toldonce.store.sql.log.message_tree import (
    HISTORY_MARK,
    RETRY_MICROS,
    MessageTree,
    TreePosition,
    call_hash,
    message_mark,
)
from toldonce.store.sql.rows import (
    ERASED,
    WHOLE,
    fetch_value,
    require_id,
    write_items,
    write_omitted,
    write_request,
)
from toldonce.store.sql.turn_placement import Placement, newest_question
from toldonce.text import clean
from toldonce.time_zones import write_zone
from toldonce.types import (
    ConversationId,
    ConversationSetup,
    FormationRequest,
    InjectionRecord,
    Message,
    RecordedTurn,
    Subject,
    Turn,
)

SQL = load("log")
FORMATION_SQL = load("formation")
_MICROSECOND = timedelta(microseconds=1)


@dataclass
class Tail:
    """The end of a conversation while messages are appended to it."""

    conversation: bytes
    last_seq: int
    branches: bool = False
    """Whether the turn does not continue the newest message."""
    appended: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FreshMessage:
    """A message to append."""

    message: Message
    level: int
    """How much of it is erased and must not be written: see `rows.ERASED`."""


def record(db: SqlConnection, turn: Turn, clock: Clock, term_key: bytes) -> RecordedTurn:
    """Append a turn to its conversation, with the formations it makes due."""
    if not turn.messages and turn.reply is None:
        raise BadRequestError("a turn without messages and reply cannot be recorded", param="messages")
    now = to_micros(clock.now())
    subject = turn.subject.key
    subjects.ensure(db, turn.subject)
    ledger = TombstoneLedger(db, turn.subject, term_key)
    tree = MessageTree(db, subject, ledger)
    spot = _found(db, turn, Placement(tree).find(turn, now=now))
    new = spot is None
    if spot is None:
        spot = _begin(db, turn, clock)
    keeps_history = spot.whole
    tail = Tail(spot.conversation, fetch_value(db, SQL["last_seq"], subject, spot.conversation))
    spot = tree.walk(spot, turn.messages)
    levels = ledger.levels(turn.messages, turn.reply)
    fresh = [FreshMessage(message, level) for message, level in zip(turn.messages, levels, strict=False)][spot.start :]
    parent_seq = append(db, ledger, tail, fresh, parent_seq=spot.seq, now=now)
    reply_seq = None
    if turn.reply is not None:
        # What was just appended has no children that could be equal.
        reply_seq = None if tail.appended else tree.equal_reply(spot, turn.reply)
        if reply_seq is None:
            reply_seq = append(db, ledger, tail, [FreshMessage(turn.reply, levels[-1])], parent_seq=parent_seq, now=now)
    if tail.appended:
        tail.branches = spot.seq != tail.appended[0] - 1
        db.execute(SQL["grow_conversation"], (subject, tail.conversation, tail.last_seq, to_micros(turn.said_at)))
        for charged, units in turn.charges:
            budgets.charge_turn(db, charged, units, clock.now())
        if not new:
            db.execute(SQL["go_on"], (subject, tail.conversation))
    _mark(db, turn, tail, first=spot.start, keeps_history=keeps_history)
    if turn.opening.options and not new:
        db.execute(SQL["note_options"], (subject, tail.conversation, json.dumps(dict(turn.opening.options))))
    make_due(db, turn.subject, turn.formations, tail)
    if turn.recall is not None:
        _add_recall(db, turn, turn.recall, (tail.conversation, reply_seq or parent_seq), now)
    insertions.link(db, ledger, turn, tail.conversation, question_seq=parent_seq, reply_seq=reply_seq)
    return RecordedTurn(
        conversation=ConversationId(id_text(tail.conversation)),
        new_conversation=new,
        appended=tuple(tail.appended),
        reply_seq=reply_seq,
    )


def begin(
    db: SqlConnection, subject: Subject, external_id: str | None, opening: ConversationSetup, at: tuple[int, str]
) -> bytes:
    """Add a conversation, `at` its instant and id; return the id's bytes."""
    begun_at, id_ = at
    options = json.dumps(dict(opening.options)) if opening.options else None
    values = (None if external_id is None else clean(external_id), begun_at)
    conversation = UUID(id_).bytes
    db.execute(SQL["add_conversation"], (subject.key, conversation, *values, opening.profile, opening.app, options))
    return conversation


def _found(db: SqlConnection, turn: Turn, spot: TreePosition | None) -> TreePosition | None:
    """Return where a turn goes on; None if that is another app's conversation, and the turn may not.

    Raises:
        BadRequestError: It may not, but names that conversation.
    """
    if spot is None or not turn.only_app:
        return spot
    if fetch_value(db, SQL["app_of"], turn.subject.key, spot.conversation) == turn.opening.app:
        return spot
    if turn.external_id is not None:
        raise BadRequestError("the turn names a conversation of another app", param="conversation")
    return None


def _begin(db: SqlConnection, turn: Turn, clock: Clock) -> TreePosition:
    at = (to_micros(turn.said_at), new_id(clock))
    return TreePosition(conversation=begin(db, turn.subject, turn.external_id, turn.opening, at), seq=0, start=0)


def append(
    db: SqlConnection,
    ledger: TombstoneLedger,
    tail: Tail,
    messages: Sequence[FreshMessage],
    *,
    parent_seq: int,
    now: int,
) -> int:
    """Append messages, each below the previous one; return the `seq` of the last, or `parent_seq` if there are none."""
    if not messages:
        return parent_seq
    subject, conversation = ledger.subject, tail.conversation
    first = tail.last_seq + 1
    parents = chain([parent_seq], count(first))
    placed = list(zip(count(first), parents, messages, strict=False))
    db.executemany(
        SQL["add_message"],
        ((subject, conversation, seq, parent, *_columns(fresh, ledger, now)) for seq, parent, fresh in placed),
    )
    calls = [(seq, fresh.level, call_hash(call)) for seq, _, fresh in placed for call in fresh.message.call_ids]
    if calls:
        db.executemany(
            SQL["add_call"],
            [
                (subject, ledger.mask(call) if level == ERASED else call, conversation, seq)
                for seq, level, call in calls
            ],
        )
    tail.last_seq += len(placed)
    tail.appended.extend(range(first, tail.last_seq + 1))
    return tail.last_seq


def _columns(fresh: FreshMessage, ledger: TombstoneLedger, now: int) -> Row:
    message, level = fresh.message, fresh.level
    gone = level == ERASED
    return (
        ledger.mask(message.hash) if gone else message.hash,
        message.anchor if level == WHOLE or message.anchor is None else ledger.mask(message.anchor),
        clean(message.role),
        None if gone or message.name is None else clean(message.name),
        message.complete,
        to_micros(message.said_at),
        now,
        "" if gone else clean(message.text),
        None if gone or message.payload is None else clean(message.payload),
        level,
        write_zone(message.said_at),
    )


def _mark(db: SqlConnection, turn: Turn, tail: Tail, *, first: int, keeps_history: bool) -> None:
    """Record the client's id of this turn's question, and whether it sends the whole history.

    Args:
        db: Where.
        turn: The recorded turn.
        tail: What was appended of it.
        first: Index of the first of its messages that was appended.
        keeps_history: Whether it came with all that was said before it.
    """
    marks: list[tuple[int, int]] = []
    asked = newest_question(turn.messages)
    if turn.message_id is not None and asked is not None and asked >= first:
        marks.append((message_mark(turn.message_id), tail.appended[asked - first]))
    if keeps_history:
        marks.append((HISTORY_MARK, 1))
    if marks:
        db.executemany(SQL["add_call"], [(turn.subject.key, mark, tail.conversation, seq) for mark, seq in marks])


def make_due(db: SqlConnection, home: Subject, formations: Sequence[FormationRequest], tail: Tail) -> None:
    """Request formations of a conversation of `home`, as far as enough of it waits."""
    for due in formations:
        subjects.ensure(db, due.key_subject)
        key = (due.key_subject.key, home.key, tail.conversation, due.profile, due.stage, due.version)
        now = to_micros(due.due_at)
        if due.of_user and not _is_of_user(db, key):
            due = replace(due, of_user=False)
        asked = due.every_turns == 1 or (due.on_edit and tail.branches)
        if asked or (due.every_turns and _are_waiting(db, key, due)):
            db.execute(FORMATION_SQL["make_due"], (*key, now, tail.last_seq))
        elif due.of_user:
            db.execute(FORMATION_SQL["keep_counting"], (*key, tail.last_seq))
        else:
            idle = None if due.after_idle is None else due.after_idle // _MICROSECOND
            db.execute(FORMATION_SQL["keep_waiting"], (*key, now, idle))


def _is_of_user(db: SqlConnection, formation: Row) -> bool:
    """Return whether a conversation's turns count with the user's others: not those of an app, or of another memory."""
    subject, home, conversation, *_ = formation
    return bool(subject == home and fetch_value(db, SQL["app_of"], home, conversation) is None)


def _are_waiting(db: SqlConnection, formation: Row, due: FormationRequest) -> bool:
    """Return whether enough turns of a conversation, or of all of the user's, wait to be formed."""
    wanted = due.every_turns
    waiting = fetch_value(db, FORMATION_SQL["turns_waiting"], *formation, wanted, RETRY_MICROS)
    if due.of_user and waiting < wanted:
        subject, _, conversation, profile, _, version = formation
        others = (subject, conversation, profile, version, wanted - waiting)
        waiting += fetch_value(db, FORMATION_SQL["users_turns_waiting"], *others)
    return bool(waiting >= wanted)


def _add_recall(db: SqlConnection, turn: Turn, recall: InjectionRecord, place: tuple[bytes, int], now: int) -> None:
    values = (
        *(recall.query_hash, write_items(recall), recall.block_hash, recall.tokens),
        *(recall.replayed, write_omitted(recall), clean(recall.prefix)),
        *(now, turn.subject.tenant, write_request(recall.request)),
    )
    db.execute(SQL["add_recall"], (turn.subject.key, to_micros(recall.at), require_id(recall.id), *place, *values))
