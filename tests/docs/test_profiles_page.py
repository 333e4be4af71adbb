"""`docs/profiles.md` lists every field of a profile with its type, default, range and meaning, and nothing else."""

import ast
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tables import check_each
from toldonce.profiles.destinations import DestinationPattern, DestinationRule, MemoryPattern
from toldonce.profiles.policies import Profile
from toldonce.profiles.registry import ProfileRegistry

PAGE = (Path(__file__).parents[2] / "docs" / "profiles.md").read_text("utf-8")
FIELDS = PAGE.partition("\n## Fields\n")[2]
INCLUDED = "Included profiles"
_NAMES = {bool: "boolean", int: "integer", float: "number", str: "text"}


def tables() -> dict[str, type[BaseModel]]:
    """Return what each table of a profile file is read into, in the page's order."""
    policies = {
        f"[{name}]": field.annotation
        for name, field in Profile.model_fields.items()
        if inspect.isclass(field.annotation) and issubclass(field.annotation, BaseModel)
    }
    patterns: dict[str, type[BaseModel]] = {"memories, except": MemoryPattern, "only, never": DestinationPattern}
    return {**policies, "[[destinations]]": DestinationRule, **patterns}


def type_of(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(annotation))
    if get_origin(annotation) is tuple:
        return f"list of {type_of(get_args(annotation)[0])}"
    if get_origin(annotation) in (Union, UnionType):
        return type_of(next(each for each in get_args(annotation) if each is not NoneType))
    if hasattr(annotation, "__metadata__"):
        return type_of(get_args(annotation)[0])
    if issubclass(annotation, Enum):
        return ", ".join(f"`{member.value}`" for member in annotation)
    return _NAMES.get(annotation, "table")


def default_of(default: object) -> str:
    if default is None or isinstance(default, BaseModel) or default == ():
        return "none"
    if isinstance(default, tuple):
        return ", ".join(f"`{value}`" for value in default)
    return f"`{str(default).lower()}`" if isinstance(default, bool) else f"`{default}`"


def range_of(field: FieldInfo) -> str:
    bounds = {}
    for bound in field.metadata:
        if isinstance(bound, annotated_types.Ge):
            bounds["low"] = f"{bound.ge:,}"
        elif isinstance(bound, annotated_types.Gt):
            bounds["low"] = f"above {bound.gt:,}"
        elif isinstance(bound, annotated_types.Le):
            bounds["high"] = f"{bound.le:,}"
        elif isinstance(bound, annotated_types.MaxLen):
            return (
                f"at most {bound.max_length:,} {'entries' if get_origin(field.annotation) is tuple else 'characters'}"
            )
    if "high" in bounds:
        return f"{bounds['low']} to {bounds['high']}"
    return f"{bounds['low']} or more" if bounds else ""


@cache
def meanings(table: type[BaseModel]) -> dict[str, str]:
    """Return the docstring below each field."""
    [node] = [
        node
        for node in ast.parse(Path(inspect.getfile(table)).read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == table.__name__
    ]
    found = {}
    for field, text in zip(node.body, node.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            assert isinstance(text.value, ast.Constant)
            found[field.target.id] = " ".join(str(text.value.value).split())
    return found


def rows(table: type[BaseModel]) -> Iterator[str]:
    for name, field in table.model_fields.items():
        cells = [type_of(field.annotation), default_of(field.default), range_of(field), meanings(table).get(name, "")]
        yield " | ".join([f"| `{field.alias or name}`", *cells]).replace("|  |", "| |") + " |"


def rows_of_included() -> Iterator[str]:
    """Yield each field that an included profile sets to something else than `default` does, with all such values."""
    profiles = {name: ProfileRegistry().get(name) for name in ProfileRegistry().names()}
    for name, table in tables().items():
        policy = name.strip("[]")
        for field in table.model_fields if hasattr(profiles["default"], policy) else ():
            values: dict[str, list[str]] = {}
            for profile, read in profiles.items():
                values.setdefault(default_of(getattr(getattr(read, policy), field, ())), []).append(f"`{profile}`")
            others = "; ".join(f"{value}: {', '.join(of)}" for value, of in values.items() if "`default`" not in of)
            if others:
                yield f"| `{policy}.{field}` | {others} |"


def shown() -> dict[str, list[str]]:
    sections = re.split(r"(?m)^## ", FIELDS)[1:]
    named = {section.partition("\n")[0].replace("`", ""): section for section in sections}
    return {name: re.findall(r"(?m)^\| `.*\|$", section) for name, section in named.items()}


def test_the_page_has_every_table_and_no_other() -> None:
    assert list(shown()) == [*tables(), INCLUDED]


@check_each("name", tables())
def test_every_field_of_a_table_is_on_the_page_as_in_the_code(name: str) -> None:
    assert shown()[name] == list(rows(tables()[name]))


@check_each("name", tables())
def test_every_field_says_what_it_means(name: str) -> None:
    table = tables()[name]
    assert set(table.model_fields) - set(meanings(table)) == set()


def test_the_page_says_what_each_included_profile_changes() -> None:
    default = ProfileRegistry().get("default")
    assert default == Profile(name="default", description=default.description)
    assert shown()[INCLUDED] == list(rows_of_included())


def test_what_is_outside_of_the_tables_is_named_in_the_first_lines() -> None:
    assert set(Profile.model_fields) - {name.strip("[]") for name in tables()} == {"name", "description"}
    assert {name for name in ("description", "extends") if f"`{name}`" not in FIELDS.partition("\n## ")[0]} == set()
