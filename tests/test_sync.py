"""`Recollect` forwards to `AsyncRecollect` on one background loop, and holds nothing of its own."""

import inspect
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.engine import AsyncRecollect
from recollect.errors import BadSettingError, UnknownMemoryError
from recollect.settings import Settings
from recollect.testing import FakeClock
from recollect.types import MemoryKind, Subject
from sample_chats import PEANUTS_AND_OSLO, RESTAURANT, user

# What a library's user calls; `work` runs by itself here, and the operator's calls are the command line's.
FORWARDED = (
    "add", "record", "form", "search", "context", "list", "get", "history", "forget", "conversations", "messages",
    "decisions", "why", "undo", "undo_from", "window", "summary_so_far", "prompt", "energy", "open_conversation",
    "conversation", "end_conversation", "save_conversation", "memory_of", "formed_of", "nearest", "erase",
    "erase_messages", "erase_conversation", "erase_subject", "link", "unlink", "subscribe", "unsubscribe",
    "subscriptions", "tend", "held", "approve", "reject", "add_all",
)  # fmt: skip


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database_url=f"sqlite:///{tmp_path / 'kept.sqlite3'}")


@pytest.fixture
def memory(settings: Settings, clock: FakeClock) -> Iterator[Recollect]:
    with Recollect(settings, clock=clock) as opened:
        yield opened


def ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "recollect"]


def public(of: type) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


def test_both_have_the_same_methods() -> None:
    assert public(Recollect) == public(AsyncRecollect) >= set(FORWARDED)


@pytest.mark.parametrize("name", sorted(public(AsyncRecollect)))
def test_each_method_takes_and_returns_what_its_twin_does(name: str) -> None:
    blocking, twin = getattr(Recollect, name), getattr(AsyncRecollect, name)
    if isinstance(blocking, property):
        assert isinstance(twin, property)
        blocking, twin = blocking.fget, twin.fget
    assert not inspect.iscoroutinefunction(blocking)
    mine, its = inspect.signature(blocking), inspect.signature(twin)
    assert [(one.name, one.kind, one.default) for one in mine.parameters.values()] == [
        (one.name, one.kind, one.default) for one in its.parameters.values()
    ]
    assert str(mine.return_annotation).replace("ListOf", "list") == str(its.return_annotation)


def test_apps_transfers_and_formations_are_at_hand_without_asyncio(memory: Recollect) -> None:
    memory.announce_app("calendar", user="ana")
    app = Subject("app", "ana/calendar")
    kept = memory.add("Ana's dentist is Dr Berg.", user=app, profile="app")
    assert memory.app_memories("calendar", user="ana") == [kept]
    memory.delete_app_memory("calendar", kept.number, user="ana")
    assert memory.remove_app("calendar", user="ana") == 0
    memory.record([user(PEANUTS_AND_OSLO)], user="ana")
    memory.form()
    assert [one.parked for one in memory.formations(parked=True)] == []
    assert app in memory.subjects()
    written = BytesIO()
    assert memory.export_to(written, user="ana") > 0
    assert memory.worker_counters.formed >= 1


def test_background_work_is_stopped_and_waited_for(settings: Settings, clock: FakeClock) -> None:
    with Recollect.open(settings, clock=clock) as memory:
        memory.stop_work()
        memory.work()
        memory.record([user(PEANUTS_AND_OSLO)], user="ana")
        assert memory.list(user="ana") == []


def test_what_is_recorded_is_formed_behind_the_call_and_found(memory: Recollect) -> None:
    recorded = memory.record([user(PEANUTS_AND_OSLO)], user="ana")
    memory.form()
    assert memory.search(RESTAURANT, user="ana").items[0].memory.value == "peanuts"
    assert [one.id for one in memory.conversations(user="ana")] == [recorded.conversation]
    assert [one.text for one in memory.messages(recorded.conversation, user="ana")] == [PEANUTS_AND_OSLO]
    assert memory.decisions(user="ana")


def test_a_memory_by_hand_can_be_read_and_forgotten(memory: Recollect) -> None:
    kept = memory.add("I like tea.", user="ana")
    assert memory.get(kept.id, user="ana") == kept
    assert memory.list(user="ana", kinds=(MemoryKind.NOTE,)) == [kept]
    memory.forget(kept.id, user="ana")
    assert memory.list(user="ana") == []
    assert [line.reason for line in memory.history(kept.id, user="ana").decisions][-1] == "forgotten by hand"


def test_errors_come_through_as_they_are(memory: Recollect) -> None:
    with pytest.raises(UnknownMemoryError):
        memory.get("nothing", user="ana")


def test_many_threads_may_call_it_at_once(memory: Recollect) -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = {one.id for one in pool.map(lambda _: memory.add("I like tea.", user="ana"), range(16))}
    assert len(ids) == 1


def test_it_is_closed_once_with_its_thread_and_knows_everything_when_opened_again(
    settings: Settings, clock: FakeClock
) -> None:
    first = Recollect(settings, clock=clock)
    first.add("I like tea.", user="ana")
    assert len(ours()) == 1
    first.close()
    first.close()
    assert ours() == []
    with Recollect(settings, clock=clock) as second:
        assert [one.text for one in second.list(user="ana")] == ["I like tea."]


def test_what_is_called_after_the_end_is_refused_in_a_sentence(settings: Settings) -> None:
    memory = Recollect(settings)
    memory.close()
    with pytest.raises(RuntimeError, match="closed"):
        memory.list(user="ana")


def test_a_setting_that_cannot_be_used_leaves_no_thread_behind(settings: Settings) -> None:
    wrong = settings.model_copy(update={"database_url": "mysql://nowhere"})
    with pytest.raises(BadSettingError):
        Recollect(wrong)
    assert ours() == []
