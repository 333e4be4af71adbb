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
