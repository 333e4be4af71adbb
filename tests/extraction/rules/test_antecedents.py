"""A note names whom its pronoun means, where one person alone was named before."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from recollect.extraction.rules.extractor import extract_by_rules
from recollect.extraction.sources import ExtractionInput
from recollect.types import ConversationId, LoggedMessage, MemoryKind, Subject

SAID = datetime(2026, 2, 11, 10, tzinfo=UTC)


def notes(*texts: str) -> list[str]:
    """Return the notes of a conversation's messages."""
    messages = tuple(
        LoggedMessage(
            conversation=ConversationId("c"),
            seq=seq,
            parent_seq=seq - 1,
            role="user",
            text=text,
            name=None,
            said_at=SAID,
            recorded_at=SAID,
            complete=True,
            hash=seq,
        )
        for seq, text in enumerate(texts, start=1)
    )
    source = ExtractionInput(messages=messages, subject=Subject("user", "ana"), time_zone=ZoneInfo("Europe/London"))
    return [candidate.text for candidate in extract_by_rules(source) if candidate.kind is MemoryKind.NOTE]


@pytest.mark.parametrize(
    ("before", "said", "who"),
    [
        ("i look after my grandad Angus, he's 88", "i drive him to the day centre every tuesday", "grandad Angus"),
        ("my sister Mel lives in Hull", "i visit her every other weekend", "sister Mel"),
        ("my dad has a bad back", "i help him in the garden on saturdays", "dad"),
        ("my aunt Rose is in a home", "i take her to mass on sundays", "aunt Rose"),
    ],
)
def test_a_note_names_who_was_meant(before: str, said: str, who: str) -> None:
    assert who in notes(before, said)[-1]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("my dad and my brother live in Hull", "i visit him every other weekend"),
        ("my sister Mel lives in Hull", "i visit him every other weekend"),
        ("my dad met Colin in Hull", "i visit him every other weekend"),
        ("my sister lives in Hull", "i drive her car on saturdays"),
    ],
)
def test_a_note_keeps_a_pronoun_of_which_it_is_open_who_is_meant(before: str, said: str) -> None:
    assert any(word in notes(before, said)[-1].split() for word in ("him", "her"))


def test_a_day_named_once_for_two_things_makes_two_notes() -> None:
    first, second = notes("my parents' anniversary is on 2 may, we're doing a surprise party that day at the lodge")
    assert "party" not in first
    assert "on 2 May" in first
    assert "surprise party on 2 May" in second
