"""Packages of npm in a folder of a test run; skips, with the reason, where they cannot be had. Starts npm."""

import fcntl
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

# A cold cache fetches some 300 MB.
INSTALL_S = 400


def shared_packages(folder: Path, packages: Sequence[str]) -> Path:
    """Install packages into a folder that all workers share, unless one of them has; return that of the programs."""
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "installed"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        programs = folder / "node_modules" / ".bin" if done.exists() else install_packages(folder, packages)
        done.touch()
    return programs


def install_packages(folder: Path, packages: Sequence[str]) -> Path:
    """Install packages into a folder and return the folder of their programs."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"npm is not installed: {', '.join(packages)} were NOT tested")
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--no-audit", "--no-fund", "--prefer-offline", *packages]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_S)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm install took over {INSTALL_S} s: {', '.join(packages)} were NOT tested")
    if done.returncode:
        pytest.skip(f"npm install failed: {', '.join(packages)} were NOT tested: {done.stderr[-300:]}")
    return folder / "node_modules" / ".bin"
