"""Find where a turn belongs in the trees of messages. Works on a connection, by indexed look-ups only."""

from collections.abc import Sequence
from dataclasses import dataclass

from toldonce.errors import UnreadableStoreError
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.erase.tombstones import TombstoneLedger
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value
from toldonce.text import clean, hash64
from toldonce.types import Message, Turn

SQL = load("log")
# A question asked again within ten minutes is a retry or a regeneration; later it is a new conversation.
RETRY_MICROS = 10 * 60 * 1_000_000
# Places weighed where one anchor was recorded several times ("hi" and "hello" open many chats); the newest ones.
MAX_PLACES = 16
# How far the messages before an anchor are compared, to choose among such places.
MAX_LOOKBACK = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class TreePosition:
    """A message in a conversation below which a turn goes on."""

    conversation: bytes
    seq: int
    """The message; 0 is above the first."""
    start: int
    """Index of the turn's first message that comes below it."""
    whole: bool = False
    """Whether the turn came with all that was said before it: its client keeps the history and sends it."""


def call_hash(call_id: str) -> int:
    """Name a tool call as the `tool_call` table does."""
    return hash64("call", call_id)


def message_mark(message_id: str) -> int:
    """Name the user message of a turn that its client gave an id, as the `tool_call` table does."""
    return hash64("message", message_id)


HISTORY_MARK = hash64("history", "whole")
"""Marks the first message of a conversation whose client sends its whole history, in the `tool_call` table."""


class MessageTree:
    """The messages of one subject, as trees."""

    def __init__(self, db: SqlConnection, subject: int, ledger: TombstoneLedger) -> None:
        """Look through `db` at the subject of that key; messages that were erased are told by their masks."""
        self._db = db
        self._subject = subject
        self._ledger = ledger

    def named(self, external_id: str) -> tuple[bytes, int] | None:
        """Find the conversation that the client calls so, with its last message."""
        row = fetch_one(self._db, SQL["conversation_by_external"], self._subject, clean(external_id))
        return (row[0], row[1]) if row else None

    def walk(self, spot: TreePosition, messages: Sequence[Message]) -> TreePosition:
        """Follow the messages from `spot.start` down the tree for as long as they are equal."""
        seq, start = spot.seq, spot.start
        while start < len(messages):
            child = self._child(spot.conversation, seq, messages[start])
            if child is None:
                break
            seq, start = child, start + 1
        return TreePosition(conversation=spot.conversation, seq=seq, start=start)

    def _child(self, conversation: bytes, seq: int, message: Message) -> int | None:
        for hash_ in self._ledger.stored_hashes(message.hash):
            found: int | None = fetch_value(self._db, SQL["equal_child"], self._subject, conversation, seq, hash_)
            if found is not None:
                return found
        return None

    def equal_reply(self, spot: TreePosition, reply: Message) -> int | None:
        """Find an equal reply below a message; one that broke off is not equal to one that did not."""
        for hash_ in self._ledger.stored_hashes(reply.hash):
            found: int | None = fetch_value(
                self._db, SQL["equal_reply"], self._subject, spot.conversation, spot.seq, hash_, reply.complete
            )
            if found is not None:
                return found
        return None

    def by_anchor(self, messages: Sequence[Message], conversation: bytes | None = None) -> TreePosition | None:
        """Find the newest of the messages that is a recorded answer to the user message before it."""
        for index in range(len(messages) - 1, -1, -1):
            spots = [
                TreePosition(conversation=found, seq=seq, start=index + 1)
                for found, seq in self._recorded(messages[index], conversation)
            ]
            if spots:
                return spots[0] if len(spots) == 1 else max(spots, key=lambda spot: self._fit(spot, messages))
        return None

    def called(self, call_id: str) -> TreePosition | None:
        """Find the newest message that bears the id of a call or of an answer."""
        for name in self._ledger.stored_hashes(call_hash(call_id)):
            rows = fetch(self._db, SQL["called"], self._subject, name, 1)
            if rows:
                return TreePosition(conversation=rows[0][0], seq=rows[0][1], start=0)
        return None

    def _recorded(self, message: Message, conversation: bytes | None) -> list[tuple[bytes, int]]:
        """Find where an assistant message was recorded, newest first: by its anchor, else by the calls it makes."""
        anchors = () if message.anchor is None else self._ledger.stored_hashes(message.anchor)
        calls = [call for call_id in message.call_ids for call in self._ledger.stored_hashes(call_hash(call_id))]
        names = [*(("anchored", anchor) for anchor in anchors), *(("called", call) for call in calls)]
        for name, value in names:
            if conversation is None:
                rows = fetch(self._db, SQL[name], self._subject, value, MAX_PLACES)
            else:
                rows = fetch(self._db, SQL[f"{name}_within"], self._subject, value, MAX_PLACES, conversation)
            if rows:
                return [(row[0], row[1]) for row in rows]
        return []

    def _fit(self, spot: TreePosition, messages: Sequence[Message]) -> tuple[int, int, bool]:
        """Rank a place: by what it shares with the turn above and below, then by whether it has no continuation."""
        below = self.walk(spot, messages)
        free = self._newest_child(below.conversation, below.seq) is None
        return self._shared_above(spot, messages), below.start, free

    def _shared_above(self, spot: TreePosition, messages: Sequence[Message]) -> int:
        shared, seq = 0, spot.seq
        for index in range(spot.start - 2, max(-2, spot.start - 2 - MAX_LOOKBACK), -1):
            seq, *_ = self.message(spot.conversation, seq)
            if index < 0:
                return shared + (seq == 0)
            if seq == 0 or not self.same(self.message(spot.conversation, seq)[1], messages[index]):
                return shared
            shared += 1
        return shared

    def asked_again(self, turn: Turn, now: int) -> TreePosition | None:
        """Find the recent conversation that this turn's messages open, and whose last answer has no continuation."""
        opening = turn.messages or ((turn.reply,) if turn.reply else ())
        if not opening:
            return None
        for conversation in self._opened(opening[0], now - RETRY_MICROS):
            end = self.walk(TreePosition(conversation=conversation, seq=0, start=0), opening)
            if end.start < len(opening):
                continue
            answer = self._newest_child(conversation, end.seq)
            if answer is None or self._newest_child(conversation, answer) is None:
                return TreePosition(conversation=conversation, seq=0, start=0)
        return None

    def _opened(self, message: Message, since: int) -> list[bytes]:
        """Find the conversations that a message opened since then."""
        return [
            row[0]
            for hash_ in self._ledger.stored_hashes(message.hash)
            for row in fetch(self._db, SQL["recent_first"], self._subject, hash_, since, MAX_PLACES)
        ]

    def same(self, known: int, message: Message) -> bool:
        """Tell whether a recorded hash is that of a message."""
        return known in self._ledger.stored_hashes(message.hash)

    def message(self, conversation: bytes, seq: int) -> tuple[int, int, str, bool, int]:
        """Read a message's parent, hash, role, whether it is complete, and when it was said in microseconds."""
        row = fetch_one(self._db, SQL["place_of"], self._subject, conversation, seq)
        if row is None:  # parent_seq always points to a message; a gap is damage
            raise UnreadableStoreError(
                f"message {seq} of a conversation is missing: restore a backup, or run `toldonce doctor`"
            )
        parent_seq, hash_, role, complete, said_at = row
        return parent_seq, hash_, role, bool(complete), said_at

    def _newest_child(self, conversation: bytes, seq: int) -> int | None:
        found: int | None = fetch_value(self._db, SQL["newest_child"], self._subject, conversation, seq)
        return found

    def last_seq(self, conversation: bytes) -> int:
        """Return the newest message of a conversation; 0 where it has none."""
        return int(fetch_value(self._db, SQL["last_seq"], self._subject, conversation))

    def thread(self, conversation: bytes, seq: int, *, limit: int) -> list[int]:
        """Return the hashes of a message and of those above it, up to `limit`."""
        return [row[1] for row in fetch(self._db, SQL["thread"], self._subject, conversation, seq, limit)]

    def newest_question(self, conversation: bytes, seq: int) -> str | None:
        """Return the words of the newest user message right below a message; None where there is none."""
        found: str | None = fetch_value(self._db, SQL["newest_question"], self._subject, conversation, seq)
        return found

    def marked(self, conversation: bytes, mark: int) -> int | None:
        """Return the newest message of a conversation that bears a mark: see `call_hash`."""
        for name in self._ledger.stored_hashes(mark):
            rows = fetch(self._db, SQL["called_within"], self._subject, name, 1, conversation)
            if rows:
                return int(rows[0][1])
        return None
