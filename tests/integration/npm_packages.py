"""Packages of npm, kept from one test run to the next; skips, with the reason, where they cannot be had. Starts npm."""

import fcntl
import json
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest
from platformdirs import user_cache_path

# A cold cache fetches some 300 MB.
INSTALL_S = 400
UNUSED_S = 30 * 24 * 3600
"""After so long without a test run that used them, packages of another version are removed."""


def dependencies(package: Path) -> list[str]:
    """Return what a package.json depends on, as arguments of `npm install`."""
    wanted: dict[str, str] = json.loads(package.read_text("utf-8"))["dependencies"]
    return [f"{name}@{version}" for name, version in wanted.items()]


def linked_packages(folder: Path, packages: Sequence[str]) -> Path:
    """Let programs in a folder import packages; return the folder of the packages' own programs."""
    programs = installed_packages(packages)
    (folder / "node_modules").symlink_to(programs.parent)
    return programs


def installed_packages(packages: Sequence[str], *, runs_scripts: bool = False) -> Path:
    """Return the folder of the packages' programs; nothing may be written there: all test runs share it.

    Installing costs npm up to half a minute of CPU time even if it has all in its own cache.

    Args:
        packages: Names with versions.
        runs_scripts: They do not work without the scripts that they come with.
    """
    every = user_cache_path("toldonce-tests") / "npm"
    every.mkdir(parents=True, exist_ok=True)
    what = [sys.platform, platform.machine(), str(runs_scripts), *packages]
    folder = every / sha256("\n".join(what).encode()).hexdigest()[:16]
    with (every / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            half = every / "half"
            shutil.rmtree(half, ignore_errors=True)
            _remove_unused(every)
            _install(half, packages, () if runs_scripts else ("--ignore-scripts",))
            half.rename(folder)
        folder.touch()
    return folder / "node_modules" / ".bin"


def _remove_unused(every: Path) -> None:
    for folder in every.iterdir():
        if folder.is_dir() and folder.stat().st_mtime < time.time() - UNUSED_S:
            shutil.rmtree(folder)


def _install(folder: Path, packages: Sequence[str], options: Sequence[str]) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"npm is not installed: {', '.join(packages)} were NOT tested")
    folder.mkdir()
    command = [npm, "install", "--no-audit", "--no-fund", "--prefer-offline", *options, *packages]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_S)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm install took over {INSTALL_S} s: {', '.join(packages)} were NOT tested")
    if done.returncode:
        pytest.skip(f"npm install failed: {', '.join(packages)} were NOT tested: {done.stderr[-300:]}")
