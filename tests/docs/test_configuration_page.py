"""`docs/configuration.md` lists every setting with its default and meaning, and nothing else."""

from pathlib import Path

from pydantic_core import PydanticUndefined

from toldonce.settings import PREFIX, Settings

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def row(name: str) -> str:
    field = Settings.model_fields[name]
    default = "in your data folder" if field.default is PydanticUndefined else field.default
    if default is None or default == "":
        shown = "unset"
    elif isinstance(default, bool):
        shown = f"`{str(default).lower()}`"
    else:
        shown = default if field.default is PydanticUndefined else f"`{default}`"
    return f"| `{PREFIX}{name.upper()}` | {shown} | {field.description} |"


def test_each_setting_is_on_the_page_as_in_the_code() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| `{PREFIX}")]
    assert rows == [row(name) for name in Settings.model_fields]
