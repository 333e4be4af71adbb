"""The table of planted defects keeps up with the code: planting one takes minutes, looking takes none."""

import re
from pathlib import Path

import pytest

from .defect import Defect
from .defects import DEFECTS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_what_a_defect_replaces_stands_once_and_who_notices_is_there(defect: Defect) -> None:
    assert (ROOT / defect.file).read_text("utf-8").count(defect.sound) == 1
    for named in defect.noticed_by:
        file, _, test = named.partition("::")
        assert re.search(rf"def {test.partition('[')[0]}\b", (ROOT / file).read_text("utf-8")), named
