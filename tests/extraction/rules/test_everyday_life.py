"""Plain statements of everyday life, told in passing and in informal English; and what must not pass for one."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from extractor_inputs import logged, source
from tables import check_each
from toldonce.extraction.rules import read_by_rules
from toldonce.extraction.sources import ExtractionInput
from toldonce.types import Candidate, ConversationId, LoggedMessage, MemoryKind, Subject

SAID = datetime(2026, 3, 4, 8, tzinfo=UTC)  # a Wednesday


def found(text: str) -> list[Candidate]:
    message = LoggedMessage(
        conversation=ConversationId("c"),
        seq=1,
        parent_seq=0,
        role="user",
        text=text,
        name=None,
        said_at=SAID,
        recorded_at=SAID,
        complete=True,
        hash=1,
    )
    source = ExtractionInput(messages=(message,), subject=Subject("user", "ana"), time_zone=ZoneInfo("Europe/Oslo"))
    return list(read_by_rules(source).candidates)


def facts(text: str) -> dict[str, str]:
    return {candidate.key: candidate.value for candidate in found(text) if candidate.kind is MemoryKind.FACT}


@check_each(
    ("text", "key", "value"),
    [
        ("my kid's called Tariq and he won't eat breakfast, tips?", "child:tariq", "Tariq"),
        ("What can I get for my nephew Tomas who is turning 8?", "nephew:tomas", "Tomas"),
        ("our cat Mabel keeps scratching the sofa", "cat:mabel", "Mabel"),
        ("my friend Quinn (they/them) comes along", "friend:quinn", "Quinn"),
        ("what can i cook, i'm coeliac?", "condition:coeliac", "coeliac"),
        ("as a vegan of six years, what cheese can i try?", "diet", "vegan"),
        ("allergic to penicillin btw", "allergy:penicillin", "penicillin"),
        ("i cant have shellfish either", "avoid:shellfish", "shellfish"),
        ("i'm on 20 mg of citalopram, is wine ok?", "medication:citalopram", "citalopram"),
        ("my GP put me on omeprazole", "medication:omeprazole", "omeprazole"),
        ("we indent with tabs", "indentation", "tabs"),
    ],
)
def test_a_fact_told_in_passing_is_read(text: str, key: str, value: str) -> None:
    assert facts(text)[key] == value


@check_each(
    "text",
    [
        "write a story about my dog Rex",
        "imagine my dog Rex could talk",
        "what did my character's sister Ana say?",
        "if i'm on warfarin, can i take aspirin?",
        "as a doctor, what would you recommend?",
        "i just took an aspirin",
        "I also stopped the atorvastatin",
        "I'm no longer on sertraline",
        "what is python 3.12?",
        "i use python to print this list",
        "should we use Rust or Go?",
        "we're thinking of using Postgres",
        "replace tabs with 2 spaces",
        "convert 4 spaces to tabs",
        "our server is down",
        "everything's great",
        "Peter the Great was a tsar",
        "my boss Monday morning was angry",
        "my teacher English is good",
        "we're on the same page",
        "i take notes by hand",
        "i take 20 g of protein",
    ],
)
def test_nothing_of_the_kind_becomes_a_fact(text: str) -> None:
    assert not facts(text)


@check_each(
    "text",
    [
        "love is blind",
        "hate this answer",
        "can't do that",
        "run this every morning with cron",
        "walk me through every step",
        "train the model every day",
        "passed the function as an argument",
        "passport is required for travel",
        "flight is delayed",
        "seat belts are important",
        "i'm in a meeting",
        "i'm scared of breaking the build",
        "our function returns null",
        "take 20 mg if needed",
        "passed all tests.",
        "passed validation",
        "i'm in IT",
        "i'm in Excel and the column is wrong",
        "getting married is expensive",
        "we're off to a good start",
        "we're going to need it",
        "i'm starting at line 40",
        "our team is testing the page",
        "i'm in tears",
    ],
)
def test_orders_and_sayings_become_nothing(text: str) -> None:
    assert not found(text)


@check_each(
    "text",
    [
        "Remember: the spare key is under the blue pot.",
        "Save this: order number 88-1234.",
        "Merk dir: der Ersatzschlüssel liegt unter dem blauen Topf.",
        "Souviens-toi que le rendez-vous est en salle 204.",
        "Ricordati che Anna non mangia latticini.",
        "Lembra que a reunião mudou para a sala 204.",
        "Onthoud dat de poortcode 4471 is.",
        "Запомни: запасной ключ под синим горшком.",
        "记住:备用钥匙在蓝色花盆下面。",
        "覚えておいて:予備の鍵は青い鉢の下にあります。",
    ],
)
def test_what_a_user_asks_to_remember_is_kept(text: str) -> None:
    kept = read_by_rules(source(logged(1, text), keeps_sentences=True)).candidates
    assert [candidate.quote for candidate in kept] == [text]


@check_each(
    ("reply", "text"),
    [
        ("Noted.", "I live in Oslo."),
        ("Verstanden!", "Ich wohne in Bergen."),
        ("D'accord.", "J'habite à Nantes."),
        ("¡Entendido!", "Vivo en Sevilla."),
        ("Va bene, ne terrò conto.", "Abito a Torino."),
        ("Certo.", "Moro no Porto."),
        ("Oké, genoteerd.", "Ik woon in Gent."),
        ("Понял.", "Я живу в Казани."),
        ("حسنًا، فهمت.", "أسكن في عمّان."),
        ("好的。", "我住在苏州。"),
        ("了解です。", "神戸に住んでいます。"),
        ("👍", "I work as a nurse."),
    ],
)
def test_what_follows_an_acknowledgement_is_kept(reply: str, text: str) -> None:
    before = (logged(1, "Hello!"), logged(2, reply, "assistant"))
    read = read_by_rules(source(logged(3, text), earlier=before))
    assert [candidate.quote for candidate in read.candidates] == [text]
