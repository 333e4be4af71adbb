"""How often a system forces its files to disk for one added memory. Starts a process under `strace`, writes files."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.others.peer import running
from benchmarks.others.scene import Scene, Sizes
from benchmarks.others.systems import System
from benchmarks.rows import Row

_CALLS = ("fsync", "fdatasync", "msync", "sync_file_range")
_ADDS = 20
# The first adds make tables, files and journals.
_BEFORE = 5


def forced(systems: Sequence[System], python: Sequence[str]) -> list[Row]:
    """Count, for each system, the calls on its database's files over some adds; no rows where there is no `strace`.

    A count says that files are forced; whether the add waits for it is the system's own promise.
    """
    tracer = shutil.which("strace")
    if tracer is None:
        return []
    scene = Scene(Sizes(users=1, per_user=_BEFORE, batch=_BEFORE, queries=1, adds=_ADDS, batches=0, flood_s=0))
    return [
        Row(
            name="forced to disk for one added",
            value=_calls(system, interpreter, scene, tracer),
            unit="calls",
            of=system.name,
            count=_ADDS,
        )
        for system, interpreter in zip(systems, python, strict=True)
        if not system.on_postgres  # Its server writes the files, which is another process.
    ]


def _calls(system: System, python: str, scene: Scene, tracer: str) -> float:
    with TemporaryDirectory(prefix="toldonce-bench-") as name:
        folder, trace = Path(name), Path(name) / "trace"
        data = folder / "data"
        data.mkdir()
        under = (tracer, "-f", "-qq", "-y", "-e", f"trace={','.join(_CALLS)}", "-o", str(trace))
        with running(system, python, folder, under=under) as peer:
            peer.ask("open", folder=str(data), dim=scene.dim)
            for place in scene.loaded:
                peer.ask("add", **scene.memory(place))
            before = counted(trace.read_text("utf-8", "replace"), data)
            for place in scene.added:
                peer.ask("add", **scene.memory(place))
            calls = counted(trace.read_text("utf-8", "replace"), data) - before
            peer.ask("close")
    return calls / _ADDS


def counted(trace: str, data: Path) -> int:
    """Count the traced calls on files below a folder; one that another thread interrupts is two lines.

    >>> counted('7 fsync(3</d/a.db>) = 0\\n7 fsync(4</e/b>) = 0\\n7 fsync(3</d/a.db> <unfinished ...>', Path("/d"))
    2
    """
    return sum(f"<{data}/" in line or f"<{data}>" in line for line in trace.splitlines() if "resumed>" not in line)
