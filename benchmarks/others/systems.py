"""Which systems are measured, and the environment each runs in. Makes virtual environments outside the repository."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent
DEFAULT_FOLDER = user_cache_path("toldonce-bench")
# In the folder of a system that keeps its data in PostgreSQL: where its database is.
URL_FILE = "url"
_READY = ".ready"
_CAN_LOAD = "import sqlite3, sys; sys.exit(not hasattr(sqlite3.Connection, 'enable_load_extension'))"


class EnvironmentMissingError(Exception):
    """A system has no environment to run in, or it cannot be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """Something that keeps memories."""

    name: str
    """As it is written by those who make it."""
    adapter: str
    """Name of its module among the adapters, and of its file of pinned versions."""
    packages: tuple[str, ...] = ()
    """Packages whose versions are reported; empty for those that run in the benchmark's own environment."""
    loads_extensions: bool = False
    """Whether its Python must be able to load extensions into SQLite; not every build is."""
    alone: str = ""
    """The column of its search by vectors alone, which is all that the others do; empty where there is no other."""
    on_postgres: bool = False
    """Whether its data are in a PostgreSQL server that the benchmark starts."""

    @property
    def requirements(self) -> Path:
        """The file of pinned versions."""
        return HERE / f"{self.adapter}.txt"

    def version(self) -> str:
        """Return the versions that matter, such as `chromadb 1.5.9`; empty without packages of its own."""
        if not self.packages:
            return ""
        pinned = dict(
            line.split(";")[0].strip().split("==")
            for line in self.requirements.read_text("utf-8").splitlines()
            if "==" in line
        )
        return ", ".join(f"{package} {pinned[package]}" for package in self.packages)


TOLDONCE = System(name="ToldOnce", adapter="toldonce", alone="ToldOnce, vectors alone")
ON_POSTGRES = System(
    name="ToldOnce, PostgreSQL",
    adapter="toldonce_postgres",
    alone="PostgreSQL, vectors alone",
    on_postgres=True,
)
BARE = System(name="numpy, SQLite", adapter="bare")
OTHERS = (
    System(name="mem0", adapter="mem0", packages=("mem0ai", "qdrant-client")),
    System(
        name="LangGraph",
        adapter="langgraph",
        packages=("langgraph-checkpoint-sqlite", "sqlite-vec"),
        loads_extensions=True,
    ),
    System(name="Chroma", adapter="chroma", packages=("chromadb",)),
    System(name="LanceDB", adapter="lancedb", packages=("lancedb",)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Environments:
    """The environments in a folder, each named by its system and what is pinned for it."""

    folder: Path = DEFAULT_FOLDER

    def python(self, system: System) -> str:
        """Return the interpreter a system runs in.

        Raises:
            EnvironmentMissingError: it was not made yet; the message says how to.
        """
        if not system.packages:
            return sys.executable
        if not (self._of(system) / _READY).exists():
            raise EnvironmentMissingError(
                f"{system.name} has no environment in {self.folder}: make those of all systems with "
                "`.venv/bin/python -m benchmarks.others --prepare` (some 1 GB from PyPI)"
            )
        return str(_interpreter(self._of(system)))

    def prepare(self, system: System, python: str) -> None:
        """Make a system's environment with an interpreter, unless it is there or none is needed.

        Raises:
            EnvironmentMissingError: there is no uv, the interpreter does not do, or installing failed.
        """
        if not system.packages:
            return
        where = self._of(system)
        if (where / _READY).exists():
            return
        if system.loads_extensions and subprocess.run([python, "-c", _CAN_LOAD]).returncode:
            raise EnvironmentMissingError(
                f"{python} was built without SQLite extensions, which {system.name} loads for its vectors: "
                "choose another interpreter with --python, such as /usr/bin/python3"
            )
        shutil.rmtree(where, ignore_errors=True)
        _uv("venv", "--quiet", "--python", python, str(where))
        _uv("pip", "install", "--quiet", "--python", str(_interpreter(where)), "-r", str(system.requirements))
        (where / _READY).touch()

    def _of(self, system: System) -> Path:
        digest = hashlib.sha256(system.requirements.read_bytes()).hexdigest()[:8]
        return self.folder / f"{system.adapter}-{digest}"


def _interpreter(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _uv(*arguments: str) -> None:
    beside = Path(sys.executable).parent / "uv"
    uv = str(beside) if beside.exists() else shutil.which("uv")
    if uv is None:
        raise EnvironmentMissingError(f"uv is neither in {beside.parent} nor on the PATH: `make bench` puts it there")
    command: Sequence[str] = (uv, *arguments)
    done = subprocess.run(command, env=os.environ | {"UV_SYSTEM_CERTS": "1"}, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise EnvironmentMissingError(f"{' '.join(command)} failed:\n{done.stderr}")
