"""What the learned gate takes and no rule reads is quoted as it was said; what the rules refuse is not."""

import math
from dataclasses import replace

import numpy as np
import pytest

from extractor_inputs import logged, source
from recollect.extraction.decision_trees import DecisionTrees
from recollect.extraction.gate_features import COLUMNS
from recollect.extraction.rules import gated_quotes, read_by_rules
from recollect.extraction.rules.gated_quotes import MAX_MESSAGE, MAX_SENTENCE, may_be_gated
from recollect.extraction.statement_gate import StatementGate
from recollect.types import Candidate, LoggedMessage, MemoryKind


def read(*messages: LoggedMessage | str, gate: bool = True) -> list[Candidate]:
    """Read messages of a user, or given ones."""
    said = [logged(2 * n + 1, each) if isinstance(each, str) else each for n, each in enumerate(messages)]
    return list(read_by_rules(source(*said, learned_gate=gate, sources=frozenset({"user"}))).candidates)


FOREIGN = (
    "Мій чоловік працює інженером на заводі у Харкові.",
    "Jestem studentką trzeciego roku medycyny w Krakowie.",
    "Ben otuz yaşında bir öğretmenim ve İzmir'de yaşıyorum.",
    "Tôi là sinh viên năm hai ngành công nghệ thông tin.",
    "나는 서울에서 디자이너로 일하고 있어요.",
    "من دانشجوی سال سوم پزشکی هستم و در شیراز زندگی می‌کنم.",
)


@pytest.mark.parametrize("text", FOREIGN)
def test_a_statement_in_another_language_is_quoted_in_it(text: str) -> None:
    found = read(text)
    assert [candidate.quote for candidate in found if candidate.kind is MemoryKind.NOTE] == [text]
    assert found[0].text == f'The user said: "{text[0].upper()}{text[1:].rstrip(".")}."'
    assert found[0].valid_from == logged(1, text).said_at


@pytest.mark.parametrize("text", FOREIGN)
def test_the_setting_turns_it_off(text: str) -> None:
    assert not any(candidate.text.startswith("The user said") for candidate in read(text, gate=False))


@pytest.mark.parametrize(
    "text",
    [
        "Write a poem about autumn",
        "make it shorter",
        "How do I sort a list?",
        "Thanks a lot!",
        "Hi there",
        "What is the capital of Norway?",
        "Schreib mir ein Gedicht über den Herbst",
        "¿Cuál es la capital de Noruega?",
        "Traduis ce texte en anglais",
        "Спасибо большое",
        "请帮我写一首诗",
    ],
)
def test_tasks_questions_and_courtesies_are_not_quoted(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Let's play a game: you are a detective. I am a nurse who lives in Leeds with three cats.",
        'My neighbour wrote to me: "Ich bin Lehrerin und wohne mit meinem Mann in Graz."',
        "Translate into English: Я работаю врачом и живу в Казани.",
        "If I were a doctor I would live in Kazan with my family.",
        "In my novel I am a doctor and live in Kazan with my family.",
    ],
)
def test_what_is_not_said_in_earnest_or_by_others_is_not_quoted(text: str) -> None:
    assert not any(candidate.kind is MemoryKind.NOTE for candidate in read(text))


def ask_gate(monkeypatch: pytest.MonkeyPatch, probability: float, of_message: float | None = None) -> None:
    """Ask a gate that gives each sentence the same probability, and each message that or another."""
    odds, of_all = (math.log(each / (1 - each)) for each in (probability, of_message or probability))
    gate = StatementGate(np.zeros(COLUMNS, np.float32), odds, DecisionTrees.constant(of_all))
    monkeypatch.setattr(gated_quotes, "shipped_gate", lambda: gate)


@pytest.mark.parametrize(
    ("others", "own"),
    [
        ("Die Elbe fließt durch Hamburg und Dresden", "Meine Wärmepumpe macht nachts viel Lärm"),
        ("De trein van Gent naar Brugge rijdt elk uur", "Onze buren verbouwen al maanden hun keuken"),
        ("Le mont Blanc est plus haut que les autres", "Nos voisins refont leur cuisine depuis des mois"),
        ("El tren de Sevilla a Cádiz sale cada hora", "Nuestros vecinos reforman la cocina desde enero"),
        (
            "O trem de Coimbra para o Porto parte de hora em hora",
            "Nossos vizinhos estão reformando a cozinha desde janeiro",
        ),
        ("Il treno da Pisa a Lucca parte ogni mezz'ora", "I nostri vicini rifanno la cucina da gennaio"),
        ("Поезд из Твери в Клин ходит каждый час", "Наши соседи с января переделывают кухню"),
        ("从南京到苏州的火车每小时一班", "我们的邻居从一月开始装修厨房"),
    ],
)
def test_what_does_not_speak_of_the_speaker_must_be_likelier(
    monkeypatch: pytest.MonkeyPatch, others: str, own: str
) -> None:
    ask_gate(monkeypatch, 0.27)
    assert not any(candidate.kind is MemoryKind.NOTE for candidate in read(others))
    assert [candidate.quote for candidate in read(own) if candidate.kind is MemoryKind.NOTE] == [own]
    ask_gate(monkeypatch, 0.9)
    assert [candidate.quote for candidate in read(others) if candidate.kind is MemoryKind.NOTE] == [others]


@pytest.mark.parametrize(
    "text",
    [
        "Fass meine Notizen in drei Sätzen zusammen",
        "Riassumi il mio tema in quattro righe",
        "Resume mi ensayo en tres líneas",
        "Se vivessi a Zurigo, quanto pagherei io di tasse",
        "Wenn ich in Zürich wohnen würde, müsste ich mehr Steuern zahlen",
        "Gdybym był lekarzem, mieszkałbym w Krakowie z rodziną",
        "Якби я працював лікарем, то жив би у Львові з родиною",
        "Ben doktor olsaydım ailemle Ankara'da yaşardım",
        "내가 의사라면 가족과 함께 부산에서 살 거예요",
    ],
)
def test_foreign_orders_and_suppositions_are_never_quoted(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    ask_gate(monkeypatch, 0.999)
    assert not any(candidate.kind is MemoryKind.NOTE for candidate in read(text))


def texts(*messages: str) -> list[str]:
    return [candidate.text for candidate in read(*messages) if candidate.kind is MemoryKind.NOTE]


def test_notes_of_an_unlikely_message_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_gate(monkeypatch, 0.21)
    assert texts("My sister plays the cello.") == ["The user's sister plays the cello."]
    ask_gate(monkeypatch, 0.19)
    assert texts("My sister plays the cello.") == []


def test_facts_and_what_is_asked_for_are_kept_of_any_message(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_gate(monkeypatch, 0.01)
    assert [candidate.key for candidate in read("I live in Leeds.") if candidate.key] == ["location"]
    assert texts("Remember that the bins are green.") == ['The user asked to remember: "the bins are green".']


def test_a_question_that_seeks_assent_must_be_likelier(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_gate(monkeypatch, 0.37)
    assert texts("The old mill was finished in 1902 right") == []


def test_the_likeliest_of_doubtful_sentences_alone_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    two = "Meine Wärmepumpe macht nachts viel Lärm. Unsere Garage steht meistens leer."
    ask_gate(monkeypatch, 0.29, of_message=0.8)
    assert len(texts(two)) == 1
    ask_gate(monkeypatch, 0.31, of_message=0.8)
    assert len(texts(two)) == 2


def test_an_order_is_not_quoted_for_what_is_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_gate(monkeypatch, 0.39, of_message=0.9)
    assert texts("My boiler keeps making odd noises. Tell me a fun fact.") == [
        'The user said: "My boiler keeps making odd noises."'
    ]


def test_who_takes_leave_states_nothing_lasting(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_gate(monkeypatch, 0.59)
    assert texts("gotta run, my bus is here") == []


def test_a_statement_that_a_rule_reads_is_not_quoted_as_well() -> None:
    assert [candidate.text for candidate in read("I live in Leeds.")] == [
        candidate.text for candidate in read("I live in Leeds.", gate=False)
    ]


def test_people_who_talk_to_each_other_are_not_quoted() -> None:
    text = FOREIGN[0]
    assert read(logged(1, text, name="Ben")) == read(logged(1, text, name="Ben"), gate=False)


def test_long_texts_are_not_quoted() -> None:
    long = "Мой муж работает инженером на заводе " + "и ещё " * MAX_SENTENCE
    assert read(long) == []
    assert read(FOREIGN[0] + " Да." * MAX_MESSAGE) == []


def test_a_message_without_a_statement_need_not_be_read() -> None:
    order, statement = logged(3, "What is the capital of Norway?"), logged(5, FOREIGN[0])
    assert may_be_gated(statement, [order, statement])
    assert not may_be_gated(order, [order, statement])
    assert not may_be_gated(replace(statement, role="assistant"), [])
    assert not may_be_gated(logged(7, "…"), [])
