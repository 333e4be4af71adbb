"""`ToldOnce` forwards to `AsyncToldOnce` on one background loop, and holds nothing of its own."""

import inspect
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from library_methods import namespaces
from sample_chats import PEANUTS_AND_OSLO, RESTAURANT, user
from toldonce import ToldOnce
from toldonce.errors import BadSettingError, UnknownMemoryError
from toldonce.settings import Settings
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind, Subject

NAMESPACES = [name for name, _ in namespaces()]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database_url=f"sqlite:///{tmp_path / 'kept.sqlite3'}")


@pytest.fixture
def memory(settings: Settings, clock: FakeClock) -> Iterator[ToldOnce]:
    with ToldOnce(settings, clock=clock) as opened:
        yield opened


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "toldonce"]


def public(of: type) -> dict[str, object]:
    members = {name: inspect.getattr_static(of, name) for name in dir(of) if not name.startswith("_")}
    return {name: member for name, member in members.items() if not isinstance(member, cached_property)}


@pytest.mark.parametrize("namespace", ["", *NAMESPACES])
def test_each_method_takes_and_returns_what_its_twin_does(memory: ToldOnce, namespace: str) -> None:
    core = memory._engine.core
    blocking = public(type(getattr(memory, namespace) if namespace else memory))
    twins = public(type(getattr(core, namespace) if namespace else core))
    assert blocking.keys() == twins.keys()
    for name, method in blocking.items():
        assert isinstance(method, property | classmethod) or inspect.isfunction(method), name
        assert type(method) is type(twins[name])
        mine, its = (inspect.signature(_function(each)) for each in (method, twins[name]))
        assert not inspect.iscoroutinefunction(_function(method))
        assert str(mine) == str(its).replace("AsyncToldOnce", "Self"), name


def _function(member: Any) -> Any:
    match member:
        case property():
            return member.fget
        case classmethod():
            return member.__func__
        case _:
            return member


def test_apps_transfer_and_formations_work_without_asyncio(memory: ToldOnce) -> None:
    memory.apps.register("calendar", user="ana")
    app = Subject("app", "ana/calendar")
    kept = memory.add("Ana's dentist is Dr Berg.", user=app, profile="app")
    assert memory.apps.memories("calendar", user="ana") == [kept]
    memory.apps.delete_memory("calendar", kept.number, user="ana")
    assert memory.apps.remove("calendar", user="ana") == 0
    memory.record([user(PEANUTS_AND_OSLO)], user="ana")
    memory.form()
    assert [status.parked for status in memory.admin.formations(parked=True)] == []
    assert app in memory.admin.subjects()
    written = BytesIO()
    assert memory.transfer.export_to(written, user="ana") > 0
    assert memory.admin.worker_counters.formed >= 1


def test_background_work_is_stopped_and_waited_for(settings: Settings, clock: FakeClock) -> None:
    with ToldOnce.open(settings, clock=clock) as memory:
        memory.admin.stop_worker()
        memory.admin.run_worker()
        memory.record([user(PEANUTS_AND_OSLO)], user="ana")
        assert memory.list(user="ana") == []


def test_recorded_messages_are_formed_in_the_background(memory: ToldOnce) -> None:
    recorded = memory.record([user(PEANUTS_AND_OSLO)], user="ana")
    memory.form()
    assert memory.search(RESTAURANT, user="ana").items[0].memory.value == "peanuts"
    assert [chat.id for chat in memory.conversations.list(user="ana")] == [recorded.conversation]
    messages = memory.conversations.messages(recorded.conversation, user="ana")
    assert [message.text for message in messages] == [PEANUTS_AND_OSLO]
    assert memory.history.decisions(user="ana")


def test_a_note_can_be_read_and_forgotten(memory: ToldOnce) -> None:
    kept = memory.add("I like tea.", user="ana")
    assert memory.get(kept.id, user="ana") == kept
    assert memory.list(user="ana", kinds=(MemoryKind.NOTE,)) == [kept]
    memory.forget(kept.id, user="ana")
    assert memory.list(user="ana") == []
    assert [line.reason for line in memory.history.get(kept.id, user="ana").decisions][-1] == "forgotten by hand"


def test_errors_come_through_unchanged(memory: ToldOnce) -> None:
    with pytest.raises(UnknownMemoryError):
        memory.get("nothing", user="ana")


def test_many_threads_may_call_it_at_once(memory: ToldOnce) -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = {note.id for note in pool.map(lambda _: memory.add("I like tea.", user="ana"), range(16))}
    assert len(ids) == 1


def test_closing_ends_its_thread_and_keeps_its_memories(settings: Settings, clock: FakeClock) -> None:
    first = ToldOnce(settings, clock=clock)
    first.add("I like tea.", user="ana")
    assert len(threads()) == 1
    first.close()
    first.close()
    assert threads() == []
    with ToldOnce(settings, clock=clock) as second:
        assert [note.text for note in second.list(user="ana")] == ["I like tea."]


def test_a_call_after_close_is_refused(settings: Settings) -> None:
    memory = ToldOnce(settings)
    memory.close()
    with pytest.raises(RuntimeError, match="closed"):
        memory.list(user="ana")


def test_a_wrong_setting_leaves_no_thread_running(settings: Settings) -> None:
    wrong = settings.model_copy(update={"database_url": "mysql://nowhere"})
    with pytest.raises(BadSettingError):
        ToldOnce(wrong)
    assert threads() == []
