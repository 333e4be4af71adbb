"""One defect to plant, and the tests that must notice it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """One defect."""

    name: str
    file: str
    sound: str
    """The text as it stands, once in the file; where it no longer does, this table is to be mended."""
    planted: str
    noticed_by: tuple[str, ...]
    """Tests (pytest's node ids) of which one at least turns red."""
