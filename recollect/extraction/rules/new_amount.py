"""A new amount for something mentioned just before: 'right, going up to 35 from April then'. Pure."""

import re
from collections.abc import Sequence

from recollect.dates.mention import MONTHS
from recollect.extraction.rules.bare_correction import Correction
from recollect.extraction.rules.parsed_message import ParsedMessage
from recollect.extraction.sentences import TextSpan
from recollect.lazy_pattern import LazyPattern

# Characters of a sentence that is nothing but a new amount; earlier texts that are searched.
MAX_SENTENCE_CHARACTERS, MAX_TEXTS = 100, 2
_MAX_TEXT_CHARACTERS = 2_000

_LEAD = (
    r"(?:(?:ok|okay|right|so|well|actually|update|anyway|and|but|then|now|btw|yeah|yes|good news|bad news|no"
    r"|turns out)[\s,.:!–-]{1,3}){0,4}"
)
_WHO = (
    r"(?:(?:i|we|they|he|she|it)(?:'m|'re|'s|'ll|'ve|\sam|\sare|\sis|\swill|\shave|\shas)?\s)?(?:(?:just|now|all)\s)?"
)
_MOVES = (
    r"(?:going|goes|gone|went|moving|moved|bumping|bumped|raising|raised|upping|upped|putting|put|pushing|pushed"
    r"|dropping|dropped|cutting|cut|lowering|lowered|reducing|reduced|increasing|increased|changing|changed|switching"
    r"|switched|up|down)(?:\s(?:it|that|them|this|mine|up|down|back|again)){0,3}\sto"
)
_UNIT = (
    r"%|€|£|\$|euros?|pounds?|quid|dollars?|bucks|mg|mcg|kg|km|k|miles?|hours?|hrs?|mins?|minutes|days?|people|guests"
    r"|persons?|kids|units|pages|words"
)
_AMOUNT = (
    rf"(?:[£$€]\s?)?(?P<new>\d{{1,6}}(?:[.,]\d{{1,3}})?)(?:\s?(?P<unit>{_UNIT}))?(?:\s(?:an?|per|each)\s\w{{1,10}})?"
)
_WHEN = (
    r"(?:[\s,]{1,2}(?P<now>now|instead|these days|from now on)"
    r"|[\s,]{1,2}(?:then|again|each|after all|lol|haha|i think|apparently"
    r"|(?:from|as of|starting|since|in|next|this)\s\w{1,12}(?:\s\w{1,12})?)){0,3}"
)
_NEW_AMOUNT = LazyPattern(
    rf"{_LEAD}(?:{_WHO}(?P<moves>{_MOVES})"
    rf"|(?P<set>make (?:it|that)|call it|they want|it's now|that's now|now it's|it is now)"
    rf"|(?:it's|its|that's|it is))\s(?:about\s|around\s)?{_AMOUNT}{_WHEN}[\s.!]*",
    re.IGNORECASE,
)
_MONTH = "|".join(MONTHS)
_NUMBER = LazyPattern(
    rf"(?<![\w.,:/-])(?:[£$€]\s?)?(?P<number>\d{{1,6}}(?:[.,]\d{{1,3}})?)(?![\w:/]|[.,]\d)"
    rf"(?!\s?(?:am|pm|o'clock|{_MONTH})\b)",
    re.IGNORECASE,
)
_MIN_YEAR, _MAX_YEAR = 1900, 2100


def read_new_amount(sentence: str, before: Sequence[str]) -> Correction | None:
    """Read a sentence with nothing but a new amount as the replacement of the only amount before it.

    Args:
        sentence: With plain quotes.
        before: What the speaker said before it, newest first.

    >>> read_new_amount("right, going up to 35 from april then", ["is 28 an hour too low? i charge that now"]).old
    '28'
    """
    found = _NEW_AMOUNT.fullmatch(sentence.strip()) if len(sentence) <= MAX_SENTENCE_CHARACTERS else None
    if found is None or not (found["moves"] or found["set"] or found["now"]):
        return None
    for text in [text for text in before if text.strip()][:MAX_TEXTS]:
        tail = text[-_MAX_TEXT_CHARACTERS:]
        numbers = {match["number"] for match in _NUMBER.finditer(tail) if not _is_year(match["number"])}
        unit = (found["unit"] or "").rstrip("s").lower()
        if len(numbers) > 1 or (numbers and unit not in tail.lower()):
            return None
        if numbers:
            [old] = numbers
            return Correction(old=old, new=found["new"], meant="") if old != found["new"] else None
    return None


def amount_after(reading: ParsedMessage, sentence: TextSpan) -> Correction | None:
    """Read a sentence of a message as a new amount for something mentioned before it."""
    if reading.between_people:
        return None
    return read_new_amount(sentence.text, (reading.masked[: sentence.start], *reading.previous_texts))


def _is_year(number: str) -> bool:
    return number.isdecimal() and _MIN_YEAR <= int(number) <= _MAX_YEAR
