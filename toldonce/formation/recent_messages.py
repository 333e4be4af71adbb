"""What may be shown of recent messages: their words as quotations hold them. Reads the store."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from toldonce.concurrency import run_in_thread_if_large
from toldonce.extraction.sources import MAX_INLINE_CHARACTERS, Exchange, without_role_play
from toldonce.formation.forgotten_words import without_forgotten
from toldonce.formation.index_turns import shown_words, words_in_turn
from toldonce.formation.inputs import characters
from toldonce.formation.runtime import Runtime
from toldonce.text.byte_runs import without_bytes
from toldonce.types import LoggedMessage, MessageRef, Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Recent:
    """A message of another conversation, as it may be shown."""

    message: LoggedMessage
    text: str
    """Its words without what is secret, forgotten or pasted."""
    turn: MessageRef
    """The first message of its turn."""


async def recent_words(turns: Sequence[Exchange], subject: Subject, home: Subject, runtime: Runtime) -> list[Recent]:
    """Return what may be shown of turns, in their order.

    These are the words that quotations would hold: nothing that an assistant presumes, no game, no secret, and nothing
    that is forgotten; what was replaced since stays. A turn without a message that is worth quoting is left out; any
    other is there whole, a bare question with its answer. So an answer is left out where nothing of its question may be
    shown, or the question is too long to be read at once.

    Args:
        turns: Oldest first, of one conversation or more.
        subject: Whose memory is formed of them.
        home: In whose log they are.
        runtime: Store and clock.
    """
    spoken = [message for turn in turns for message in turn if message.role in ("user", "assistant")]
    told = await without_forgotten(list(filter(is_read_at_once, spoken)), subject, runtime, home=home)
    return await run_in_thread_if_large(characters(told), partial(_shown, turns, told), above=0)


def is_read_at_once(message: LoggedMessage) -> bool:
    """Return whether a message is short enough to be read on the event loop."""
    return 0 < len(without_bytes(message.text)) <= MAX_INLINE_CHARACTERS


def _shown(turns: Sequence[Exchange], messages: Sequence[LoggedMessage]) -> list[Recent]:
    left: dict[tuple[str, int], LoggedMessage] = {}
    for conversation in dict.fromkeys(message.conversation for message in messages):
        own = [message for message in messages if message.conversation == conversation]
        left |= {(conversation, message.seq): message for message in without_role_play(own, [])}
    shown: list[Recent] = []
    for turn in turns:
        own = [left[message.ref] for message in turn if message.ref in left]
        asked = {message.ref for message in turn if message.role == "user" and message.text}
        words = {message.ref: words_in_turn(message) for message in own}
        # Answers first: they are seldom questions, which the heads would have to judge.
        if all(words.get(ref) for ref in asked) and any(shown_words(message) for message in own[::-1]):
            shown += [
                Recent(message=message, text=words[message.ref], turn=turn[0].ref)
                for message in own
                if words[message.ref]
            ]
    return shown
