"""Sentences and the facts that the built-in extractor reads in them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import check_each
from toldonce.extraction.evidence import check_evidence
from toldonce.extraction.rules import read_by_rules
from toldonce.extraction.sources import ExtractionInput
from toldonce.types import Candidate, ConversationId, LoggedMessage, MemoryKind, Subject

# A Friday.
SAID = datetime(2026, 11, 20, 12, tzinfo=UTC)


def logged(text: str, role: str = "user") -> LoggedMessage:
    return LoggedMessage(
        conversation=ConversationId("c"),
        seq=4,
        parent_seq=3,
        role=role,
        text=text,
        name=None,
        said_at=SAID,
        recorded_at=SAID,
        complete=True,
        hash=1,
    )


def form(text: str, *, role: str = "user", sources: frozenset[str] = frozenset({"user"})) -> list[Candidate]:
    source = ExtractionInput(
        messages=(logged(text, role),),
        subject=Subject("user", "ana"),
        sources=sources,
        time_zone=ZoneInfo("Europe/Oslo"),
    )
    return list(read_by_rules(source).candidates)


def facts(text: str) -> set[str]:
    found = [candidate for candidate in form(text) if candidate.kind is MemoryKind.FACT]
    return {f"{candidate.category} {candidate.key}={candidate.value}" for candidate in found}


@check_each(
    ("text", "expected"),
    [
        # who
        ("My name is Ana Silva.", "identity name=Ana Silva"),
        ("my name is bob", "identity name=bob"),
        ("My full name is Ana Maria Silva", "identity full_name=Ana Maria Silva"),
        ("I'm Ana.", "identity name=Ana"),
        ("Hi, I'm Ana!", "identity name=Ana"),
        ("I'm 34 years old", "identity age=34"),
        ("I just turned 40", "identity age=40"),
        ("My birthday is May 5.", "identity birthday=May 5"),
        ("I was born on 3 March 1990.", "identity birthday=3 March 1990"),
        ("I was born in 1990", "identity birth_year=1990"),
        ("I'm Norwegian.", "identity nationality=Norwegian"),
        ("My pronouns are they/them", "identity pronouns=they/them"),
        ("I use she/her", "identity pronouns=she/her"),
        ("My native language is Dutch", "identity native_language=Dutch"),
        ("I'm fluent in Japanese", "identity language:japanese=Japanese"),
        ("My time zone is Europe/Oslo", "identity time_zone=Europe/Oslo"),
        ("I'm in the PST time zone", "identity time_zone=PST"),
        # where
        ("I live in Oslo", "identity location=Oslo"),
        ("I live in oslo", "identity location=oslo"),
        ("I currently live in New York City", "identity location=New York City"),
        ("I'm based in Berlin at the moment", "identity location=Berlin"),
        ("I've lived in Oslo since 2019.", "identity location=Oslo"),
        ("I just moved to Bergen", "identity location=Bergen"),
        ("We moved from Rome to Oslo last year", "identity location=Oslo"),
        ("I'm from Norway", "identity origin=Norway"),
        ("I grew up in Tromsø", "identity origin=Tromsø"),
        ("Please remember that I live in Bergen.", "identity location=Bergen"),
        ("I live in Bergen, what's the weather like?", "identity location=Bergen"),
        ("What's the weather? I live in Bergen.", "identity location=Bergen"),
        # work
        ("I work at Acme", "identity employer=Acme"),
        ("I work for the city council", "identity employer=the city council"),
        ("I work as a nurse", "identity job=nurse"),
        ("I'm a software engineer.", "identity job=software engineer"),
        ("My job is data analyst", "identity job=data analyst"),
        ("I started working at Equinor in March.", "identity employer=Equinor"),
        ("I joined Acme last week", "identity employer=Acme"),
        ("I got a new job at Acme", "identity employer=Acme"),
        ("I'm studying physics", "identity field_of_study=physics"),
        # people and animals
        ("My daughter Mia started school last week.", "identity daughter:mia=Mia"),
        ("My wife Laura loves tulips", "identity partner=Laura"),
        ("My husband's name is Tom", "identity partner=Tom"),
        ("My mom's name is Ingrid.", "identity mother=Ingrid"),
        ("I have a dog named Rex", "identity dog:rex=Rex"),
        ("My dog is called Rex", "identity dog:rex=Rex"),
        ("I'm divorced", "identity marital_status=divorced"),
        # constraints
        ("I'm allergic to peanuts", "constraint allergy:peanuts=peanuts"),
        ("I’m severely allergic to penicillin.", "constraint allergy:penicillin=penicillin"),
        ("I have a nut allergy", "constraint allergy:nut=nut"),
        ("I'm vegetarian", "constraint diet=vegetarian"),
        ("i am vegan btw", "constraint diet=vegan"),
        ("I've been vegan since 2019", "constraint diet=vegan"),
        ("I eat gluten-free", "constraint food_rule:gluten-free=gluten-free"),
        ("I don't eat pork.", "constraint avoid:pork=pork"),
        ("I can't eat gluten", "constraint avoid:gluten=gluten"),
        ("I don't drink alcohol", "constraint avoid:alcohol=alcohol"),
        ("I have type 2 diabetes", "constraint condition:type 2 diabetes=type 2 diabetes"),
        ("I'm lactose intolerant", "constraint condition:lactose intolerant=lactose intolerant"),
        # instructions
        ("Always answer in French.", "instruction answer_language=French"),
        ("Please reply in Norwegian from now on", "instruction answer_language=Norwegian"),
        ("Call me Bob.", "instruction address_as=Bob"),
        ("Keep your answers short", "instruction answer_length=short"),
        ("Don't use emojis", "instruction emoji=no"),
        ("Use metric units", "instruction units=metric"),
    ],
)
def test_a_plain_sentence_states_exactly_this_fact(text: str, expected: str) -> None:
    assert facts(text) == {expected}


@check_each(
    "text",
    [
        "I no longer work at Acme",
        "I quit my job",
        "I used to live in Berlin",
        "I don't live in Rome anymore",
        "I'm not allergic to nuts",
        "I outgrew my milk allergy",
        "I'm no longer vegan",
        "I used to be vegetarian but now I eat meat",
    ],
)
def test_a_denial_states_no_fact_and_ends_none(text: str) -> None:
    assert not [candidate for candidate in form(text) if candidate.kind is MemoryKind.FACT or candidate.ends]


@check_each(
    ("text", "expected"),
    [
        (
            "I'm allergic to peanuts and I moved from Rome to Oslo in May",
            {"constraint allergy:peanuts=peanuts", "identity location=Oslo"},
        ),
        ("I work as a nurse at Ullevål Hospital", {"identity job=nurse", "identity employer=Ullevål Hospital"}),
        (
            "I can't eat gluten because I'm celiac",
            {"constraint avoid:gluten=gluten", "constraint condition:celiac=celiac"},
        ),
        ("I have two cats, Momo and Jasper", {"identity cat:momo=Momo", "identity cat:jasper=Jasper"}),
        (
            "I'm allergic to peanuts, shellfish and soy",
            {f"constraint allergy:{thing}={thing}" for thing in ("peanuts", "shellfish", "soy")},
        ),
        (
            "I speak Norwegian and English",
            {"identity language:norwegian=Norwegian", "identity language:english=English"},
        ),
        ("I'm married to Tom", {"identity marital_status=married", "identity partner=Tom"}),
        ("My name is Ana and I'm 34", {"identity name=Ana", "identity age=34"}),
    ],
)
def test_a_sentence_may_state_several_facts(text: str, expected: set[str]) -> None:
    assert facts(text) == expected


@check_each(
    "text",
    [
        "If I were allergic to peanuts, what should I avoid?",
        "Am I allergic to peanuts?",
        "Is it true that I live in Oslo?",
        "What if I lived in Oslo?",
        "I wish I lived in Paris.",
        "Imagine I live in Bergen.",
        "Suppose I work at Acme.",
        "In my novel I live in a castle.",
        "My character is allergic to silver.",
        "I might be allergic to cats.",
        "I live in Atlantis. Just kidding.",
        'My friend said "I live in Paris".',
        'Translate "I am allergic to nuts" into Spanish.',
        "How do I say I'm allergic to nuts in Spanish?",
        "My wife works at Acme.",
        "He lives in Oslo.",
        "You live in Bergen.",
        "Write a poem about how I live in Oslo.",
        "> I live in Oslo\nwhat does this mean?",
        "```\nI live in Oslo\n```",
        "I live in fear.",
        "I live in the moment.",
        "I moved to vim.",
        "I moved to a new team.",
        "I'm from the marketing team.",
        "I am 5 minutes away.",
        "I'm moving to Berlin next month.",
        "I like it.",
        "I love that!",
        "I'd like to know more.",
        "I love you",
        "I like your answer.",
        "I hate when that happens.",
        "I can't eat another bite.",
        "I have a question.",
        "I'm tired.",
        "I'm sure.",
        "I'm back.",
        "I'm working on this file.",
        "We discussed my job at Acme.",
        "I work from home.",
        "Always happy to help!",
        "Call me back later.",
        "Thanks!",
        "",
    ],
)
def test_no_false_fact_is_read(text: str) -> None:
    assert facts(text) == set()


def test_a_date_says_since_when_a_fact_holds() -> None:
    location = next(candidate for candidate in form("I moved from Rome to Oslo in May") if candidate.key == "location")
    assert location.valid_from == datetime(2026, 4, 30, 22, tzinfo=UTC)  # 1 May in Oslo


def test_quotes_are_the_speakers_own_characters() -> None:
    text = "Hello! I’m allergic to peanuts – and I live in Oslo."
    found = form(text)
    assert found
    assert all(candidate.quote in text for candidate in found)


def test_a_secret_never_reaches_a_candidate() -> None:
    found = form("My name is Ana and my password is hunter2x and I live in Oslo")
    assert found
    assert "hunter2x" not in repr(found)


def test_injected_memory_is_never_extracted_again() -> None:
    assert form("<toldonce-memory k>I live in Rome.</toldonce-memory k>What should I eat?") == []


def test_the_assistants_words_are_no_facts_of_the_user() -> None:
    assert form("I'm allergic to peanuts", role="assistant", sources=frozenset({"user", "assistant"})) == []


def test_a_message_cannot_flood_the_memory() -> None:
    assert len(form(" ".join(f"I like thing{number}." for number in range(200)))) <= 20


_PIECES = st.sampled_from(
    """I I'm my am moved from to Oslo and in May with a dog named Rex , . ; - because like allergic peanuts work at
    last week not never always is 5 ? ! " ' ( we you if please call me so yesterday > ```
    <toldonce-memory &lt; I’m “I” live""".split()
)


@given(st.one_of(st.text(max_size=120), st.lists(_PIECES, max_size=30).map(" ".join)))
def test_whatever_is_said_each_candidate_has_its_evidence(text: str) -> None:
    for candidate in form(text):
        assert candidate.text.strip()
        assert check_evidence(candidate, [logged(text)], frozenset({"user"})).reason == ""


@pytest.mark.parametrize(
    "said",
    ["We got a puppy!\n> Which one?\nWe called him Rolf.", "My aunt cooks.\n```\nmy uncle sings\n```\nShe has gout."],
)
def test_a_fact_quotes_no_sentences_with_others_words_between(said: str) -> None:
    assert all(candidate.quote in said for candidate in form(said))
