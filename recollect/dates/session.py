"""The dates that sessions of published conversations carry. Pure."""

import re
from datetime import UTC, datetime, tzinfo

_DATE = re.compile(r"(\d{1,2}):(\d{2})\s*+([ap]m)\s++on\s++(\d{1,2})\s++([A-Za-z]{3,9}),?\s++(\d{4})", re.IGNORECASE)
MONTHS = tuple("january february march april may june july august september october november december".split())


def session_date(value: object, zone: tzinfo) -> datetime | None:
    """Read a date as LoCoMo writes it, in UTC; None where it is not of that form.

    >>> session_date("1:56 pm on 8 May, 2023", UTC).isoformat()
    '2023-05-08T13:56:00+00:00'
    """
    found = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if not found or found[5].lower() not in MONTHS:
        return None
    hour, minute, half, day, month, year = found.groups()
    month_number = MONTHS.index(month.lower()) + 1
    hour_of_day = int(hour) % 12 + (12 if half.lower() == "pm" else 0)
    try:
        return datetime(int(year), month_number, int(day), hour_of_day, int(minute), tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
