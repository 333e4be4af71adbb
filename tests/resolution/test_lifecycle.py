"""News end what they make untrue, and nothing else."""

import pytest

from candidates import BEFORE, case_of, evidence, note, stored
from recollect.resolution.batch_state import BatchState
from recollect.resolution.lifecycle import find_outlived
from recollect.resolution.values import Neighbour, Neighbours


def ended(new: str, old: str) -> bool:
    """Say something new beside what was known."""
    known = stored(note(old), said=evidence(at=BEFORE, chat="old"))
    batch = BatchState(Neighbours(near=[[Neighbour(memory=known, similarity=0.1)]]))
    return bool(find_outlived(case_of(note(new), batch)))


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ('The user said: "We named her Ines."', "The user's wife Rosa is pregnant, due on 4 May 2026."),
        ("Bruno passed away on 3 March 2026.", "The user walks their dog Bruno every morning."),
        ("Otto got hit by a car and didn't make it.", "The user's second cat is called Otto."),
        ("The user's gran died.", "The user looks after their gran Ada, she lives next door."),
        ("The knee is fine again.", "The user can't run because of a knee injury."),
        ("Norway is off, we had to cancel.", "The user is going to Norway in June 2026."),
        ("The airline moved the user's flight to 9 May 2026.", "The user is flying to Turin on 2 May 2026."),
        ("The user got a new passport, valid until 2036.", "The user's passport expires in August 2026."),
        ("Tiko is back.", "Tiko the parrot escaped, the user can't find him."),
        ("The sugar ban is lifted.", "The user eats no sugar until Easter."),
        ("The user and Nils broke up.", "The user lives with their boyfriend Nils in Ghent."),
        ("The user and their wife separated.", "The user's wife is called Ada."),
        ('The user said: "We had to put Moose down on 3 May 2026."', "The user's labrador is called Moose."),
        ("The sale fell through.", "The sale of the flat is on 27 March 2026."),
        ("They postponed to 9 May 2026 the user's operation.", "The user's operation is on 2 May 2026."),
        ("The user is getting divorced.", "The user's husband Olaf is turning 50."),
    ],
)
def test_news_end_what_they_make_untrue(new: str, old: str) -> None:
    assert ended(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Bruno passed away on 3 March 2026.", "The user walks their dog Rex every morning."),
        ("Ilse's second cat Otto died on 3 March 2026.", "Ilse's kitten is called Momo."),
        ("Vik walks to work since his e-bike died.", "Vik likes crime novels."),
        ("Vik likes history books.", "Vik likes trains."),
        ("The knee is fine again.", "The user can't lift anything because of a bad shoulder."),
        ("Norway is off, we had to cancel.", "The user is going to Iceland in June 2026."),
        ("The user got a new bike.", "The user's passport expires in August 2026."),
        ("Tiko is back.", "The user's cat Momo is missing."),
        ("The sugar ban is lifted.", "The user eats no pork."),
        ("The user and Nils split the bill.", "The user lives with their boyfriend Nils in Ghent."),
        ("The sale fell through.", "The user's exam is on 27 March 2026."),
        ("The user moved to Oslo now.", "The user has no car."),
        ("The user's sister is getting divorced.", "The user's husband Olaf is turning 50."),
    ],
)
def test_news_leave_what_they_do_not_speak_of(new: str, old: str) -> None:
    assert not ended(new, old)
