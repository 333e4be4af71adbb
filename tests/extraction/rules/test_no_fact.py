"""What reads like a fact and often is none: in real chats less than 97 of 100 such sentences state one."""

import pytest

from extractor_inputs import logged, source
from tables import check_each
from toldonce.extraction.rules import read_by_rules
from toldonce.extraction.rules.extractor import MAX_SLOT_MESSAGE
from toldonce.types import MemoryKind

FILLER = "The harbour was quiet and the gulls were loud. "


def slots(text: str) -> dict[str, str]:
    candidates = read_by_rules(source(logged(1, text), neighbours=())).candidates
    return {found.key: found.value for found in candidates if found.kind is MemoryKind.FACT}


@check_each(
    "text",
    [
        "My Dog Ate A Hat",
        "Grandpa, Our Parrot Sings Along",
        "a tortoise from my dad, Flash",
        "My business partner Ole paints boats.",
        "my dance partner Ida is late",
        "I am Eng. Halvorsen and need a reply",
        "I am Prof Lindqvist",
        "Working as a night porter underpaid, I write songs.",
        "I'm a point guard for the team.",
        "She likes the lessons and always gives the best answers.",
        "The singer's favourite soup was leek, and never give up.",
        "I can't eat every lettuce leaf alone.",
        "I prefer the red one, so which is better?",
        "My favourite song is As Far As I Go.",
        "I'm into counselling or working in schools.",
        "Whenever I open the lid it beeps.",
        "Mia (who has asthma) plays with her sister in this scene.",
        "Aimed to calm guests and avoid escalation of complaints.",
        "We're using Bootstrap 5 for the page.",
        "I usually work during office hours.",
        "Je cherche un cadeau pour mon fils Noël prochain.",
        "Unsere Katze Mal wieder.",
        "uso Java y solo trabajo con Libros en esa clase",
        "虽然我家乡是一个小地方。",
        "I love the second verse.",
        "I don't like the ending much.",
        "I'm a big fan of this version.",
        "Be concise.",
        "Don't use footnotes in this one.",
        "You must always be kind to your brother.",
        "To avoid queues, book the ferry early.",
        "Critics react to the plot of the film.",
        "Meine gute Freundin Antonia heiratet im Mai.",
        "我最近在写报告工作很忙。",
        "我想给我12岁的侄女买一本书。",
        "她每天都叫我陪她。",
        "我要养一家人。",
        "把这段话用英语回答给客户。",
    ],
)
def test_it_states_no_fact(text: str) -> None:
    assert slots(text) == {}


@check_each(
    ("text", "expected"),
    [
        ("From now on be concise.", {"answer_length": "concise"}),
        ("Be concise in your answers.", {"answer_length": "concise"}),
        ("my partner, Ida, is vegan", {"partner": "Ida"}),
        ("I live in Turin.", {"location": "Turin"}),
        ("Always answer in rhyme.", {"rule:always answer in rhyme": "Always answer in rhyme."}),
        ("Mein Sohn heißt Jan.", {"son:jan": "Jan"}),
        ("Nenn mich ab jetzt Jo.", {"address_as": "Jo"}),
        ("我是四川人。", {"origin": "四川"}),
        ("我今年12岁。", {"age": "12"}),
        ("请用英语回答我。", {"answer_language": "English"}),
    ],
)
def test_what_says_the_same_for_sure_does(text: str, expected: dict[str, str]) -> None:
    assert slots(text) == expected


@pytest.mark.parametrize("name", ["My name is Victor Hale. ", "Ich heiße Victor Hale. ", "Je m'appelle Victor Hale. "])
def test_a_letter_or_a_story_states_no_name(name: str) -> None:
    assert slots(name) == {"name": "Victor Hale"}
    assert slots(name + FILLER * (MAX_SLOT_MESSAGE // len(FILLER) + 1)) == {}


def test_an_allergy_is_read_in_a_long_message() -> None:
    assert slots("I'm allergic to nuts. " + FILLER * 20) == {"allergy:nuts": "nuts"}
