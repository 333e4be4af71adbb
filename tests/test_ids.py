"""Ids sort in the order they were made."""

import threading
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toldonce import ids
from toldonce.ids import id_bytes, id_text, new_id
from toldonce.testing import FakeClock


@pytest.fixture(autouse=True)
def _own_last_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """The far years of these tests stay in these tests."""
    monkeypatch.setattr(ids, "_last", (0, 0))


def test_ids_are_uuid7_of_the_clocks_millisecond() -> None:
    far = datetime(2090, 1, 1, tzinfo=UTC)
    found = UUID(new_id(FakeClock(far)))
    assert (found.version, found.variant) == (7, "specified in RFC 4122")
    assert found.int >> 80 == int(far.timestamp() * 1000)


def test_ids_ascend_even_if_the_clock_goes_back() -> None:
    clocks = [FakeClock(datetime(year, 1, 1, tzinfo=UTC)) for year in (2026, 2030, 1960, 2027)]
    made = [new_id(clock) for clock in clocks for _ in range(100)]
    assert made == sorted(made)
    assert [id_bytes(text) for text in made] == sorted(id_bytes(text) or b"" for text in made)


def test_ids_of_many_threads_are_unique() -> None:
    made: list[str] = []
    threads = [
        threading.Thread(target=lambda: made.extend([new_id(FakeClock()) for _ in range(500)])) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 4000


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(min_size=16, max_size=16))
def test_bytes_and_text_are_the_same_id(data: bytes) -> None:
    assert id_bytes(id_text(data)) == data


def test_what_is_no_id_in_canonical_form_is_none() -> None:
    good = id_text(bytes(range(16)))
    for wrong in ("", "x", good.upper(), good.replace("-", ""), f"{{{good}}}", f"{good} ", good[:-1]):
        assert id_bytes(wrong) is None
