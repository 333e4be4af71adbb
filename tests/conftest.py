"""Fixtures that most tests share: an engine over a store, with a fake clock and an embedder of words.

`pytest --store=file` runs them on another store than the one in memory. The markers `postgres` and `process` are for
tests that use a PostgreSQL server or start processes, `campaign` for those with very many or very large cases,
`twin` for those that repeat a test in memory on a file, or over HTTP; `make quick` leaves all of them out.
"""

import gc
import os
import re
import signal
from collections.abc import AsyncIterator, Generator, Iterator
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as examples
from hypothesis.internal.constants_ast import Constants
from starlette import routing
from xdist.remote import Producer  # type: ignore[import-untyped]

from postgres_server import NO_PROGRAMS, require_session_once
from remote_engine import far_engine
from soak import SOAK
from sqlite_image import copy_or_migrate
from stores import SEALED, STORES, new_store, url_of
from toldonce import memo
from toldonce.engine import AsyncToldOnce, Components
from toldonce.providers.protocols import TokenCounter
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.testing import FakeClock, WordEmbedder
from workers import LONG_FILES, PROCESS_FOLDERS, WorkerScheduler

# No limit of time for examples: a busy machine would miss it.
examples.register_profile(
    "toldonce", deadline=None, max_examples=100 if SOAK else 25, suppress_health_check=[HealthCheck.too_slow]
)
examples.load_profile("toldonce")

TESTS = Path(__file__).parent
CAMPAIGN_FOLDERS = ("stories", "scripted")
CAMPAIGN_FILES = (
    *("test_linear_patterns.py", "test_hostile_messages.py", "test_undo_property.py", "test_pairs.py"),
    *("test_thousand_turns.py", "test_many_statements.py", "test_large_subject.py", "test_episodes_property.py"),
)
LIMITS = (
    *("toldonce.engine.turn.FORGET_WAIT_S", "toldonce.engine.prepared_turn.LEDGER_WAIT_S"),
    *("toldonce.engine.query_builder.SEARCH_TIMEOUT_S", "toldonce.engine.components.FIT_TIMEOUT_S"),
    "toldonce.integrations.framework_chat.RECALL_TIMEOUT_S",
)
"""What they bound is left out, or done later, on a machine that is too busy: tests would see something else there."""
PRODUCT_PATIENCE_S = 60.0
LIBRARY_FOLDERS = ("engine",)
"""Their tests of the fixture `engine` run on a connection to a server, too."""
EVERY_CASE_FOLDER, PRODUCT_STORE = "store", "sealed_postgres"
"""Tests of the folder run on each store in all of their cases; of others, and on the store that only combines two which
have run them, a part does: see `_repeats`."""
ON_EACH_STORE = re.compile(
    r"_[is]\d+_|eras|forg[eo]t|kill|crash|los[est]|twice|doubl|others?_|tenant|secret|planted|import|export|cop[iy]|"
    r"servers|at_once|parallel"
)
"""Names of tests that run on each store: of invariants, data loss, security, ways in and out, concurrency."""
POSTGRES_CONNECTIONS = 3
"""Each prepares its own statements, which is most of what a short test on PostgreSQL costs."""
MAX_KEPT_RESULTS = 100_000
"""Results of pure functions that a worker keeps from test to test."""
OWN_MEMO_FILES = ("test_memo.py", "memo.py")
EVERY_STORE = (*STORES, *SEALED)
STORE_NAMES = re.compile(rf"\b({'|'.join(EVERY_STORE)})\b")
SERVER_STORES = re.compile(r"\b(postgres|sealed_postgres|citus)\b")
_results: dict[object, Any] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--store", choices=(*STORES, *SEALED), default=STORES[0], help="store of the engines in tests")


def pytest_configure() -> None:
    patch = pytest.MonkeyPatch()
    patch.setattr("toldonce.store.sqlite.connection.migrate", copy_or_migrate)
    patch.setattr("toldonce.store.postgres.executor.CONNECTIONS", POSTGRES_CONNECTIONS)
    patch.setattr("toldonce.store.postgres.migrate._require_session", require_session_once)
    patch.setattr(memo, "MAX_KEPT", MAX_KEPT_RESULTS)
    if not SOAK:
        # Constants of whatever modules a worker has loaded would be examples, too: others in each run.
        patch.setattr("hypothesis.internal.conjecture.providers._get_local_constants", Constants)
    # Each application would compile the patterns of its hundred paths, which took it half of its time to build.
    patch.setattr("starlette.routing.compile_path", cache(routing.compile_path))
    # Over Python's own handler, asyncio puts one of its own at each of the five steps of a test, in a millisecond.
    signal.signal(signal.SIGINT, _interrupt)
    for limit in LIMITS:
        patch.setattr(limit, PRODUCT_PATIENCE_S)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


@pytest.fixture(scope="session", autouse=True)
def _own_state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep secrets and logs of servers and hooks out of the tester's home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files none of whose tests `-m` selects: each worker would need seconds for that."""
    selected = config.option.markexpr
    if selected == "timing" and collection_path.suffix == ".py":
        return b"mark.timing" not in collection_path.read_bytes() or None
    deselected = [*(PROCESS_FOLDERS if "not process" in selected else ())]
    deselected += CAMPAIGN_FOLDERS if "not campaign" in selected else ()
    return collection_path in {TESTS / folder for folder in deselected} or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector neither run while tests are collected nor walk them ever after.

    It would look at the growing number of them again and again, which took each worker a quarter of its time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Keep the results of pure functions from test to test: they are asked the same sentences again and again."""
    token = memo._kept.set(None if item.path.name in OWN_MEMO_FILES else _results)
    try:
        return (yield)
    finally:
        memo._kept.reset(token)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    names = {item.nodeid for item in items}
    seen: set[tuple[str, str]] = set()
    items[:] = [item for item in items if not _repeats(item, names, seen)]
    items.sort(key=lambda item: not _is_long(item.path))
    for item in items:
        head, _, parameters = item.nodeid.partition("[")
        if parameters:
            in_memory = re.sub(r"\bfile\b", "memory", parameters)
            is_far = re.search(r"\bfar\b", parameters) is not None
            if is_far or (in_memory != parameters and f"{head}[{in_memory}" in names):
                item.add_marker("twin")
        for mark in _marks_of_file(item.path):
            item.add_marker(mark)
        if _uses_postgres(item):
            item.add_marker("postgres")


@cache
def _is_long(file: Path) -> bool:
    return file.name in LONG_FILES


@cache
def _marks_of_file(file: Path) -> tuple[str, ...]:
    is_campaign = file.parent.name in CAMPAIGN_FOLDERS or file.name in CAMPAIGN_FILES
    return (*(["process"] if file.parent.name in PROCESS_FOLDERS else []), *(["campaign"] if is_campaign else []))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WorkerScheduler:
    return WorkerScheduler(config, log)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what the library does a second time over HTTP."""
    is_of_library = metafunc.definition.path.parent.name in LIBRARY_FOLDERS
    if is_of_library and {"engine", "face"} <= set(metafunc.fixturenames):
        is_near_only = metafunc.definition.get_closest_marker("near_only") is not None
        metafunc.parametrize("face", ("near",) if is_near_only else ("near", "far"))


def _repeats(item: pytest.Item, names: set[str], seen: set[tuple[str, str]]) -> bool:
    """Return whether a test has nothing to find on its store that it does not find on an earlier one.

    Over HTTP, what is sent does not depend on the store. Beyond the store's own tests, which run each statement on each
    store, one case of a test shows that it holds on a further one, or over HTTP; for most tests their neighbours in the
    file show it. All run with TOLDONCE_SOAK.
    """
    head, _, parameters = item.nodeid.partition("[")
    if not parameters:
        return False
    if re.search(r"\bfar\b", parameters):
        is_first = (head, "far") not in seen
        seen.add((head, "far"))
        return not (is_first or SOAK)
    stores = STORE_NAMES.findall(parameters)
    if len(stores) != 1 or not any(other in names for other in _on_earlier_stores(head, parameters, stores[0])):
        return False
    is_of_store = item.path.relative_to(TESTS).parts[0] == EVERY_CASE_FOLDER
    if SOAK or (is_of_store and stores[0] != PRODUCT_STORE):
        return False
    case = (head, stores[0])
    if case in seen:
        return True
    seen.add(case)
    if ON_EACH_STORE.search(head.rpartition("::")[2]):
        return False
    file = (str(item.path), stores[0])
    is_first = file not in seen
    seen.add(file)
    return not is_first


def _on_earlier_stores(head: str, parameters: str, store: str) -> Iterator[str]:
    for earlier in EVERY_STORE[: EVERY_STORE.index(store)]:
        yield f"{head}[" + re.sub(rf"\b{store}\b", earlier, parameters)


def _uses_postgres(item: pytest.Item) -> bool:
    """Return whether a test needs a PostgreSQL server: by the store it is given, or by what it is skipped without."""
    if any(mark.kwargs.get("reason") == NO_PROGRAMS for mark in item.iter_markers("skipif")):
        return True
    return SERVER_STORES.search(item.name.partition("[")[2]) is not None


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> str:
    """Kind of the engine's store."""
    return str(request.config.getoption("--store"))


@pytest.fixture
def dim() -> int:
    """Length of a vector."""
    return 64


@pytest.fixture(scope="session")
def counter() -> TokenCounter:
    """Find the best token counter once: that reads two megabytes."""
    return token_counter()


@pytest.fixture
def store_folder(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make a folder for a store, not the one that a test writes to; a database in memory needs none."""
    if kind == "memory":
        yield Path(os.devnull)
        return
    folder = tmp_path_factory.mktemp("store")
    yield folder
    rmtree(folder)


@pytest.fixture
async def parts(
    kind: str, dim: int, clock: FakeClock, store_folder: Path, counter: TokenCounter
) -> AsyncIterator[Components]:
    folder = store_folder
    store = await new_store(kind, folder, clock)
    yield Components(
        settings=Settings(
            database_url=url_of(kind, folder),
            recall_timeout_s=PRODUCT_PATIENCE_S,
            rerank_timeout_s=PRODUCT_PATIENCE_S / 2,
            commit_timeout_s=PRODUCT_PATIENCE_S,
        ),
        clock=clock,
        store=store,
        embedder=WordEmbedder(dim),
        model=None,
        counter=counter,
    )
    await store.close()  # harmless if the engine has closed it


@pytest.fixture
def face() -> str:
    """`near`: the engine itself; `far`: a connection to a server of it."""
    return "near"


@pytest.fixture
async def engine(parts: Components, face: str) -> AsyncIterator[AsyncToldOnce]:
    async with AsyncToldOnce(parts) as opened:
        if face == "near":
            yield opened
        else:
            async with far_engine(opened) as remote:
                yield remote
