"""What a figure of a tale says in the first person is no statement of the user, whatever announces it."""

import pytest

from recollect.form.sources import readable_text

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


@pytest.mark.parametrize("message", VOICED.strip().splitlines())
def test_what_a_figure_says_is_not_read(message: str) -> None:
    head = message[: message.index(":") + 1]
    assert readable_text(message) in ("", head)


@pytest.mark.parametrize("message", OWN.strip().splitlines())
def test_what_the_user_says_behind_a_colon_is_read(message: str) -> None:
    assert readable_text(message) == message


def test_a_figure_speaks_to_the_end_of_the_message_or_until_the_user_is_in_earnest() -> None:
    text = "In the voice of a pirate: I have a parrot. I live at sea. In real life, I live in Bergen."
    assert readable_text(text) == "In the voice of a pirate: In real life, I live in Bergen."
