"""Sentences and the notes that the built-in extractor leaves: they stand alone, with their dates written out."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from recollect.extraction.rules import extract_by_rules
from recollect.extraction.sources import ExtractionInput
from recollect.types import Candidate, ConversationId, LoggedMessage, MemoryKind, Subject

SAID = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def notes(text: str, *, name: str | None = None, other: str | None = None, role: str = "user") -> list[Candidate]:
    def logged(seq: int, words: str, who: str, called: str | None) -> LoggedMessage:
        return LoggedMessage(
            conversation=ConversationId("c"),
            seq=seq,
            parent_seq=seq - 1,
            role=who,
            text=words,
            name=called,
            said_at=SAID,
            recorded_at=SAID,
            complete=True,
            hash=seq,
        )

    source = ExtractionInput(
        messages=(logged(2, text, role, name),),
        earlier=(logged(1, "Hi!", "assistant", other),) if other else (),
        subject=Subject("user", "ana"),
        sources=frozenset({"user", "assistant"}),
        time_zone=ZoneInfo("UTC"),
    )
    return [candidate for candidate in extract_by_rules(source) if candidate.kind is MemoryKind.NOTE]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm allergic to peanuts", "The user is allergic to peanuts."),
        ("I moved from Rome to Oslo in April", "The user moved from Rome to Oslo in April 2023."),
        ("My brother is allergic to peanuts.", "The user's brother is allergic to peanuts."),
        ("I'm not allergic to nuts.", "The user is not allergic to nuts."),
        ("I bought a new bike yesterday.", "The user bought a new bike on 7 May 2023."),
        ("I've been learning Spanish since last year.", "The user has been learning Spanish since 2022."),
        ("I'm moving to Berlin next month.", "The user is moving to Berlin in June 2023."),
        ("I work at Acme and have two kids.", "The user works at Acme and has two kids."),
        ("I no longer work at Acme.", "The user no longer works at Acme."),
        ("My daughter Mia turned five last week.", "The user's daughter Mia turned five in the week of 1 May 2023."),
        ("I also really enjoy hiking with my dog.", "The user also really enjoys hiking with their dog."),
        ("Remember that the office closes at 5.", 'The user asked to remember: "the office closes at 5".'),
        ("My birthday is May 5.", "The user's birthday is May 5."),
    ],
)
def test_a_statement_becomes_a_sentence_that_stands_alone(text: str, expected: str) -> None:
    assert [note.text for note in notes(text)] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Thanks for your help!",
        "Can you help me?",
        "We discussed the budget yesterday.",
        "I'm currently working on this file.",
        "I'm getting an error in this function.",
        "I have a list of strings and I want to sort it.",
        "I think so.",
        "I agree with you.",
        "I hope you are well.",
        "I feel great today",
        "I wish I had a dog.",
        "If I had a dog I would walk it daily.",
        "Write a story about my dog Rex and my cat.",
        "I like it.",
        "I need you to rewrite this paragraph.",
        "I'll try that, thanks.",
        "I pasted the log above.",
        "The sky was blue yesterday.",
    ],
)
def test_talk_of_the_moment_leaves_no_note(text: str) -> None:
    assert notes(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I went to a concert yesterday and it was great.", "Ana went to a concert on 7 May 2023 and it was great."),
        ("Just finished painting my kitchen!", "Ana just finished painting their kitchen."),
        (
            "Gonna visit my sister in Lyon next week.",
            "Ana is gonna visit their sister in Lyon in the week of 15 May 2023.",
        ),
        (
            "We went camping in the mountains last weekend.",
            'Ana said: "We went camping in the mountains on the weekend of 6 May 2023."',
        ),
        ("I told you that my mother bakes bread every week.", "Ana's mother bakes bread every week."),
        ("I baked a cake for you yesterday.", "Ana baked a cake for Ben on 7 May 2023."),
    ],
)
def test_a_talk_between_people_names_its_speakers(text: str, expected: str) -> None:
    assert [note.text for note in notes(text, name="Ana", other="Ben")] == [expected]


def test_the_other_speaker_is_kept_as_the_speaker() -> None:
    found = notes("I started a pottery class last month.", name="Ben", other="Ana", role="assistant")
    assert [(candidate.text, candidate.speaker) for candidate in found] == [
        ("Ben started a pottery class in April 2023.", "Ben")
    ]


def test_an_event_is_true_from_its_own_day_and_a_plan_from_when_it_was_made() -> None:
    event = notes("I bought a new bike yesterday.")[0]
    plan = notes("I'm moving to Berlin next month.")[0]
    assert (event.type, event.valid_from) == ("event", datetime(2023, 5, 7, tzinfo=UTC))
    assert (plan.type, plan.valid_from) == ("plan", SAID)


def test_a_dated_event_weighs_more_than_a_bare_remark() -> None:
    dated, bare = notes("I bought a new bike yesterday.")[0], notes("I'm allergic to peanuts")[0]
    assert dated.importance > bare.importance
