"""Where a day lies is not guessed: in doubt the words stay, and no date is written after them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tables import check_each
from toldonce.dates import Direction, leave_out_doubtful, parse_dates, write_out

# A Friday.
SAID = datetime(2026, 8, 14, 12, tzinfo=UTC)


def written(text: str) -> str:
    """Write out the dates of a text as a prompt does."""
    found = parse_dates(text, said_at=SAID, zone=ZoneInfo("UTC"), default=Direction.AHEAD)
    return write_out(text, leave_out_doubtful(found, SAID))


A_FORM_OF_THE_PAST_THAT_IS_NO_PAST = """
got parents evening on Thursday
we got the in-laws on Saturday
got pilates on Monday and choir on Sunday
I'm so stressed about Tuesday
Das Büro ist am Freitag geschlossen
Ich habe am Montag Gesangsunterricht
ich bin am Donnerstag verabredet
j'ai kiné lundi
j'ai rendez-vous mardi
j'ai un tournoi samedi
ho il concerto sabato
il museo è chiuso lunedì
salimos el viernes
我周五过生日
"""
HOW_LONG_SOMETHING_TOOK = """
I haven't slept in 3 days
I have not eaten in two days
first time in 3 weeks that I feel well
I finished it in 12 days
there are 24 hours in a day
nicht geschlafen in 3 Tagen
ich habe seit 3 Tagen nicht geschlafen
en 3 días no he dormido
cuántos días hay en 4 semanas
non ho dormito in 3 giorni
je n'ai pas dormi depuis 3 jours
我三天没睡觉了
手术三天后
3日間寝ていない
"""
A_LIMIT_TOLD_IN_THE_PAST = """
I promised to send it by Friday
they gave me until Friday
the shop was open until Friday
Ich habe versprochen, es bis Freitag zu schicken
j'ai promis de l'envoyer avant vendredi
ho promesso di finirlo entro venerdì
prometí entregarlo antes del viernes
"""
COUNTED_FROM_ANOTHER_DAY = """
5 days from the 14th
the party is two days after the 20th
three days before Friday
everything was normal the next day
5月14日の3日後
"""
A_WORD_OF_ANOTHER_LANGUAGE = """
hier wohnt Anna
Ist mein Arzt hier?
hier is mijn adres
mon fils est malade
Mon mari dort
mai mult timp
non ho mai visto il mare
es la segunda vez que llamo
una mañana fría de enero
dia teman saya
The Sun Hill station
"""
A_PART_OF_A_NAME_OR_EVERY_ONE = """
we talked about the Friday thing
as average as a Tuesday afternoon
I went to Sunday school
I work Monday to Friday
at the weekend I go walking
am Wochenende schlafe ich aus
le week-end je dors
I love to swim in summer
the haze of summer
inspired by autumn
it feels like just yesterday
es war wie gestern
c'est comme hier
"""


@check_each(
    "text",
    [
        line
        for table in (
            A_FORM_OF_THE_PAST_THAT_IS_NO_PAST,
            HOW_LONG_SOMETHING_TOOK,
            A_LIMIT_TOLD_IN_THE_PAST,
            COUNTED_FROM_ANOTHER_DAY,
            A_WORD_OF_ANOTHER_LANGUAGE,
            A_PART_OF_A_NAME_OR_EVERY_ONE,
        )
        for line in table.strip().splitlines()
    ],
)
def test_in_doubt_the_words_stay_as_they_were_said(text: str) -> None:
    assert written(text) == text


@check_each(
    ("text", "day"),
    [
        ("I've committed to reading 4 books, 3,200 pages, by September 30", "30 September 2026"),
        ("I had read 1,200 pages by August 1", "1 August 2026"),
        ("I offered to help with it until August 20", "20 August 2026"),
        ("got a scan on 20 August", "20 August 2026"),
        ("I'm kinda worried about my meeting on August 20", "20 August 2026"),
        ("this Tuesday I had an exam", "11 August 2026"),
        ("we went hiking this weekend", "the weekend of 8 August 2026"),
        ("Diesen Dienstag war ich in Ulm", "11 August 2026"),
        ("este martes fui al cine", "11 August 2026"),
        ("vivo qui da giugno", "June 2026"),
        ("trabajo aquí desde junio", "June 2026"),
        ("j'habite ici depuis juin", "June 2026"),
        ("Ich wohne hier seit Juni", "June 2026"),
        ("Nach dem 2. Spiel war ich am 3. Mai müde", "3 May 2026"),
        ("Etter den 2. kampen var jeg trøtt den 3. mai", "3 May 2026"),
        ("olin Roomassa 3. toukokuuta", "3 May 2026"),
        ("byl jsem v Římě 3. května", "3 May 2026"),
        ("I started to surf five years ago", "2021"),
        ("Ohne Nachricht seit meinem Anruf vom 3. Mai", "3 May 2026"),
        ("my brother moved there last year", "2025"),
        ("我周五要考试了", "21 August 2026"),
    ],
)
def test_what_is_told_is_written_out(text: str, day: str) -> None:
    assert f"[{day}]" in written(text)


@pytest.mark.parametrize("text", ["vivrò qui da giugno", "desde junio trabajaré aquí", "depuis juin je travaillerai"])
def test_since_is_never_ahead(text: str) -> None:
    assert written(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "open from 13 April 2024, 20 April and 21 April",
        "活动时间：2024年4月13日-4月14日、4月20日",
        "In 2019 zog ich im Mai um",
    ],
)
def test_a_day_after_a_named_year_is_not_put_in_another(text: str) -> None:
    assert written(text) == text
