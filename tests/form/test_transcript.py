"""Words that are somebody else's, and that finding them takes no longer than reading."""

import signal
from collections.abc import Iterator

import pytest

from recollect.form.material import find_material
from recollect.form.spans import blanked
from recollect.form.transcript import find_transcript, is_stand_in, without_transcript

# CPU seconds. Each of these texts takes some milliseconds; what grows with the square of its length takes minutes.
MAX_CPU_S = 10.0


@pytest.fixture(autouse=True)
def _cpu_limit() -> Iterator[None]:
    def stop(*_: object) -> None:
        pytest.fail(f"took more than {MAX_CPU_S:g} s of CPU")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_CPU_S)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize(
    "filling", [" ", "\t", "a ", "1 ", "1:", "- ", "> ", "Ben ", "a", "please ", "This is ", "\n", ". "]
)
@pytest.mark.parametrize(
    "head", ["I moved to Oslo in May. Please correct this text:", "Ben: ", "Please correct ", "this is Anna's ", ""]
)
def test_a_long_run_is_read_in_linear_time(head: str, filling: str) -> None:
    text = head + filling * (100_000 // len(filling))

    assert len(without_transcript(blanked(text, find_material(text)))) == len(text)
    find_transcript(text)
    is_stand_in(text)


def test_a_label_keeps_its_forms() -> None:
    said = "[12:03] Ben: I ski\n3/12/26, 10:32 - Ben Moss: I ski\n> Ben (10:32 am) : I ski\n  - Me:  I swim"

    [time, date, quoted, own] = without_transcript(said).split("\n")

    assert not "".join((time, date, quoted)).strip()
    assert own.strip() == "I swim"


def test_material_is_blanked_behind_its_order() -> None:
    said = "I moved to Oslo. Could you please, check my letter:\n I live in Rome."

    assert blanked(said, find_material(said)).rstrip() == "I moved to Oslo. Could you please, check my letter:"
