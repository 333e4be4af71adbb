"""What an assistant takes for granted about the user is found; its advice is not."""

import pytest

from toldonce.extraction.presumptions import is_assistants_small_talk, presumptions


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
        "Weil du zwei Katzen hast, nimm ein Netz.",
        "Da Sie in Rostock wohnen, nehmen Sie die Fähre.",
        "Angesichts deiner Höhenangst fällt die Seilbahn weg.",
        "Also du hast drei erwachsene Töchter.",
        "Du wohnst in Gent.",
        "Du bist ein Bäcker, also kennst du das.",
        "Sie sind allergisch, also ohne Nüsse.",
        "Puisque vous avez trois chats, prenez un filet.",
        "Vu votre peur du vide, oubliez le téléphérique.",
        "Tu habites à Nantes, donc prends le tram.",
        "Vous êtes végétarienne, alors sans lardons.",
        "Donc tu as deux filles.",
        "Ya que tienes dos perros, busca un parque.",
        "Como eres vegetariano, pide las berenjenas.",
        "Vives en Bilbao, así que toma el tren.",
        "Entonces tienes tres hijas.",
        "Eres alérgica, así que sin nueces.",
        "Já que você mora em Recife, vá de ônibus.",
        "Como tens dois gatos, escolhe outra planta.",
        "Você tem três filhos.",
        "És vegetariana, portanto sem carne.",
        "Visto che abiti a Torino, prendi il treno.",
        "Siccome hai due cani, cerca un giardino.",
        "Hai tre figlie.",
        "Sei vegetariano, quindi niente speck.",
        "Omdat je in Gent woont, neem de tram.",
        "Gezien je hoogtevrees valt de kabelbaan af.",
        "Je hebt drie dochters.",
        "Je bent allergisch, dus zonder noten.",
    ],
)
def test_a_statement_about_the_user_is_found_in_six_other_languages(sentence: str) -> None:
    assert [piece.text for piece in presumptions(sentence)] == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
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
        "Tienes tres opciones: tren, autobús o bici.",
        "Como ves, falta el índice.",
        "Puedes tomar el tren.",
        "Como você pediu, aqui está a lista.",
        "Você tem duas opções.",
        "Pode ir de ônibus.",
        "Come hai chiesto, ecco l'elenco.",
        "Hai tre possibilità.",
        "Puoi prendere il treno.",
        "Omdat je erom vroeg, hier is de lijst.",
        "Je hebt drie mogelijkheden.",
        "Je kunt de tram nemen.",
        "Nu je het vraagt, de tram is sneller.",
    ],
)
def test_advice_in_six_other_languages_is_not(sentence: str) -> None:
    assert presumptions(sentence) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Herzlichen Glückwunsch! Wie heißt er?", True),
        ("Das tut mir leid.", True),
        ("Félicitations ! Quel âge a-t-il ?", True),
        ("¡Enhorabuena! ¿Cómo se llama?", True),
        ("Parabéns!", True),
        ("Mi dispiace.", True),
        ("Gefeliciteerd! Hoe heet hij?", True),
        ("Der Zug fährt um neun.", False),
        ("Prenez le sentier derrière le phare.", False),
        ("El tren sale del andén siete.", False),
    ],
)
def test_small_talk_in_other_languages_says_nothing_either(text: str, expected: bool) -> None:
    assert is_assistants_small_talk(text) is expected


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
    assert presumptions(sentence) == ()


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
