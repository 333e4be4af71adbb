"""Date words in a text, made absolute against the moment it was said in the speaker's time zone. Pure."""

from toldonce.dates.mention import DateMention, Precision, leave_out_doubtful, write_out, written
from toldonce.dates.multilingual import may_name_time, parse_dates
from toldonce.dates.tense import Direction

__all__ = [
    "DateMention",
    "Direction",
    "Precision",
    "leave_out_doubtful",
    "may_name_time",
    "parse_dates",
    "write_out",
    "written",
]
