"""What tests of the extractors show a model: messages of a user and an assistant, and one known memory."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from toldonce.extraction.sources import ExtractionInput
from toldonce.types import ConversationId, LoggedMessage, Memory, MemoryId, MemoryKind, Subject

SAID = datetime(2026, 11, 20, 12, tzinfo=UTC)
ANA = Subject("user", "ana")
KNOWN = Memory(
    id=MemoryId("01900000-0000-7000-8000-000000000001"),
    subject=ANA,
    kind=MemoryKind.NOTE,
    text="The user lives in Rome.",
    valid_from=SAID,
    known_from=SAID,
)
ASKED = "I moved to Oslo. I'm allergic to peanuts, and I hate meetings."
REPLIED = "According to the report, the bridge opens on 3 May.\n> The toll will be 20 kroner."


def logged(seq: int, text: str, role: str = "user", name: str | None = None) -> LoggedMessage:
    return LoggedMessage(
        conversation=ConversationId("c"),
        seq=seq,
        parent_seq=seq - 1,
        role=role,
        text=text,
        name=name,
        said_at=SAID + timedelta(minutes=seq),
        recorded_at=SAID,
        complete=True,
        hash=seq,
    )


def source(*messages: LoggedMessage, **more: Any) -> ExtractionInput:
    given: dict[str, Any] = {
        "messages": messages or (logged(7, ASKED), logged(8, REPLIED, "assistant")),
        "subject": ANA,
        "sources": frozenset({"user", "assistant"}),
        "time_zone": ZoneInfo("Europe/Oslo"),
        "neighbours": (KNOWN,),
    }
    return ExtractionInput(**(given | more))
