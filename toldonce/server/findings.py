"""What `toldonce doctor` reports, one line each. Pure."""

from dataclasses import dataclass
from enum import StrEnum


class FindingState(StrEnum):
    """Severity of a finding."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the report."""

    what: str
    state: FindingState
    text: str
    todo: str = ""
    """What to do about it; empty if nothing."""


def ok(what: str, text: str) -> Finding:
    """Return a finding without a problem."""
    return Finding(what=what, state=FindingState.OK, text=text)


def warn(what: str, text: str, todo: str) -> Finding:
    """Return a finding that works but needs attention."""
    return Finding(what=what, state=FindingState.WARN, text=text, todo=todo)


def fail(what: str, text: str, todo: str = "") -> Finding:
    """Return a finding that does not work."""
    return Finding(what=what, state=FindingState.FAIL, text=text, todo=todo)
