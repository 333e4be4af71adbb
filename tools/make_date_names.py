"""Write the names of months and weekdays in each language, and which date words tell a language.

`toldonce/dates/cldr.json` has the names and the order of a date. They are those of the Unicode CLDR, read through
Babel, which is no dependency of the package: install it in an environment of its own (`pip install babel==2.18.0`) and
run `python tools/make_date_names.py` with that environment. `toldonce/dates/signs.json` is made of this file and of
`toldonce/dates/words` with `--signs`, in an environment that has ToldOnce.
"""

import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "toldonce" / "dates"
NAMES, SIGNS, WORDS = FOLDER / "cldr.json", FOLDER / "signs.json", FOLDER / "words"

# Locales whose names count as those of a language, the one with its usual names first.
LOCALES = {
    **{
        code: (code,)
        for code in "fr it nl sv da fi hu ro tr id ca pl cs lt et vi ru uk bg fa ur he hi ne mr el".split()
    },
    **{code: (code,) for code in "hy ta ko ja th bn".split()},
    "en": ("en", "en_GB"),
    "de": ("de", "de_AT"),
    "es": ("es", "es_PE", "es_UY", "es_MX"),
    "pt": ("pt", "pt_PT"),
    "no": ("nb", "nn"),
    "sr": ("sr_Latn", "hr", "bs_Latn"),
    "sr-cyrl": ("sr_Cyrl",),
    "ar": ("ar", "ar_LB", "ar_SY", "ar_IQ", "ar_DZ", "ar_TN", "ar_MA"),
    "zh": ("zh", "zh_Hant"),
}
_LICENCE = (
    "Names from the Unicode CLDR {cldr}, read through Babel {babel} by tools/make_date_names.py. "
    "Copyright © 1991-2025 Unicode, Inc., under the Unicode License V3 (SPDX: Unicode-3.0): see LICENSE-UNICODE."
)


@dataclass(frozen=True)
class Names:
    """What CLDR says of one locale."""

    months: list[list[str]]
    """The forms of each month's name, January first, in lower case."""
    short_months: list[list[str]]
    weekdays: list[list[str]]
    """Likewise, Monday first."""
    short_weekdays: list[list[str]]
    order: str
    """Order of the parts of a date in digits: 'dmy'."""
    long: str
    """Pattern of a long date: "d 'de' MMMM 'de' y"."""


def read_locale(name: str) -> Names:
    """Read the names of a locale. Babel mixes names up if one process reads several."""
    from babel import Locale

    locale = Locale.parse(name)
    letters = [letter for letter in locale.date_formats["short"].pattern.lower() if letter in "dmy"]
    return Names(
        months=[_forms(locale.months, ("wide",), number) for number in range(1, 13)],
        short_months=[_forms(locale.months, ("abbreviated",), number) for number in range(1, 13)],
        weekdays=[_forms(locale.days, ("wide",), number) for number in range(7)],
        short_weekdays=[_forms(locale.days, ("abbreviated", "short"), number) for number in range(7)],
        order="".join(dict.fromkeys(letters)),
        long=locale.date_formats["long"].pattern,
    )


def _forms(table: Any, widths: tuple[str, ...], number: int) -> list[str]:
    """Return the forms of one name, within a date and by itself."""
    found = [table[context][width][number] for width in widths for context in ("format", "stand-alone")]
    plain = [name.lower().rstrip(".").removeprefix("de ").removeprefix("d’") for name in found]
    return [name for name in dict.fromkeys(plain) if not name.isdecimal()]


def merged(locales: Sequence[Names]) -> dict[str, Any]:
    """Join the names of a language's locales; the order and the long pattern are those of the first."""
    months = _joined([locale.months for locale in locales])
    weekdays = _joined([locale.weekdays for locale in locales])
    return {
        "months": _unambiguous(months, months),
        "short_months": _unambiguous(_joined([locale.short_months for locale in locales]), months),
        "weekdays": _unambiguous(weekdays, weekdays),
        "short_weekdays": _unambiguous(_joined([locale.short_weekdays for locale in locales]), weekdays),
        "order": locales[0].order,
        "long": locales[0].long,
    }


def _joined(tables: Sequence[list[list[str]]]) -> list[list[str]]:
    rows = zip(*tables, strict=True)
    return [list(dict.fromkeys(form for forms in same for form in forms)) for same in rows]


def _unambiguous(names: list[list[str]], whole: list[list[str]]) -> list[list[str]]:
    """Leave out forms that two names have, and short forms that are whole names of another."""
    count = Counter(form for forms in names for form in set(forms))
    return [
        [
            form
            for form in forms
            if count[form] == 1 and all(form not in others for place, others in enumerate(whole) if place != own)
        ]
        for own, forms in enumerate(names)
    ]


# Names that are words or names in English, too.
_ENGLISH = frozenset(
    "april august september november march mart julia marca maja marta marte domingo sabato quinta".split()
)
_FORMS = ("months", "weekdays", "tied_weekdays")
_PARTED = re.compile(r"[\s\d-]")
# A shorter name of a month or weekday may be a word of any language.
_MIN_LENGTH = 4


def signs() -> dict[str, str]:
    """Return the words that tell a language, as they are written and folded, with the codes of those that have it."""
    from toldonce.text.languages import ENGLISH, ENGLISH_TOO, LANGUAGES
    from toldonce.text.normalize import fold

    names = json.loads(NAMES.read_text("utf-8"))
    found: dict[str, set[str]] = {}
    for code in sorted((LANGUAGES.keys() & names.keys()) - {"en"}):
        rows = [form for kind in ("months", "weekdays") for forms in names[code][kind] for form in forms]
        written = tomllib.loads(WORDS.joinpath(f"{code}.toml").read_text("utf-8"))
        rows += [form for kind in _FORMS for forms in written.get(kind, []) for form in forms.lower().split("|")]
        own = written.get("signs", "").split()
        telling = [form for form in rows if len(form) >= _MIN_LENGTH and not _PARTED.search(form)] + own
        for word in {*telling, *(fold(word) for word in telling)}:
            if fold(word) not in _ENGLISH | ENGLISH | ENGLISH_TOO:
                found.setdefault(word, set()).add(code)
    return {word: " ".join(sorted(codes)) for word, codes in sorted(found.items())}


def written_signs() -> str:
    """Return the text of the file of `signs`."""
    rows = (f" {json.dumps(word, ensure_ascii=False)}: {json.dumps(codes)}" for word, codes in signs().items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def write_names() -> None:
    """Write the names, with Babel."""
    import babel
    from babel.core import get_cldr_version

    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        wanted = [name for names in LOCALES.values() for name in names]
        read = dict(zip(wanted, pool.map(read_locale, wanted, chunksize=1), strict=True))
    header = _LICENCE.format(cldr=get_cldr_version(), babel=babel.__version__)
    rows = [
        f" {json.dumps(code)}: "
        + json.dumps(merged([read[name] for name in LOCALES[code]]), ensure_ascii=False, separators=(",", ":"))
        for code in sorted(LOCALES)
    ]
    body = ",\n".join([f' "about": {json.dumps(header, ensure_ascii=False)}', *rows])
    NAMES.write_text(f"{{\n{body}\n}}\n", "utf-8")


if __name__ == "__main__":
    if "--signs" not in sys.argv:
        write_names()
    else:
        SIGNS.write_text(written_signs(), "utf-8")
