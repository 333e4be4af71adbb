"""Statements of the user's life that are kept in their own words, and what is none of these."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from recollect.extraction.gate import is_worth_extracting
from recollect.extraction.rules import extract_by_rules
from recollect.extraction.sources import ExtractionInput
from recollect.types import ConversationId, LoggedMessage, MemoryKind, Subject

SAID = datetime(2026, 3, 4, 8, tzinfo=UTC)  # a Wednesday


def notes(text: str, *, before: str = "") -> list[str]:
    """Return the notes formed from a message, `before` being what the user said earlier."""
    messages = [
        LoggedMessage(
            conversation=ConversationId("c"),
            seq=seq,
            parent_seq=seq - 1,
            role="user",
            text=words,
            name=None,
            said_at=SAID,
            recorded_at=SAID,
            complete=True,
            hash=seq,
        )
        for seq, words in enumerate(filter(None, (before, text)), start=1)
    ]
    source = ExtractionInput(
        messages=(messages[-1],),
        earlier=tuple(messages[:-1]),
        subject=Subject("user", "ana"),
        time_zone=ZoneInfo("UTC"),
    )
    return [
        candidate.text
        for candidate in extract_by_rules(source)
        if candidate.kind is MemoryKind.NOTE and not candidate.forgets
    ]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        # No 'I' as the subject, or none at all.
        ("cleared the overdraft!!", "Cleared the overdraft."),
        ("paid back my uncle's loan finally", "Paid back my uncle's loan finally."),
        ("fostering a whippet for the summer", "Fostering a whippet for the summer."),
        ("mortgage is 1,140 from june", "Mortgage is 1,140 from June 2026."),
        ("commute's 50 minutes now", "Commute's 50 minutes now."),
        ("target's sub 45 for the 10k", "Target's sub 45 for the 10k."),
        ("HR finally gave us the extra week", "HR finally gave us the extra week."),
        ("the agency signed me for another year", "The agency signed me for another year."),
        ("we're on django 4.2 at work", "We're on django 4.2 at work."),
        ("we're five at home with the twins", "We're five at home with the twins."),
        ("for context we're in Dundee", "For context we're in Dundee."),
        ("it's an old thinkpad under the desk in my room", "It's an old thinkpad under the desk in my room."),
        ("thursdays i'm at the climbing wall", "Thursdays i'm at the climbing wall."),
        ("quiz night's on mondays now", "Quiz night's on mondays now."),
        ("knee's playing up again", "Knee's playing up again."),
        ("the goat ate all my lettuces", "The goat ate all my lettuces."),
        ("Mull it is, we'll drive up on friday", "Mull it is, we'll drive up on 6 March 2026."),
        ("ibuprofen gave me hives once", "Ibuprofen gave me hives once."),
        # People whom the user names, in small letters too.
        ("mina is in year 3 now", "Mina is in year 3 now."),
        ("theo's teacher is mrs Abara", "Theo's teacher is mrs Abara."),
        ("noor got glasses", "Noor got glasses."),
        # States of the user that no other rule knows.
        ("i'm right handed btw if that helps", "I'm right handed btw if that helps."),
        ("yeah i'm happy in Gdynia", "I'm happy in Gdynia."),
        ("I have no room in my studio flat", "I have no room in my studio flat."),
        ("i don't want more nights", "I don't want more nights."),
    ],
)
def test_a_statement_of_life_is_quoted(text: str, quoted: str) -> None:
    assert f'The user said: "{quoted}"' in notes(text)
    assert is_worth_extracting(text)


@pytest.mark.parametrize(
    "text",
    [
        # Questions, orders and work at hand.
        "is the rent 900 there?",
        "which city does my sister live in",
        "how old are my kids, the museum wants to know",
        "pick a colour for my bike, something bright",
        "what's the commute like from Leeds?",
        "paid off how exactly?",
        "make the goal 1:50 and the budget 300",
        "got an error on line 12",
        "got the same output as before",
        "the function is called twice now",
        "we're on step 3 of the tutorial",
        "we're in agreement then",
        "we got the error again",
        "they gave me an error",
        "it made me laugh",
        "the train was late again",
        "Soy sauce 200 ml",
        "the query takes 300 ms now",
        "the summary is too long now",
        "needs 3 tests",
        "need an email to my manager about the invoice",
        "hiya, need an email to my manager Kim asking for friday off",
        # Nothing that is meant, or that happened.
        "we might be in Dundee by June",
        "if rent's 900 there we won't move",
        "maybe they'll make me permanent",
        "i wish they put me on days",
        "imagine we're in Peru with 300 llamas",
        "in my novel the mortgage is 900",
        "my flatmate says rent's 900 there",
        "oh great, they moved me to Mondays",
        "they made me permanent, jk",
        # Other people's texts, and what is said to the assistant.
        'translate: "my rent is 900 now"',
        "grammar check: they put me on nights",
        "Furthermore, our team has 12 members.",
        "your answer put me on the right track",
        "John works 8 hours and has 3 apples.",
    ],
)
def test_nothing_is_quoted(text: str) -> None:
    assert not [note for note in notes(text) if note.startswith('The user said: "')]


@pytest.mark.parametrize(
    ("before", "text", "note"),
    [
        (
            "my mum isn't well",
            "she lives in Hull with my aunt",
            'The user said of their mum: "She lives in Hull with my aunt."',
        ),
        ("how do i tell the kids", "they're 5 and 11", 'The user said of their kids: "They\'re 5 and 11."'),
        (
            "my brother Ivo is back",
            "he drives a tram at night",
            'The user said of their brother Ivo: "He drives a tram at night."',
        ),
        (
            "my boss keeps calling",
            "she works from Lisbon mostly",
            'The user said of their boss: "She works from Lisbon mostly."',
        ),
    ],
)
def test_a_pronoun_is_told_by_whom_it_means(before: str, text: str, note: str) -> None:
    assert note in notes(text, before=before)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("my mum and my sister fell out", "she lives in Hull with a baker"),
        ("what is Emma about", "she lives in Highbury with her father"),
        ("my dad isn't well", "she lives in Hull with a baker"),
        ("my kids are asleep", "it lives in Hull with a baker"),
    ],
)
def test_a_pronoun_that_may_mean_another_tells_nothing(before: str, text: str) -> None:
    assert notes(text, before=before) == []


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("ich wohne seit Mai in Halle, kennst du ein gutes Bad?", "Ich wohne seit Mai in Halle"),
        ("bin übrigens Veganerin, also bitte ohne Käse", "Bin übrigens Veganerin, also bitte ohne Käse"),
        ("mein Kater heißt Moritz", "Mein Kater heißt Moritz"),
        ("unsere Tochter Mila hat Asthma", "Unsere Tochter Mila hat Asthma"),
        ("j'habite à Rennes depuis peu", "J'habite à Rennes depuis peu"),
        ("je suis allergique aux arachides", "Je suis allergique aux arachides"),
        ("ma sœur Inès est sage-femme", "Ma sœur Inès est sage-femme"),
        ("mon fils s'appelle Hugo et il joue du tuba", "Mon fils s'appelle Hugo et il joue du tuba"),
        ("je n'aime pas les navets", "Je n'aime pas les navets"),
        ("soy celíaca, así que nada de pan", "Soy celíaca, así que nada de pan"),
        ("mi hermano Iker vive en Vigo", "Mi hermano Iker vive en Vigo"),
        ("trabajo de enfermera por las noches", "Trabajo de enfermera por las noches"),
        ("moro em Braga com a minha avó", "Moro em Braga com a minha avó"),
        ("minha filha Lia tem cinco anos", "Minha filha Lia tem cinco anos"),
        ("suono il flauto da sempre", "Suono il flauto da sempre"),
        ("larguei a faculdade, agora dou aula de piano", "Larguei a faculdade, agora dou aula de piano"),
        ("ich bin umgezogen, wohne jetzt in Halle", "Ich bin umgezogen, wohne jetzt in Halle"),
        ("adotei um gato e ele não dorme", "Adotei um gato e ele não dorme"),
        ("abito a Lecce da un anno", "Abito a Lecce da un anno"),
        ("mio nonno si chiama Ettore", "Mio nonno si chiama Ettore"),
        ("ik woon sinds kort in Zwolle", "Ik woon sinds kort in Zwolle"),
        ("mijn zus Fenna is zwanger", "Mijn zus Fenna is zwanger"),
        ("札幌に住んでいます。", "札幌に住んでいます"),
        ("犬を三匹飼っています。", "犬を三匹飼っています"),
        ("私は蕎麦アレルギーです。", "私は蕎麦アレルギーです"),
        ("我住在成都，今年三十岁。", "我住在成都，今年三十岁"),
        ("我女儿对牛奶过敏。", "我女儿对牛奶过敏"),
    ],
)
def test_a_statement_in_another_language_is_quoted(text: str, quoted: str) -> None:
    assert f'The user said: "{quoted}."' in notes(text)


@pytest.mark.parametrize(
    "text",
    [
        "Wo wohne ich nochmal?",
        "wo wohne ich",
        "wie heißt meine Katze",
        "waar woon ik",
        "Wenn ich in Halle wohne, brauche ich ein Auto",
        "Ich würde gern in Halle wohnen",
        "Ich hätte gern eine Liste",
        "Schreib einen Brief: ich wohne in Halle und bin Lehrer",
        "Ich habe eine kurze Frage zu meinem Text",
        "Ich bin nicht sicher",
        "Heute bin ich müde",
        "Aujourd'hui je suis fatiguée",
        "Hoy estoy cansada",
        "Où est-ce que j'habite ?",
        "Si j'habite à Rennes, que faire le soir",
        "Traduis : je suis allergique aux arachides",
        "J'ai une question sur le texte",
        "¿Dónde trabajo?",
        "Tengo una duda sobre el código",
        "Quiero vivir en Vigo",
        "Escribe una carta: soy maestra y vivo en Vigo",
        "Onde moro mesmo?",
        "Traduza: moro em Braga",
        "Tenho uma dúvida",
        "Dove abito?",
        "Vorrei abitare a Lecce",
        "Waar woon ik ook alweer?",
        "Als ik in Zwolle woon, wat dan",
        "Vertaal: ik woon in Zwolle",
        "札幌に住んでいますか？",
        "「札幌に住んでいます」を英語に翻訳して",
        "我住在哪里？",
        "翻译：我住在成都",
        "如果我住在成都，周末去哪儿玩",
    ],
)
def test_nothing_is_quoted_in_another_language(text: str) -> None:
    assert notes(text) == []


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("et mon chien Praline peut manger du comté ?", 'The user mentioned: "Mon chien Praline."'),
        ("was kann ich meiner Tante Helga schenken?", 'The user mentioned: "Meiner Tante Helga."'),
    ],
)
def test_a_question_in_another_language_names_ones_own(text: str, note: str) -> None:
    assert notes(text) == [note]


def test_a_companion_of_one_journey_is_no_memory() -> None:
    assert notes("je peux aller à Brest avec ma sœur Inès ?") == []


def test_a_statement_goes_on_with_what_tells_more_of_it() -> None:
    assert notes("ich habe einen Kater! Moritz heißt er, fünf Jahre. was frisst er?") == [
        'The user said: "Ich habe einen Kater! Moritz heißt er, fünf Jahre."'
    ]


def test_of_two_statements_each_has_its_own_note() -> None:
    assert notes("moro em Braga e trabalho como eletricista") == [
        'The user said: "Moro em Braga."',
        'The user said: "Trabalho como eletricista."',
    ]
