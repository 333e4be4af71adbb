"""Frameworks with too many packages for the tests, each in an environment of its own that is kept. Starts uv."""

import os
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from kept_folders import kept_folder
from patience import PATIENCE_S

# A cold cache fetches some 100 MB.
INSTALL_S = 300
ROOT = Path(__file__).parents[1]
# Where a folder of packages is put behind the framework's own. No part of the environment: so all checkouts share it.
_START = "import runpy, sys; sys.path.append(sys.argv[1]); runpy.run_path(sys.argv[2], run_name='__main__')"


def run_with_framework(program: Path, *packages: str) -> str:
    """Run a program where a framework is installed, and return what it prints; skip, with the reason, if that fails.

    The framework's own packages come first, then those of this environment: ToldOnce from this checkout runs with the
    versions that the framework wants.

    Args:
        program: A Python file.
        packages: The framework with its version, such as `llama-index-core==0.14.25`.
    """
    contents = [sys.platform, platform.machine(), sys.version, sys.base_prefix, *packages]
    folder = kept_folder("frameworks", contents, lambda half: _install(half, packages))
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
    env = os.environ | {"PYTHONPATH": paths, "PYTHONWARNINGS": "default"}
    command = [str(folder / "bin" / "python"), "-c", _START, sysconfig.get_path("purelib"), str(program)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def _install(folder: Path, packages: tuple[str, ...]) -> None:
    _uv("venv", "--quiet", "--python", sys.executable, str(folder), packages=packages)
    interpreter = str(folder / "bin" / "python")
    _uv("pip", "install", "--quiet", "--python", interpreter, *packages, packages=packages)


def _uv(*arguments: str, packages: tuple[str, ...]) -> None:
    command = [str(Path(sys.executable).with_name("uv")), *arguments]
    untested = f"{', '.join(packages)} were NOT tested"
    try:
        done = subprocess.run(
            command, env=os.environ | {"UV_SYSTEM_CERTS": "1"}, capture_output=True, text=True, timeout=INSTALL_S
        )
    except FileNotFoundError:
        pytest.skip(f"uv is not installed: {untested}")
    except subprocess.TimeoutExpired:
        pytest.skip(f"uv took over {INSTALL_S} s: {untested}")
    if done.returncode:
        pytest.skip(f"uv failed: {untested}: {done.stderr[-300:]}")
