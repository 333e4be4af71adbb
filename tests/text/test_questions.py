"""Questions and greetings of other languages: told where they are plain, and never at the cost of a statement."""

import pytest

from toldonce.formation.quotations import is_bare_question, is_quotable
from toldonce.recall.query import is_question

BARE = (
    "¿Qué debo evitar en un restaurante?",
    "¿Dónde vivo?",
    "Où se trouve la gare ?",
    "Pourquoi le ciel est bleu ?",
    "Was ist die Hauptstadt von Peru?",
    "Warum ist der Himmel blau?",
    "Qual è la capitale del Cile?",
    "Onde fica a estação?",
    "Waarom is de lucht blauw?",
    "Miksi taivas on sininen?",
    "Dlaczego niebo jest niebieskie?",
    "Почему небо голубое?",
    "Де найближча аптека?",
    "ما هي عاصمة بيرو؟",
    "أين أقرب صيدلية؟",
    "چرا آسمان آبی است؟",
    "איפה התחנה?",
    "राजधानी क्या है?",
    "क्या आज बारिश होगी?",
    "秘鲁的首都是什么？",
    "哪里有好吃的餐厅？",
    "首都はどこですか。",
    "なぜ空は青いの？",
    "가까운 약국이 어디예요?",
    "เมืองหลวงคืออะไร?",
)
TOLD = (
    "Vivo en Oslo, ¿qué puedo visitar?",
    "Soy alérgica a las nueces. ¿Qué como?",
    "J'habite à Oslo, que visiter ?",
    "Ich bin allergisch gegen Nüsse, was kann ich essen?",
    "Я живу в Осло, что посмотреть?",
    "我住在奥斯陆，有什么好吃的？",
    "我对花生过敏。吃什么？",
    "私は京都に住んでいます。何を食べますか？",
    "저는 부산에 살아요. 뭘 먹을까요?",
    "أسكن في القاهرة، ماذا أزور؟",
    "我有几本书。",
    "Donde vivo hay montañas.",
    "Cuando era niño vivía en Lima.",
    "静か",
)


@pytest.mark.parametrize("text", BARE)
def test_a_question_of_another_language_is_not_quoted(text: str) -> None:
    assert is_question(text)
    assert is_bare_question(text)
    assert not is_quotable("user", text)


def test_what_tells_something_is_kept_whatever_it_asks() -> None:
    """Heads judge it: one of ten may be lost."""
    lost = [text for text in TOLD if is_bare_question(text) or not is_quotable("user", text)]
    assert len(lost) <= 0.1 * len(TOLD), lost


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("你住在奥斯陆吗", True),
        ("你喜欢什么呢？", True),
        ("どこに住んでいますか", True),
        ("هل تسكن في القاهرة", True),
        ("qué vas a cocinar", True),
        ("pourquoi pas", True),
        ("Que descanses.", False),
        ("静か。", False),
        ("私は京都に住んでいます。", False),
        ("Quando ero piccolo vivevo a Roma.", False),
    ],
)
def test_a_question_is_told_without_its_mark_where_its_words_do(text: str, asks: bool) -> None:
    assert is_question(text) is asks


@pytest.mark.parametrize(
    "text",
    [
        *("¡Hola! Muchas gracias.", "Merci beaucoup !", "Danke schön.", "Grazie mille!", "Спасибо!", "谢谢！"),
        *("你好。好的。", "ありがとうございます。", "감사합니다!", "شكرا جزيلا", "תודה רבה", "धन्यवाद", "Teşekkürler!"),
        *("Cảm ơn", "ขอบคุณครับ"),
    ],
)
def test_thanks_and_greetings_are_not_quoted(text: str) -> None:
    assert not is_quotable("user", text)


@pytest.mark.parametrize(
    "text", ["Gracias a Ana tengo trabajo.", "谢谢你送我的猫。", "Hola, soy Ana.", "Sí, vivo en Oslo."]
)
def test_what_is_said_beside_thanks_is_kept(text: str) -> None:
    assert is_quotable("user", text)
