"""A model's quote may differ from the message in spelling, and in nothing else; stored is what the speaker wrote."""

from tables import check_each
from toldonce.extraction.quote_span import find_span

NEAR = [
    (
        "I have been allergic to peanuts",
        "hey i have been alergic to peanuts since school",
        "i have been alergic to peanuts",
    ),
    (
        "I am moving to Trondheim in May",
        "So I'm moving to Trondheim in May, finally!",
        "I'm moving to Trondheim in May",
    ),
    (
        "Ich habe eine Allergie gegen Nüsse",
        "also ich habe eine Almergie gegen Nüsse",
        "ich habe eine Almergie gegen Nüsse",
    ),
    ("Ich hätte gern kürzere Antworten", "ich hatte gern kurzere Antworten bitte", "ich hatte gern kurzere Antworten"),
    (
        "soy celíaca desde los doce años",
        "Bueno, soy celiaca desde los doce años, ojo",
        "soy celiaca desde los doce años",
    ),
    ("我对花生过敏已经很多年了", "其实我对花生过敏已经很多年", "我对花生过敏已经很多年"),
    ("I received the parcel on Monday", "i recieved the parcel on monday", "i recieved the parcel on monday"),
    ("I don't eat meat on Fridays", "i dont eat meat on fridays", "i dont eat meat on fridays"),
    ("I play in a brass band", "I play in a bras band", "I play in a bras band"),
    ("I want to move to Bergen", "so i wnat to move to Bergen", "i wnat to move to Bergen"),
    ("Ich hätte gern mehr Zeit", "ich haette gern mehr Zeit", "ich haette gern mehr Zeit"),
    ("j'aime les pommes vertes", "j'aime les pomes vertes", "j'aime les pomes vertes"),
    ("я живу в Москве с апреля", "я живу в Мосвке с апреля", "я живу в Мосвке с апреля"),
]
OTHER = [
    ("I have a cat at home with me", "I have a car at home with me"),
    ("I am allergic to peanuts and soy", "I am not allergic to peanuts and soy"),
    ("I take 5 mg of ramipril daily", "I take 10 mg of ramipril daily"),
    ("my dog is called Marta at home", "my dog is called Maria at home"),
    ("Ich habe eine Allergie gegen Nüsse", "Ich habe keine Allergie gegen Nüsse"),
    ("我对花生过敏已经很多年了", "我对腰果过敏已经很多年了"),
    ("我喜欢在早上喝咖啡和茶", "我不喜欢在早上喝咖啡和茶"),
    ("Soy alérgica a las nueces", "Mi hermana vive en Sevilla y trabaja en un banco"),
    ("I live in Oslo", "I live in Rome"),
    ("I can stand opera at all", "i cant stand opera at all"),
    ("My wife is called Ana here", "My wife is called Anna here"),
    ("mi hermano vive en Sevilla", "mi hermana vive en Sevilla"),
    ("I was told it is hypotension", "I was told it is hypertension"),
    ("my employer is in hospital now", "my employee is in hospital now"),
    ("I have eight cats at home", "I have eighty cats at home"),
    ("yes", "yes please do"),
]


@check_each(("quote", "text", "span"), NEAR)
def test_a_quote_that_differs_in_spelling_finds_the_speakers_words(quote: str, text: str, span: str) -> None:
    assert find_span(quote, text) == span


@check_each(("quote", "text"), OTHER)
def test_a_quote_that_says_something_else_finds_nothing(quote: str, text: str) -> None:
    assert find_span(quote, text) == ""
