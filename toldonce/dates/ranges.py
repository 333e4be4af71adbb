"""Calendar arithmetic for date words: which days are 'last week' or 'in May'. Pure."""

from dataclasses import replace
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from toldonce.dates.mention import SEASONS, Days, Precision

SATURDAY = 5
# A season is three months long.
SEASON_MONTHS = 3
# A day without its year that is further in the future or the past is in doubt: on the other side of today it is nearer.
# Over three conversations of BEAM, all seven such days were meant on the other side.
MAX_AHEAD_DAYS, MAX_BEHIND_DAYS = 243, 300
_YEAR_DAYS = 365
# Where nothing tells the direction, a day is the nearest one, if it is as near as this.
MAX_NEAR_DAYS, MAX_NEAR_MONTHS = 122, 4


def day(date_of_day: date, *, explicit: bool = False) -> Days:
    """Return one day."""
    return Days(first=date_of_day, last=date_of_day, precision=Precision.DAY, explicit=explicit)


def period(first: date, last: date, *, explicit: bool = False) -> Days:
    """Return the days from one to another, both included."""
    return Days(first=first, last=last, precision=Precision.PERIOD, explicit=explicit)


def week(inside: date) -> Days:
    """Return the Monday to Sunday around a day."""
    monday = inside - timedelta(days=inside.weekday())
    return Days(first=monday, last=monday + timedelta(days=6), precision=Precision.WEEK)


def weekend(today: date, weeks: int) -> Days:
    """Return the weekend `weeks` away from the one of today's week.

    On a Saturday or Sunday 'last weekend' is the one before, as on any other day.
    """
    saturday = today - timedelta(days=today.weekday() - SATURDAY) + timedelta(weeks=weeks)
    return Days(first=saturday, last=saturday + timedelta(days=1), precision=Precision.WEEKEND)


def weekend_there(today: date, *, behind: bool) -> Days:
    """Return the nearest weekend on a side of today: one that has not begun is not in the past."""
    return weekend(today, -1 if behind and today.weekday() < SATURDAY else 0)


def month(year: int, number: int, *, explicit: bool = False) -> Days:
    """Return a calendar month."""
    first = date(year, number, 1)
    return Days(
        first=first, last=first + relativedelta(months=1, days=-1), precision=Precision.MONTH, explicit=explicit
    )


def year(number: int, *, explicit: bool = False) -> Days:
    """Return a calendar year."""
    return Days(first=date(number, 1, 1), last=date(number, 12, 31), precision=Precision.YEAR, explicit=explicit)


def season(name: str, number: int, *, explicit: bool = False) -> Days:
    """Return a season that begins in the year `number`."""
    first = date(number, SEASONS[name], 1)
    last = first + relativedelta(months=SEASON_MONTHS, days=-1)
    return Days(first=first, last=last, precision=Precision.SEASON, explicit=explicit)


def near_month(today: date, number: int, which: str, *, future: bool | None) -> Days:
    """Return the month meant by its name alone: the one at or before today, or at or after it; None: the nearer one.

    `which` is 'last', 'next', 'this' or empty; 'last May', said in May, is a year ago.
    """
    choice = today.year
    if which == "last":
        choice -= number >= today.month
    elif which == "next":
        choice += number <= today.month
    elif which != "this":
        ahead = (number - today.month) % 12
        if future is None:
            future = ahead <= MAX_NEAR_MONTHS
            if MAX_NEAR_MONTHS < ahead < 12 - MAX_NEAR_MONTHS:
                return replace(month(choice, number), yearless=True, doubtful=True)
        choice += (number < today.month) if future else -(number > today.month)
    return replace(month(choice, number), yearless=not which)


def near_day(today: date, number: int, of_month: int, *, future: bool | None) -> Days:
    """Return the day of a month without its year: the nearest before today, or after it; None: the nearer one.

    29 February goes to the nearest leap year. A day that is much nearer on the other side of today is in doubt.

    Raises:
        ValueError: No year has such a day.
    """
    if future is None:
        sides = [near_day(today, number, of_month, future=side) for side in (False, True)]
        nearer = min(sides, key=lambda side: abs((side.first - today).days))
        return replace(nearer, doubtful=abs((nearer.first - today).days) > MAX_NEAR_DAYS)
    step = 1 if future else -1
    for choice in range(today.year, today.year + 9 * step, step):
        try:
            nearest = date(choice, number, of_month)
        except ValueError:
            continue
        if (nearest >= today) if future else (nearest <= today):
            away = abs((nearest - today).days)
            is_far = (MAX_AHEAD_DAYS if future else MAX_BEHIND_DAYS) < away < _YEAR_DAYS
            return replace(day(nearest), yearless=True, doubtful=is_far)
    raise ValueError(f"no year has a day {of_month} in month {number}")


def near_season(today: date, name: str, which: str, *, future: bool) -> Days:
    """Return the season meant by its name alone.

    'Last summer' is the latest that is over, 'next summer' the first that has not begun, 'this summer' that of this
    year. Without such a word it is the latest that has begun or, in the future, the first that is not over.
    """
    seasons = [season(name, choice) for choice in range(today.year - 2, today.year + 3)]
    if which == "last":
        return [candidate for candidate in seasons if candidate.last < today][-1]
    if which == "next":
        return next(candidate for candidate in seasons if candidate.first > today)
    if which == "this":
        running = (candidate for candidate in seasons if candidate.first <= today <= candidate.last)
        found = next(running, season(name, today.year))
    elif future:
        found = next(candidate for candidate in seasons if candidate.last >= today)
    else:
        found = [candidate for candidate in seasons if candidate.first <= today][-1]
    return replace(found, yearless=True)


def near_weekday(today: date, number: int, which: str, *, future: bool) -> Days:
    """Return the weekday meant: 'last' strictly before today, 'next' at most a week ahead; 'this' may be today."""
    if which == "last" or (which != "next" and not future):
        back = (today.weekday() - number - 1) % 7 + 1
        return day(today - timedelta(days=back % 7 if which == "this" else back))
    ahead = (number - today.weekday() - 1) % 7 + 1
    return day(today + timedelta(days=ahead % 7 if which == "this" else ahead))


def shifted(today: date, unit: str, count: int) -> Days:
    """Return the unit of time `count` units away (negative: ago)."""
    if unit == "day":
        return day(today + timedelta(days=count))
    if unit == "week":
        return week(today + timedelta(weeks=count))
    if unit == "weekend":
        return weekend(today, count)
    if unit == "month":
        target = today + relativedelta(months=count)
        return month(target.year, target.month)
    return year(today.year + count * (10 if unit == "decade" else 1))
