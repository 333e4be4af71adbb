"""Which clauses of a message go with a memory that was closed."""

from datetime import UTC, datetime

import pytest

from toldonce.formation import stale
from toldonce.formation.stale import Outdated, content_words, outdated_topic, stale_stretches
from toldonce.types import ConversationId, Evidence

THEN = datetime(2026, 1, 17, tzinfo=UTC)
LATER = datetime(2026, 2, 17, tzinfo=UTC)


def left(message: str, *, memory: str, quote: str) -> str:
    """Return what is left of a message once a memory of it is closed."""
    said = Evidence(
        conversation=ConversationId("c"), seq=1, hash=0, role="user", speaker="user", quote=quote, said_at=THEN
    )
    old = Outdated(content=content_words(memory), terms=frozenset(), evidence=(said,), is_searched=False)
    kept, at = [], 0
    for stretch in stale_stretches(message, said, [old]):
        kept.append(message[at : stretch.start])
        at = stretch.end
    return " ".join("".join((*kept, message[at:])).split())


@pytest.mark.parametrize(
    ("message", "memory", "quote", "rest"),
    [
        ("16 weeks pregnant! I'd kill for brie. due 3 july", "The user is pregnant, due on 3 July 2026.",
         "16 weeks pregnant", "I'd kill for brie."),
        ("we booked Porto. it's cheap there. flying on 12 May.", "The user is flying to Porto on 12 May 2026.",
         "we booked Porto", "it's cheap there."),
        ("i took a loan for the car. never again. 3000 euro, ouch", "The user owes 3000 euro for the car.",
         "i took a loan for the car", "never again."),
    ],
)  # fmt: skip
def test_a_figure_goes_with_the_memory_that_holds_it(message: str, memory: str, quote: str, rest: str) -> None:
    assert left(message, memory=memory, quote=quote) == rest


@pytest.mark.parametrize(
    ("message", "memory", "quote", "rest"),
    [
        ("I live in Rome. my son Leo is 3. I teach.", "The user lives in Rome.", "I live in Rome",
         "my son Leo is 3. I teach."),
        ("I live in Rome. I like the food in Rome.", "The user lives in Rome and likes pasta.", "I live in Rome",
         "I like the food in Rome."),
        ("I run on 12 May. Ana swims on 3 May.", "The user runs on 12 May 2026.", "I run on 12 May",
         "Ana swims on 3 May."),
        ("my rent is 900. I have 2 cats.", "The user pays 900 rent.", "my rent is 900", "I have 2 cats."),
    ],
)  # fmt: skip
def test_what_the_memory_does_not_say_stays(message: str, memory: str, quote: str, rest: str) -> None:
    assert left(message, memory=memory, quote=quote) == rest


@pytest.mark.parametrize(
    ("message", "quote", "rest"),
    [
        ("what can I bake? the doctor reckons I'm coeliac so I'm off gluten till March",
         "the doctor reckons I'm coeliac so I'm off gluten", "what can I bake?"),
        ("big news! Ana got a job in Cork and we're renting a flat there. I teach.",
         "Ana got a job in Cork and we're renting", "big news! I teach."),
        ("I gave up the car; I cycle to work now, which is bliss", "I cycle to work now", "I gave up the car"),
        ("I have two cats and I like jazz music", "two cats and I", "I like jazz music"),
    ],
)  # fmt: skip
def test_a_quote_takes_each_clause_that_it_reaches_into(message: str, quote: str, rest: str) -> None:
    assert left(message, memory=f"The user says: {quote}.", quote=quote) == rest


def test_a_quote_that_is_not_there_takes_the_whole_message() -> None:
    assert left("I live in Rome. I teach.", memory="The user lives in Rome.", quote="I reside in Rome") == ""


_MESSAGES = [
    "I live in Rome, and my rent is 900 euros.",
    "We don't have a dishwasher. My cat Tofu sleeps a lot!",
    "My husband works as a nurse in Oslo; I'm a baker.",
    "I love peanuts, but peanuts don't love me.",
    "The knitting club meets on Tuesdays, and I run it.",
    "You live in Rome, so take the metro.",
    "My flight to Porto is on 12 May.",
    "Ich wohne in Rom und habe eine Katze.",
    "Ferns grow near cold rivers.",
]


def _everything_outdated() -> list[Outdated]:
    until = Evidence(
        conversation=ConversationId("d"), seq=9, hash=0, role="user", speaker="user", quote="", said_at=LATER
    )
    memories = ("The user lives in Rome.", "The user's husband is a nurse in Oslo.", "The user runs the knitting club.")
    nothing = frozenset[str]()
    return [
        *(Outdated(content=content_words(text), terms=nothing, until=until) for text in memories),
        *(
            Outdated(value=content_words(text), content=content_words(text), terms=nothing)
            for text in ("peanuts", "Rome")
        ),
        *outdated_topic("my flight to Porto", until=until),
        Outdated(content=nothing, terms=nothing, until=until, is_everything=True),
    ]


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("message", _MESSAGES)
def test_screening_changes_no_stretch(message: str, role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = Evidence(
        conversation=ConversationId("c"), seq=1, hash=0, role=role, speaker=role, quote=message, said_at=THEN
    )
    screened = [stale_stretches(message, said, [old]) for old in _everything_outdated()]
    monkeypatch.setattr(stale, "_may_say", lambda *_: True)

    assert [stale_stretches(message, said, [old]) for old in _everything_outdated()] == screened
    assert any(screened)
