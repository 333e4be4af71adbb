"""What an assistant takes for granted about the user is found; its advice is not.

Heads judge it, so that shares are tested and no single sentence.
"""

import pytest

from tables import check_each
from toldonce.extraction.presumptions import is_assistants_small_talk, presumptions

PRESUMED = (
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
    "Weil du zwei Katzen hast, nimm ein Netz.",
    "Da Sie in Rostock wohnen, nehmen Sie die Fähre.",
    "Angesichts deiner Höhenangst fällt die Seilbahn weg.",
    "Also du hast drei erwachsene Töchter.",
    "Du wohnst in Gent.",
    "Du bist ein Bäcker, also kennst du das.",
    "Sie sind allergisch, also ohne Nüsse.",
    "Tu habites à Nantes, donc prends le tram.",
    "Vous êtes végétarienne, alors sans lardons.",
    "Ya que tienes dos perros, busca un parque.",
    "Como eres vegetariano, pide las berenjenas.",
    "Vives en Bilbao, así que toma el tren.",
    "Entonces tienes tres hijas.",
    "Eres alérgica, así que sin nueces.",
    "Como tens dois gatos, escolhe outra planta.",
    "Você tem três filhos.",
    "És vegetariana, portanto sem carne.",
    "Visto che abiti a Torino, prendi il treno.",
    "Siccome hai due cani, cerca un giardino.",
    "Hai tre figlie.",
    "Sei vegetariano, quindi niente speck.",
    "Omdat je in Gent woont, neem de tram.",
    "Je hebt drie dochters.",
    "Je bent allergisch, dus zonder noten.",
    "你住在北京，所以坐地铁去吧。",
    "既然你对花生过敏，就别点沙爹了。",
    "بما أنك تسكن في القاهرة، خذ المترو.",
    "あなたは京都に住んでいるので、バスが便利です。",
)
ADVICE = (
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
    "Da du danach gefragt hast, hier die Liste.",
    "Wie du siehst, fehlt der Index.",
    "Sie haben drei Möglichkeiten: Bus, Bahn oder Rad.",
    "Du kannst die Markthalle besuchen.",
    "Wohnst du in Gent?",
    "Du hast zwei Katzen?",
    "Bei deiner Frage geht es um den Index.",
    "Da sie in Rostock wohnen, kennen die Brüder den Hafen.",
    "Comme tu veux, le matin ou le soir.",
    "Comme vous l'avez demandé, voici la liste.",
    "Vous avez trois options.",
    "Tu peux prendre le tram.",
    "Avec votre texte, le titre change.",
    "Como quieras, por la mañana o por la tarde.",
    "Como ves, falta el índice.",
    "Puedes tomar el tren.",
    "Como você pediu, aqui está a lista.",
    "Pode ir de ônibus.",
    "Come hai chiesto, ecco l'elenco.",
    "Hai tre possibilità.",
    "Puoi prendere il treno.",
    "Omdat je erom vroeg, hier is de lijst.",
    "Je hebt drie mogelijkheden.",
    "Je kunt de tram nemen.",
    "Nu je het vraagt, de tram is sneller.",
    "你可以坐地铁。",
    "你有三个选择：公交、地铁或自行车。",
    "Вы можете поехать на поезде.",
    "У вас три варианта: автобус, поезд или велосипед.",
    "لديك ثلاثة خيارات.",
)
# Shares of the presumptions that are found, and of the advice that is taken for such, in nine languages.
MIN_FOUND, MAX_MISTAKEN = 0.9, 0.1


def test_most_statements_about_the_user_are_found_and_hardly_any_advice() -> None:
    missed = [sentence for sentence in PRESUMED if [piece.text for piece in presumptions(sentence)] != [sentence]]
    mistaken = [sentence for sentence in ADVICE if presumptions(sentence)]
    assert len(missed) <= (1 - MIN_FOUND) * len(PRESUMED), missed
    assert len(mistaken) <= MAX_MISTAKEN * len(ADVICE), mistaken


def test_only_the_sentence_that_presumes_is_found() -> None:
    text = "The market opens on Saturday. You live in Ghent, so the ferry is close. Wear good shoes."
    (piece,) = presumptions(text)
    assert text[piece.start : piece.end] == piece.text == "You live in Ghent, so the ferry is close."


@check_each(
    ("text", "expected"),
    [
        ("Herzlichen Glückwunsch! Wie heißt er?", True),
        ("Das tut mir leid.", True),
        ("Félicitations ! Quel âge a-t-il ?", True),
        ("¡Enhorabuena! ¿Cómo se llama?", True),
        ("Parabéns!", True),
        ("Mi dispiace.", True),
        ("Gefeliciteerd! Hoe heet hij?", True),
        ("Поздравляю! Как его зовут?", True),
        ("太好了！他叫什么名字？", True),
        ("おめでとうございます！", True),
        ("مبروك! ما اسمه؟", True),
        ("Der Zug fährt um neun.", False),
        ("火车九点从七号站台出发。", False),
        ("Prenez le sentier derrière le phare.", False),
        ("El tren sale del andén siete.", False),
    ],
)
def test_small_talk_in_other_languages_says_nothing_either(text: str, expected: bool) -> None:
    assert is_assistants_small_talk(text) is expected


@check_each(
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
