"""A number beside a word that is a month, too, is no day where it may count things: in doubt no date is added."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tables import check_each
from toldonce.dates import Direction, parse_dates

SAID = datetime(2026, 8, 14, 12, tzinfo=UTC)

COUNTED = """
ho 3 sabato liberi
2 set di piatti
2 may be enough
2 may as well go, 1 may in fact stay
may 5 people come
you may 2 times
the 2 may be broken
2 to 3 may fail
2-3 may be enough
in 4 march steps
10 march past the window every day
we march 20 km a day
march 10 miles
my 3rd march against the war
hay 1 mar abierto
1 dec file
I have 1 dec file and 2 jan files
4 jan huizen
30 jan copies
"""
DATED = """
on 3 march: 3 March
by 3 may we were done: 3 May
since 3 may 2026: 3 May 2026
3 MAY in Rome: 3 May
dentist 12 may: 12 May
dentist 12 may at 9: 12 May
my birthday is may 12: 12 May
may 12, then Rome: 12 May
the 3rd of may in Rome: 3 May
may 4th in Rome: 4 May
on the 3rd march: 3 March
sat 3 march we met: 3 March
May 5 is my birthday: 5 May
We met May 5 people say: 5 May
12 dec at noon: 12 December
exam on 5 mar with Ana: 5 March
5 Dec files: 5 December
from 3 to 5 march: 3 to 5 March
Je pars le 3 mars avec Ana: 3 March
Jeg reiser 3. mars med Ana: 3 March
Jag reste den 3 mars med Ana: 3 March
J'étais là lundi 3 mars: 3 March
viajé el 2 mayo con Ana: 2 May
viajé el 2 de mayo con Ana: 2 May
J'ai déménagé le 1er mars: 1 March
"""


def dates(text: str) -> list[str]:
    """Return the days that a text names, without their years."""
    found = parse_dates(text, said_at=SAID, zone=ZoneInfo("UTC"), default=Direction.BEHIND)
    return [each.absolute for each in found]


@check_each("text", COUNTED.strip().splitlines())
def test_a_number_of_things_or_a_verb_is_no_day(text: str) -> None:
    assert dates(text) == []


@check_each("line", DATED.strip().splitlines())
def test_a_preposition_a_capital_a_year_or_the_end_of_a_clause_tell_a_day(line: str) -> None:
    text, _, day = line.rpartition(": ")
    [found] = dates(text)
    assert day in found
