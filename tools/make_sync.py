"""Write `toldonce/sync/` from the async classes of `toldonce/engine/`: the same methods without asyncio.

Run it after each change of a public signature or docstring: `python tools/make_sync.py`. A test compares the files
with what this script makes. It reads the sources, and imports nothing of the package.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

ROOT = Path(__file__).parent.parent
ENGINE, SYNC = ROOT / "toldonce" / "engine", ROOT / "toldonce" / "sync"

Method = ast.FunctionDef | ast.AsyncFunctionDef

# What the engine's package exports is imported from there: a face knows the engine, not its steps.
RESULTS = {
    element.value
    for node in ast.parse((ENGINE / "__init__.py").read_text("utf-8")).body
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.List)
    for element in node.value.elts
    if isinstance(element, ast.Constant)
}

# The files of the namespaces.
FILES: dict[str, tuple[str, ...]] = {
    "conversations": ("conversations", "traces", "characters", "agent_notes"),
    "memories": ("history", "health", "reviews", "shared", "bulk", "vectors"),
    "data": ("apps", "erasure", "transfer", "embedder"),
    "administration": ("admin", "keys"),
}
LINE_BREAKS = "\n\n\n"

# Methods that need the thread instead of a call on its loop.
OVERRIDES = {
    ("admin", "run_worker"): (
        '"""Wait until `stop_worker` ends the background worker, which runs from the start."""',
        "self._engine.wait_for_worker()",
    ),
    ("admin", "stop_worker"): (
        '"""Stop the background worker after the formation in progress. Later messages are formed by `form`."""',
        "self._engine.stop_worker(promptly=promptly)",
    ),
}

# Methods that answer in the calling thread where they can.
IN_CALLER = {("", "add"), ("", "search"), ("bulk", "add")}

CLIENT_DOC = '''"""Long-term memory for LLM chat, blocking: `with ToldOnce() as memory:`. Safe in several threads.

`user` is a user's name, or a `Subject` for a memory that is not a user's; None is the settings' default user.
Memories are formed while the object is open; `form` waits. Methods may raise `StoreUnavailableError`.
"""'''

CONNECT_STATEMENT = """\
memory = cls.__new__(cls)
memory._start(BackgroundEngine(AsyncToldOnce.connect({call}), has_worker=False))
return memory
"""

LIFECYCLE = '''
def close(self) -> None:
    """Finish what was accepted and close the database. Idempotent."""
    self._engine.close()

def __enter__(self) -> Self:
    return self

def __exit__(
    self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
) -> None:
    self.close()
'''


@dataclass(frozen=True)
class Source:
    """A class of the engine with the imports of its module."""

    module: str
    tree: ast.Module
    definition: ast.ClassDef

    @property
    def doc(self) -> str:
        """The docstring of the class."""
        return ast.get_docstring(self.definition) or ""

    def methods(self) -> Iterator[Method]:
        """Yield the public methods and properties, in order."""
        for node in self.definition.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
                yield node

    def homes(self) -> dict[str, str]:
        """Return the module of each name that the module imports or defines."""
        homes = {
            alias.name: node.module or ""
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                homes[node.name] = f"toldonce.engine.{self.module}"
            elif isinstance(node, ast.Assign):
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
                homes |= dict.fromkeys(names, f"toldonce.engine.{self.module}")
        return {name: "toldonce.engine" if name in RESULTS else home for name, home in homes.items()}


def read(module: str, name: str) -> Source:
    """Read a class of the engine."""
    tree = ast.parse((ENGINE / f"{module}.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return Source(module, tree, node)
    raise SystemExit(f"toldonce/engine/{module}.py has no class {name}")


def namespaces() -> dict[str, Source]:
    """Return the service of each namespace: the public properties of `Services` that import and make one."""
    services = {}
    for node in read("services", "Services").methods():
        loaded = [part for part in node.body if isinstance(part, ast.ImportFrom)]
        if loaded:
            services[node.name] = read((loaded[0].module or "").rpartition(".")[2], loaded[0].names[0].name)
    return services


def is_property(method: Method) -> bool:
    """Return whether a method is a property."""
    return any(isinstance(decorator, ast.Name) and decorator.id == "property" for decorator in method.decorator_list)


def call(method: Method) -> str:
    """Return the arguments that pass all parameters on."""
    arguments = method.args
    names = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args][1:]]
    passed = names + [f"{argument.arg}={argument.arg}" for argument in arguments.kwonlyargs]
    return ", ".join(passed + ([f"**{arguments.kwarg.arg}"] if arguments.kwarg else []))


def body(method: Method, namespace: str, core: str) -> tuple[str, str]:
    """Return the docstring and the statement of a blocking method."""
    if (namespace, method.name) in OVERRIDES:
        return OVERRIDES[namespace, method.name]
    if (namespace, method.name) in IN_CALLER:
        name = f"{namespace}_{method.name}" if namespace else method.name
        return docstring(method), f"return self._engine.{name}({call(method)})"
    where = f"{core}.{namespace}" if namespace else core
    value = f"{where}.{method.name}" if is_property(method) else f"{where}.{method.name}({call(method)})"
    if isinstance(method, ast.AsyncFunctionDef):
        value = f"self._engine.run({value})"
    returns_none = isinstance(method.returns, ast.Constant) and method.returns.value is None
    return docstring(method), value if returns_none else f"return {value}"


def docstring(node: Method | ast.ClassDef) -> str:
    """Return a docstring as source text."""
    text = ast.get_docstring(node) or ""
    return f'"""{text}\n"""' if "\n" in text else f'"""{text}"""'


def signature(method: Method, name: str) -> str:
    """Return the head of a blocking method."""
    arguments = ast.unparse(method.args)
    returns = ast.unparse(method.returns) if method.returns else "None"
    too_many = len(method.args.kwonlyargs) + len(method.args.args) > 7
    note = "  # noqa: PLR0913  # as the async method" if too_many else ""
    first, _, rest = f"def {name}({arguments}) -> {returns}:".partition("(")
    return f"{first}({note}\n{rest}" if note else f"{first}({rest}"


def blocking(method: Method, namespace: str, core: str) -> str:
    """Return the source of a blocking method."""
    doc, statement = body(method, namespace, core)
    decorator = "@property\n" if is_property(method) else ""
    return f"{decorator}{signature(method, method.name)}\n{indent(doc, '    ')}\n    {statement}\n"


def imports(written: Iterable[tuple[Source, str]]) -> str:
    """Return the imports of the names that generated texts use from the modules of their sources."""
    loaded: list[str] = []
    typed: list[str] = []
    for source, text in written:
        nodes = list(ast.walk(ast.parse(text)))
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        used |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        for name, home in sorted(source.homes().items()):
            if name in used and name != "AsyncToldOnce":
                (typed if home == "toldonce.engine" else loaded).append(f"from {home} import {name}")
    # A result of the engine is named in annotations alone: loading its module would load a service.
    checking = ["from typing import TYPE_CHECKING", "if TYPE_CHECKING:", *(f"    {line}" for line in typed)]
    return "\n".join([*loaded, *(checking if typed else [])])


def service_class(namespace: str, source: Source) -> str:
    """Return the class of one namespace."""
    methods = "\n".join(blocking(method, namespace, "self._engine.core") for method in source.methods())
    return f'''class Blocking{source.definition.name}:
    """{source.doc}"""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

{indent(methods, "    ")}'''


def namespaces_file(services: dict[str, Source]) -> str:
    """Return the file of some namespaces."""
    classes = {namespace: service_class(namespace, source) for namespace, source in services.items()}
    names = ", ".join(services)
    return f'''"""Namespaces of `ToldOnce`: {names}. Made by tools/make_sync.py."""

from __future__ import annotations

from toldonce.engine.background import BackgroundEngine
{imports((source, classes[namespace]) for namespace, source in services.items())}

{LINE_BREAKS.join(classes.values())}'''


def services_file(services: dict[str, Source]) -> str:
    """Return the file with the namespaces, and with the connection to a server."""
    connecting = next(read("connection", "Connectable").methods())
    attributes = "\n".join(
        f"        self.{name} = Blocking{service.definition.name}(engine)" for name, service in services.items()
    )
    services_imports = "\n".join(
        f"from toldonce.sync.{file} import Blocking{services[name].definition.name}"
        for file, names in FILES.items()
        for name in names
    )
    return f'''"""Namespaces of `ToldOnce`, near and far. Made by tools/make_sync.py."""

from __future__ import annotations

from typing import Self

from toldonce.engine import AsyncToldOnce
from toldonce.engine.background import BackgroundEngine
{services_imports}


class BlockingServices:
    """What the library offers, by subject."""

    _engine: BackgroundEngine

    def _start(self, engine: BackgroundEngine) -> None:
        self._engine = engine
{attributes}

    def __repr__(self) -> str:
        return repr(self._engine.core)

    @classmethod
{indent(signature(connecting, "connect"), "    ")}
{indent(docstring(connecting), "        ")}
{indent(CONNECT_STATEMENT.format(call=call(connecting)), "        ")}'''


def client_file(core: Source) -> str:
    """Return the file of `ToldOnce`."""
    methods = {method.name: method for method in core.methods()}
    opening = methods.pop("open")
    methods.pop("close")
    init = signature(opening, "__init__").replace("(cls", "(self", 1).replace("\ncls", "\nself", 1)
    init = init.replace("-> Self:", "-> None:")
    forwarded = "\n".join(blocking(method, "", "self._engine.core") for method in methods.values())
    cls = f"""class ToldOnce(BlockingServices):
{indent(CLIENT_DOC, "    ")}

{indent(init, "    ")}
{indent(docstring(opening), "        ")}
        self._start(BackgroundEngine(AsyncToldOnce.open({call(opening)})))

    @classmethod
{indent(signature(opening, "open"), "    ")}
{indent(docstring(opening), "        ")}
        return cls({call(opening)})
{indent(LIFECYCLE, "    ")}
{indent(forwarded, "    ")}"""
    return f'''"""`ToldOnce`: the engine without asyncio. Made by tools/make_sync.py from engine/core.py."""

from __future__ import annotations

from toldonce.engine import AsyncToldOnce
from toldonce.engine.background import BackgroundEngine
from toldonce.sync.services import BlockingServices
{imports([(core, cls)])}


{cls}'''


def formatted(text: str) -> str:
    """Return a file as the linter wants it."""
    sort_imports = [
        "check",
        "--fix",
        "--select",
        "I,F401,F811,UP037",
        "--config",
        "lint.isort.known-first-party=['toldonce']",
    ]
    for options in (sort_imports, ["format"]):
        command = [sys.executable, "-m", "ruff", *options, "--quiet", "--stdin-filename", str(SYNC / "client.py"), "-"]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return text


def make() -> dict[str, str]:
    """Return the generated files by name."""
    core = read("core", "AsyncToldOnce")
    services = namespaces()
    files = {f"{file}.py": namespaces_file({name: services[name] for name in names}) for file, names in FILES.items()}
    files["services.py"] = services_file(services)
    files["client.py"] = client_file(core)
    files["__init__.py"] = '''"""The library without asyncio. tools/make_sync.py generates all files of this folder."""

from toldonce.sync.client import ToldOnce

__all__ = ["ToldOnce"]
'''
    return {name: formatted(text) for name, text in files.items()}


if __name__ == "__main__":
    SYNC.mkdir(exist_ok=True)
    for name, text in make().items():
        (SYNC / name).write_text(text, "utf-8")
