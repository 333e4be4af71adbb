"""Freed memory is returned, but not all the time."""

import pytest

from toldonce import freed_memory
from toldonce.freed_memory import MIN_PAUSE_S, return_freed_memory


def test_freed_memory_is_returned_only_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    now, calls = 1000.0, list[int]()
    monkeypatch.setattr(freed_memory, "_last", 0.0)
    monkeypatch.setattr("toldonce.freed_memory.time.monotonic", lambda: now)
    monkeypatch.setattr(freed_memory, "_trim", lambda: calls.append)

    assert [return_freed_memory(), return_freed_memory()] == [True, False]
    now += MIN_PAUSE_S
    assert return_freed_memory()
    assert calls == [0, 0]


def test_another_c_library_has_nothing_to_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> object:
        raise OSError("no such library")

    monkeypatch.setattr("ctypes.CDLL", fail)
    assert freed_memory._trim.__wrapped__()(0) == 0
