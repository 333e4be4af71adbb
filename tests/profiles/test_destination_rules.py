"""Rules on where memories may go: which destinations and which memories they mean."""

import pytest

from factories import memory
from toldonce.profiles.destinations import DestinationPattern, DestinationRule, MemoryPattern
from toldonce.types import Destination, MemoryKind

HEALTH = MemoryPattern(topics=("health",))
ABOUT_HEALTH = (
    "Ana is allergic to peanuts.",
    "Ana had surgery on her knee.",
    "Ana hat seit Jahren Diabetes.",
    "Ana nimmt Medikamente gegen Bluthochdruck.",
    "Ana est enceinte de trois mois.",
    "Ana souffre de migraines.",
    "Ana tiene asma desde niña.",
    "Ana è celiaca.",
    "Ana tem pressão arterial alta.",
    "Ana heeft een ontsteking.",
    "У Анны аллергия на орехи.",
    "安娜患有糖尿病。",
    "アンナは妊娠している。",
    "آنا مصابة بالسكري.",
)
ABOUT_OTHER_THINGS = (
    "Ana lives in Oslo.",
    "Ana's favourite colour is green.",
    "Ana sucht eine Wohnung in Bern.",
    "Ana wartet auf den Bus.",
    "Ana travaille dans une banque à Lyon.",
    "Ana estudia arquitectura.",
    "Ana writes hypertext editors.",
    "Анна любит большие города.",
    "安娜喜欢爬山。",
    "アンナは京都に住んでいる。",
    "آنا تعمل في مكتبة.",
)


@pytest.mark.parametrize("text", ABOUT_HEALTH)
def test_health_is_recognized_in_eleven_languages(text: str) -> None:
    assert HEALTH.matches(memory(text))


@pytest.mark.parametrize("text", ABOUT_OTHER_THINGS)
def test_other_subjects_are_not_about_health(text: str) -> None:
    assert not HEALTH.matches(memory(text))


def test_what_is_not_known_of_a_destination_matches_nothing() -> None:
    pattern = DestinationPattern(upstreams=("*",), models=("*",))
    assert pattern.matches(Destination(upstream="a", model="b"))
    assert not pattern.matches(Destination(upstream="a"))
    assert DestinationPattern().matches(Destination())


def test_only_and_never() -> None:
    local = DestinationPattern(upstreams=("localhost",))
    hook = DestinationPattern(clients=("hook",))
    rule = DestinationRule(only=(local,), never=(hook,))
    assert not rule.forbids(Destination(upstream="LOCALHOST"))
    assert rule.forbids(Destination(upstream="localhost", client="hook"))
    assert rule.forbids(Destination(upstream="api.example.com"))
    assert rule.forbids(Destination())


def test_all_fields_of_a_pattern_have_to_match() -> None:
    pattern = MemoryPattern(kinds=(MemoryKind.NOTE,), words=("knee", "back pain"))
    assert pattern.matches(memory("Ana's knees hurt."))
    assert pattern.matches(memory("Her back is a constant pain."))
    assert not pattern.matches(memory("Ana is back."))
    assert not pattern.matches(memory("Ana's knees hurt.", kind=MemoryKind.TURN))
