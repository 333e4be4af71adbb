"""What an assistant takes for granted about the user is found; its advice is not."""

import pytest

from recollect.form.presumptions import is_assistants_small_talk, presumptions


@pytest.mark.parametrize(
    "sentence",
    [
        "As you live in Ghent and own two greyhounds, a ground-floor flat would suit you.",
        "Since you're afraid of heights, skip the cable car.",
        "Given your fear of spiders, camping is out.",
        "Take the night train, because you hate flying.",
        "Now that you have retired, the mornings are yours.",
        "You live in Ghent, so the ferry is close.",
        "So you have three grown daughters.",
        "You're a dentist, so you know the drill.",
        "You always fly business class.",
        "Da du in Rostock wohnst, nimm die Fähre.",
        "Comme tu habites à Nantes, prends le tram.",
        "My name is Salvo and I have lived in Catania for three years.",
        "I am a tenant in your building.",
        "My wife and I recently moved to Leeds.",
    ],
)
def test_a_statement_about_the_user_is_found(sentence: str) -> None:
    text = f"The market opens on Saturday. {sentence} Wear good shoes."
    assert [piece.text for piece in presumptions(text)] == [sentence]
    (piece,) = presumptions(text)
    assert text[piece.start : piece.end] == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "As you can see, the index is missing.",
        "As you mentioned, the deadline is tight.",
        "You could try the covered market.",
        "If you live nearby, walk.",
        "Do you live in Ghent?",
        "You have three options: a bus, a tram or a bike.",
        "You are right about the second clause.",
        "I have looked at the letter and my advice is to shorten it.",
        "I moved the second paragraph up.",
        "Since 2019 the bridge has been closed.",
        "Bring your own towel.",
    ],
)
def test_advice_and_questions_are_not(sentence: str) -> None:
    assert presumptions(sentence) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Congratulations on Biscuit! Which breed is he?", True),
        ("I'm so sorry about your aunt.", True),
        ("Great, with the five nephews then.", True),
        ("Noted.", True),
        ("Great, the train leaves at 9.", False),
        ("Great, then take the coastal path behind the lighthouse and turn left.", False),
        ("Rinse the rice, toast it, add stock.", False),
        ("The Uffizi.", False),
        ("Yes, a spaniel.", False),
    ],
)
def test_small_talk_of_an_assistant_says_nothing_of_its_own(text: str, expected: bool) -> None:
    assert is_assistants_small_talk(text) is expected


@pytest.mark.parametrize("said", ["Aye, captain!", "Happy birthday, Ana!", "Aye, captain! Where do we sail?"])
def test_an_exclamation_of_few_words_is_small_talk(said: str) -> None:
    assert is_assistants_small_talk(said)
