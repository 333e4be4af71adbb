"""How much one formation takes at once. Pure."""

from collections.abc import Sequence

from recollect.formation.reader import MAX_INLINE_CHARACTERS
from recollect.types import LoggedMessage

# Characters from which a batch is worked on in a thread: at worst some 10 ms of reading, splitting and stemming.
LARGE_BATCH = 1_000
# Characters from which the rules read a batch in the child process, as they do a message that is long by itself.
MAX_HERE = 20_000
# Most characters of one batch: a commit stays small, however long the pasted pages are that wait.
MAX_CHARACTERS = 200_000


def take_batch(messages: Sequence[LoggedMessage]) -> list[LoggedMessage]:
    """Take messages from the first on, at least one, as long as they hold `MAX_CHARACTERS` together."""
    taken: list[LoggedMessage] = []
    room = MAX_CHARACTERS
    for message in messages:
        room -= len(message.text)
        if taken and room < 0:
            break
        taken.append(message)
    return taken


def characters(messages: Sequence[LoggedMessage]) -> int:
    """Count the characters of messages."""
    return sum(len(message.text) for message in messages)


def is_read_apart(messages: Sequence[LoggedMessage]) -> bool:
    """Return whether the child process reads these messages: one of them is long, or all are together."""
    longest = max((len(message.text) for message in messages), default=0)
    return longest > MAX_INLINE_CHARACTERS or characters(messages) > MAX_HERE
