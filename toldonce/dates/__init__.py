"""Date words in a text, made absolute against the moment it was said in the speaker's time zone. Pure."""

from toldonce.dates.clause import Direction
from toldonce.dates.mention import DateMention, Precision, leave_out_doubtful, write_out, written
from toldonce.dates.reader import may_name_time, parse_dates

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
