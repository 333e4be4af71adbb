"""Google's Agent Development Kit has too many packages for the tests: its program runs in an environment of its own."""

from pathlib import Path

import pytest

from framework_environment import run_with_framework

pytestmark = pytest.mark.process


def test_runs_search_and_record_and_users_are_apart() -> None:
    program = Path(__file__).with_name("google_adk_program.py")
    assert run_with_framework(program, "google-adk==2.13.0").splitlines()[-1] == "done"
