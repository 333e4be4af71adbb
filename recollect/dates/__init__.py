"""Date words in a text, made absolute against the moment it was said in the speaker's time zone. Pure."""

from recollect.dates.mention import DateMention, Precision, write_out, written
from recollect.dates.multilingual import may_name_time, parse_dates
from recollect.dates.tense import Direction

__all__ = ["DateMention", "Direction", "Precision", "may_name_time", "parse_dates", "write_out", "written"]
