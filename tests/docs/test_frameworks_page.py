"""Each framework of `docs/frameworks.md` has a test that runs its examples, which has the framework itself."""

import re
from pathlib import Path

from framework_examples import examples

TESTS = Path(__file__).parents[1] / "integrations"


def test_the_examples_of_each_framework_are_run() -> None:
    run = {
        name
        for path in TESTS.glob("*.py")
        for name in re.findall(r'check_examples\("([^"]+)"', path.read_text("utf-8"))
    }
    assert {framework for framework, codes in examples().items() if codes} == run
