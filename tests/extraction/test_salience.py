"""Whether a text is worth a record, and what of: without a model."""

import pytest

from tables import check_each
from toldonce.extraction.salience import (
    MAX_REMARK_CHARACTERS,
    MAX_SUMMARY_CHARACTERS,
    assess_salience,
    content_weight,
    record_type,
    shorten,
)


@pytest.mark.parametrize("text", ["", "   ", "Hello!", "We won.", "?!" * 60, "Thank you! " * 20])
def test_c7_remarks_and_thanks_are_not_worth_a_record(text: str) -> None:
    assert not assess_salience(text).keep


SAYS_LITTLE = (
    "Hi there, good morning! How are you doing on this fine day, my friend?",
    "Thanks a lot! That is great. Bye! See you later! Thank you so much, thanks again, great, great!",
    "What should we bring to the mountains when we leave on Saturday morning with the children?",
    "Can you tell me where the harbour is, and how long the ferry takes to the islands?",
    "Guten Morgen, lieber Marcus, und willkommen zurück in unserem kleinen Dorf am Meer!",
    "Bonjour mon cher Marcus, je suis très heureuse de vous revoir parmi nous aujourd'hui !",
    "¡Hola, querido amigo! Qué alegría verte de nuevo por aquí, espero que estés muy bien.",
    "Здравствуй, дорогой Маркус, очень рада снова тебя видеть в нашей деревне!",
)


def test_c7_greetings_small_talk_and_questions_are_hardly_ever_worth_a_record() -> None:
    assert len([text for text in SAYS_LITTLE if assess_salience(text).keep]) <= 1


@check_each(
    ("text", "kind"),
    [
        ("I learned today that the lighthouse was built by my own grandfather in 1921.", "DISCOVERY"),
        ("We discovered a hidden door behind the bookshelf in the library last night.", "DISCOVERY"),
        ("It turns out that the map we had followed for days was drawn upside down.", "DISCOVERY"),
        ("After a long talk we decided to leave the village before the first snow.", "DECISION"),
        ("She chose the red door, and I followed her without asking any questions.", "DECISION"),
        ("The first attempt failed because we had forgotten the rope at the camp.", "ERROR_LESSON"),
        ("It was a mistake to trust the ferryman with all the gold that we had.", "ERROR_LESSON"),
        ("The team finished the bridge on Monday and the villagers celebrated it.", "OUTCOME"),
        ("Marcus usually walks along the harbour every evening before his dinner.", "BEHAVIOR"),
        ("I finally understand why the old man in the tower kept the lamp burning.", "INSIGHT"),
        ("The house by the sea has four rooms and a garden with old apple trees.", "NOTE"),
        ("Вчера мы долго гуляли у моря и говорили о том, как жили раньше в деревне.", "NOTE"),
        ("Nach einem langen Gespräch haben wir beschlossen, das Dorf zu verlassen.", "DECISION"),
        ("Der erste Versuch ist gescheitert, weil wir das Seil im Lager vergessen hatten.", "ERROR_LESSON"),
        ("J'ai appris aujourd'hui que mon grand-père avait construit le vieux phare.", "DISCOVERY"),
        ("El equipo logró terminar el puente el lunes y todo el pueblo lo celebró.", "OUTCOME"),
        ("Marcus wandelt meestal elke avond langs de haven voordat hij gaat eten.", "BEHAVIOR"),
        (
            "今天我才知道，那座老灯塔其实是我爷爷在一九二一年亲手建造的，我们全家人都没有想到，村里的老人们也是第一次听说这件事，大家发现",
            "DISCOVERY",
        ),
        ("Dawno temu w tej wsi mieszkał stary rybak, który nikomu nie mówił o morzu.", "UNKNOWN"),
    ],
)
def test_c7_the_words_tell_the_type(text: str, kind: str) -> None:
    worth = assess_salience(text)
    assert worth.keep
    assert worth.type == kind


def test_c7_where_a_text_speaks_of_several_the_one_it_says_most_of_wins() -> None:
    assert record_type("We decided to stay, chose the tent, and I learned to cook.") == "DECISION"


def test_c7_what_weighs_more_is_more_important_from_1_to_10() -> None:
    plain = assess_salience("The sky over the hills is grey, and the road ahead of us seems to be long.")
    heavy = assess_salience(
        "I decided to leave Kira in Oslo. I failed her, I am ashamed and heartbroken, and I learned that she died."
    )
    assert 1 <= plain.importance < heavy.importance <= 10


def test_c7_the_boundary_lies_at_fifty_characters() -> None:
    sentence = "The lighthouse keeper lives on the island now alone"
    assert len(sentence) == MAX_REMARK_CHARACTERS + 1
    assert assess_salience(sentence).keep
    assert not assess_salience(sentence[:MAX_REMARK_CHARACTERS]).keep


def test_c7_the_summary_is_short_and_begins_with_what_tells_something() -> None:
    text = (
        "Well, thanks! Okay. We decided to sail to Bergen on 3 May with Marcus. " + "The sea was calm and wide. " * 30
    )
    worth = assess_salience(text)
    assert worth.summary.startswith("We decided to sail to Bergen on 3 May with Marcus.")
    assert len(worth.summary) <= MAX_SUMMARY_CHARACTERS
    assert worth.lead in text


def test_a_lead_stands_in_the_text_as_it_is_written_there() -> None:
    text = "“Hello” – she’d said.\nWe’ve decided   to leave the old house by the sea this winter."
    assert assess_salience(text).lead in text
    assert assess_salience(text).lead.startswith("We’ve decided   to leave")


def test_a_huge_text_is_judged_by_its_beginning() -> None:
    worth = assess_salience("We decided to leave the old house by the sea. " * 100_000)
    assert worth.keep
    assert len(worth.summary) <= MAX_SUMMARY_CHARACTERS


def test_a_sentence_of_more_content_weighs_more() -> None:
    assert content_weight("We moved to Oslo in 2024.") > content_weight("It is fine.")


def test_short_never_cuts_a_word() -> None:
    assert shorten("alpha beta gamma delta", 12) == "alpha beta…"


@pytest.mark.parametrize("count", [6, 7, 10, 13, 15, 31])
@pytest.mark.parametrize("sentence", ["My dog Rex lives in Oslo with me.", "I like tea.", "My sister Anna is a vet."])
def test_equal_sentences_have_a_first_one_though_their_mean_is_rounded(sentence: str, count: int) -> None:
    assert assess_salience(f"{sentence} " * count)
