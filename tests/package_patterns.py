"""Every regular expression of the package, found by itself: declared by a module, or named in a call."""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import toldonce
from naming import nodes
from toldonce.lazy_pattern import LazyPattern

# Modules that end the process when they are imported.
_PROGRAMS = frozenset({"toldonce.__main__"})
WITHOUT_PATTERNS = frozenset(
    f"toldonce.integrations.{name}"
    for name in (
        *("agent_framework", "anthropic", "google_adk", "langchain", "langgraph", "llama_index", "openai_agents"),
        "pydantic_ai",
    )
)
"""Each imports the package of others that it is for, which takes as long as importing all others does."""
_CALLS = frozenset({"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"})
_MODULES = ("re", "_re", "regex")
_MAY_CALL = re.compile(rf"\b(?:(?:{'|'.join(_MODULES)})\s*\.\s*(?:{'|'.join(_CALLS)})|{LazyPattern.__name__})\s*\(")


@dataclass(frozen=True, slots=True)
class PackagePattern:
    """A regular expression and its place."""

    place: str
    """Module and name, or module and line of a call: 'toldonce.recall.ann._NAME', 'toldonce.resolution.slots:65'."""
    pattern: re.Pattern[str] | re.Pattern[bytes]


@dataclass(frozen=True, slots=True)
class HiddenPattern:
    """A call of `re` whose pattern only its function knows."""

    place: str
    source: str


@cache
def package_patterns() -> tuple[dict[str, list[PackagePattern]], list[HiddenPattern]]:
    """Collect the patterns by module, each in the first that has it, and the calls whose pattern cannot be told.

    Imports all modules: a few seconds, so a test asks for it when it runs, not when it is collected.
    """
    seen: set[tuple[str | bytes, int]] = set()
    patterns: dict[str, list[PackagePattern]] = {}
    hidden: list[HiddenPattern] = []
    for name in module_names():
        module = importlib.import_module(name)
        own = patterns.setdefault(name, [])
        for pattern in (*_held(module, vars(module), set()), *_called(module)):
            if isinstance(pattern, HiddenPattern):
                hidden.append(pattern)
            elif (key := (pattern.pattern.pattern, pattern.pattern.flags)) not in seen:
                seen.add(key)
                own.append(pattern)
    return patterns, hidden


@cache
def module_names() -> tuple[str, ...]:
    """Return the dotted names of the package's modules that may have patterns, sorted, without importing them."""
    root = Path(toldonce.__file__).parent
    paths = [path.relative_to(root.parent).with_suffix("") for path in root.rglob("*.py")]
    names = {".".join(path.parts).removesuffix(".__init__") for path in paths}
    return tuple(sorted(names - _PROGRAMS - WITHOUT_PATTERNS))


def _held(module: ModuleType, names: dict[str, object], seen: set[int]) -> Iterator[PackagePattern]:
    for name, value in list(names.items()):
        if not isinstance(value, ModuleType) and not name.startswith("__"):
            yield from _within(f"{module.__name__}.{name}", value, module, seen)


def _within(place: str, value: object, module: ModuleType, seen: set[int]) -> Iterator[PackagePattern]:
    """Look into a value: containers, attributes of objects and classes, defaults and closures of functions."""
    if isinstance(value, re.Pattern | LazyPattern):
        yield PackagePattern(place, value.compile() if isinstance(value, LazyPattern) else value)
        return
    if id(value) in seen or isinstance(value, str | bytes | int | float | ModuleType):
        return
    seen.add(id(value))
    for name, part in _parts(value, module):
        yield from _within(f"{place}{name}", part, module, seen)


def _parts(value: object, module: ModuleType) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield f"[{key!r}]", key
            yield f"[{key!r}]", part
    elif isinstance(value, list | tuple | set | frozenset):
        for place, part in enumerate(value):
            yield f"[{place}]", part
    elif getattr(value, "__module__", getattr(type(value), "__module__", None)) == module.__name__ or (
        getattr(type(value), "__module__", "").startswith("toldonce.")
    ):
        yield from _attributes(value)


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    for name, part in list(getattr(value, "__dict__", {}).items()):
        if name not in ("__dict__", "__weakref__", "__globals__"):
            yield f".{name}", part
    for kind in type(value).__mro__:
        slots: object = getattr(kind, "__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots) if isinstance(slots, tuple | list) else ():
            if hasattr(value, name):
                yield f".{name}", getattr(value, name)
    function = getattr(value, "__wrapped__", value)
    yield "()", getattr(function, "__defaults__", None) or ()
    yield "()", getattr(function, "__kwdefaults__", None) or {}
    for cell in getattr(function, "__closure__", None) or ():
        try:
            yield "()", cell.cell_contents
        except ValueError:  # not filled yet
            continue


def may_call(source: str) -> bool:
    """Return whether the source of a module may have a pattern of its own."""
    return _MAY_CALL.search(source) is not None


def _called(module: ModuleType) -> Iterator[PackagePattern | HiddenPattern]:
    """Read the calls of `re` in a module's source; patterns that are put together are worked out in its names."""
    path = Path(module.__file__ or "")
    if not may_call(path.read_text("utf-8")):  # to parse each file would take three times as long
        return
    for node in nodes(path, ast.Call):
        if not _takes_pattern(node.func):
            continue
        place = f"{module.__name__}:{node.lineno}"
        try:
            pattern = _value(node.args[0], module)
            flags = [_value(arg, module) for arg in _flags(node)]
            yield PackagePattern(place, re.compile(pattern, *flags))
        except NameError:
            yield HiddenPattern(place, ast.unparse(node.args[0]))


def _takes_pattern(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id == LazyPattern.__name__
    if not isinstance(function, ast.Attribute) or function.attr not in _CALLS:
        return False
    return isinstance(function.value, ast.Name) and function.value.id in _MODULES


def _flags(call: ast.Call) -> list[ast.expr]:
    named = [each.value for each in call.keywords if each.arg == "flags"]
    at = {"compile": 1, "search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 3}
    place = at.get(call.func.attr, 4) if isinstance(call.func, ast.Attribute) else at["compile"]
    return named or call.args[place : place + 1]


def _value(node: ast.expr, module: ModuleType):  # type: ignore[no-untyped-def]
    return eval(compile(ast.Expression(node), module.__name__, "eval"), vars(module))
