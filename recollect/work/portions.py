"""How much one formation takes at once. Pure."""

from collections.abc import Sequence

from recollect.types import LoggedMessage

# Characters from which a batch is worked on in a thread: some 5 ms of reading, splitting and stemming.
LARGE_BATCH = 20_000
# Most characters of one batch: a commit stays small, however long the pasted pages are that wait.
MOST_CHARACTERS = 200_000


def portion(messages: Sequence[LoggedMessage]) -> list[LoggedMessage]:
    """Take messages from the first on, at least one, as long as they hold `MOST_CHARACTERS` together."""
    taken: list[LoggedMessage] = []
    room = MOST_CHARACTERS
    for message in messages:
        room -= len(message.text)
        if taken and room < 0:
            break
        taken.append(message)
    return taken


def characters(messages: Sequence[LoggedMessage]) -> int:
    """Count the characters of messages."""
    return sum(len(message.text) for message in messages)
