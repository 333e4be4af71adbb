"""The process is killed while room is made, at each point where it can go wrong: room is kept, nothing is unexplained.

The checker reads the database past the engine. Long runs: `make soak`, 20 kills at each point.
"""

import os
import random
import signal
from pathlib import Path

import pytest

from forked_processes import run_python
from integration.compaction_process import SAID
from integration.database_reader import reading
from own_profile import OWN
from patience import PATIENCE_S

SCRIPT = Path(__file__).parent / "compaction_process.py"
MAX_KILLS = 5
POINTS = ("before-commit", "after-commit", "in-question")
KILLS_AT_EACH, KILLS_IN_SOAK = 1, 20
PROFILE = (
    f'description = "Full."\n[capacity]\nmax_memories = {MAX_KILLS}\npolicy = "compact"\n[form]\nmax_attempts = 20\n'
)
# One decision at least speaks of each memory that is closed.
UNEXPLAINED = """
SELECT m.text FROM memory AS m
 WHERE m.state = 2
   AND NOT EXISTS (SELECT 1 FROM decision AS d
                    WHERE d.subject = m.subject AND (d.memory = m.id OR d.target = m.id)
                      AND d.action IN ('evict', 'fold', 'merge', 'replace', 'close'))
"""
HALF_CLOSED = """
SELECT m.text FROM memory AS m LEFT JOIN hot AS h ON h.subject = m.subject AND h.memory = m.id
 WHERE (m.state = 0) <> (h.memory IS NOT NULL)
"""


def run(folder: Path, first: int, point: str = "", count: int = 0) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TOLDONCE_")}
    environment["PYTHONPATH"] = str(SCRIPT.parents[1])
    if point in ("before-commit", "after-commit"):
        environment["TOLDONCE_FAILPOINT"] = f"{point}:{count}"
    die = count if point == "in-question" else 0
    url = f"sqlite:///{folder / 'memory.sqlite3'}"
    return run_python(
        str(SCRIPT), url, str(folder), str(first), str(die), env=environment, timeout=PATIENCE_S
    ).returncode


def problems(folder: Path) -> list[str]:
    """Say what is wrong in the database as it lies."""
    with reading(folder / "memory.sqlite3") as database:
        if not database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'memory'").fetchall():
            return []
        found = [f"closed without a decision: {text}" for (text,) in database.execute(UNEXPLAINED)]
        found += [f"half closed: {text}" for (text,) in database.execute(HALF_CLOSED)]
        [row] = database.execute("SELECT count(*) FROM memory WHERE state = 0 AND kind < 2").fetchall()
        held = int(str(row[0]))
        return found + ([f"{held} where {MAX_KILLS} fit"] if held > MAX_KILLS else [])


@pytest.mark.soak
def test_a3_a_kill_during_eviction_leaves_no_surplus_and_no_unexplained_gap(tmp_path: Path, soak: int | None) -> None:
    (tmp_path / f"{OWN}.toml").write_text(PROFILE, "utf-8")
    assert run(tmp_path, 1) == 0, "eight things are said, and five fit"
    kills = list(POINTS) * (KILLS_IN_SOAK if soak else KILLS_AT_EACH)
    seed = random.randrange(1_000_000)
    luck = random.Random(seed)
    luck.shuffle(kills)
    first = 1 + SAID
    for number, point in enumerate(kills, start=1):
        count = luck.randint(1, 4 if point == "in-question" else 16)
        assert run(tmp_path, first, point, count) == -signal.SIGKILL, (point, count, seed)
        assert problems(tmp_path) == [], f"after kill {number} ({point}:{count}), seed {seed}"
        first += SAID
    assert run(tmp_path, first) == 0
    assert problems(tmp_path) == []
    with reading(tmp_path / "memory.sqlite3") as database:
        waiting = database.execute("SELECT count(*) FROM formation WHERE due_at IS NOT NULL OR parked = 1").fetchall()
        held = database.execute("SELECT count(*) FROM memory WHERE state = 0 AND kind < 2").fetchall()
    assert (waiting, held) == ([(0,)], [(MAX_KILLS,)]), seed
