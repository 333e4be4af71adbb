"""Decide where a turn goes on in its conversation. Works on a connection, by indexed look-ups only.

A user message beside an older one takes that one back, with all that followed it and all that was learned of it. So
only a certain edit is placed there. It is certain where the client names the same message by its id, where it sends
the whole history before the message, or where the words resemble those they replace and the place is sure. A client
whose history is trimmed, summarised or missing says something new: that goes below the newest message.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from toldonce.clock import to_micros
from toldonce.store.sql.log.message_tree import HISTORY_MARK, MAX_LOOKBACK, MessageTree, TreePosition, message_mark
from toldonce.text import words
from toldonce.types import Message, Turn

# How far into a conversation its client is observed: the second turn shows whether it sends the history.
MAX_OBSERVED = 8
# Share of the longer message's words that an edited message has in common with the one it replaces.
RESEMBLING_THRESHOLD = 0.5
# Characters of a message that are compared with what it may replace.
_MAX_COMPARED_CHARACTERS = 4_000


class Placement:
    """Finds the places of turns in one subject's messages."""

    def __init__(self, tree: MessageTree) -> None:
        self._tree = tree

    def find(self, turn: Turn, *, now: int) -> TreePosition | None:
        """Find the place of a turn at `now` (microseconds); None: it begins a conversation."""
        known = None if turn.after is None else self._tree.called(turn.after)
        if known is not None:
            return known
        if turn.external_id is not None:
            named = self._tree.named(turn.external_id)
            return None if named is None else self._within(turn, *named)
        found = self._tree.by_anchor(turn.messages)
        return self._anchored(turn, found) if found else self._tree.asked_again(turn, now)

    def _within(self, turn: Turn, conversation: bytes, last_seq: int) -> TreePosition:
        """Find the place in the conversation that the client names."""
        if last_seq == 0:
            return TreePosition(conversation=conversation, seq=0, start=0)
        by_id = self._by_message_id(turn, conversation)
        if by_id is not None:
            return by_id
        found = self._tree.by_anchor(turn.messages, conversation)
        if found is not None:
            return self._anchored(turn, found)
        if turn.append:
            again = self._said_again(turn, conversation, last_seq)
            return again or TreePosition(conversation=conversation, seq=last_seq, start=0)
        return self._without_anchor(turn, conversation, last_seq)

    def _by_message_id(self, turn: Turn, conversation: bytes) -> TreePosition | None:
        """Find the place of the message that the client gave the same id before: asked again, or edited."""
        asked = newest_question(turn.messages)
        if turn.message_id is None or asked is None:
            return None
        seq = self._tree.marked(conversation, message_mark(turn.message_id))
        if seq is None:
            return None
        parent, *_ = self._tree.message(conversation, seq)
        return TreePosition(conversation=conversation, seq=parent, start=asked)

    def _anchored(self, turn: Turn, found: TreePosition) -> TreePosition:
        """Go on below an answer that the client sent back, unless that might take back what is no edit."""
        messages = turn.messages
        if turn.external_id is not None and found.start <= MAX_OBSERVED:
            found = replace(found, whole=self._is_whole(found, messages))
        end = self._tree.walk(found, messages)
        if end.start == len(messages) or messages[end.start].role != "user":
            return found
        replaced = self._tree.newest_question(end.conversation, end.seq)
        if replaced is None or resembles(replaced, messages[end.start].text):
            return found
        if found.whole or self._is_whole(found, messages):
            return found
        last_seq = self._tree.last_seq(found.conversation)
        return self._at_the_end(messages, found.conversation, last_seq, start=found.start)

    def _without_anchor(self, turn: Turn, conversation: bytes, last_seq: int) -> TreePosition:
        """Find the place of messages of which none is a known answer: no history came with them, or another one."""
        messages, root = turn.messages, TreePosition(conversation=conversation, seq=0, start=0)
        end = self._tree.walk(root, messages)
        keeps_history = self._tree.marked(conversation, HISTORY_MARK) is not None
        if end.start == len(messages):
            if keeps_history or end.seq in (0, last_seq) or end.seq == self._tree.message(conversation, last_seq)[0]:
                return root
        elif end.start > 0 and (messages[end.start].role != "user" or messages[end.start - 1].role != "user"):
            return root  # it begins as the conversation does, and goes on otherwise: the client's own history
        elif end.start == 0 and keeps_history and messages[0].role == "user":
            replaced = self._tree.newest_question(conversation, 0)
            if replaced is not None and resembles(replaced, messages[0].text):
                return root
        again = self._said_again(turn, conversation, last_seq) or self._regenerated(messages, conversation, last_seq)
        return again or self._at_the_end(messages, conversation, last_seq)

    def _at_the_end(
        self, messages: Sequence[Message], conversation: bytes, last_seq: int, *, start: int = 0
    ) -> TreePosition:
        """Go on below the newest message, leaving out what comes before the newest question and is known."""
        known = self._tree.thread(conversation, last_seq, limit=MAX_LOOKBACK)
        asked = newest_question(messages)
        for index in range((len(messages) if asked is None else asked) - 1, start - 1, -1):
            if any(self._tree.same(hash_, messages[index]) for hash_ in known):
                start = index + 1
                break
        return TreePosition(conversation=conversation, seq=last_seq, start=start)

    def _is_whole(self, spot: TreePosition, messages: Sequence[Message]) -> bool:
        """Tell whether the messages up to a place are all that was said, from the first one on."""
        before = messages[: spot.start - 1]
        seq, *_ = self._tree.message(spot.conversation, spot.seq)
        # One more than there should be: what the log has beyond the beginning was left out.
        above = self._tree.thread(spot.conversation, seq, limit=len(before) + 1) if seq else []
        return len(above) == len(before) and all(map(self._tree.same, above, reversed(before)))

    def _regenerated(self, messages: Sequence[Message], conversation: bytes, last_seq: int) -> TreePosition | None:
        """Tell an answer that is asked for again: the newest question with the message that stood before it."""
        if len(messages) < 2:
            return None
        for seq in (last_seq, self._tree.message(conversation, last_seq)[0]):
            if seq == 0:
                break
            parent, hash_, role, *_ = self._tree.message(conversation, seq)
            if role == "user" and self._tree.same(hash_, messages[-1]):
                before = parent and self._tree.same(self._tree.message(conversation, parent)[1], messages[-2])
                return TreePosition(conversation=conversation, seq=parent, start=len(messages) - 1) if before else None
        return None

    def _said_again(self, turn: Turn, conversation: bytes, last_seq: int) -> TreePosition | None:
        """Tell a turn of a client without history that comes a second time from one that says the same once more.

        It is the same where the newest leaf is the question itself, or its broken-off answer, or the very reply.
        """
        if last_seq == 0:
            return None
        parent, leaf_hash, _, complete, said_at = self._tree.message(conversation, last_seq)
        reply = turn.reply
        seq = last_seq
        if turn.messages and not self._tree.same(leaf_hash, turn.messages[-1]):
            same = reply is not None and self._tree.same(leaf_hash, reply) and said_at == to_micros(reply.said_at)
            if complete and not same:
                return None
            seq = parent
        for message in reversed(turn.messages):
            if seq == 0:
                return None
            parent, known, *_ = self._tree.message(conversation, seq)
            if not self._tree.same(known, message):
                return None
            seq = parent
        return TreePosition(conversation=conversation, seq=seq, start=0)


def newest_question(messages: Sequence[Message]) -> int | None:
    """Return the index of the newest user message."""
    return next((index for index in reversed(range(len(messages))) if messages[index].role == "user"), None)


def resembles(old: str, new: str) -> bool:
    """Tell whether a message may be another wording of an older one, by the words they share.

    >>> resembles("I like figs.", "I like plums."), resembles("I'm allergic to nuts.", "I live in Oslo.")
    (True, False)
    """
    one, two = (Counter(words(text[:_MAX_COMPARED_CHARACTERS])) for text in (old, new))
    longer = max(one.total(), two.total())
    return longer > 0 and (one & two).total() >= RESEMBLING_THRESHOLD * longer
