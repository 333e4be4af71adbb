"""The command `profiles`: which there are, and what one says. Reads the settings and the profiles' files."""

from typing import Annotated, Any

import typer

from recollect.cli.options import AsJson
from recollect.cli.output import rows, say, say_json

_Action = Annotated[str | None, typer.Argument(metavar="[show", help="show prints one profile whole.")]
_Name = Annotated[str | None, typer.Argument(metavar="NAME]", help="The profile to show.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(profiles)


def profiles(action: _Action = None, name: _Name = None, as_json: AsJson = False) -> None:
    """List the profiles, or show one whole: every policy with its value."""
    from recollect.profiles.registry import ProfileRegistry
    from recollect.settings import Settings

    if action not in (None, "show") or (action == "show") is (name is None):
        raise typer.BadParameter("write `recollect profiles`, or `recollect profiles show NAME`")
    settings = Settings.load()
    shelf = ProfileRegistry(settings.profiles)
    if name is None:
        known = [shelf.get(profile_name) for profile_name in shelf.names()]
        if as_json:
            say_json({"profiles": [{"name": profile.name, "description": profile.description} for profile in known]})
        else:
            mark = settings.profile
            rows(
                ("name", "in use", "description"),
                [(profile.name, "*" if profile.name == mark else "", profile.description) for profile in known],
            )
        return
    shown = shelf.get(name).model_dump(mode="json")
    if as_json:
        say_json(shown)
        return
    for line in _toml(shown):
        say(line)


def _toml(profile: dict[str, Any]) -> list[str]:
    """Write a profile as a file that would make the same one."""
    lines = [f"# {profile.pop('name')}", f"description = {_value(profile.pop('description'))}"]
    for section, policy in profile.items():
        lines += ["", f"[{section}]"]
        lines += [f"{key} = {_value(value)}" for key, value in policy.items() if value is not None]
    return lines


def _value(value: object) -> str:
    """Write one value as TOML.

    >>> _value(["a", 'b"c']), _value(True), _value(0.5)
    ('["a", "b\\\\"c"]', 'true', '0.5')
    """
    import json

    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    return json.dumps(value, ensure_ascii=False)
