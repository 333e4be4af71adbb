"""What is formed without a model in each shape: statements, records, a paragraph."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from toldonce.extraction.evidence import check_evidence
from toldonce.extraction.sources import ExtractionInput
from toldonce.extraction.summary_evidence import check_summary
from toldonce.extraction.without_model import (
    MAX_CONTENT_CHARACTERS,
    extract_paragraph,
    extract_records,
    extract_statements,
    statements_version,
)
from toldonce.profiles.policies import FormPolicy
from toldonce.profiles.registry import ProfileRegistry
from toldonce.reading.sentences import sentences
from toldonce.types import ConversationId, LoggedMessage, MemoryKind, Subject

SAID = datetime(2026, 11, 20, 12, tzinfo=UTC)
BOTH = frozenset({"user", "assistant"})
TYPES = ProfileRegistry().get("character").form.types
STORY = (
    "Hi Kira!",
    "Hello Marcus. I decided to leave the lighthouse, because I was afraid of the winter.",
    "I live in Oslo. I prefer tea to coffee.",
    "I learned that the ferry to Bergen sails on 3 May. How long will you stay in Oslo?",
    "Thanks!",
)


def talk(*texts: str, **more: Any) -> ExtractionInput:
    """Make a talk of Marcus, the user, and Kira; Marcus begins."""
    messages = tuple(
        LoggedMessage(
            conversation=ConversationId("c"),
            seq=seq,
            parent_seq=seq - 1,
            role="assistant" if seq % 2 == 0 else "user",
            text=text,
            name="Kira" if seq % 2 == 0 else "Marcus",
            said_at=SAID + timedelta(minutes=seq),
            recorded_at=SAID,
            complete=True,
            hash=seq,
        )
        for seq, text in enumerate(texts, start=1)
    )
    return ExtractionInput(
        messages=messages, subject=Subject("user", "m"), sources=BOTH, time_zone=ZoneInfo("UTC"), **more
    )


def test_c7_c8_a_record_holds_summary_type_importance_and_provenance() -> None:
    found = extract_records(talk(*STORY, tags=("pair:kira+marcus",)), types=TYPES, replies_only=False)
    assert [(candidate.seq, candidate.type) for candidate in found] == [(2, "DECISION"), (4, "DISCOVERY")]
    record = found[0]
    assert record.text == f"Kira said: {STORY[1]}"
    assert record.detail.summary == "I decided to leave the lighthouse, because I was afraid of the winter."
    assert 0.1 <= record.importance <= 1
    assert record.detail.source_uri == "toldonce://c/2"
    assert record.detail.source_context == "Marcus and Kira, 20 November 2026"
    assert record.detail.tags == ("pair:kira+marcus",)


def test_c7_every_turn_it_reads_the_assistants_reply_alone() -> None:
    mine = "I decided to sell the old boat, because the harbour was closed in autumn."
    assert extract_records(talk(mine), types=TYPES, replies_only=True) == []
    assert len(extract_records(talk(mine), types=TYPES, replies_only=False)) == 1


def test_each_record_has_evidence() -> None:
    given = talk(*STORY)
    for record in extract_records(given, types=TYPES, replies_only=False):
        assert check_evidence(record, given.messages, BOTH).evidence is not None


def test_a_records_content_has_an_end() -> None:
    [record] = extract_records(talk("We decided to go on. " * 5_000), types=TYPES, replies_only=False)
    assert len(record.text) <= MAX_CONTENT_CHARACTERS + 100


def test_a1_a_paragraph_without_a_model_holds_only_what_was_said() -> None:
    given = talk(*STORY)
    [paragraph] = extract_paragraph(given, max_sentences=4, characters=200)
    assert 2 <= len(sentences(paragraph.text)) <= 4
    assert len(paragraph.text) <= 200
    said = " ".join(STORY)
    for piece in sentences(paragraph.text):
        words = piece.text.removeprefix("Kira said: ").removeprefix("Marcus said: ").rstrip("…")
        assert words in said
    assert "Kira said: Hello Marcus. I decided " in paragraph.text
    checked = check_summary(paragraph, given.messages, BOTH)
    assert {evidence.seq for evidence in checked.evidence} == set(paragraph.sums_up) <= {2, 3, 4}


def test_a1_a_paragraph_has_the_users_words_first_and_no_sentence_twice() -> None:
    moving = "I move to Graz in June with my two cats."
    vans = "Two vans and a piano lift are booked for the move to Graz on Tuesday."
    given = talk(moving, vans, "I need two vans.", vans.upper(), f"I NEED two vans! {moving}", moving)
    [paragraph] = extract_paragraph(given, max_sentences=4)
    assert paragraph.text == f"Marcus said: {moving} I need two vans. Kira said: {vans}"


def test_a6_a_paragraph_out_of_long_sentences_is_about_two_hundred_characters() -> None:
    long = "I decided that " + "we will walk along the river and " * 20 + "rest."
    [paragraph] = extract_paragraph(talk(long, long.replace("decided", "learned")), max_sentences=4)
    assert 100 <= len(paragraph.text) <= 200


def test_of_questions_alone_a_paragraph_says_what_was_asked() -> None:
    [paragraph] = extract_paragraph(talk("Hi!", "Hello!", "Where is the nearest harbour?"), max_sentences=4)
    assert paragraph.text == "Marcus said: Where is the nearest harbour?"


def test_of_small_talk_there_is_no_paragraph() -> None:
    assert extract_paragraph(talk("Hi!", "Hello Marcus!", "Thanks, bye!"), max_sentences=4) == []


def test_t4_the_rules_in_the_shape_of_facts_give_facts_alone() -> None:
    found = extract_statements(talk(*STORY), FormPolicy(extractor="facts"))
    assert {(candidate.kind, candidate.key, candidate.value) for candidate in found} >= {
        (MemoryKind.FACT, "location", "Oslo")
    }
    assert {candidate.kind for candidate in found} == {MemoryKind.FACT}


def test_u4_the_rules_in_the_shape_of_sentences_say_each_thing_once() -> None:
    found = extract_statements(talk(*STORY), FormPolicy(extractor="sentences"))
    assert {candidate.kind for candidate in found} == {MemoryKind.NOTE}
    assert [candidate.text for candidate in found if "Oslo" in candidate.text] == ['Marcus said: "I live in Oslo."']


def test_s1_the_rules_in_typed_shape_tell_facts_preferences_and_insights() -> None:
    types = ProfileRegistry().get("session").form.types
    form = FormPolicy(extractor="typed", types=types)
    said = "I live in Oslo. I love jazz. I realised that I work too much at night."
    found = extract_statements(replace(talk(said), keeps_sentences=True), form)
    assert {candidate.type for candidate in found} == {"fact", "preference", "insight"}
    assert {candidate.text: candidate.type for candidate in found}['Marcus said: "I live in Oslo."'] == "fact"


def test_each_shape_of_the_rules_has_a_version_of_its_own() -> None:
    forms = [FormPolicy(), FormPolicy(extractor="facts"), FormPolicy(extractor="sentences")]
    forms.append(FormPolicy(extractor="typed", types=("note",)))
    assert len({statements_version(form) for form in forms}) == 4
    assert statements_version(FormPolicy()) == "rules-4"
