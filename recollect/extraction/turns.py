"""Cut a thread of messages into turns: what the user says, and what comes of it. Pure."""

from collections.abc import Sequence

from recollect.types import LoggedMessage

Exchange = tuple[LoggedMessage, ...]
"""One turn: a user message with its answer, and the rounds of tools between them."""


def exchanges(messages: Sequence[LoggedMessage]) -> list[Exchange]:
    """Cut messages into turns: each user message begins one, answered or not.

    What stands before the first user message (a greeting) belongs to the first turn.
    """
    found: list[list[LoggedMessage]] = []
    spoken = False
    for message in messages:
        user = message.role == "user"
        if not found or (user and spoken):
            found.append([])
        spoken = spoken or user
        found[-1].append(message)
    return [tuple(turn) for turn in found]
