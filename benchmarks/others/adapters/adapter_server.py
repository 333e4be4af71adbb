"""The adapters' side of the talk: JSON lines in, JSON lines out, and the time each call took. Standard library alone.

A request names what to `do`; the answer has `took_s`, the time that the system's own call took: reading and writing the
lines, and making numbers of the vectors, are not in it. What fails ends the process; standard error has the traceback.
"""

import base64
import json
import os
import sys
import threading
import time
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO, Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A memory to keep, with its vector: no adapter embeds anything."""

    user: str
    text: str
    vector: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question to one user's memories."""

    user: str
    text: str
    vector: list[float]
    limit: int


class Adapter(Protocol):
    """One system with its database open. Ids are the system's own, as text."""

    def load(self, memories: Sequence[Given]) -> list[str]:
        """Keep many memories, the way the system offers for many; return their ids in this order."""
        ...

    def loaded(self) -> None:
        """Do what the system's documentation asks for after a large load."""
        ...

    def search(self, asked: Asked) -> list[str]:
        """Find a user's memories that bear on a question, best first: the system's usual search. Thread-safe."""
        ...

    def nearest(self, asked: Asked) -> list[str]:
        """Find a user's memories nearest to the question's vector, best first."""
        ...

    def add(self, memory: Given) -> str:
        """Keep one memory; return its id."""
        ...

    def delete(self, user: str, memory_id: str) -> None:
        """Take one memory away."""
        ...

    def size(self) -> int:
        """Count the memories of all users."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


class Told:
    """The embedder for systems that insist on one: it knows the vectors of each thread's latest texts and no others."""

    def __init__(self) -> None:
        """Create it without vectors."""
        self._vectors: dict[str, list[float]] = {}
        self._uses: Counter[str] = Counter()
        self._latest: dict[int, list[str]] = {}
        self._lock = threading.Lock()

    def tell(self, texts: Sequence[Given | Asked]) -> None:
        """Learn these texts' vectors, and forget those of the texts that this thread gave before."""
        with self._lock:
            self._vectors.update({text.text: text.vector for text in texts})
            before = self._latest.get(threading.get_ident(), [])
            now = self._latest[threading.get_ident()] = [text.text for text in texts]
            self._uses.update(now)
            self._uses.subtract(before)
            for text in before:
                if not self._uses[text]:
                    self._vectors.pop(text, None)
                    del self._uses[text]

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Hand out the vectors of texts; an unknown text is a `KeyError`: nothing is made up."""
        return [self._vectors[text] for text in texts]


Open = Callable[[Path, int], Adapter]
"""Opens a system's database in a folder, for vectors of a length."""


class Served:
    """Answers requests to one adapter."""

    def __init__(self, opening: Open) -> None:
        """Wait for the request that says where the database is."""
        self._open = opening
        self._adapter: Adapter | None = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Do what a request asks for."""
        if request["do"] == "open":
            folder, dim = Path(request["folder"]), int(request["dim"])
            start = time.perf_counter()
            self._adapter = self._open(folder, dim)
            return {"took_s": time.perf_counter() - start}
        if self._adapter is None:
            raise ValueError(f"{request['do']!r} came before 'open'")
        return _timed(_call(self._adapter, request))


def _call(adapter: Adapter, request: Mapping[str, Any]) -> Callable[[], dict[str, Any]]:
    """Prepare a call, so that only the call itself is timed."""
    do = request["do"]
    if do == "load":
        memories = [_given(memory) for memory in request["memories"]]
        return lambda: {"ids": adapter.load(memories)}
    if do in ("search", "nearest"):
        asked = _asked(request)
        find = adapter.search if do == "search" else adapter.nearest
        return lambda: {"ids": find(asked)}
    if do == "search_many":
        questions = [_asked(question) for question in request["questions"]]
        return lambda: {"count": _search_many(adapter, questions, int(request["threads"]), float(request["seconds"]))}
    if do == "add":
        memory = _given(request)
        return lambda: {"id": adapter.add(memory)}
    if do == "size":
        return lambda: {"count": adapter.size()}
    if do == "delete":
        return _silent(lambda: adapter.delete(request["user"], request["id"]))
    if do in ("loaded", "close"):
        return _silent(adapter.loaded if do == "loaded" else adapter.close)
    raise ValueError(f"an adapter cannot do {do!r}")


def _search_many(adapter: Adapter, questions: Sequence[Asked], threads: int, seconds: float) -> int:
    """Search from several threads until the time is up; return how many searches were answered."""
    until, places = time.perf_counter() + seconds, count()

    def ask_in_turn() -> int:
        answered = 0
        while time.perf_counter() < until:
            adapter.search(questions[next(places) % len(questions)])
            answered += 1
        return answered

    with ThreadPoolExecutor(threads) as pool:
        clients = [pool.submit(ask_in_turn) for _ in range(threads)]
        return sum(client.result() for client in clients)


def _silent(call: Callable[[], None]) -> Callable[[], dict[str, Any]]:
    def answered() -> dict[str, Any]:
        call()
        return {}

    return answered


def _timed(call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    start = time.perf_counter()
    told = call()
    return told | {"took_s": time.perf_counter() - start}


def _given(fields: Mapping[str, Any]) -> Given:
    return Given(user=fields["user"], text=fields["text"], vector=unpacked(fields["vector"]))


def _asked(fields: Mapping[str, Any]) -> Asked:
    given = _given(fields)
    return Asked(user=given.user, text=given.text, vector=given.vector, limit=int(fields["limit"]))


def packed(vector: bytes) -> str:
    """Write a vector's float32 bytes for a line of JSON."""
    return base64.b64encode(vector).decode("ascii")


def unpacked(text: str) -> list[float]:
    """Read a vector from a line of JSON.

    >>> unpacked(packed(array("f", [0.5, -1.0]).tobytes()))
    [0.5, -1.0]
    """
    numbers = array("f")
    numbers.frombytes(base64.b64decode(text))
    return numbers.tolist()


def serve(opening: Open) -> None:
    """Answer lines on standard input until it ends; what the system prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    talk(Served(opening), sys.stdin, answers)


def talk(served: Served, requests: IO[str], answers: IO[str]) -> None:
    """Answer each line with a line."""
    for line in requests:
        answers.write(json.dumps(served.answer(json.loads(line))) + "\n")
        answers.flush()
