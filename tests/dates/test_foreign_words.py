"""The date words of each language: their files, and CLDR's long dates."""

import json
import re
from datetime import date
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import toldonce.dates
from soak import sampled
from tables import check_each
from toldonce.dates import Direction
from toldonce.dates.patterns import date_patterns
from toldonce.dates.reader import find_dates
from toldonce.dates.vocabulary import covered, signs

FOLDER = Path(toldonce.dates.__file__).parent
NAMES = json.loads((FOLDER / "cldr.json").read_text("utf-8"))
SCRIPT = Path(__file__).parents[2] / "tools" / "make_date_names.py"
_FIELD = re.compile(r"'([^']*)'|(d+|M+|y+|G+)|(.)")
# CLDR writes the year of Thai dates with the name of the calendar.
_ERA = "ค.ศ."


def long_date(pattern: str, month: str, day: date) -> str:
    """Write a date as CLDR does: "d 'de' MMMM 'de' y"."""
    fields = {
        "d": f"{day.day}",
        "dd": f"{day.day:02}",
        "M": f"{day.month}",
        "MMMM": month,
        "y": f"{day.year}",
        "G": _ERA,
    }
    return "".join(quoted or fields.get(field) or other or "" for quoted, field, other in _FIELD.findall(pattern))


@check_each("code", sorted(NAMES.keys() - {"about"}))
def test_every_long_date_of_cldr_is_read(code: str) -> None:
    for number, forms in enumerate(NAMES[code]["months"], start=1):
        day = date(2024, number, 12)
        text = long_date(NAMES[code]["long"], forms[0], day)
        found = find_dates(text, code, date(2026, 11, 20), Direction.BEHIND)

        assert [(dates.days.first, dates.days.last) for dates in found] == [(day, day)], text


@check_each("code", sorted(NAMES.keys() - {"about"}))
def test_every_long_date_of_another_calendar_is_left_alone(code: str) -> None:
    for number, forms in sampled(enumerate(NAMES[code]["months"], start=1), 4):
        text = long_date(NAMES[code]["long"], forms[0], date(1447, number, 12))

        assert find_dates(text, code, date(2026, 11, 20), Direction.BEHIND) == [], text


def test_each_language_with_names_has_words_and_the_reverse() -> None:
    assert {file.stem for file in (FOLDER / "words").iterdir()} == NAMES.keys() - {"about"} == {*covered(), "en"}
    assert len(covered()) >= 30
    assert "Unicode License" in NAMES["about"]
    assert "CLDR 47" in NAMES["about"]


@check_each("code", sorted(NAMES.keys() - {"about"}))
def test_the_patterns_of_a_language_compile_and_are_in_lower_case(code: str) -> None:
    for pattern in date_patterns(code):
        if not pattern.pattern.is_compiled:
            pattern.pattern.compile()
        source = re.sub(r"\(\?P[<=]|\\[SWD]", "", pattern.pattern.pattern)
        assert source == source.lower()


def test_the_file_of_signs_is_up_to_date() -> None:
    spec = spec_from_file_location("make_date_names", SCRIPT)
    assert spec
    assert spec.loader
    script = module_from_spec(spec)
    spec.loader.exec_module(script)

    assert (FOLDER / "signs.json").read_text("utf-8") == script.written_signs()
    assert {code for codes in signs().values() for code in codes} <= covered()
