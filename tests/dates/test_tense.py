"""The tense of its clause decides whether a date without a year lies ahead or behind."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from tables import check_each
from toldonce.dates import Direction, Precision, parse_dates, write_out
from toldonce.dates.clause import clause_around
from toldonce.dates.vocabulary import date_words

# A Friday.
SAID = datetime(2026, 11, 20, 12, tzinfo=UTC)
ZONE = ZoneInfo("UTC")

# The date stands between the stars.
AHEAD = """
My exam is on *Tuesday*
my wedding is on *Saturday*
my passport expires *in June*
the deadline is *on 20 December*
We're flying *on Monday*
Dentist *on Friday*!
I was told my exam is *on Tuesday*
The meeting was moved to *Thursday*
My flight got moved from 12 May to *19 May*
I booked a flight *on 12 May*
signed up for the run *on 27 September*
I start my new job *in March*
My sister visits us *in August*
We have a recital *on Sunday*
my lease ends *in June*
got invited to a wedding *on 3 May*
I have to hand it in *by Friday*
She's getting married *in May*
our flight leaves *on 4 July*
I moved in March, and my lease is up *on 3 June*
trip to Oslo *in April*
I'll call *on Friday*
the baby is due *in May*
Should I go *on Friday*?
interview's *on Tuesday*
handed in my notice, last day *30 april*
i quit, last shift *on sunday*
"""
BEHIND = """
I went to Rome *in May*
we ate out *on Monday*
I moved from Rome to Oslo *in March*
She was born *on 3 May*
I saw Dr. Ray *on Monday*
I paid 3.50 at St. Ives *on Friday*
*On Sunday* we hiked
I had surgery *in March*
What did we eat *on Friday*
did you see the game *on Sunday*
I went to see her *on Monday*
The concert was *on Tuesday*
My cat died *in June*
I quit my job *in April*
we got engaged *on Saturday*
I met Tom *in October* at work
*In May* I started a job
Ana graduated *in June* and is happy
got married *on saturday*
finished my thesis *on friday*
had my last day *on friday*
"""


def cases(table: str) -> list[str]:
    return table.strip().splitlines()


@check_each(
    ("marked", "lies"),
    [
        *((sentence, Direction.AHEAD) for sentence in cases(AHEAD)),
        *((sentence, Direction.BEHIND) for sentence in cases(BEHIND)),
    ],
)
def test_the_verb_of_the_clause_decides(marked: str, lies: Direction) -> None:
    before, inside, behind = marked.split("*")
    text = before + inside + behind
    clause = clause_around(text, len(before), len(before + inside), date_words("en"))
    assert clause.direction(Direction.AHEAD) is lies


def test_without_a_verb_the_default_decides() -> None:
    for default, year in ((Direction.AHEAD, 2027), (Direction.BEHIND, 2026)):
        [found] = parse_dates("the 7th of June", said_at=SAID, zone=ZONE, default=default)
        assert found.first.year == year


@check_each(
    ("text", "written"),
    [
        ("my birthday is on 3 March", "my birthday is on 3 March"),
        ("our anniversary is on 14 June", "our anniversary is on 14 June"),
        ("Tom's birthday is 30 November", "Tom's birthday is 30 November"),
        ("my 40th birthday is on 3 March", "my 40th birthday is on 3 March [3 March 2027]"),
        ("I usually go home in December", "I usually go home in December"),
        ("I usually swim on Tuesday", "I usually swim on Tuesday"),
        ("We're in Lisbon from 3 to 9 March", "We're in Lisbon from 3 to 9 March [3 to 9 March 2027]"),
        ("holiday March 3-9", "holiday March 3-9 [3 to 9 March 2027]"),
        ("off from 30 December to 4 January", "off from 30 December to 4 January [30 December 2026 to 4 January 2027]"),
        ("the fair ran from 3 to 9 March", "the fair ran from 3 to 9 March [3 to 9 March 2026]"),
        ("we meet between 3 and 5 May", "we meet between 3 and 5 May [3 to 5 May 2027]"),
        ("the interview is on the 14th", "the interview is on the 14th [14 December 2026]"),
        ("I moved in on the 3rd, it was cold", "I moved in on the 3rd [3 November 2026], it was cold"),
        ("I see the doctor tomorrow", "I see the doctor tomorrow [21 November 2026]"),
        ("flight moved to 19 May", "flight moved to 19 May [19 May 2027]"),
        ("he lives on the 3rd floor", "he lives on the 3rd floor"),
    ],
)
def test_dates_are_written_as_they_are_meant(text: str, written: str) -> None:
    found = parse_dates(text, said_at=SAID, zone=ZONE, default=Direction.AHEAD)
    assert write_out(text, found) == written


def test_a_period_knows_both_its_ends() -> None:
    [found] = parse_dates("from 3 to 9 March", said_at=SAID, zone=ZONE, default=Direction.AHEAD)
    assert found.precision is Precision.PERIOD
    assert (found.first, found.last) == (date(2027, 3, 3), date(2027, 3, 9))


@pytest.mark.parametrize("text", ["from 9 to 3 March", "31 to 32 May", "rooms 3 and 44 March"])
def test_what_is_no_period_is_not_read_as_one(text: str) -> None:
    found = parse_dates(text, said_at=SAID, zone=ZONE)
    assert all(mention.precision is not Precision.PERIOD for mention in found)


@pytest.mark.parametrize(
    "text",
    [
        "last day's my favourite",
        "it was my last year of school",
        "her last week there",
        "last month of term",
        "my very last day",
    ],
)
def test_the_last_of_something_is_no_day_just_past(text: str) -> None:
    assert parse_dates(text, said_at=SAID, zone=ZONE) == []


@pytest.mark.parametrize("text", ["last week I ran", "it rained last month", "Last year we moved"])
def test_what_is_just_past_is_a_date(text: str) -> None:
    assert len(parse_dates(text, said_at=SAID, zone=ZONE)) == 1
