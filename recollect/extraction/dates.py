"""Dates for the extractors: the words of `recollect.dates`, and putting them back into a sentence. Pure."""

import re

from recollect.dates import DateMention, Precision, parse_dates

_TIED = re.compile(r"\b(?:to|until|till|by|before|after|since|between|for|of)\s$", re.IGNORECASE)
MAX_TIE_CHARACTERS = 10

__all__ = ["DateMention", "Precision", "parse_dates", "write_out"]


def write_out(text: str, mentions: list[DateMention], *, offset: int = 0) -> str:
    """Replace date words that go stale by the days they mean; dates that name their year stay.

    Args:
        text: A part of the text in which the mentions were found.
        mentions: What was found there; those outside the part are passed over.
        offset: Where the part begins in that text.
    """
    for one in sorted(mentions, key=lambda found: found.span, reverse=True):
        start, end = one.span[0] - offset, one.span[1] - offset
        if one.explicit or start < 0 or end > len(text):
            continue
        if text[end : end + 2] in ("'s", "’s"):
            text = f"{text[: end + 2]} ({one.absolute}){text[end + 2 :]}"
            continue
        # 'Moved to 19 May': the date is tied to the sentence already.
        phrase = one.absolute if _TIED.search(text[max(0, start - MAX_TIE_CHARACTERS) : start]) else one.phrase
        if text[start].isupper() and not text[:start].strip():
            phrase = phrase[0].upper() + phrase[1:]
        text = text[:start] + phrase + text[end:]
    return text
