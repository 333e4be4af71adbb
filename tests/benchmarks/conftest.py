"""The server that a benchmark measures, forked: tests look at the rows, not at how long its start takes."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

import pytest

from benchmarks import processes
from forked_processes import ForkedProcess


@pytest.fixture
def fork_servers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that lets servers be forks, with further settings (without their prefix)."""

    def fork(**settings: str) -> None:
        further = {f"TOLDONCE_{name}": value for name, value in settings.items()}

        def serve(env: Mapping[str, str], folder: Path, out: IO[bytes], descriptors: None) -> ForkedProcess:
            assert descriptors is None, "a fork has the limits of this process"
            arguments = ("-m", "toldonce", "serve")
            return ForkedProcess(*arguments, env={**env, **further}, cwd=folder, log=out, new_session=True)

        monkeypatch.setattr(processes, "_serve", serve)

    return fork
