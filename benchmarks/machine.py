"""What a figure was measured on. Reads the machine; writes one small file to time its disk."""

import os
import platform
import re
import sys
import time
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import numpy as np

_PACKAGES = ("toldonce", "apsw-sqlite3mc", "numpy", "aiohttp", "uvicorn", "starlette", "wordllama", "tokenizers")
_CPU = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)
_PAGE = b"x" * 4096


def machine() -> dict[str, object]:
    """Describe the machine."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 2),
        "fsync_ms": round(fsync_ms(), 3),
    }


def versions() -> dict[str, str]:
    """Name the versions of what does the work."""
    found = {"python": sys.version.split()[0], "sqlite": apsw.sqlite_lib_version()}
    return found | {name: version(name) for name in _PACKAGES}


def fsync_ms(times: int = 50) -> float:
    """Time writing a page and forcing it to disk, in the folder of the benchmarks' databases: the median."""
    took = []
    with TemporaryDirectory(prefix="toldonce-bench-") as folder, (Path(folder) / "page").open("wb") as page:
        for _ in range(times):
            start = time.perf_counter()
            page.write(_PAGE)
            page.flush()
            os.fsync(page.fileno())
            took.append((time.perf_counter() - start) * 1000)
    return float(np.median(took))


def _processor() -> str:
    cpus = Path("/proc/cpuinfo")
    found = _CPU.search(cpus.read_text()) if cpus.exists() else None
    return found[1] if found else platform.processor()
