"""Record whole conversations with their branches, as an import brings them. Works on a connection."""

from toldonce.clock import Clock, to_micros
from toldonce.ids import id_text, new_id
from toldonce.store.sql import subjects
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.erase.tombstones import TombstoneLedger
from toldonce.store.sql.log.message_tree import MessageTree, TreePosition
from toldonce.store.sql.log.record import FreshMessage, Tail, append, begin, make_due
from toldonce.store.sql.rows import ANCHOR_MASKED, ERASED, WHOLE, fetch_value
from toldonce.types import ConversationId, ConversationTree, RecordedTurn

SQL = load("log")


def record_tree(db: SqlConnection, tree: ConversationTree, clock: Clock, term_key: bytes) -> RecordedTurn:
    """Append what a conversation does not have yet of a tree, each message below its parent.

    Equal messages below the same parent are one. If the newest message of the current branch is there already, nothing
    is new: a branch that its user left must not become the current one. What was erased is recognized and stays erased.
    """
    subjects.ensure(db, tree.subject)
    ledger = TombstoneLedger(db, tree.subject, term_key)
    known = MessageTree(db, tree.subject.key, ledger)
    named = known.named(tree.external_id)
    if named is None:
        at = (to_micros(tree.begun_at), new_id(clock))
        conversation = begin(db, tree.subject, tree.external_id, tree.opening, at)
        places: list[int | None] = [None] * len(tree.messages)
    else:
        conversation = named[0]
        places = _places(known, conversation, tree)
    tail = Tail(conversation, fetch_value(db, SQL["last_seq"], tree.subject.key, conversation))
    if places[-1] is None:
        _Writer(db, ledger, tree, tail).append(places, to_micros(clock.now()))
        ended_at = to_micros(tree.ended_at)
        db.execute(SQL["grow_conversation"], (tree.subject.key, conversation, tail.last_seq, ended_at))
        make_due(db, tree.subject, tree.formations, tail)
    return RecordedTurn(
        conversation=ConversationId(id_text(conversation)),
        new_conversation=named is None,
        appended=tuple(tail.appended),
        reply_seq=None,
    )


def _places(known: MessageTree, conversation: bytes, tree: ConversationTree) -> list[int | None]:
    """Return the `seq` of each message that is there already."""
    places: list[int | None] = []
    for message, parent in zip(tree.messages, tree.parents, strict=True):
        above = 0 if parent < 0 else places[parent]
        if above is None:
            places.append(None)
            continue
        # Not `walk`: it passes over edits that were edited again, which an export still has.
        places.append(known.equal_reply(TreePosition(conversation=conversation, seq=above, start=0), message))
    return places


class _Writer:
    """Appends messages of a tree to its conversation."""

    def __init__(self, db: SqlConnection, ledger: TombstoneLedger, tree: ConversationTree, tail: Tail) -> None:
        self._db = db
        self._ledger = ledger
        self._tree = tree
        self._tail = tail
        levels = ledger.levels(tree.messages, None)
        if ERASED in levels:  # an answer's anchor would tell of the erased question, in whatever branch it is
            levels = [ANCHOR_MASKED if level == WHOLE else level for level in levels]
        self._levels = levels

    def append(self, places: list[int | None], now: int) -> None:
        """Append the messages that have no place yet, those of one branch at a time."""
        run: list[int] = []
        for index, parent in enumerate(self._tree.parents):
            if places[index] is not None:
                continue
            if run and parent != run[-1]:
                self._append_run(run, places, now)
                run = []
            run.append(index)
        self._append_run(run, places, now)

    def _append_run(self, run: list[int], places: list[int | None], now: int) -> None:
        """Append messages of which each is the parent of the next."""
        above = self._tree.parents[run[0]]
        parent_seq = 0 if above < 0 else places[above] or 0
        first = self._tail.last_seq + 1
        fresh = [FreshMessage(self._tree.messages[index], self._levels[index]) for index in run]
        append(self._db, self._ledger, self._tail, fresh, parent_seq=parent_seq, now=now)
        for seq, index in enumerate(run, start=first):
            places[index] = seq
