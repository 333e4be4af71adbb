"""Date words in a text, made absolute against the moment it was said in the speaker's time zone. Pure."""

from recollect.dates.mention import DateMention, Precision
from recollect.dates.resolve import resolve_dates

__all__ = ["DateMention", "Precision", "resolve_dates"]
