"""Measure systems beside one another: all get a call before any gets the next one. Starts processes, writes files."""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.others.durability import forced
from benchmarks.others.peer import Peer, running
from benchmarks.others.scene import BATCH_SIZE, Scene, Sizes
from benchmarks.others.systems import BARE, OTHERS, RECOLLECT, Environments, System
from benchmarks.processes import peak_rss_mb, rss_mb
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile

FULL = (
    Sizes(users=100, per_user=100, batch=1000, queries=150, adds=50, batches=10, flood_s=2.0),
    Sizes(users=1, per_user=10_000, batch=1000, queries=100, adds=50, batches=10, flood_s=2.0),
)
LARGE = (
    Sizes(users=1000, per_user=100, batch=1000, queries=150, adds=50, batches=10, flood_s=2.0),
    Sizes(users=1, per_user=100_000, batch=1000, queries=50, adds=50, batches=10, flood_s=2.0),
)
QUICK = (
    Sizes(users=10, per_user=20, batch=100, queries=20, adds=5, batches=1, flood_s=0.2),
    Sizes(users=1, per_user=200, batch=100, queries=20, adds=5, batches=1, flood_s=0.2),
)
# Clients that search at the same time.
THREADS = 8
# Questions before those that count: every system reads its files and makes its plans in the first ones.
_WARM_UP = 10
FIRST_SEARCH = "a user's first search"
# The column of Recollect's search by vectors alone, which is what the others do.
ALONE = "Recollect, vectors alone"

Start = Callable[[System, Path], AbstractContextManager[Peer]]
"""Starts a system with a folder of its own."""


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

    def texts_in_files(self, scene: Scene) -> set[int]:
        """Look for the texts of the scene that are added one by one."""
        contents = [file.read_bytes() for file in self.files()]
        return {place for place in scene.added if any(scene.text(place).encode() in content for content in contents)}


class NotKeptError(Exception):
    """A system did not keep what it acknowledged, or kept what it was told to delete."""


def run(
    quick: bool,
    environments: Environments | None = None,
    systems: Sequence[System] = (BARE, *OTHERS),
    *,
    large: bool = False,
    folder: Path | None = None,
) -> list[Row]:
    """Measure all systems at all sizes.

    Args:
        quick: Small counts, to see that it runs.
        environments: Where the systems are installed.
        systems: Systems to measure beside Recollect.
        large: 100,000 memories in each scene.
        folder: Where databases are made and removed; None is the system's folder for temporary files.

    Raises:
        EnvironmentMissingError: a system has no environment.
    """
    found = environments or Environments()
    pythons = {system.name: found.python(system) for system in (RECOLLECT, *systems)}

    def start(system: System, folder: Path) -> AbstractContextManager[Peer]:
        return running(system, pythons[system.name], folder)

    # First and untimed: a first run reads a hundred megabytes of libraries from disk.
    syncs = forced((RECOLLECT, *systems), tuple(pythons.values()))
    rows = []
    for sizes in QUICK if quick else LARGE if large else FULL:
        with TemporaryDirectory(prefix="recollect-bench-", dir=folder) as place:
            rows += beside(Scene(sizes), (RECOLLECT, *systems), Path(place), start)
    return with_ratios([*rows, *syncs])


def beside(scene: Scene, systems: Sequence[System], folder: Path, start: Start) -> list[Row]:
    """Measure systems on one scene."""
    measured = [Measured(system=system, folder=folder / system.adapter) for system in systems]
    for run in measured:
        (run.folder / "data").mkdir(parents=True)
    with _all(measured, scene, start) as peers:
        _load(measured, peers, scene)
        _note_peak(measured, peers)
    for run in measured:
        run.disk_bytes = sum(file.stat().st_size for file in run.files())
    with _all(measured, scene, start) as peers:
        _answer_first(measured, peers, scene)
        _same_size(measured, peers, len(scene.loaded))
        _search(measured, peers, scene)
        _search_from_threads(measured, peers, scene)
        _write(measured, peers, scene)
        _same_size(measured, peers, len(scene.loaded))
        _add_batches(measured, peers, scene)
        _same_size(measured, peers, len(scene.loaded) + len(scene.batches) * BATCH_SIZE)
        _note_peak(measured, peers)
    for run in measured:
        run.remaining = run.readable & run.texts_in_files(scene)
        shutil.rmtree(run.folder)
    return [row for run in measured for row in _rows(run, scene.sizes)]


def with_ratios(rows: Sequence[Row]) -> list[Row]:
    """Say of each figure but shares how many times Recollect's it is."""
    ours = {row.name: row.value for row in rows if row.of == RECOLLECT.name}
    return [
        replace(row, ratio=row.value / ours[row.name])
        if row.of != RECOLLECT.name and row.unit != "%" and ours.get(row.name)
        else row
        for row in rows
    ]


@contextmanager
def _all(measured: Sequence[Measured], scene: Scene, start: Start) -> Iterator[list[Peer]]:
    """Run all systems with their databases open, and close them."""
    with ExitStack() as open_ones:
        peers = []
        for run in measured:
            begin = time.perf_counter()
            peer = open_ones.enter_context(start(run.system, run.folder))
            opened = peer.ask("open", folder=str(run.folder / "data"), dim=scene.dim)
            run.start_s = time.perf_counter() - begin
            run.import_s = run.start_s - opened["took_s"]
            peers.append(peer)
        yield peers
        for peer in peers:
            peer.ask("close")


def _load(measured: Sequence[Measured], peers: Sequence[Peer], scene: Scene) -> None:
    for run, peer in zip(measured, peers, strict=True):
        run.empty_mb = rss_mb(peer.pid)
    batches = [
        scene.loaded[start : start + scene.sizes.batch] for start in range(0, len(scene.loaded), scene.sizes.batch)
    ]
    for turn, batch in enumerate(steps(f"others: loading {len(scene.loaded):,} into each", batches)):
        memories = [scene.memory(place) for place in batch]
        for run, peer in _in_turn(measured, peers, turn):
            answer = peer.ask("load", memories=memories)
            run.ids += answer["ids"]
            run.load_s += answer["took_s"]
    for run, peer in zip(measured, peers, strict=True):
        run.load_s += peer.ask("loaded")["took_s"]
        run.loaded_mb = rss_mb(peer.pid)


def _same_size(measured: Sequence[Measured], peers: Sequence[Peer], wanted: int) -> None:
    for run, peer in zip(measured, peers, strict=True):
        count = peer.ask("size")["count"]
        if count != wanted:
            raise NotKeptError(f"{run.system.name} has {count:,} memories, {wanted:,} were kept")


def _answer_first(measured: Sequence[Measured], peers: Sequence[Peer], scene: Scene) -> None:
    """Ask each system one question after its restart."""
    asked = scene.question(scene.questions[0])
    for run, peer in zip(measured, peers, strict=True):
        run.first_answer_s = run.start_s + peer.ask("search", **asked)["took_s"]
        run.restarted_mb = rss_mb(peer.pid)


def _search(measured: Sequence[Measured], peers: Sequence[Peer], scene: Scene) -> None:
    """Ask all questions: a user's first ones are told from those to a user who was searched before."""
    places = [{name: place for place, name in enumerate(run.ids)} for run in measured]
    known = {id(run): those for run, those in zip(measured, places, strict=True)}
    searched = {scene.questions[0].user}
    for turn, question in enumerate(steps("others: searching", scene.questions)):
        asked = scene.question(question)
        again = question.user in searched
        searched.add(question.user)
        for run, peer in _in_turn(measured, peers, turn):
            for way in ("search", "nearest") if run.system is RECOLLECT else ("search",):
                answer = peer.ask(way, **asked)
                share = scene.recall(question, answer["ids"], known[id(run)])
                if turn >= min(_WARM_UP, len(scene.questions) // 2):
                    # The search by vectors comes second, when the user's memories have been read.
                    run.took(way if again or way == "nearest" else FIRST_SEARCH, answer["took_s"])
                    run.recalls.setdefault(way, []).append(share)


def _search_from_threads(measured: Sequence[Measured], peers: Sequence[Peer], scene: Scene) -> None:
    """Search from several threads; one system after the other, since each uses all cores."""
    questions = [scene.question(question) for question in scene.questions]
    for run, peer in steps("others: searching from threads", list(zip(measured, peers, strict=True))):
        answer = peer.ask("search_many", questions=questions, threads=THREADS, seconds=scene.sizes.flood_s)
        run.searches_per_s = answer["count"] / answer["took_s"]


def _add_batches(measured: Sequence[Measured], peers: Sequence[Peer], scene: Scene) -> None:
    """Add batches to databases that hold memories already."""
    for turn, batch in enumerate(steps(f"others: adding {BATCH_SIZE} at once", scene.batches)):
        memories = [scene.memory(place) for place in batch]
        for run, peer in _in_turn(measured, peers, turn):
            run.batch_s += peer.ask("load", memories=memories)["took_s"]


def _note_peak(measured: Sequence[Measured], peers: Sequence[Peer]) -> None:
    for run, peer in zip(measured, peers, strict=True):
        peak = peak_rss_mb(peer.pid)
        run.peak_mb = peak if run.peak_mb is None or peak is None else max(run.peak_mb, peak)


def _write(measured: Sequence[Measured], peers: Sequence[Peer], scene: Scene) -> None:
    """Add memories one by one, look for each, and delete them."""
    added: dict[tuple[str, int], str] = {}
    for turn, place in enumerate(steps("others: adding one by one", scene.added)):
        for run, peer in _in_turn(measured, peers, turn):
            answer = peer.ask("add", **scene.memory(place))
            run.took("add", answer["took_s"])
            added[run.system.name, place] = answer["id"]
        for run, peer in _in_turn(measured, peers, turn):
            found = peer.ask("search", **scene.echo(place))
            run.took("search after an add", found["took_s"])
            if added[run.system.name, place] not in found["ids"]:
                raise NotKeptError(f"{run.system.name} does not find what it has just been given, by its own words")
    for run in measured:
        run.readable = run.texts_in_files(scene)
    for turn, place in enumerate(steps("others: deleting one by one", scene.added)):
        for run, peer in _in_turn(measured, peers, turn):
            gone = added[run.system.name, place]
            run.took("delete", peer.ask("delete", user=scene.user(place), id=gone)["took_s"])
            if gone in peer.ask("search", **scene.echo(place))["ids"]:
                raise NotKeptError(f"{run.system.name} still finds what it was told to delete")


def _in_turn(measured: Sequence[Measured], peers: Sequence[Peer], turn: int) -> list[tuple[Measured, Peer]]:
    """Begin with another system each time: what runs beside the benchmark hits all alike."""
    pairs = list(zip(measured, peers, strict=True))
    first = turn % len(pairs)
    return pairs[first:] + pairs[:first]


def _rows(run: Measured, sizes: Sizes) -> list[Row]:
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
    ways = {"nearest": ALONE} if run.system is RECOLLECT else {"search": name}
    if run.system is RECOLLECT:
        rows += spread("search", "nearest", ALONE)
    for way, of in ways.items():
        shares = run.recalls[way]
        rows.append(row("the ten nearest are found", 100 * sum(shares) / len(shares), "%", of, len(shares)))
    rows += [*spread("add one", "add"), *spread("search after an add", "search after an add")]
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
