"""Measure systems beside one another: all get a call before any gets the next one. Starts processes, writes files."""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.crowd import new_database
from benchmarks.many_users import serving
from benchmarks.others.durability import forced
from benchmarks.others.figures import FIRST_SEARCH, THREADS, Measured, growth, rows_of, with_ratios
from benchmarks.others.peer import Peer, running
from benchmarks.others.scene import BATCH_SIZE, Scene, Sizes
from benchmarks.others.systems import BARE, OTHERS, TOLDONCE, URL_FILE, Environments, System
from benchmarks.processes import peak_rss_mb, rss_mb
from benchmarks.progress import steps
from benchmarks.rows import Row

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
# Questions before those that count: every system reads its files and makes its plans in the first ones.
_WARM_UP = 10

Start = Callable[[System, Path], AbstractContextManager[Peer]]
"""Starts a system with a folder of its own."""


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
        systems: Systems to measure beside ToldOnce.
        large: 100,000 memories in each scene.
        folder: Where databases are made and removed; None is the system's folder for temporary files.

    Raises:
        EnvironmentMissingError: a system has no environment.
    """
    found = environments or Environments()
    pythons = {system.name: found.python(system) for system in (TOLDONCE, *systems)}

    def start(system: System, folder: Path) -> AbstractContextManager[Peer]:
        return running(system, pythons[system.name], folder)

    # First and untimed: a first run reads a hundred megabytes of libraries from disk.
    syncs = forced((TOLDONCE, *systems), tuple(pythons.values()))
    scenes: list[list[Row]] = []
    few, many = QUICK if quick else LARGE if large else FULL
    # A server of its own, with PostgreSQL's own promises about the disk.
    with serving(None, folder) if any(system.on_postgres for system in systems) else nullcontext() as server:
        for sizes in (few, many):
            with TemporaryDirectory(prefix="toldonce-bench-", dir=folder) as place:
                scenes.append(beside(Scene(sizes), (TOLDONCE, *systems), Path(place), start, server))
    grown = growth(scenes[0], scenes[1], (few.per_user, many.per_user))
    return with_ratios([*scenes[0], *scenes[1], *grown, *syncs])


def beside(scene: Scene, systems: Sequence[System], folder: Path, start: Start, server: str | None = None) -> list[Row]:
    """Measure systems on one scene; those on PostgreSQL get databases on a server."""
    measured = [Measured(system=system, folder=folder / system.adapter) for system in systems]
    for run in measured:
        (run.folder / "data").mkdir(parents=True)
        if run.system.on_postgres and server is not None:
            (run.folder / "data" / URL_FILE).write_text(new_database(server, f"others_{scene.sizes.per_user}"), "utf-8")
    with _all(measured, scene, start) as peers:
        _load(measured, peers, scene)
        _note_peak(measured, peers)
    for run in measured:
        run.disk_bytes = run.bytes_kept()
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
    return [row for run in measured for row in rows_of(run, scene.sizes)]


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
            for way in ("search", "nearest") if run.system.alone else ("search",):
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
