"""A server loads ahead, in a thread, what chats use, and then what formations use. Counted, not timed."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from patience import PATIENCE_S
from server.asgi import Call, chat
from toldonce.engine import AsyncToldOnce
from toldonce.server.app import Preload, build_app

# Prints what the chats of a server that has just started compile and load on its event loop after they have waited for
# the preload, and what a formation does once the preload has ended.
CHATS = """
import asyncio, sys, threading
from toldonce import lazy_pattern
from toldonce.engine import AsyncToldOnce
from toldonce.lazy_pattern import LazyPattern
from toldonce.server.app import build_app
from toldonce.server.chat_completions import ChatProxy
from toldonce.settings import Settings
from server.asgi import Call, chat
compiled, loaded = [], []
everything_is_loaded = False
compile_pattern, serve_chat = LazyPattern.compile, ChatProxy.__call__
def count(pattern):
    if everything_is_loaded or threading.current_thread() is threading.main_thread():
        compiled.append(pattern.pattern)
    return compile_pattern(pattern)
async def note(proxy, *arguments):
    before = set(sys.modules)
    LazyPattern.compile = count
    await serve_chat(proxy, *arguments)
    loaded.extend(set(sys.modules) - before)
ChatProxy.__call__ = note
async def main():
    global everything_is_loaded
    settings = Settings(database_url=f"sqlite:///{sys.argv[1]}", worker="off")
    async with await AsyncToldOnce.open(settings) as memory:
        app = build_app(memory)
        async with app.router.lifespan_context(app):
            for text in ("What do I like to drink on 3 May?", "I moved to Oslo because of my job."):
                call = Call(chat(text))
                await app(call.scope(), call.receive(), call.send())
                assert call.status == 200, call.text
            while lazy_pattern._declared_for_formations:  # a server that ends compiles no more of them
                await asyncio.sleep(0.01)
        everything_is_loaded, before = True, set(sys.modules)
        assert await memory.form()
        loaded.extend(set(sys.modules) - before)
asyncio.run(main())
print("compiled", len(compiled), *compiled)
print("loaded", *loaded)
"""
PACKAGES = {"toldonce", "numpy", "rapidfuzz", "tokenizers", "tiktoken", "Stemmer", "dateutil", "apsw", "aiohttp"}


async def serve(memory: AsyncToldOnce) -> Call:
    """Send a chat to a server that starts for it."""
    app = build_app(memory)
    call = Call(chat("What do I like to drink?"))
    async with app.router.lifespan_context(app):
        await app(call.scope(), call.receive(), call.send())
    return call


def test_the_first_chats_compile_no_pattern_and_load_no_module(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CHATS, str(tmp_path / "kept.sqlite3")],
        cwd=Path(__file__).parents[1],  # where the module `server.asgi` is
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    compiled, loaded = ran.stdout.splitlines()[-2:]

    assert compiled == "compiled 0"
    assert [module for module in loaded.split() if module.partition(".")[0] in PACKAGES] == []


@pytest.mark.parametrize("step", ["load_turns", "load_chats", "load_formations"])
async def test_chats_are_answered_when_loading_ahead_fails(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, step: str
) -> None:
    def fail(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(f"toldonce.server.app.{step}", fail)
    call = await serve(engine)

    assert call.status == 200
    assert "loading ahead failed" in caplog.text


async def test_chats_do_not_wait_for_what_formations_use(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    was_answered = Event()
    waited: list[bool] = []
    monkeypatch.setattr("toldonce.server.app.load_formations", lambda _: waited.append(was_answered.wait(PATIENCE_S)))
    app = build_app(engine)
    call = Call(chat("What do I like to drink?"))
    async with app.router.lifespan_context(app):
        await app(call.scope(), call.receive(), call.send())
        was_answered.set()

    assert call.status == 200
    assert waited == [True]


async def test_a_server_that_ends_compiles_no_further_patterns(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, is_ending = Event(), Event()
    answers: list[bool] = []

    def load(stop: Callable[[], bool]) -> None:
        asked.set()
        is_ending.wait(PATIENCE_S)
        answers.append(stop())

    monkeypatch.setattr("toldonce.server.app.load_formations", load)
    preload = Preload(engine.counter, engine.own_embedder)
    preload.start()
    await asyncio.to_thread(asked.wait, 30)
    closing = asyncio.create_task(preload.close())
    await asyncio.sleep(0)
    is_ending.set()
    await closing
    assert answers == [True]
