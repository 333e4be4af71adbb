"""Packages of npm, kept from one test run to the next; skips, with the reason, where they cannot be had. Starts npm."""

import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from kept_folders import kept_folder

# A cold cache fetches some 300 MB.
INSTALL_S = 400
TSC = "typescript-7/bin/tsc"
"""The compiler in Go, among the libraries: it takes a fifth of the CPU time of TypeScript 5, which generators need."""
_LIBRARIES = Path(__file__).parent / "npm" / "package.json"


def linked_libraries(folder: Path) -> Path:
    """Let programs in a folder import the libraries; return the folder with all of them."""
    libraries = installed_libraries()
    (folder / "node_modules").symlink_to(libraries)
    return libraries


def installed_libraries() -> Path:
    """Return the folder of the libraries that npm/package.json names.

    Its programs are in `.bin`. They are installed together: npm takes seconds of CPU time for each environment.
    """
    wanted: dict[str, str] = json.loads(_LIBRARIES.read_text("utf-8"))["dependencies"]
    return installed_packages([f"{name}@{version}" for name, version in wanted.items()]).parent


def installed_packages(packages: Sequence[str], *, runs_scripts: bool = False) -> Path:
    """Return the folder of the packages' programs; nothing may be written there: all test runs share it.

    Installing costs npm up to half a minute of CPU time even if it has all in its own cache.

    Args:
        packages: Names with versions.
        runs_scripts: They do not work without the scripts that they come with.
    """
    contents = [sys.platform, platform.machine(), str(runs_scripts), *packages]
    options = () if runs_scripts else ("--ignore-scripts",)
    folder = kept_folder("npm", contents, lambda half: _install(half, packages, options))
    return folder / "node_modules" / ".bin"


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
