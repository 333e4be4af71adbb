"""Fixtures of the integration tests: an upstream, servers with folders of their own, and database readers."""

import signal
from asyncio import Runner
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from browser import CHROMIUM, NO_CHROMIUM, Visit, chromium, served, visit
from dashboard_forms import driven_forms
from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream, fake_upstream
from integration.npm_packages import installed_packages
from integration.server_process import ServerProcess, StartServer
from integration.shell import Shell
from soak import SOAK
from toldonce.engine import AsyncToldOnce

collect_ignore = ["generated"]
"""Programs with generated clients: they run in a process that has the clients."""

# Node 20, which many machines have, is too old for both agents.
CODING_AGENTS = ("node@24", "@anthropic-ai/claude-code@2.1.330", "@openai/codex@0.169.0")


@pytest.fixture(scope="session")
def coding_agents() -> Path:
    """The folder of programs with Claude Code and Codex, as npm serves them."""
    return installed_packages(CODING_AGENTS, runs_scripts=True)


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> Iterator[None]:
    """Let processes take a Ctrl-C: one that a shell starts in the background ignores it, and so do its children."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def upstream() -> Iterator[FakeUpstream]:
    """One upstream for all tests; its answers are chosen by the model's name."""
    with fake_upstream() as running:
        yield running


@pytest.fixture
def start_server(tmp_path: Path, upstream: FakeUpstream) -> Iterator[StartServer]:
    """Start servers for one test; each ends with it, whatever happens."""
    with ExitStack() as running:

        def start(
            *, name: str = "data", offline: bool = False, settings: Mapping[str, str] | None = None
        ) -> ServerProcess:
            server = ServerProcess(tmp_path / name, upstream=None if offline else upstream.url, settings=settings)
            running.callback(server.kill)
            server.start()
            return server

        yield start


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, upstream: FakeUpstream) -> Iterator[ServerProcess]:
    """One server for the tests of a module: each of them uses users of its own."""
    with _serving(ServerProcess(tmp_path_factory.mktemp("server"), upstream=upstream.url)) as running:
        yield running


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory, upstream: FakeUpstream) -> Iterator[ServerProcess]:
    """One for those of them in which upstream falls silent."""
    settings = {"FIRST_BYTE_TIMEOUT_S": "1", "IDLE_TIMEOUT_S": "0.5"}
    folder = tmp_path_factory.mktemp("impatient")
    with _serving(ServerProcess(folder, upstream=upstream.url, settings=settings)) as running:
        yield running


@contextmanager
def _serving(running: ServerProcess) -> Iterator[ServerProcess]:
    try:
        running.start()
        yield running
        running.stop()
        assert "Traceback" not in running.output()
    finally:
        running.kill()


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    """A shell whose commands end with the test, whatever happens."""
    opened = Shell(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def database(server: ServerProcess) -> Database:
    """What the module's server has written."""
    return Database(server.database)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A user that no other test knows."""
    name: str = request.node.name
    return "".join(letter if letter.isalnum() else "-" for letter in name)[-100:]


@pytest.fixture
def soak() -> int | None:
    """How long campaigns are to be: `make soak COUNT=n`; None for the short ones of every run."""
    return SOAK or None


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for all tests of a worker: a start costs a second and a half of CPU time."""
    if CHROMIUM is None:
        pytest.skip(NO_CHROMIUM)
    async with chromium() as running:
        yield running


@pytest.fixture
def _function_scoped_runner(request: pytest.FixtureRequest, _function_scoped_runner: Runner) -> Runner:
    """Run the tests with a browser in its event loop, and their engines with them; all others in one of their own."""
    if "browser" not in request.fixturenames:
        return _function_scoped_runner
    runner: Runner = request.getfixturevalue("_session_scoped_runner")
    return runner


@pytest.fixture
async def tab(request: pytest.FixtureRequest, engine: AsyncToldOnce, browser: Browser) -> AsyncIterator[Visit]:
    """A tab of Chromium on the engine's dashboard, for a test that `sends` forms: those of its mark, and no others."""
    async with served(engine) as base, visit(browser, base) as opened:
        failed = request.session.testsfailed
        yield opened
    if request.session.testsfailed > failed:
        return  # before it had sent all
    marks = list(request.node.iter_markers("sends"))
    assert opened.sent == {form for mark in marks for form in mark.args}
    assert opened.shown <= driven_forms(), "no test sends these forms"
