"""A statement replaces what it names as the old, and another value of the same thing; what stands beside it stays."""

import pytest

from candidates import BEFORE, case_of, evidence, note, stored
from recollect.resolution.batch_state import BatchState
from recollect.resolution.replaced import replaced
from recollect.resolution.values import Neighbour, Neighbours


def replaces(new: str, old: str) -> bool:
    """Say something new beside what was known."""
    known = stored(note(old), said=evidence(at=BEFORE, chat="old"))
    batch = BatchState(Neighbours(near=[[Neighbour(memory=known, similarity=0.1)]]))
    return bool(replaced(case_of(note(new), batch)))


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user switched from Emacs to Zed.", "The user writes their code in Emacs."),
        ("The user moved from Spotify to Tidal.", "The user uses Spotify on the phone."),
        ("The user replaced their Corolla with a van.", "The user drives a Corolla."),
        ("The user swapped the piano for a cello.", "The user plays the piano."),
        ("The user traded in their Nikon for a Fuji.", "The user's camera is a Nikon."),
        ("The user ditched Gmail for Proton.", "The user uses Gmail."),
        ("The user stopped learning Finnish and started learning Czech.", "The user is learning Finnish."),
        ("The user now swims on Wednesdays instead of Mondays.", "The user swims on Mondays."),
        ("The user walks to work now instead of taking the tram.", "The user takes the tram to work."),
        ("The user plays squash on Sundays now, not on Fridays.", "The user plays squash on Fridays."),
        ("The user drinks oat milk rather than cow milk these days.", "The user drinks cow milk."),
        ("The user's favourite band is Lankum now.", "The user's favourite band is Portishead."),
        ("The user's new doctor is Dr. Amari.", "The user's doctor is Dr. Weiss."),
        ("The user's rent went up to 1,050 euros.", "The user's rent is 900 euros."),
        ("The user's shift was moved to 11 am.", "The user's shift starts at 8 am."),
        ("The user's son weighs nine kilos now.", "The user's son weighs seven kilos."),
        ("The user has three rabbits now.", "The user has two rabbits."),
        ("The user runs 10 km every Sunday now.", "The user runs 5 km every Sunday."),
    ],
)
def test_the_old_is_replaced(new: str, old: str) -> None:
    assert replaces(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user switched from Emacs to Zed.", "The user's brother writes code in Emacs."),
        ("The user's sister switched from Emacs to Zed.", "The user writes their code in Emacs."),
        ("The user moved from Spotify to Tidal.", "The user lives in Leeds."),
        ("The user walks to work now instead of taking the tram.", "The user's office is beside the tram museum."),
        ("The user took the bus instead of the tram.", "The user takes the tram to work."),
        ("The user now swims on Wednesdays instead of Mondays.", "The user plays chess on Mondays."),
        ("The user's favourite band is Lankum now.", "The user's favourite film is Alien."),
        ("The user's new cat is Momo.", "The user's cat is Tiko."),
        ("The user's new friend is Ada.", "The user's friend is Bo."),
        ("The user's rent went up to 1,050 euros.", "The user's salary is 3,000 euros."),
        ("The user has three rabbits now.", "The user has two sisters."),
        ("The user has three rabbits.", "The user has two rabbits in the garden."),
        ("The user's mother weighs sixty kilos now.", "The user weighs seventy kilos."),
        ("The user is allergic to nuts now, not only to pollen.", "The user likes pollen."),
        ("The user plays squash on Sundays.", "The user plays squash on Fridays."),
    ],
)
def test_what_stands_beside_it_stays(new: str, old: str) -> None:
    assert not replaces(new, old)
