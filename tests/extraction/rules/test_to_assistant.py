"""What the built-in extractor keeps of what is said to an assistant: what lasts; and what it does not believe."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from recollect.extraction.rules import extract_by_rules
from recollect.extraction.sources import ExtractionInput
from recollect.types import Candidate, ConversationId, LoggedMessage, MemoryKind, Subject

SAID = datetime(2026, 3, 4, 8, tzinfo=UTC)  # a Wednesday


def found(text: str, *, before: str = "", name: str | None = None) -> list[Candidate]:
    said = [("assistant", before or "Hello!", None), ("user", text, name)]
    first, message = (
        LoggedMessage(
            conversation=ConversationId("c"),
            seq=seq,
            parent_seq=seq - 1,
            role=role,
            text=words,
            name=called,
            said_at=SAID,
            recorded_at=SAID,
            complete=True,
            hash=seq,
        )
        for seq, (role, words, called) in enumerate(said, start=1)
    )
    source = ExtractionInput(
        messages=(message,), earlier=(first,), subject=Subject("user", "ana"), time_zone=ZoneInfo("UTC")
    )
    return extract_by_rules(source)


def notes(text: str) -> list[str]:
    return [candidate.text for candidate in found(text) if candidate.kind is MemoryKind.NOTE]


def facts(text: str) -> dict[str, tuple[str, bool]]:
    return {
        candidate.key: (candidate.value, candidate.ends)
        for candidate in found(text)
        if candidate.kind is MemoryKind.FACT
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I run four times a week.", "The user runs four times a week."),
        ("I commute from Kent to London every day, rain or shine.", "The user commutes from Kent to London every day"),
        ("I can't swim.", "The user can't swim."),
        ("I don't have any siblings", "The user doesn't have any siblings."),
        ("I'm not a morning person.", "The user is not a morning person."),
        ("I have two dogs, as you know.", "The user has two dogs."),
        ("I have a whippet called Biscuit.", "The user has a whippet called Biscuit."),
        ("My budget for the rent is 900 euros.", "The user's budget for the rent is 900 euros."),
        ("My brother is a vegan.", "The user's brother is a vegan."),
        ("I got the job at the museum!", "The user got the job at the museum."),
        ("I need a new flat until then.", "The user needs a new flat until then."),
        ("Fish is fine though, I still eat fish.", "The user still eats fish."),
        ("We adopted a greyhound yesterday!", 'The user said: "We adopted a greyhound on 3 March 2026."'),
        ("Today is my 30th birthday btw", "The user's 30th birthday is on 4 March 2026."),
    ],
)
def test_what_lasts_is_kept_in_few_words(text: str, expected: str) -> None:
    [note] = notes(text)
    assert note.startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sold my bike, too many hills", "The user sold their bike"),
        ("urgh, got fired today", "The user got fired on 4 March 2026."),
        ("just passed my driving test!!", "The user just passed their driving test."),
        ("staying with my cousin in Lagos for now", "The user is staying with their cousin"),
        ("GRADUATED!", "The user graduated."),
        ("I'm the quiet one, I coach a rowing team", "The user coaches a rowing team."),
        ("I'm saving for a piano", "The user is saving for a piano."),
        ("Ok. We rent a barn near Lucca", 'The user said: "We rent a barn near Lucca."'),
        ("we don't eat pork at home", 'The user said: "We don\'t eat pork at home."'),
        ("Ibrahim moved out last week, to Kano", "Ibrahim moved out in the week of 23 February 2026"),
        ("my nan died on Sunday", "The user's nan died on 1 March 2026."),
        ("Kasia and Piet are getting married", 'The user said: "Kasia and Piet are getting married."'),
        ("they transferred me to the Leeds office", "They transferred the user to the Leeds office."),
        ("the clinic raised my insulin to 14 units", "The clinic raised the user's insulin to 14 units."),
        (
            "note to self: spare fuses are in the blue tin",
            'The user asked to remember: "spare fuses are in the blue tin".',
        ),
    ],
)
def test_what_people_tell_in_passing_is_kept(text: str, expected: str) -> None:
    [note] = notes(text)
    assert note.startswith(expected)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("moved to Turin for my masters, tiny flat", "location", "Turin"),
        ("We moved to Ripon last weekend, lovely schools", "location", "Ripon"),
        ("started as a nurse at Mercy Clinic", "job", "nurse"),
        ("Big news, I left the bank, since June I'm a florist", "job", "florist"),
        ("My favourite drink is iced tea, any recipe?", "favorite_drink", "iced tea"),
        ("my favorite team is Ajax now", "favorite_team", "Ajax"),
    ],
)
def test_facts_told_in_passing_are_whole_and_no_longer(text: str, key: str, value: str) -> None:
    assert facts(text)[key] == (value, False)


@pytest.mark.parametrize(
    "text",
    [
        "moved the button to the left",
        "started the server, got an error",
        "quit talking about it",
        "Sold out again",
        "got a warning in line 4",
        "left align the table please",
        "the compiler changed my types",
        "If I had a garden, I keep thinking, I'd grow beans",
        "Python moved to version 4",
        "we talked about it",
    ],
)
def test_what_is_told_of_a_task_is_not_kept(text: str) -> None:
    assert notes(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "my bus is here",
        "My phone is ringing",
        "I get an error when I run the tests",
        "I'm not sure",
        "I see",
        "I'm not running it any more.",
        "I didn't make it to the class this week.",
        "My boss says I'm lazy and that I hate mornings.",
    ],
)
def test_what_passes_or_means_nothing_alone_is_not_kept(text: str) -> None:
    assert notes(text) == []


def test_what_a_doctor_says_of_somebody_is_theirs() -> None:
    assert notes("My doctor says I have a heart murmur since childhood.") != []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I own seventeen yachts, obviously, lol.", []),
        ("I'm going to marry my coffee machine, haha.", []),
        ("I basically died three times this morning 😂", []),
        ("I'm so hungry I could eat a horse", []),
        ("I absolutely adore spreadsheets. Not!", []),
        ("I just love tax forms, said no one ever.", []),
        ("My husband Paolo works as a firefighter, he eats like three people haha", ["Paolo works as a firefighter"]),
        ("I play the viola in an orchestra 🙂", ["plays the viola"]),
    ],
)
def test_a_joke_is_not_believed_and_what_stands_before_the_laugh_is(text: str, kept: list[str]) -> None:
    held = notes(text)
    assert len(held) == len(kept)
    assert all(words in note for words, note in zip(kept, held, strict=True))
    assert kept or not facts(text)


def test_a_game_goes_on_until_somebody_is_in_earnest() -> None:
    game = "Imagine I'm a pirate. I hate parrots and I sleep in a barrel."
    assert found(game) == []
    assert facts(f"{game} Seriously though, I'm a dentist.") == {"job": ("dentist", False)}


def test_a_pasted_chat_is_its_speakers_and_the_users_own_line_is_theirs() -> None:
    pasted = "Our chat:\nBen: I hate hiking, I have a new car\nMe: I love hiking\nLara: I'm pregnant"
    assert facts(pasted) == {"like:hiking": ("hiking", False)}


def test_a_list_about_oneself_is_no_pasted_chat() -> None:
    assert set(facts("Work: I work as a nurse\nHome: I live in Oslo")) == {"job", "location"}


@pytest.mark.parametrize(
    "text",
    [
        "Translate into Spanish: I am allergic to nuts and I need a doctor.",
        "Please correct this:\nI live in Paris. My name is Robert.",
        "Hi, this is Petra, Jonas's flatmate, typing on his laptop. I'm vegan.",
    ],
)
def test_a_text_to_work_on_and_a_friend_at_the_keyboard_say_nothing_of_the_user(text: str) -> None:
    assert found(text) == []


def test_what_others_are_quoted_with_stays_in_their_words() -> None:
    assert notes('My landlord wrote "I am selling the flat in July".') == [
        'The user\'s landlord wrote "I am selling the flat in July 2026".'
    ]


def test_a_note_goes_on_with_the_sentence_that_leans_on_it() -> None:
    [note] = found("I adopted a greyhound yesterday! Her name is Nala. What does she eat?")
    assert note.text == "The user adopted a greyhound on 3 March 2026. Her name is Nala."
    assert note.quote == "I adopted a greyhound yesterday! Her name is Nala."
    assert notes("I got the job at the museum! I'm starting next Monday.") == [
        "The user got the job at the museum. The user is starting on 9 March 2026."
    ]
    assert notes("I go to a gym in Oslo, and I go there daily.") == [
        "The user goes to a gym in Oslo, and the user goes there daily."
    ]


def test_a_list_ends_where_the_sentence_goes_on() -> None:
    assert facts("i hate cilantro, tastes like soap to me") == {"dislike:cilantro": ("cilantro", False)}
    assert facts("I'm from Wales, so at least people can tell us apart") == {"origin": ("Wales", False)}


def test_a_job_that_begins_is_one_and_a_dream_of_one_is_none() -> None:
    assert facts("I'll be a data engineer.") == {"job": ("data engineer", False)}
    assert facts("I'll be a doctor one day.") == {}


def test_taking_up_a_food_again_ends_that_it_is_avoided() -> None:
    assert facts("I eat pork now.")["avoid:pork"] == ("pork", True)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Please forget what I told you about Tom.", "Tom"),
        ("Forget everything you know about my sister", "my sister"),
        ("forget that I play chess", "I play chess"),
        ("Can you delete my address from your memory?", "my address"),
        ("Delete my old address from your memory.", "my old address"),
        ("Forget it.", ""),
        ("Remove my name from this letter.", ""),
        ("I always forget my keys.", ""),
    ],
)
def test_a_request_to_forget_names_what_is_meant(text: str, topic: str) -> None:
    assert [candidate.forgets for candidate in found(text) if candidate.forgets] == ([topic] if topic else [])


def test_what_is_no_longer_true_is_what_the_other_side_just_said() -> None:
    [wish] = [
        candidate for candidate in found("No, that's no longer true.", before="You live in Rome.") if candidate.forgets
    ]
    assert wish.forgets == "You live in Rome."
    assert not found("That's no longer true.", before="You live in Rome. You like tea.")


def test_in_a_talk_between_people_none_of_this_changes_what_is_read() -> None:
    *_, note = found("I own a red yacht with my cousin now, haha", name="Ben")
    assert "yacht" in note.text
