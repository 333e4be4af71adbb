"""The language of short sentences: also where most of their words are English words, too."""

import pytest
from toldonce.extraction.rules.foreign_languages import foreign_language


@pytest.mark.parametrize(
    ("says", "code"),
    [
        ("Riassumi i capitoli in 3 righe", "it"),
        ("Traduci in latino", "it"),
        ("Spiega i numeri primi", "it"),
        ("Scrivi una ballata", "it"),
        ("Crea un menu in 2 colonne", "it"),
        ("Descrivi Bologna in autunno", "it"),
        ("Erkläre Magnetismus in 3 Punkten", "de"),
        ("Übersetze in Latein", "de"),
        ("Vat Macbeth samen in 5 regels", "nl"),
        ("Explica Macbeth en 5 puntos", "es"),
    ],
)
def test_an_order_tells_its_language(says: str, code: str) -> None:
    assert foreign_language(says, says) == code


@pytest.mark.parametrize(
    "says",
    [
        "Summarize I Promessi Sposi in 4 lines",
        "Put it in a box",
        "i live in roma",
        "list in order: Verona, Pisa",
        "Help Carla in Pisa",
        "plan a trip in Umbria",
        "Compare Torino and Milano",
        "My cat is ill.",
        "Ida is vegan",
    ],
)
def test_english_stays_english(says: str) -> None:
    assert foreign_language(says, says) == ""
