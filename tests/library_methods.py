"""The public methods of the library, read from the sources of the engine."""

import ast
from collections.abc import Iterator
from pathlib import Path

ENGINE = Path(__file__).parents[1] / "toldonce" / "engine"

Method = ast.FunctionDef | ast.AsyncFunctionDef


def public_methods(module: str, name: str) -> list[Method]:
    """Return the public methods and properties of a class of the engine, in order."""
    [definition] = (
        node
        for node in ast.parse((ENGINE / f"{module}.py").read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    methods = (node for node in definition.body if isinstance(node, Method))
    return [method for method in methods if not method.name.startswith("_")]


def namespaces() -> Iterator[tuple[str, list[Method]]]:
    """Yield each namespace with its methods: the public properties of `Services` that import and make a service."""
    for service in public_methods("services", "Services"):
        for loaded in service.body:
            if isinstance(loaded, ast.ImportFrom) and loaded.module:
                yield service.name, public_methods(loaded.module.rpartition(".")[2], loaded.names[0].name)


def is_property(method: Method) -> bool:
    """Return whether a method is a property."""
    return any(isinstance(decorator, ast.Name) and decorator.id == "property" for decorator in method.decorator_list)
