"""The library over a real socket to a real `toldonce serve`: keys, lost answers, a server that stops, large files."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path

import pytest

from integration.server_process import ServerProcess
from patience import PATIENCE_S
from sample_chats import PEANUTS_AND_OSLO, RESTAURANT, user
from toldonce import AsyncToldOnce, NewNote, ToldOnce
from toldonce.errors import (
    BadServerError,
    BadSettingError,
    NoAccessError,
    NoCredentialError,
    NotOverHttpError,
    ServerUnreachableError,
    StoreUnavailableError,
    UnknownMemoryError,
)
from toldonce.types import Access, NewApiKey


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("connected"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def memory(server: ServerProcess) -> Iterator[ToldOnce]:
    with ToldOnce.connect(server.base_url) as opened:
        yield opened


def test_a_program_remembers_on_a_server_as_in_its_process(memory: ToldOnce) -> None:
    assert isinstance(memory, ToldOnce)
    recorded = memory.record([user(PEANUTS_AND_OSLO)], user="ana", conversation="first")
    memory.form()
    [best, *_] = memory.search(RESTAURANT, user="ana").items
    assert best.memory.value == "peanuts"
    assert memory.conversations.get("first", user="ana").id == recorded.conversation
    note = memory.add("Ana plays the cello.", user="ana")
    corrected = memory.correct(note.id, "Ana plays the tuba.", user="ana", unchanged=note)
    assert memory.forget(corrected.id, user="ana").state == "closed"
    assert memory.erase(corrected.id, user="ana").done
    with pytest.raises(UnknownMemoryError, match=corrected.id):
        memory.get(corrected.id, user="ana")
    with pytest.raises(NotOverHttpError, match="has its own workers"):
        memory.admin.run_worker()
    with pytest.raises(NotOverHttpError, match="stop with it"):
        memory.admin.stop_worker()


def test_many_threads_share_a_connection(memory: ToldOnce) -> None:
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda number: memory.add(f"Ben has book {number}.", user="ben"), range(32)))
    assert {note.id for note in memory.list(user="ben")} == {note.id for note in added}


def test_a_list_longer_than_a_page_is_read_to_its_end(memory: ToldOnce) -> None:
    for part in range(3):
        memory.bulk.add([NewNote(f"Eva saw bird {part}-{number}.") for number in range(500)], user="eva")
    assert len(memory.list(user="eva", limit=1200)) == 1200
    assert len(memory.list(user="eva", limit=5000)) == 1500
    assert len({line.id for line in memory.history.decisions(user="eva", limit=5000)}) == 1500


class _Progress:
    def __init__(self) -> None:
        self.said: list[object] = []

    def begin(self, phase: str, unit: str, total: int) -> None:
        self.said.append((phase, unit, total))

    def reach(self, done: int) -> None:
        self.said.append(done)


def test_an_export_is_imported_by_another_server(memory: ToldOnce, tmp_path: Path) -> None:
    memory.bulk.add([f"Kim read page {number}." for number in range(300)], user="kim")
    file = BytesIO()
    lines = memory.transfer.export_to(file, user="kim")
    assert file.getvalue().count(b"\n") == lines > 300
    other = ServerProcess(tmp_path / "other")
    other.start()
    try:
        with ToldOnce.connect(other.base_url) as second:
            progress = _Progress()
            assert second.transfer.import_from(file, progress=progress).memories == 300
            assert progress.said[0] == ("importing", "memories", 300)
            assert progress.said[-1] == 300
            assert len(second.list(user="kim", limit=1000)) == 300
            assert second.transfer.import_from(file, only_missing=True).present == 1
            assert second.transfer.export_to(BytesIO(), everybody=True) == lines
    finally:
        other.stop()


class _CuttingProxy:
    """Forwards one connection after another; cuts the first ones once the server has begun to answer."""

    def __init__(self, port: int, cuts: int) -> None:
        self._port, self._cuts = port, cuts
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._port)) as server, suppress(OSError):
            threading.Thread(target=_copy, args=(client, server), daemon=True).start()
            while data := server.recv(65_536):
                if self._cuts > 0 and b"HTTP/1.1 201" in data:
                    self._cuts -= 1
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(data)

    def close(self) -> None:
        self._listener.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)


def test_a_write_whose_answer_is_cut_off_has_one_effect(server: ServerProcess, memory: ToldOnce) -> None:
    with closing(_CuttingProxy(server.port, cuts=3)) as proxy, ToldOnce.connect(proxy.url) as cut:
        added = cut.add("Max keeps bees.", user="max")
        recorded = cut.record([user("I keep bees.")], user="mia", conversation="hive")
    assert memory.list(user="max") == [added]
    assert memory.conversations.get("hive", user="mia").last_seq == 1
    assert recorded.appended == (1,)


async def test_a_server_that_is_gone_or_none_is_said_to_be_so(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "short")
    server.start()
    async with await AsyncToldOnce.connect(server.base_url, retries=1, timeout_s=PATIENCE_S) as memory:
        await memory.add("Ana plays the cello.", user="ana")
        await asyncio.to_thread(server.stop)
        with pytest.raises(StoreUnavailableError, match=r"does not answer|broke off"):
            await memory.list(user="ana")
        await asyncio.to_thread(server.start, PORT=str(server.port))
        assert len(await memory.list(user="ana")) == 1, "the connection works again"
    await asyncio.to_thread(server.stop)
    with pytest.raises(ServerUnreachableError, match="does not answer"):
        await AsyncToldOnce.connect(server.base_url, retries=0)
    with pytest.raises(BadSettingError, match="is no URL of a server"):
        await AsyncToldOnce.connect("memory.db")
    with pytest.raises(BadSettingError, match="pass the API key as key=") as caught:
        await AsyncToldOnce.connect("http://ana:hunter2@127.0.0.1:1")
    assert "hunter2" not in str(caught.value)


async def test_a_page_of_something_else_is_no_server() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5\r\n\r\nHello")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as other:
        port = other.sockets[0].getsockname()[1]
        with pytest.raises(BadServerError, match="is it a ToldOnce server"):
            await AsyncToldOnce.connect(f"http://127.0.0.1:{port}")


def test_a_key_decides_what_a_connection_may_do(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "keyed")
    server.start()
    try:
        with ToldOnce.connect(server.base_url) as trusted:
            _, operator = trusted.keys.create(NewApiKey(name="operator", access=Access.ADMIN, tenant=None))
        with ToldOnce.connect(server.base_url, operator) as admin:
            _, secret = admin.keys.create(NewApiKey(name="ana", access=Access.WRITE, user="ana", tenant="acme"))
            with ToldOnce.connect(server.base_url, secret) as ana:
                note = ana.add("Ana plays the cello.")
                assert (note.subject.name, note.subject.tenant) == ("ana", "acme")
                assert ana.get(note.id, user="ana") == ana.get(note.id, user=note.subject) == note
                assert admin.get(note.id, user=note.subject) == note
                for refused in (lambda: ana.list(user="ben"), ana.form, ana.admin.subjects):
                    with pytest.raises(NoAccessError):
                        refused()
        with pytest.raises(NoCredentialError, match="credential"):
            ToldOnce.connect(server.base_url)
        with pytest.raises(NoCredentialError):
            ToldOnce.connect(server.base_url, "rk_wrong")
        assert secret not in server.output()
    finally:
        server.stop()


def test_a_failed_connection_leaves_no_thread() -> None:
    with pytest.raises(ServerUnreachableError):
        ToldOnce.connect("http://127.0.0.1:9", retries=0)
    assert [thread for thread in threading.enumerate() if thread.name == "toldonce"] == []
