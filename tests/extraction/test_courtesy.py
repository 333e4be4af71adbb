"""A model sees all that may tell something; greetings, thanks, assent to nothing and bare code are kept back."""

import pytest

from toldonce.extraction.courtesy import skip_reason
from toldonce.extraction.evidence import question_in

GREETINGS = [
    "Hi", "Hello there!", "Hey, how are you?", "Good morning, everyone", "Hi Marcus!", "Have a nice weekend!",
    "¡Hola! ¿Qué tal?", "Buenas tardes", "Bonjour !", "Bonne soirée", "Guten Morgen!", "Grüß dich", "Buongiorno",
    "Bom dia", "Goedemorgen", "God kväll", "Hei hei, moi", "Dzień dobry", "Dobrý den", "Jó napot!", "Bună ziua",
    "Günaydın", "Selamat pagi", "Xin chào", "Здравствуйте!", "Добрий день", "Καλημέρα", "صباح الخير", "שלום", "नमस्ते",
    "你好！", "早上好", "こんにちは", "안녕하세요", "สวัสดีครับ",
    "নমস্কার", "السلام علیکم", "வணக்கம்", "Habari yako?", "Magandang umaga!", "Добър ден", "Dobro jutro!", "Добар дан",
]  # fmt: skip
THANKS = [
    "Thanks!", "Thank you so much.", "thx", "Thanks a lot, Claude", "Hello, and thanks again!", "Muchas gracias",
    "Merci beaucoup !", "Vielen Dank", "Danke dir, bis morgen!", "Grazie mille", "Muito obrigado", "Dank je wel",
    "Tack så mycket", "Mange takk", "Kiitos paljon", "Dziękuję bardzo", "Děkuji", "Köszönöm szépen", "Mulțumesc",
    "Teşekkür ederim", "Terima kasih banyak", "Cảm ơn bạn", "Спасибо большое", "Щиро дякую", "Ευχαριστώ πολύ",
    "شكرا جزيلا", "תודה רבה", "बहुत धन्यवाद", "谢谢你", "ありがとうございます", "감사합니다", "ขอบคุณครับ",
    "অনেক ধন্যবাদ", "بہت شکریہ", "மிக்க நன்றி", "Asante sana", "Maraming salamat po!", "Благодаря", "Hvala lijepa!",
    "Хвала лепо",
]  # fmt: skip
CODE = [
    "def area(r):\n    return 3.14 * r * r",
    "for (int i = 0; i < n; i++) {\n  sum += i;\n}",
    "for word in words:\n    print(word)",
    "SELECT name FROM users WHERE id = 3;",
    "const total = items.reduce((a, b) => a + b, 0);\nconsole.log(total);",
    "x = 5",
    'Traceback (most recent call last):\n  File "a.py", line 3\nValueError()',
    "<div>\n  <p>text</p>\n</div>",
    "npm_config=1\nexport_path=/usr/bin",
]
TELLS = [
    "Yes, peanuts.", "It's Sam, not Alex.", "The doctor says the allergy is gone.",
    "The project deadline is March 15th",
    "Peanuts.", "Return to Oslo in May", "let me know my deadline", "class starts at 9", "try to be brief",
    "42", "Lyon", "Two cats", "Hi, I'm Sam", "Hello, Rome is off.", "Thanks, the move went well.",
    "Sorry, it's in Berlin.", "Thanks for helping with the Lisbon flat", "Write a poem about my daughter Ida",
    "What does a nurse with two kids need?", "deadline = March 15th", "Name: Ana;\nCity: Oslo;\nDiet: vegan;",
    "I have two cats (Mia and Tom);\nwe live in Oslo;", "Good morning! Off to Rome.", "No cilantro", "not any more",
    "Nein, Oslo.", "Sí, cacahuetes.", "Oui, végane", "Sono celiaca", "Não como carne", "Ja, twee katten",
    "Jag är läkare",
    "Olen kasvissyöjä", "Jestem pielęgniarką", "Moje jméno je Eva", "Vegán vagyok", "Sunt alergic la nuci",
    "Fıstığa alerjim var", "Saya vegetarian", "Tôi ăn chay", "Аллергия на орехи", "Είμαι γιατρός", "لدي قطتان",
    "אני צמחוני", "मैं शाकाहारी हूँ", "坚果过敏", "猫が二匹います", "땅콩 알레르기", "แพ้ถั่ว",
    "def f(x):\n    return x\n\nMy name is Ida and I like this.",
]  # fmt: skip


@pytest.mark.parametrize("text", GREETINGS)
def test_greetings_are_kept_back_in_many_languages(text: str) -> None:
    assert skip_reason(text) == "greeting"


@pytest.mark.parametrize("text", THANKS)
def test_thanks_are_kept_back_in_many_languages(text: str) -> None:
    assert skip_reason(text) == "thanks"
    assert skip_reason(text.split(",")[0], asked=True) == "thanks" or text.startswith("Hello")


@pytest.mark.parametrize("text", CODE)
def test_bare_code_is_kept_back(text: str) -> None:
    assert skip_reason(text) == "code"


@pytest.mark.parametrize(
    ("text", "fenced", "reason"), [("", False, "empty"), (" 👍 !", False, "empty"), ("", True, "carried")]
)
def test_what_has_no_words_of_its_own_is_kept_back(text: str, fenced: bool, reason: str) -> None:
    assert skip_reason(text, fenced=fenced) == reason


@pytest.mark.parametrize("text", TELLS)
@pytest.mark.parametrize("asked", [True, False])
def test_what_may_tell_something_is_shown(text: str, asked: bool) -> None:
    assert skip_reason(text, asked=asked) == ""


@pytest.mark.parametrize("text", ["Yes", "no", "Right.", "sí", "ja", "да", "はい", "ok", "Morgen"])
def test_assent_tells_something_where_something_was_asked(text: str) -> None:
    assert skip_reason(text) != ""
    assert skip_reason(text, asked=True) == ""


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
