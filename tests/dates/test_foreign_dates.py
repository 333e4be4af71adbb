"""Dates in other languages than English, and words of other languages that are no dates."""

import subprocess
import sys
from datetime import date, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cpu_limit import cpu_limit
from foreign_phrases import PHRASES, SAID, Phrase
from soak import fuzzed, sampled
from tables import check_each
from toldonce.dates import DateMention, Direction, parse_dates, write_out
from toldonce.dates.mention import Precision
from toldonce.dates.reader import find_dates
from toldonce.dates.vocabulary import covered, date_words

UTC_ZONE = ZoneInfo("UTC")
LANGUAGES = sorted({*covered(), "en"})


def dates(text: str, said: datetime = SAID, default: Direction = Direction.BEHIND) -> list[DateMention]:
    return parse_dates(text, said_at=said, zone=UTC_ZONE, default=default)


@check_each("phrase", PHRASES)
def test_a_phrase_names_these_days(phrase: Phrase) -> None:
    found = dates(phrase.text)

    assert [(mention.quote, mention.first.isoformat()) for mention in found] == list(
        zip(phrase.quotes, phrase.first_days, strict=True)
    )


def test_the_phrases_are_of_many_languages() -> None:
    assert len({phrase.language for phrase in PHRASES}) >= 30


@check_each(
    "text",
    [
        "I paid two dollars on the mar market",
        "He set 3 records and the dom was full",
        "We have 5 do not disturb signs, 12 sat in the sun",
        "Mai Tran and Julio moved here long ago",
        "They ate 3 lun boxes in Mars",
        "The Domingo Santos exhibition, 4 sets",
        "Hold the mayo, I said",
        "The 12 Mars bars are mine",
        "Mars 2020 rover",
    ],
)
def test_a_word_of_another_language_is_no_date_in_english(text: str) -> None:
    assert dates(text) == []


@pytest.mark.parametrize(
    ("text", "first_days"),
    [
        ("I moved in May. Gestern war ich in Rom. I'm flying on Monday.", ["2026-05-01", "2026-11-19", "2026-11-23"]),
        ("My mother wrote to me: 'Nos vemos el lunes en la estación, mi amor'. I saw it yesterday!", ["2026-11-19"]),
    ],
)
def test_each_sentence_is_read_in_its_language(text: str, first_days: list[str]) -> None:
    found = [mention.first.isoformat() for mention in dates(text)]
    assert [day for day in found if day in first_days] == first_days


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Julio in May", "2026-05-01"),
        ("Domingo moved here on 5 May", "2026-05-05"),
        ("Marta, 3 days ago", "2026-11-17"),
    ],
)
def test_a_name_of_another_language_leaves_english_as_it_is(text: str, day: str) -> None:
    assert [(mention.language, mention.first.isoformat()) for mention in dates(text)] == [("en", day)]


@pytest.mark.parametrize(
    ("text", "ahead", "behind"),
    [
        ("Termin beim Zahnarzt am 5. Mai", "2027-05-05", "2026-05-05"),
        ("cita con el dentista el 5 de mayo", "2027-05-05", "2026-05-05"),
        ("встреча с врачом 5 мая", "2027-05-05", "2026-05-05"),
    ],
)
def test_without_a_verb_a_day_is_where_the_caller_expects_it(text: str, ahead: str, behind: str) -> None:
    assert [mention.first.isoformat() for mention in dates(text, default=Direction.AHEAD)] == [ahead]
    assert [mention.first.isoformat() for mention in dates(text, default=Direction.BEHIND)] == [behind]


@check_each(
    "text",
    [
        "à partir du 1er mars j'habite à Oslo",
        "Je pars le premier mars",
        "dal 1º marzo abito a Oslo",
        "Dal primo marzo abito a Oslo",
        "a partir do dia 1º de março moro em Oslo",
        "A partir do primeiro de março moro em Oslo",
        "a partir del 1.º de marzo vivo en Oslo",
        "A partir del primero de marzo vivo en Oslo",
        "ab dem 1. März wohne ich in Oslo",
        "Ab dem ersten März wohne ich in Oslo",
        "vanaf 1e maart woon ik in Oslo",
        "Vanaf de eerste maart woon ik in Oslo",
        "Från första mars bor jag i Oslo",
        "С первого марта я живу в Осло",
    ],
)
def test_the_first_day_of_a_month_is_a_date_in_figures_and_in_words(text: str) -> None:
    [found] = dates(text, default=Direction.AHEAD)
    assert (found.first.month, found.first.day, found.precision) == (3, 1, Precision.DAY)


@pytest.mark.parametrize(
    "text",
    [
        "Mein Geburtstag ist am 5. Mai",
        "Mi cumpleaños es el 5 de mayo",
        "Mon anniversaire est le 5 mai",
        "我的生日是5月5日",
    ],
)
def test_a_birthday_recurs(text: str) -> None:
    [found] = dates(text)
    assert (found.first.month, found.first.day, found.recurs) == (5, 5, True)


def test_a_time_that_continues_is_known() -> None:
    assert [mention.since for mention in dates("Ich wohne seit Mai 2021 in Halle")] == [True]
    assert [mention.since for mention in dates("Ich war im Mai 2021 in Halle")] == [False]


def test_the_day_is_written_behind_words_of_another_language() -> None:
    text = "Ich war gestern beim Arzt"
    [found] = dates(text)

    assert found.language == "de"
    assert write_out(text, [found]) == f"Ich war gestern [{found.absolute}] beim Arzt"


@pytest.mark.parametrize("text", ["12/03/2026", "Am 31.2.2026 war ich dort", "el 3/4 no"])
def test_what_is_no_certain_day_is_left_alone(text: str) -> None:
    assert dates(text) == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Das Treffen ist am 03.04.2026, sagt meine Chefin", "2026-04-03"),
        ("La reunión es el 03/04/2026, dice mi jefa", "2026-04-03"),
        ("La réunion est le 03/04/2026, dit ma chef", "2026-04-03"),
        ("会议是2026/4/3，我要去", "2026-04-03"),
    ],
)
def test_the_language_decides_the_order_of_a_date_in_digits(text: str, day: str) -> None:
    assert [mention.first.isoformat() for mention in dates(text)] == [day]


@given(st.text(max_size=200))
@example("გუშინ ვიყავი რომში")
@example("ትናንት")
def test_no_text_breaks_the_choice_of_languages(text: str) -> None:
    spans = [mention.span for mention in dates(text)]

    assert all(0 <= start < end <= len(text) for start, end in spans)


@given(st.text(max_size=200), st.sampled_from(LANGUAGES))
def test_no_text_breaks_a_language(text: str, code: str) -> None:
    found = find_dates(text, code, SAID.date(), Direction.BEHIND)
    spans = sorted(date.span for date in found)

    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


@pytest.mark.parametrize("code", sampled(LANGUAGES, 5))
@fuzzed(25)  # of each language
@given(data=st.data())
def test_words_of_a_language_in_any_order_break_nothing(code: str, data: st.DataObject) -> None:
    words = date_words(code)
    known = [*words.months, *words.weekdays, "3", "12", "2026", ".", ",", "/", "-", "2", "1."]
    said = data.draw(st.lists(st.sampled_from(known), max_size=8))

    for found in find_dates(" ".join(said), code, SAID.date(), Direction.AHEAD):
        assert found.days.first <= found.days.last


# tests/test_linear_patterns.py feeds each pattern of them in every run.
@pytest.mark.soak
@pytest.mark.parametrize("code", sampled(LANGUAGES, 20))
def test_a_huge_text_takes_no_long_time(code: str) -> None:
    words = date_words(code)
    month, weekday = next(iter(words.months)), next(iter(words.weekdays or words.tied_weekdays))
    for unit in (" ", "1 ", "12.", f"{month} ", f"{weekday} ", f"12 {month} ", f"12 {month}, ", "2026", "a ", "1-"):
        with cpu_limit(1.0):
            find_dates((unit * 5_000)[:5_000], code, date(2026, 11, 20), Direction.BEHIND)


def test_english_alone_loads_no_words_of_other_languages() -> None:
    code = """
from datetime import UTC, datetime
from zoneinfo import ZoneInfo
from toldonce.dates import parse_dates
from toldonce.dates import vocabulary
assert parse_dates("I met Ana yesterday", said_at=datetime.now(UTC), zone=ZoneInfo("UTC"))
assert vocabulary.date_words.cache_info().currsize == 1
"""
    subprocess.run([sys.executable, "-c", code], check=True)
