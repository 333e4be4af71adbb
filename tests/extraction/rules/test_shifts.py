"""What says that a part of its speaker's life has changed, in many wordings, and what says nothing of the kind."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from recollect.extraction.gate import is_worth_extracting
from recollect.extraction.rules import extract_by_rules
from recollect.extraction.sources import ExtractionInput
from recollect.types import Candidate, ConversationId, LoggedMessage, Subject

SAID = datetime(2026, 3, 10, 9, tzinfo=UTC)
CHANGES = {
    "job": """
        I quit my job.
        i quit today, feels amazing
        Handed in my notice on Monday.
        gave my two weeks notice yesterday
        I've put in my resignation at the bank.
        so i got laid off last week, any budgeting tips?
        They let me go on Friday.
        Siemens laid me off in January.
        I was made redundant this morning.
        I lost my job at the bakery.
        Friday was my last day at Kestrel Foods.
        Now that I'm at Ferrox, how do I get my old pension moved?
        since becoming a paramedic i never get a lunch break, snack ideas?
        ever since i left my job i sleep like a baby, is that normal?
        today was my last day at work
        I'm retired now, so plenty of time for the garden.
        I have retired.
        I'm between jobs at the moment.
        I got a new job!
        new job, starting monday!
        I've accepted a new position in Ghent.
        I started a new job as a translator.
        I switched careers last month.
        from 1 April i'm a tram driver
        I'm a beekeeper now.
        I work at Fennel & Co now.
        I joined Brightwater last month.
        I'm starting at Halden Labs next week.
        my contract wasn't renewed
        my startup folded in February
        We both quit our jobs.
        Because I quit my job, I need to save money.
        I've resigned from the council.
        My new job is in a library.
        """,
    "position": """
        I got promoted!
        I've been promoted to head of sales.
        They made me team lead today!
        my boss made me store manager
        I stepped down last month.
        I'm not a teacher anymore.
        """,
    "studies": """
        I dropped out.
        I dropped out of uni in January.
        GRADUATED!
        I graduated last week.
        i switched to psychology this term
        I've switched from law to medicine.
        I changed my major.
        Changed universities over the winter.
        I finished my degree in February.
        I quit university.
        I've given up my apprenticeship.
        I left school.
        I finished my studies yesterday.
        I'm no longer a student.
        """,
    "home": """
        now that we live in Whitby, which beaches allow dogs?
        We're in! First night in the new place was lovely.
        finally in my own flat, no more house shares
        slept in the new house last night
        I moved again.
        moved again lol, now i'm in Brno
        We moved to Aarhus last weekend.
        I've just moved in with my boyfriend.
        we moved house in February
        I moved out of my parents' place.
        moving's finally done
        the move is done, boxes everywhere
        We're all settled in.
        Bristol is home now.
        Tromsø is now our home.
        home is Lyon now
        I'm living in Graz now.
        i live with my sister now
        I moved into a studio near the harbour.
        I moved back to Porto.
        My new flat is tiny.
        I gave up my flat in Leeds.
        got the keys to our new place!
        We relocated to Kraków.
        I moved from Turin in January.
        """,
    "name": """
        call me Jo from now on
        please call me Sasha from now on, nobody uses my full name
        I'm Ngozi Adebayo now, officially.
        I go by Kit these days.
        I've changed my name to Robin Field.
        I took my husband's name.
        my last name is now Okafor
        I changed my last name.
        My name is Noor Haddad now.
        """,
    "partner": """
        I'm single again.
        We called off the wedding.
        we broke up last week
        It's over with Marek.
        """,
    "status": """
        I'm engaged now!
        We got married in February.
        I'm engaged to Petra now.
        """,
}
NO_CHANGES = """
    I've accepted a freelance editing job.
    I found a one-off job for Sunday.
    I started a temporary job at the fair.
    since i started running i sleep better, why?
    now that my sister lives in Whitby, which train do i take?
    We're in! The queue for the concert was mad.
    slept in a new hotel last night, loved it
    I might quit my job.
    I want to quit my job.
    I'm thinking of quitting my job.
    Should I quit my job?
    If I quit my job, could I get benefits?
    When I quit my job I will travel.
    I haven't quit my job.
    I did not quit.
    I nearly quit my job last year.
    I almost moved to Oslo.
    My sister quit her job.
    My brother moved to Lyon.
    She said she quit her job.
    My friend got laid off.
    Tom got promoted.
    My sister says I quit too early.
    My colleague handed in her notice.
    "I quit my job" is a great song title.
    I quit smoking.
    I quit the choir.
    I left the office at six.
    I left the party early.
    I got the job done.
    I got fired up for the match.
    I lost my job offer letter.
    I quit my second job.
    I quit my old job years ago.
    I quit my job in 2015.
    I moved to Oslo in 2011.
    I haven't moved.
    I might move to Berlin.
    I want to move to Berlin.
    We are thinking of moving.
    I would love to move house.
    Did I move too early?
    I moved the sofa.
    I moved on to the next chapter.
    I moved to a new team.
    I moved to Kotlin.
    moved the meeting to Monday
    I'm in Paris now, what should I see?
    He moved out.
    Oslo is nice now.
    I graduated in 2009.
    My daughter graduated.
    I dropped out of the race.
    I finished school early today.
    I switched to oat milk.
    I switched to the aisle seat.
    I changed my mind.
    I changed my name tag.
    Call me tomorrow.
    call me when you're done
    I'm fine now.
    I'm tired now.
    I'm sad now.
    My boss made me cry.
    They made me a coffee.
    We got married in 1998.
    My parents are divorced.
    I broke up a fight.
    In my novel I quit my job and move to Rome.
    Imagine I moved to Mars.
    Write a story about how I quit my job.
    I wish I had quit my job.
    I'll never move again.
    I plan to retire at 60.
    I also work at a bar on weekends now.
    Last day of the holidays.
    It's my last day in Rome.
    Joined a gym.
    """


MOVED_PLANS = """
    they postponed it
    omg they postponed it, it's on the 21st now
    it's been moved to Friday
    It got cancelled.
    we had to cancel it
    They've pushed it back a week.
    it fell through
    we're not going after all
    the whole thing was called off
    """
NAMED = {
    "trip to Lisbon": "My trip to Lisbon was postponed.",
    "hotel": "The hotel is overbooked, they moved me to Casa Belmonte.",
    "party": "the party's on the 9th of may now",
    "actual interview": "the actual interview got moved to the 16th btw",
    "driving test": "they've moved my driving test to next week",
    "pottery": "honestly i stopped going to pottery, the teacher was a nightmare",
    "orange": "scratch the orange, i'm back to navy blue",
    "Notion": "I've moved on from Notion.",
    "oat milk": "i'm so over oat milk",
    "Kestrel": "I left Kestrel last week.",
    "Halden Labs": "I'm no longer at Halden Labs.",
}
NO_PLANS = """
    I postponed my decision about it for now, what do you think?
    Can they postpone it?
    If they cancel it I get a refund.
    They might move it.
    They didn't cancel it.
    it's fine
    My sister's wedding was lovely.
    I'm over the moon.
    """


def lines(text: str) -> list[str]:
    """Return the lines of a block, blanks taken off."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def read(text: str) -> list[Candidate]:
    """Return what a message forms."""
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
    return extract_by_rules(source)


def changed(text: str) -> set[str]:
    """Return the states that a message says have changed."""
    return {shift.state for candidate in read(text) for shift in candidate.shifts if not shift.needs_old}


@pytest.mark.parametrize(
    ("state", "said"), [(state, said) for state, block in CHANGES.items() for said in lines(block)]
)
def test_a_change_is_read_and_passes_the_gate(state: str, said: str) -> None:
    assert state in changed(said)
    assert is_worth_extracting(said)


@pytest.mark.parametrize("said", lines(MOVED_PLANS))
def test_a_plan_that_was_moved_need_not_be_named(said: str) -> None:
    shifts = [shift for candidate in read(said) for shift in candidate.shifts]
    assert any(shift.state == "plan" and not shift.old for shift in shifts)
    assert is_worth_extracting(said)


@pytest.mark.parametrize(("old", "said"), NAMED.items())
def test_what_is_over_is_named(old: str, said: str) -> None:
    shifts = [shift for candidate in read(said) for shift in candidate.shifts]
    assert old in {shift.old for shift in shifts if shift.needs_old}


@pytest.mark.parametrize("said", lines(NO_PLANS))
def test_no_plan_is_moved(said: str) -> None:
    assert not any(shift.state == "plan" for candidate in read(said) for shift in candidate.shifts)


@pytest.mark.parametrize("said", lines(NO_CHANGES))
def test_what_only_sounds_like_a_change_is_none(said: str) -> None:
    assert changed(said) == set()


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("moved again lol, now i'm in Brno, the uni has a second campus here", "Brno"),
        ("We've moved, we're in Aarhus now.", "Aarhus"),
        ("I'm back in Galway, in a place on my own.", "Galway"),
        ("we are back in Leeds for good", "Leeds"),
        ("I'm back in Leeds on Friday", ""),
        ("I'm in Paris now, what should I see?", ""),
        ("I moved the meeting, I'm in a hurry", ""),
    ],
)
def test_being_somewhere_tells_a_home_behind_a_move_or_with_a_dwelling(said: str, place: str) -> None:
    assert {candidate.value for candidate in read(said) if candidate.key == "location"} == ({place} if place else set())
