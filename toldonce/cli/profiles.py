"""The command `profiles`: list or show profiles. Reads the settings and the profile files."""

from typing import Annotated, Any

import typer

from toldonce.cli.options import AsJson
from toldonce.cli.output import rows, say, say_json

_Action = Annotated[str | None, typer.Argument(metavar="[show", help="`show` prints a complete profile.")]
_Name = Annotated[str | None, typer.Argument(metavar="NAME]", help="Profile to show.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(profiles)


def profiles(action: _Action = None, name: _Name = None, as_json: AsJson = False) -> None:
    """List profiles, or show one with all its values."""
    from toldonce.profiles.registry import ProfileRegistry
    from toldonce.settings import Settings

    if action not in (None, "show") or (action == "show") is (name is None):
        raise typer.BadParameter("write `toldonce profiles`, or `toldonce profiles show NAME`")
    settings = Settings.load()
    registry = ProfileRegistry(settings.profiles, tokens_per_day=settings.tokens_per_day)
    if name is None:
        known = [registry.get(known_name) for known_name in registry.names()]
        if as_json:
            say_json({"profiles": [{"name": profile.name, "description": profile.description} for profile in known]})
        else:
            default = settings.profile
            rows(
                ("name", "in use", "description"),
                [(profile.name, "*" if profile.name == default else "", profile.description) for profile in known],
            )
        return
    profile = registry.get(name)
    shown = profile.model_dump(mode="json", by_alias=True)
    rules = [rule.model_dump(mode="json", by_alias=True, exclude_defaults=True) for rule in profile.destinations]
    shown["destinations"] = rules
    if as_json:
        say_json(shown)
        return
    for line in _toml(shown):
        say(line)


def _toml(profile: dict[str, Any]) -> list[str]:
    """Format a profile as an equivalent TOML file."""
    lines = [f"# {profile.pop('name')}", f"description = {_value(profile.pop('description'))}"]
    rules = profile.pop("destinations")
    for section, policy in profile.items():
        lines += ["", f"[{section}]"]
        lines += [f"{key} = {_value(value)}" for key, value in policy.items() if value is not None]
    for rule in rules:
        lines += ["", "[[destinations]]"]
        lines += [f"{key} = {_value(value)}" for key, value in rule.items()]
    return lines


def _value(value: object) -> str:
    """Format a value as TOML.

    >>> _value(["a", 'b"c']), _value(True), _value(0.5)
    ('["a", "b\\\\"c"]', 'true', '0.5')
    """
    import json

    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_value(item)}' for key, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    return json.dumps(value, ensure_ascii=False)
