"""A batch ends by its characters as well."""

from dataclasses import replace
from datetime import UTC, datetime

from recollect.formation.portions import MAX_CHARACTERS, characters, take_batch
from recollect.types import ConversationId, LoggedMessage

SAID = datetime(2026, 1, 1, tzinfo=UTC)


def logged(text: str) -> LoggedMessage:
    return LoggedMessage(
        conversation=ConversationId("c"),
        seq=1,
        parent_seq=0,
        role="user",
        text=text,
        name=None,
        said_at=SAID,
        recorded_at=SAID,
        complete=True,
        hash=17,
    )


SHORT = logged("Hello.")
HALF = replace(SHORT, text="x" * (MAX_CHARACTERS // 2))
LONG = replace(SHORT, text="x" * (2 * MAX_CHARACTERS))


def test_messages_are_taken_as_long_as_there_is_room() -> None:
    assert take_batch([SHORT] * 64) == [SHORT] * 64
    assert take_batch([HALF, HALF, SHORT]) == [HALF, HALF]
    assert take_batch([SHORT, LONG, SHORT]) == [SHORT]
    assert take_batch([]) == []


def test_one_message_is_always_taken() -> None:
    assert take_batch([LONG, SHORT]) == [LONG]


def test_characters_are_counted_over_all_messages() -> None:
    assert characters([HALF, HALF]) == MAX_CHARACTERS
