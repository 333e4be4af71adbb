"""What a figure of a tale says in the first person is no statement of the user, whatever announces it."""

import pytest

from tables import check_each
from toldonce.extraction.role_play import find_games
from toldonce.extraction.sources import readable_text

VOICED = """
a backstory in his voice, along the lines of: I was raised by badgers. My brother sold me.
opening line of my novel: I have been dead for three weeks. I live under the church.
dialogue for Ana: my son is allergic to dust. we moved to Bern.
in the voice of a tired detective: I quit smoking last week. I live on Fifth Street.
from the dragon's point of view: I have two daughters.
poem about the miner from his perspective: I worked in the mine for 30 years
ok me as thistlewick: I have lost my lute. I live in a tower now
speaking as the queen: I have banished my sister. I'm allergic to silver.
first person narration, e.g.: My husband doesn't know I sold the farm.
make a sea shanty of this, sung by the captain: I lost my leg at Tortuga, my wife's in Cadiz
monologue of a lighthouse keeper: I never learned to swim. My cat is called Ahab.
tagebuch meiner figur: ich wohne in einem turm. ich hasse meinen bruder.
journal intime de mon personnage: j'habite à Venise. j'ai trois soeurs.
diario de mi personaje: vivo en una torre. tengo dos hijos.
il diario della strega: vivo nel bosco. ho tre figli.
o diário da minha personagem: moro numa torre. tenho dois filhos.
dagboek van mijn personage: ik woon in een toren. ik heb twee zonen.
"""
OWN = """
from my point of view: I moved here for the schools
my diary is full: I work mondays and I teach tuesdays
as a nurse: I have to work nights
short version: I quit my job and I live in Cork now
update on my novel: I finished chapter three
speech for my sister's wedding: I have known Ben for 10 years
in short: I have two kids
My first day at the new place: I loved it
"""


@check_each("message", VOICED.strip().splitlines())
def test_what_a_figure_says_is_not_read(message: str) -> None:
    head = message[: message.index(":") + 1]
    assert readable_text(message) in ("", head)


@check_each("message", OWN.strip().splitlines())
def test_what_the_user_says_behind_a_colon_is_read(message: str) -> None:
    assert readable_text(message) == message


def test_a_figure_speaks_to_the_end_of_the_message_or_until_in_earnest() -> None:
    text = "In the voice of a pirate: I have a parrot. I live at sea. In real life, I live in Bergen."
    assert readable_text(text) == "In the voice of a pirate: In real life, I live in Bergen."


LIKE_THIS = """
his monologue should be something like this. i'm 34 and i still sleep in my gran's spare room.
my mum's speech goes like this. I moved out at 16 and i never came back
"""
GAMES = """
let's play a murder mystery. i'm Lady Ashcombe, widow, you are the inspector
can we play detective? you suspect my nephew
practice interview: you're the recruiter, i'm applying as a data analyst
mock negotiation, you are the landlord and i want a lower rent
you be the customer and i'm the barista
minecraft roleplay!! i'm Steve the blacksmith
vampire rp time. i own a castle
i'm Sir Odo, lord of the marsh, you are my squire
you're the border guard, i'm Anton with a suitcase full of cheese
"""
NO_GAMES = """
i'm a nurse, you are the best
i'm tired, you're the boss so what now
you're the expert, i'm just a beginner
you're my favourite assistant, i'm happy with that
I have a mock interview on friday
i'm practising for my exam on monday
our house rules are like this. I cook on mondays
let's play it safe, i moved last week
"""


@pytest.mark.parametrize("message", LIKE_THIS.strip().splitlines())
def test_what_is_announced_as_like_this_is_not_read(message: str) -> None:
    assert not any(words in readable_text(message) for words in ("gran", "moved out", "tram"))


@check_each("message", GAMES.strip().splitlines())
def test_a_scene_for_two_is_a_game(message: str) -> None:
    _, is_open = find_games(message, is_open=False)
    assert is_open


@check_each("message", NO_GAMES.strip().splitlines())
def test_what_only_sounds_like_a_scene_is_none(message: str) -> None:
    assert find_games(message, is_open=False) == ([], False)


def test_ok_stop_ends_a_game() -> None:
    text = "ok stop. i have to pick up my daughter"
    spans, is_open = find_games(text, is_open=True)
    assert not is_open
    assert all(end <= text.index("i have") for _, end in spans)


@pytest.mark.parametrize(
    "message",
    [
        "is this a scam\nHello dear, my name is Sandra, I am widow from Lisbon",
        "would this sound rude\nI can't come, I'm allergic to your dog",
        "what do I say to that\nHi Jo, I moved to Bristol. I have a new job.",
        "she sent me a voice note: hey it's me, i'm in Bristol now",
        "he left a note on the fridge: I moved to Linz, don't call",
        "my ex emailed: i'm allergic to your cat",
    ],
)
def test_a_text_that_is_only_shown_is_not_read(message: str) -> None:
    shown = readable_text(message)
    assert not any(words in shown for words in ("Sandra", "allergic", "Bristol", "Linz", "Bahn"))


@pytest.mark.parametrize(
    "message",
    [
        "i left my job: i couldn't take it anymore",
        "he left me with two things: i have the dog and the debt",
        "we sent out the invites: we marry in June",
        "the landlord left us alone for once: we fixed the roof ourselves",
    ],
)
def test_what_the_user_tells_behind_leaving_and_sending_is_read(message: str) -> None:
    assert readable_text(message) == message


@pytest.mark.parametrize(
    "message", ["Hi Claude, I moved to Split", "ok new day\nHi again, I moved to Zadar", "my news and this: I moved"]
)
def test_a_greeting_of_the_assistant_is_read(message: str) -> None:
    assert "I moved" in readable_text(message)
