"""What was measured of each system, and the rows that come of it. Reads the files of databases."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg

from benchmarks.others.scene import BATCH_SIZE, Scene, Sizes
from benchmarks.others.systems import TOLDONCE, URL_FILE, System
from benchmarks.rows import Row, percentile

# Clients that search at the same time.
THREADS = 8
FIRST_SEARCH = "a user's first search"
_ADD = "add one"
_TABLE_BYTES = """
SELECT sum(pg_total_relation_size(oid))::BIGINT FROM pg_class
 WHERE relkind = 'r' AND relnamespace NOT IN ('pg_catalog'::REGNAMESPACE, 'information_schema'::REGNAMESPACE)
"""


@dataclass(slots=True)
class Measured:
    """What one system did."""

    system: System
    folder: Path
    ids: list[str] = field(default_factory=list)
    """The system's ids, in the order of the scene."""
    load_s: float = 0.0
    start_s: float = 0.0
    import_s: float = 0.0
    """From starting the process to the call that opens the database: the interpreter and its imports."""
    first_answer_s: float = 0.0
    """From starting the process to the first answer."""
    empty_mb: float = 0.0
    loaded_mb: float = 0.0
    restarted_mb: float = 0.0
    peak_mb: float | None = None
    """Most resident memory of both processes; None where the operating system does not tell."""
    searches_per_s: float = 0.0
    """From `THREADS` threads at once."""
    batch_s: float = 0.0
    """All batches together."""
    disk_bytes: int = 0
    readable: set[int] = field(default_factory=set)
    """Added texts found in the files verbatim, before they are deleted."""
    remaining: set[int] = field(default_factory=set)
    """Which of these do so still, once they are deleted and the system is closed."""
    times: dict[str, list[float]] = field(default_factory=dict)
    """Milliseconds, by what was done."""
    recalls: dict[str, list[float]] = field(default_factory=dict)
    """Shares of the exact answers, by the way of searching."""

    def took(self, what: str, seconds: float) -> None:
        """Note the time of a call."""
        self.times.setdefault(what, []).append(seconds * 1000)

    def files(self) -> list[Path]:
        """List the files that hold its data."""
        return [file for file in (self.folder / "data").rglob("*") if file.is_file()]

    def bytes_kept(self) -> int:
        """Count the bytes of its files, or of its tables with their indexes in PostgreSQL."""
        if self.system.on_postgres:
            with psycopg.connect((self.folder / "data" / URL_FILE).read_text("utf-8")) as db:
                return int(db.execute(_TABLE_BYTES).fetchall()[0][0])
        return sum(file.stat().st_size for file in self.files())

    def texts_in_files(self, scene: Scene) -> set[int]:
        """Look for the texts of the scene that are added one by one."""
        contents = [file.read_bytes() for file in self.files()]
        return {place for place in scene.added if any(scene.text(place).encode() in content for content in contents)}


def with_ratios(rows: Sequence[Row]) -> list[Row]:
    """Say of each figure but shares and growth how many times ToldOnce's it is."""
    ours = {row.name: row.value for row in rows if row.of == TOLDONCE.name}
    return [
        replace(row, ratio=row.value / ours[row.name])
        if row.of != TOLDONCE.name and row.unit not in ("%", "times") and ours.get(row.name)
        else row
        for row in rows
    ]


def growth(few: Sequence[Row], many: Sequence[Row], own: tuple[int, int]) -> list[Row]:
    """Compare an add to a user with few memories with one to a user with many, for each system of two scenes."""
    before = {row.of: row for row in few if row.name.endswith(f": {_ADD}, p50")}
    return [
        Row(
            name=f"{_ADD}, growth from {own[0]:,} to {own[1]:,} of one's own",
            value=row.value / before[row.of].value,
            unit="times",
            of=row.of,
            count=row.count,
            note=row.note,
        )
        for row in many
        if row.name.endswith(f": {_ADD}, p50")
    ]


def rows_of(run: Measured, sizes: Sizes) -> list[Row]:
    """Make the rows of a system in a scene."""
    count = sizes.users * sizes.per_user
    where = f"{sizes.per_user:,} of {count:,}" if sizes.users > 1 else f"{count:,} of one user"
    name, version = run.system.name, run.system.version()

    def row(what: str, value: float, unit: str, of: str = name, measurements: int = 1) -> Row:
        return Row(name=f"{where}: {what}", value=value, unit=unit, of=of, count=measurements, note=version)

    def spread(what: str, way: str, of: str = name) -> list[Row]:
        times = run.times[way]
        return [row(f"{what}, p{share}", percentile(times, share), "ms", of, len(times)) for share in (50, 95)]

    rows = [row("load 1,000", run.load_s * 1000 / count, "s"), *spread("search", "search")]
    if FIRST_SEARCH in run.times:
        rows += spread(FIRST_SEARCH, FIRST_SEARCH)
    rows.append(row(f"searches from {THREADS} threads", run.searches_per_s, "/s"))
    alone = run.system.alone
    if alone:
        rows += spread("search", "nearest", alone)
    # A search that ranks by words, too, is right to find others than the nearest.
    shares = run.recalls["nearest" if alone else "search"]
    rows.append(row("the ten nearest are found", 100 * sum(shares) / len(shares), "%", alone or name, len(shares)))
    rows += [*spread(_ADD, "add"), *spread("search after an add", "search after an add")]
    rows += spread("delete one", "delete")
    rows.append(row(f"add in batches of {BATCH_SIZE}", sizes.batches * BATCH_SIZE / run.batch_s, "/s"))
    if run.readable:
        share = 100 * len(run.remaining) / len(run.readable)
        rows.append(row("deleted texts left in the files", share, "%", measurements=len(run.readable)))
    return [
        *rows,
        row("on disk, a memory", run.disk_bytes / count, "bytes"),
        row("RSS, empty", run.empty_mb, "MB"),
        row("RSS, loaded", run.loaded_mb, "MB"),
        row("RSS, restarted", run.restarted_mb, "MB"),
        *([] if run.peak_mb is None else [row("RSS, peak", run.peak_mb, "MB")]),
        row("start with it", run.start_s, "s"),
        row("imports", run.import_s, "s"),
        row("restart to the first answer", run.first_answer_s, "s"),
    ]
