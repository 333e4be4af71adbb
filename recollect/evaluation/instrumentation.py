"""What a figure was measured on. Reads the machine."""

import os
import platform
import re
import sys
from pathlib import Path

_CPU = re.compile(r"^model name\s*+:\s*+(.+)$", re.MULTILINE)


def machine() -> dict[str, object]:
    """Describe the machine and how busy it is; nothing that names it or its owner."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": sys.version.split()[0],
        "load_before": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def _processor() -> str:
    try:
        found = _CPU.search(Path("/proc/cpuinfo").read_text("utf-8"))
    except OSError:
        found = None
    return found[1] if found else platform.processor()
