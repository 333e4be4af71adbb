"""All profiles by name: the shipped ones and those of the user's folder. Reads files."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from toldonce.errors import BadProfileError, UnknownProfileError
from toldonce.lazy_pattern import LazyPattern
from toldonce.profiles.policies import Profile

_NAME = LazyPattern(r"[a-z0-9][a-z0-9_-]{0,63}")
_SUFFIX = ".toml"


@dataclass(frozen=True, slots=True, eq=False)
class _Layer:
    """One profile file."""

    where: str
    table: dict[str, Any]


class ProfileRegistry:
    """Profiles of an installation, read once.

    >>> ProfileRegistry().get("default").trigger.when
    'every_turn'
    """

    def __init__(self, folder: Path | None = None, *, tokens_per_day: int = 0) -> None:
        """Read the shipped profiles and those of `folder`, each a file NAME.toml.

        A profile of the folder may inherit from another with `extends = "NAME"` (by default from `default`). One with
        the name of a shipped profile replaces it.

        Args:
            folder: Of own profiles; None: there are none.
            tokens_per_day: Limit of profiles that set none; 0: no limit.

        Raises:
            BadProfileError: A file is unreadable or invalid.
        """
        own = {_name_of(path): _Layer(str(path), _read(path)) for path in _files_of(folder)}
        self._profiles = _build_profiles(_shipped_layers(), own) if own else dict(_shipped_profiles())
        if tokens_per_day:
            self._profiles = {name: _limited(profile, tokens_per_day) for name, profile in self._profiles.items()}

    def names(self) -> list[str]:
        """List the names of all profiles."""
        return list(self._profiles)

    def get(self, name: str) -> Profile:
        """Return a profile.

        Raises:
            UnknownProfileError: No profile has that name.
        """
        found = self._profiles.get(name)
        if found is None:
            raise UnknownProfileError(name, self.names())
        return found


def _limited(profile: Profile, tokens_per_day: int) -> Profile:
    """Return a profile with a limit on tokens, unless it has one."""
    if profile.budget.tokens_per_day is not None:
        return profile
    return profile.model_copy(update={"budget": profile.budget.model_copy(update={"tokens_per_day": tokens_per_day})})


@cache
def _shipped_layers() -> Mapping[str, _Layer]:
    """Read the shipped profiles, once per process: each opened memory needs them."""
    return {
        entry.name.removesuffix(_SUFFIX): _Layer(entry.name, tomllib.loads(entry.read_text("utf-8")))
        for entry in files(__package__).iterdir()
        if entry.name.endswith(_SUFFIX)
    }


@cache
def _shipped_profiles() -> dict[str, Profile]:
    return _build_profiles(_shipped_layers(), {})


def _build_profiles(shipped: Mapping[str, _Layer], own: Mapping[str, _Layer]) -> dict[str, Profile]:
    return {name: _build_profile(name, shipped, own) for name in sorted({*shipped, *own})}


def _build_profile(name: str, shipped: Mapping[str, _Layer], own: Mapping[str, _Layer]) -> Profile:
    layers = _layers(name, shipped, own)
    table: dict[str, Any] = {}
    for layer in reversed(layers):
        table = _merge_tables(table, {key: value for key, value in layer.table.items() if key != "extends"})
    try:
        return Profile.model_validate({**table, "name": name})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = [str(step) for step in first["loc"]]
        if first["type"] == "extra_forbidden":
            raise BadProfileError(layers[0].where, _unknown_key(path)) from None
        part = ".".join(path) or "the file"
        raise BadProfileError(layers[0].where, f"{part}: {first['msg']} (it is {first['input']!r})") from None


def _unknown_key(path: list[str]) -> str:
    """Return the error for a key that no policy has, with the keys of its table."""
    *tables, key = path
    known, where = {*Profile.model_fields, "extends"} - {"name"}, "a profile"
    if tables:
        policy = _model_at(tables)
        known = {field.alias or name for name, field in policy.model_fields.items()}
        where = f"[{'.'.join(tables)}]"
    return f"{key!r} is not a key of {where}; known keys: {', '.join(sorted(known))}"


def _model_at(path: Sequence[str]) -> type[BaseModel]:
    """Return the model of a table of a profile; `path` is the keys and positions on the way to it."""
    model: type[BaseModel] = Profile
    for key in path:
        fields = {field.alias or name: field.annotation for name, field in model.model_fields.items()}
        found = [kind for kind in _types_in(fields.get(key)) if issubclass(kind, BaseModel)]
        model = found[0] if found else model
    return model


def _types_in(annotation: Any) -> list[type]:
    inner = [kind for argument in get_args(annotation) for kind in _types_in(argument)]
    return inner or ([annotation] if isinstance(annotation, type) else [])


def _layers(name: str, shipped: Mapping[str, _Layer], own: Mapping[str, _Layer]) -> list[_Layer]:
    """Return a profile's files, its own first; a file that extends its own name extends the shipped one."""
    layers = [own.get(name) or shipped[name]]
    while layers[-1] is not shipped["default"]:
        last = layers[-1]
        base = str(last.table.get("extends", "default"))
        found = own.get(base, shipped.get(base))
        if found is last:
            found = shipped.get(base)
        if found is None:
            known = ", ".join(sorted({*shipped, *own}))
            raise BadProfileError(last.where, f"extends {base!r}, which does not exist; profiles are: {known}")
        if found in layers:
            raise BadProfileError(last.where, f"extends {base!r}, which extends it in turn")
        layers.append(found)
    return layers


def _merge_tables(base: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    """Return a table overridden by the values of another, recursively.

    >>> _merge_tables({"a": {"x": 1, "y": 2}}, {"a": {"y": 3}})
    {'a': {'x': 1, 'y': 3}}
    """
    merged = dict(base)
    for key, value in overrides.items():
        known = merged.get(key)
        merged[key] = _merge_tables(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


def _files_of(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    if not folder.is_dir():
        raise BadProfileError(str(folder), "is not a folder; create it, or unset TOLDONCE_PROFILES")
    return sorted(folder.glob(f"*{_SUFFIX}"))


def _name_of(path: Path) -> str:
    if not _NAME.fullmatch(path.stem):
        raise BadProfileError(str(path), "a profile name has only lower-case letters, digits, - and _; rename the file")
    return path.stem


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadProfileError(str(path), f"cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadProfileError(str(path), f"is not TOML: {error}") from None
