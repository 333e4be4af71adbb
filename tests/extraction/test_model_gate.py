"""A model sees all that may tell something; courtesies, questions that tell nothing and bare code are kept back."""

import pytest

from extractor_inputs import logged
from tables import check_each
from toldonce.extraction.evidence import question_in
from toldonce.extraction.model_gate import skip_of

COURTESIES = (
    "Hi", "Hello there!", "Thank you so much.", "thx", "ok", "haha", "great, that works", "lol ok done",
    "Hello, and thanks again!", "Bonjour !", "Merci beaucoup !", "Guten Morgen!", "Danke dir, bis morgen!",
    "Buongiorno",
    "Grazie mille", "Bom dia", "Muito obrigado", "Dank je wel", "Muchas gracias", "Здравствуйте!", "Спасибо большое",
    "شكرا جزيلا", "你好！", "谢谢你", "こんにちは", "ありがとうございます", "안녕하세요",
    "Dziękuję bardzo", "Terima kasih banyak",
)  # fmt: skip
TELLS = (
    "Yes, peanuts.", "It's Sam, not Alex.", "The doctor says the allergy is gone.", "Peanuts.", "Return to Oslo in May",
    "class starts at 9", "try to be brief", "42", "Two cats", "Hi, I'm Sam", "Hello, Rome is off.",
    "Thanks, the move went well.", "Sorry, it's in Berlin.", "Thanks for helping with the Lisbon flat",
    "Write a poem about my daughter Ida", "What does a nurse with two kids need?", "Good morning! Off to Rome.",
    "Nein, Oslo.", "Sí, cacahuetes.", "Oui, végane", "Sono celiaca", "Não como carne", "Ja, twee katten",
    "Jag är läkare", "Jestem pielęgniarką", "Fıstığa alerjim var", "Saya vegetarian", "Tôi ăn chay",
    "Аллергия на орехи", "لدي قطتان", "坚果过敏", "猫が二匹います", "땅콩 알레르기",
    "def f(x):\n    return x\n\nMy name is Ida and I like this.",
)  # fmt: skip


def skipped(text: str, *, reply: str = "") -> str:
    """Return why a model is not shown a message that follows a reply."""
    message = logged(3, text)
    return skip_of(message, [logged(2, reply, role="assistant"), message])


@check_each("text", COURTESIES)
def test_courtesies_are_kept_back_in_many_languages(text: str) -> None:
    assert skipped(text) == "courtesy"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def area(r):\n    return 3.14 * r * r", "code"),
        ("SELECT name FROM users WHERE id = 3;", "code"),
        ("> I hate tea", "carried"),
        ("", "empty"),
        (" 👍 !", "empty"),
    ],
)
def test_what_has_no_words_of_its_own_is_kept_back(text: str, reason: str) -> None:
    assert skipped(text) == reason


def test_a_named_speaker_is_judged_and_an_answer_of_the_assistant_shown() -> None:
    ben, answer = logged(1, "Thanks a lot!", name="Ben"), logged(2, "Thanks a lot!", role="assistant")
    assert [skip_of(message, [ben, answer]) for message in (ben, answer)] == ["courtesy", ""]


def test_what_may_tell_something_is_shown() -> None:
    assert len([text for text in TELLS if skipped(text)]) <= 0.05 * len(TELLS)


@check_each("text", ["Yes", "no", "Right.", "sí", "ja", "да", "はい", "ok", "Morgen"])
def test_assent_tells_something_where_something_was_asked(text: str) -> None:
    assert skipped(text, reply="Shall I remember it?") == ""


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Do you have any allergies?", True),
        ("Here is a plan. Shall I book it? Let me know.", True),
        ("¿Eres vegano?", True),
        ("你住在奥斯陆吗", True),
        ("You live in Oslo.", False),
        ("", False),
    ],
)
def test_a_question_is_found_at_the_end_of_an_answer(text: str, asked: bool) -> None:
    assert bool(question_in(text)) is asked
