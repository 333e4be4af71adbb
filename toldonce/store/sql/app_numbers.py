"""Integer ids of apps' memories: unique in the whole table, never given twice. Works on a connection, in a transaction.

A number is `range * RANGE_SIZE + place`. Each app's memory draws a range of its own when it stores its first memory and
counts the places up within it, so one statement of that subject takes the numbers of a whole batch, on any node.

Why not one count for the table? Two numbers of one user would then tell how many memories all others stored between
them (I10). Ranges follow from the subject's key instead: other subjects' memories change a number only where two keys
meet in one range, and whether the range is 0, which the first app of a database draws: it counts 1, 2, 3.

Drawn ranges stay in `meta` for good, without a name. Erasing a subject takes its count away, not its range: an app
that comes back draws another, so what was erased is never named again.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import chain, count

from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.inner import subjects_of_kind
from toldonce.store.sql.rows import fetch, fetch_one
from toldonce.types import Subject

SQL = load("numbers")
RANGE_SIZE = 1_000_000
MAX_RANGE = 999_999_999
MAX_NUMBER = (MAX_RANGE + 1) * RANGE_SIZE - 1
"""15 digits: exact in JSON's numbers wherever they are read."""
# Ranges that an import looks at to see whether a number may be the subject's own: as often as an app was erased.
_MAX_ATTEMPTS = 8


def take(db: SqlConnection, subject: Subject, wanted: int) -> list[int]:
    """Take numbers for memories of an app, in ascending order, in one statement while its range lasts."""
    taken: list[int] = []
    while len(taken) < wanted:
        some = min(wanted - len(taken), RANGE_SIZE - 1)
        row = fetch_one(db, SQL["take"], subject.key, some, RANGE_SIZE)
        last = _begin(db, subject, some) if row is None else int(row[0])
        taken += range(last - some + 1, last + 1)
    return taken


def carry(db: SqlConnection, subject: Subject, found: Sequence[int]) -> Mapping[int, int]:
    """Return the number that each number of an imported file has here.

    It keeps the ones of a range that may be the subject's and was never drawn here. Others get new ones in their order.
    A file says nothing of the ranges of other subjects: asking for those has no answer.
    """
    ranges = sorted({number // RANGE_SIZE for number in found})
    own = {*_first_ranges(subject), *(_derived(subject, attempt) for attempt in range(_MAX_ATTEMPTS))}
    kept = {range_ for range_ in ranges if range_ in own and _claim(db, range_)}
    carried = {number: number for number in found if number // RANGE_SIZE in kept and number % RANGE_SIZE}
    others = sorted(set(found) - carried.keys())
    return carried | dict(zip(others, take(db, subject, len(others)), strict=True))


def upgrade(db: SqlConnection) -> None:
    """Make the numbers of a database unique in which each subject counted its own, and note the apps' names.

    Of several subjects with one number, the first in the order of names keeps it. What ended in an edit and what took
    its place go on sharing one. What came without a number gets one. A second run changes nothing.
    """
    taken: set[int] = set()
    for subject in subjects_of_kind(db, "app"):
        rows = fetch(db, SQL["numbered"], subject.key)
        found = sorted({number for _, number in rows if number is not None})
        for range_ in {number // RANGE_SIZE for number in found}:
            _claim(db, range_)
        twice = [number for number in found if number in taken]
        fresh = dict(zip(twice, take(db, subject, len(twice)), strict=True))
        lacking = iter(take(db, subject, sum(number is None for _, number in rows)))
        for id_, number in rows:
            if number is None or number in fresh:
                db.execute(SQL["renumber"], (subject.key, id_, next(lacking) if number is None else fresh[number]))
        taken.update(found)
        db.execute(SQL["name_app"], (subject.key, subject.app_name))


def _begin(db: SqlConnection, subject: Subject, last: int) -> int:
    """Draw a range for the subject, of which so many numbers are taken at once; return the last of them."""
    ranges = chain(_first_ranges(subject), (_derived(subject, attempt) for attempt in count()))
    drawn = next(range_ for range_ in ranges if _claim(db, range_))
    number = drawn * RANGE_SIZE + last
    db.execute(SQL["begin_range"], (subject.key, number))
    return number


def _first_ranges(subject: Subject) -> tuple[int, ...]:
    """Return the ranges that an app tries first: a tenant must not see by its numbers whether others have apps."""
    return () if subject.tenant else (0,)


def _claim(db: SqlConnection, range_: int) -> bool:
    """Note that a range is drawn; False where it was drawn before."""
    return bool(fetch(db, SQL["claim_range"], f"numbers/{range_}", b""))


def _derived(subject: Subject, attempt: int) -> int:
    """Return the range, 1 to `MAX_RANGE`, that a subject draws if all before it are drawn."""
    digest = blake2b(f"{subject.key}/{attempt}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % MAX_RANGE + 1
