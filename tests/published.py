"""Published data sets, which are not part of the project: they are read from a folder beside the checkout."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("TOLDONCE_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))


def published(name: str) -> Path:
    """Return the path of a file or folder of the data; skip the test if it is absent."""
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{name} is not in {FOLDER}; set TOLDONCE_TEST_DATA to the folder that has it")
    return path
