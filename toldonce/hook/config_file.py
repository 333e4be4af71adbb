"""Edit an agent's JSON configuration: add our hooks and status line, or take them out and leave no trace.

Reads and writes the file.

Entries of others keep their places. A backup holds the file's bytes from before, and they come back when nothing else
has changed since. It is in our own folder: a project brings along whatever its author likes.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toldonce.errors import SetupError
from toldonce.hook.clients import is_own_command
from toldonce.hook.places import backup_path, is_private

_STATUS_LINE = "statusLine"
_MAX_BYTES = 10 * 1024 * 1024


class BadConfigError(SetupError):
    """An agent's configuration cannot be edited; it is left as it is."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} is left as it is: {why}; repair it and try again")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigEdit:
    """A change of a configuration that is not made yet."""

    path: Path
    before: bytes | None
    """None: there is no file."""
    after: bytes | None
    """None: the file goes."""

    @property
    def is_needed(self) -> bool:
        """Whether it changes anything."""
        return self.before != self.after


def plan_install(
    path: Path, entries: Mapping[str, object], status_line: Mapping[str, object] | None = None
) -> ConfigEdit:
    """Return the change that adds hooks, and a status line if it is given, in place of our older ones.

    Raises:
        BadConfigError: The file is no such configuration, or has a status line of another program.
    """
    before, config = _read(path)
    wanted = {event: [entry] for event, entry in entries.items()}
    if _own_entries(config) == wanted and _own_status_line(config) == status_line:
        return ConfigEdit(path=path, before=before, after=before)
    changed = without_own(config)
    if status_line is not None:
        if _STATUS_LINE in changed:
            raise BadConfigError(path, "it has a status line already: remove it, or leave out --status-line")
        changed[_STATUS_LINE] = status_line
    hooks = changed.setdefault("hooks", {})
    for event, entry in entries.items():
        hooks.setdefault(event, []).append(entry)
    return ConfigEdit(path=path, before=before, after=_write(changed, before))


def plan_uninstall(path: Path) -> ConfigEdit:
    """Return the change that takes our hooks out of a configuration.

    Raises:
        BadConfigError: The file is no such configuration.
    """
    before, config = _read(path)
    if not _own_entries(config) and _own_status_line(config) is None:
        return ConfigEdit(path=path, before=before, after=before)
    rest = without_own(config)
    saved = backup_of(path)
    if saved.exists():
        original, known = _read(saved)
        if without_own(known) == rest:
            return ConfigEdit(path=path, before=before, after=original)
    elif not rest:
        return ConfigEdit(path=path, before=before, after=None)
    return ConfigEdit(path=path, before=before, after=_write(rest, before))


def installed_commands(path: Path) -> list[str]:
    """Return our commands in a configuration.

    Raises:
        BadConfigError: The file is no such configuration.
    """
    _, config = _read(path)
    groups = [group for of_event in _own_entries(config).values() for group in of_event]
    commands = [hook["command"] for group in groups for hook in group["hooks"]]
    status_line = _own_status_line(config)
    return list(dict.fromkeys([*commands, *([status_line["command"]] if status_line else [])]))


def apply_edit(edit: ConfigEdit, *, installs: bool) -> None:
    """Make a change: whole or not at all. Installing keeps a backup of a file without our hooks; uninstalling drops it.

    Raises:
        BadConfigError: The file changed meanwhile.
        OSError: It cannot be written.
    """
    now = edit.path.read_bytes() if edit.path.exists() else None
    if now != edit.before:
        raise BadConfigError(edit.path, "it changed meanwhile")
    saved = backup_of(edit.path)
    if installs and now is not None and not installed_commands(edit.path):
        if not is_private(str(saved.parent)):
            raise BadConfigError(edit.path, f"{saved.parent} is no folder of yours alone, and takes no backup")
        _replace(saved, now)
    if edit.after is None:
        edit.path.unlink(missing_ok=True)
    else:
        _replace(edit.path, edit.after)
    if not installs:
        saved.unlink(missing_ok=True)


def backup_of(path: Path) -> Path:
    """Return where a file's backup is."""
    return Path(backup_path(str(path)))


def without_own(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration without our hooks and status line, nor what they leave empty."""
    rest = dict(config)
    if _own_status_line(config) is not None:
        del rest[_STATUS_LINE]
    hooks: dict[str, Any] = {}
    for event, groups in config.get("hooks", {}).items():
        if kept := [group for found in groups if (group := _group_without_own(found))]:
            hooks[event] = kept
    if hooks:
        rest["hooks"] = hooks
    else:
        rest.pop("hooks", None)
    return rest


def _group_without_own(group: Mapping[str, Any]) -> Mapping[str, Any] | None:
    hooks = [hook for hook in group["hooks"] if not is_own_command(hook.get("command"))]
    if len(hooks) == len(group["hooks"]):
        return group
    return {**group, "hooks": hooks} if hooks else None


def _own_entries(config: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the groups that contain our hook, by event."""
    found = {
        event: [group for group in groups if any(is_own_command(hook.get("command")) for hook in group["hooks"])]
        for event, groups in config.get("hooks", {}).items()
    }
    return {event: groups for event, groups in found.items() if groups}


def _own_status_line(config: Mapping[str, Any]) -> Mapping[str, Any] | None:
    found = config.get(_STATUS_LINE)
    return found if isinstance(found, dict) and is_own_command(found.get("command")) else None


def _read(path: Path) -> tuple[bytes | None, dict[str, Any]]:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None, {}
    except OSError as error:
        raise BadConfigError(path, f"it cannot be read ({error.strerror})") from None
    if len(raw) > _MAX_BYTES:
        raise BadConfigError(path, "it is too large")
    if not raw.strip():
        return raw, {}
    try:
        config = json.loads(raw.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise BadConfigError(path, f"it is not JSON ({error})") from None
    if not _has_hooks_shape(config):
        raise BadConfigError(path, "its `hooks` are not of the form that the agent documents")
    return raw, config


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name that comes twice: writing the file again would lose one."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name comes twice")
    return found


def _has_hooks_shape(config: object) -> bool:
    if not isinstance(config, dict) or not isinstance(config.get("hooks", {}), dict):
        return False
    groups = [group for of_event in config.get("hooks", {}).values() for group in _items(of_event)]
    return all(isinstance(group, dict) and all(map(_is_object, _items(group.get("hooks")))) for group in groups)


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else [None]


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _write(config: Mapping[str, Any], before: bytes | None) -> bytes:
    """Write a configuration with the indent, line breaks and end of the file before."""
    text = (before or b"{\n  \n}\n").decode("utf-8")
    lines = text.splitlines()
    lead = next((line[: len(line) - len(line.lstrip())] for line in lines[1:] if line[:1] in (" ", "\t")), "  ")
    written = json.dumps(config, indent=lead, ensure_ascii=False)
    if text.endswith("\n") or not text.strip():
        written += "\n"
    return written.replace("\n", "\r\n" if "\r\n" in text else "\n").encode("utf-8")


def _replace(path: Path, content: bytes) -> None:
    """Replace a file at once, with the mode it had."""
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
