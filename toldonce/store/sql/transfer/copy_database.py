"""Copy a whole database into another, of whatever kind: all rows, and the key of its hashes. Works on two ends.

The source is read in one snapshot. Subjects go over some at a time, in the order of their keys, each time in one
transaction that also notes how far the copy is: killed at any moment, it continues after the last one. In the end
both are read and compared; subjects that changed since an interrupted copy are copied again.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b

from toldonce.errors import BadRequestError, StoreUnavailableError, UnreadableStoreError
from toldonce.store.sql.database import Row, load
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value
from toldonce.store.sql.tables import TABLES, Table
from toldonce.store.sql.transfer.endpoint import (
    MARK_NAME,
    MAX_KEY,
    MIN_KEY,
    CopyEndpoint,
    CopyMarker,
    KeyRange,
    identity,
    read_mark,
    refuse_unfinished,
    set_mark,
)
from toldonce.types import ProgressReporter

SQL = load("copy")
# Subjects of one transaction: a commit waits for the disk, and a kill throws no more than this away.
BATCH_SIZE = 32
# Of these rows the bar counts each.
_SHOWN = ("message", "memory")
_UNIT = "messages and memories"
# The bar moves with each of so many.
_A_STEP = 500
_DIGEST_BYTES = 16
_MODULUS = 2 ** (8 * _DIGEST_BYTES)
_OURS = tuple(table for table in TABLES if table.is_global)
_THEIRS = tuple(table for table in TABLES if not table.is_global)


@dataclass(slots=True)
class CopyReport:
    """What a copy did, and what both databases hold: they were read and compared."""

    source: str = ""
    destination: str = ""
    rows: Counter[str] = field(default_factory=Counter)
    """Rows of each table, in both."""
    subjects: int = 0
    """Those of whom there is anything."""
    digest: str = ""
    """Of all contents: equal for two databases that hold the same, of whatever kind they are."""
    resumed: bool = False
    """A copy begun earlier went on."""
    copied_anew: int = 0
    """Subjects that had changed since an earlier run copied them."""
    moved: bool = False
    """Whether the source was written to meanwhile: changes after the snapshot are not in the copy."""


@dataclass(slots=True)
class _Tally:
    """What there is of some subjects."""

    rows: Counter[str] = field(default_factory=Counter)
    digests: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    """Of each subject's rows, in whatever order."""


def copy(here: CopyEndpoint, there: CopyEndpoint, bar: ProgressReporter) -> CopyReport:
    """Copy all there is, or go on with it: see `engine.copying.copy_database`."""
    with here.speaking(), there.speaking():
        return _Copy(here, there, bar).run()


class _Copy:
    """One run."""

    def __init__(self, here: CopyEndpoint, there: CopyEndpoint, bar: ProgressReporter) -> None:
        self._here = here
        self._there = there
        self._bar = bar
        self._shown = 0
        self._done = CopyReport(source=here.where, destination=there.where)
        self._columns = {table.name: self._columns_of(table) for table in TABLES}

    def run(self) -> CopyReport:
        """Copy, compare, and let others use the copy."""
        here, there, done = self._here, self._there, self._done
        refuse_unfinished(here.db, here.where)
        with here.db:  # one snapshot
            seen = fetch_one(here.db, SQL["written"])
            mark = self._begin()
            there.share()
            self._copy(mark)
            self._compare(mark)
        done.moved = fetch_one(here.db, SQL["written"]) != seen
        if not mark.finished:
            there.finish(rewrite=done.copied_anew > 0)
            there.write(lambda: set_mark(there.db, replace(mark, finished=True)))
        return done

    def _columns_of(self, table: Table) -> tuple[str, ...]:
        here, there = self._here.columns(table), self._there.columns(table)
        if here != there:
            raise UnreadableStoreError(
                f"the table {table.name} has other columns in {self._here.where} than in {self._there.where} "
                f"({', '.join(sorted(set(here) ^ set(there)))}): run `toldonce doctor --check` on both"
            )
        return here

    def _begin(self) -> CopyMarker:
        """Note in the destination of what it is a copy; take over what belongs to no subject."""
        here, there = self._here, self._there
        mine = identity(here.db)
        mark = read_mark(there.db)
        if mark is None or (mark.finished and mark.source != mine):
            self._require_empty()
            mark = CopyMarker(source=mine, next_subject=MIN_KEY)
        elif mark.source != mine:
            raise BadRequestError(
                f"a copy of another database was begun into {there.where}: go on with that one, or name an empty one"
            )
        else:
            self._done.resumed = True
        if mark.finished:
            return mark
        begun = mark

        def take_over() -> None:
            for table in _OURS:
                there.db.execute(f'DELETE FROM "{table.name}"')  # noqa: S608  # the name of our own table
                there.add(table, self._columns[table.name], self._rows(here, table, KeyRange()))
            set_mark(there.db, begun)

        there.write(take_over)
        return mark

    def _require_empty(self) -> None:
        for table in _THEIRS:
            if fetch(self._there.db, f'SELECT 1 FROM "{table.name}" LIMIT 1'):  # noqa: S608  # as above
                raise BadRequestError(
                    f"{self._there.where} is not empty (there are rows in {table.name}), and nothing is copied over "
                    "what is there: name an empty database"
                )

    def _copy(self, mark: CopyMarker) -> None:
        here, there = self._here, self._there
        self._bar.begin("copying", _UNIT, fetch_value(here.db, SQL["to_copy"]))
        self._move(fetch_value(there.db, SQL["to_copy"]))

        def one_span(span: KeyRange) -> None:
            self._copy_span(span)
            set_mark(there.db, replace(mark, next_subject=span.last + 1))

        for span in self._spans(MAX_KEY + 1 if mark.finished else mark.next_subject):
            there.write(partial(one_span, span))

    def _copy_span(self, span: KeyRange) -> None:
        for table in _THEIRS:
            self._there.add(table, self._columns[table.name], self._rows(self._here, table, span, shown=True))

    def _compare(self, mark: CopyMarker) -> None:
        """Compare both, and copy again what changed in the source since an earlier run.

        Raises:
            BadRequestError: the copy was finished before, and they differ.
            StoreUnavailableError: they differ all the same.
        """
        here, there, done = self._here, self._there, self._done
        self._shown = 0
        self._bar.begin("comparing", _UNIT, fetch_value(here.db, SQL["to_copy"]))
        total = self._add_up(_OURS, KeyRange())
        for span in self._spans(MIN_KEY):
            changed = self._different(span) if done.resumed else ()
            if changed and mark.finished:
                raise BadRequestError(
                    f"{there.where} is a finished copy, and it or {here.where} was written to since: nothing was "
                    "changed; name an empty database for another copy"
                )
            if changed:
                there.write(partial(self._copy_anew, changed))
                done.copied_anew += len(changed)
            total += self._add_up(_THEIRS, span)
        done.digest = f"{total % _MODULUS:032x}"
        done.subjects = done.rows["subject"]

    def _add_up(self, tables: Sequence[Table], span: KeyRange) -> int:
        mine, theirs = self._tally(self._here, tables, span, shown=True), self._tally(self._there, tables, span)
        wrong = different(mine, theirs)
        if wrong or mine.rows != theirs.rows:
            raise StoreUnavailableError(
                f"{self._there.where} does not hold what {self._here.where} does, for {len(wrong)} subjects (the first "
                f"has the key {min(wrong, default=0)}): another process writes to it; copy into an empty one"
            )
        self._done.rows.update(mine.rows)
        return sum(mine.digests.values())

    def _different(self, span: KeyRange) -> tuple[int, ...]:
        return different(self._tally(self._here, _THEIRS, span), self._tally(self._there, _THEIRS, span))

    def _copy_anew(self, subjects: Iterable[int]) -> None:
        for subject in subjects:
            for table in _THEIRS:
                which = f'"{table.name}" WHERE "{table.key[0]}" = ?1'
                self._there.db.execute(f"DELETE FROM {which}", (subject,))  # noqa: S608  # names of our own tables
            self._copy_span(KeyRange(subject, subject))

    def _tally(self, end: CopyEndpoint, tables: Sequence[Table], span: KeyRange, *, shown: bool = False) -> _Tally:
        tally = _Tally()
        for table in tables:
            columns = self._columns[table.name]
            owner = None if table.is_global else columns.index(table.key[0])
            for row in self._rows(end, table, span, shown=shown):
                tally.rows[table.name] += 1
                tally.digests[0 if owner is None else row[owner]] += weigh(table.name, row)
        return tally

    def _rows(self, end: CopyEndpoint, table: Table, span: KeyRange, *, shown: bool = False) -> Iterator[Row]:
        """Read rows without what tells of processes: who works on them, and how far this copy is."""
        columns = self._columns[table.name]
        leased = frozenset(columns.index(name) for name in table.leased)
        shown = shown and table.name in _SHOWN
        for row in end.rows(table, columns, span):
            if table.name == "meta" and row[columns.index("name")] == MARK_NAME:
                continue
            if shown:
                self._move(1)
            yield tuple(None if at in leased else value for at, value in enumerate(row)) if leased else row

    def _move(self, by: int) -> None:
        before, self._shown = self._shown, self._shown + by
        if self._shown // _A_STEP > before // _A_STEP or by != 1:
            self._bar.reach(self._shown)

    def _spans(self, first: int) -> Iterator[KeyRange]:
        """Divide all keys from `first` on into ranges of a few subjects; they cover keys without a subject, too."""
        while first <= MAX_KEY:
            keys = [key for (key,) in fetch(self._here.db, SQL["next_subjects"], first, BATCH_SIZE)]
            last = keys[-1] if len(keys) == BATCH_SIZE else MAX_KEY
            yield KeyRange(first, last)
            first = last + 1


def weigh(table: str, row: Row) -> int:
    """Return a number that tells a row from others; those of several are added up, in whatever order.

    >>> weigh("app", (1, None)) == weigh("app", (1, None)), weigh("app", (1, None)) == weigh("link", (1, None))
    (True, False)
    """
    return int.from_bytes(blake2b(ascii((table, row)).encode(), digest_size=_DIGEST_BYTES).digest(), "big")


def different(mine: _Tally, theirs: _Tally) -> tuple[int, ...]:
    """Return the subjects of whom not the same is there."""
    subjects = mine.digests.keys() | theirs.digests.keys()
    return tuple(sorted(key for key in subjects if mine.digests.get(key) != theirs.digests.get(key)))
