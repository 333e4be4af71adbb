"""Words that are somebody else's, and that finding them takes no longer than reading."""

import signal
from collections.abc import Callable, Iterator

import pytest

from soak import SOAK
from toldonce.extraction.own_text.own_words import mark
from toldonce.extraction.own_text.transcripts import is_third_party, without_transcript
from toldonce.extraction.sources import readable_text

# CPU seconds. Each of these texts takes some milliseconds; what grows with the square of its length takes many times
# the limit.
MAX_CPU_S = 5.0 if SOAK else 1.0


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
    text = head + filling * ((30_000 if SOAK else 10_000) // len(filling))

    assert len(without_transcript(text)) == len(text)
    mark(text)
    is_third_party(text)


def test_a_label_keeps_its_forms() -> None:
    said = "[12:03] Ben: I ski\n3/12/26, 10:32 - Ben Moss: I ski\n> Ben (10:32 am) : I ski\n  - Me:  I swim"

    [time, date, quoted, own] = without_transcript(said).split("\n")

    assert not "".join((time, date, quoted)).strip()
    assert own.strip() == "I swim"


def test_material_is_blanked_behind_its_order() -> None:
    said = "I moved to Oslo. Could you please, check my letter:\n I live in Rome."

    assert readable_text(said) == "I moved to Oslo. Could you please, check my letter:"


@pytest.mark.parametrize("written", [str, str.lower])
@pytest.mark.parametrize(
    "head",
    [
        "{name}  10:0{n}",
        "{name}  10:0{n} AM",
        "{name} Osei — Today at 10:0{n} AM",
        "{name} — 03/02/2026 10:0{n}",
        "{name}, [03.02.2026 10:0{n}]",
        "{name}\n  10:0{n} am",
        "[10:0{n}] {name}",
        "[Yesterday 10:0{n} AM] {name} Osei",
        "10:0{n} - {name}:",
        "{name} (Mon 10:0{n})",
        "{name} | 3 Feb 10:0{n}",
    ],
)
def test_what_stands_below_names_and_times_is_left_out(head: str, written: Callable[[str], str]) -> None:
    said = "".join(
        f"{head.format(name=written(name), n=n)}\n{words}\n"
        for name, n, words in (
            ("Priya", 2, "I'm on leave from Monday, my flight is at 6"),
            ("Tom", 3, "jealous\nI'm allergic to sand"),
            ("Priya", 5, "my laptop dies all the time"),
        )
    )

    assert readable_text(f"tldr pls\n\n{said}") == "tldr pls"


@pytest.mark.parametrize(
    "said",
    [
        "my day:\ngym 7:00\nmy knees hurt\nwork 9:00\nI teach\ndinner 18:30\nI cook",
        "monday 10:00\nI see my doctor\ntuesday 12:30\nI teach",
        "I see Ben at 10:30\nand Ann at 12:00, my sister",
        "my best times:\noslo 3:45\nrome 3:58",
        "meds 8:00\n5 mg, I feel sick\nmeds 20:00\n10 mg",
    ],
)
def test_plans_with_times_are_no_thread(said: str) -> None:
    assert mark(said).spans == ()
