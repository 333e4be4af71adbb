"""`docs/cli.md` names every command and option of the live command line, and no other."""

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import typer

from toldonce.cli.main import app, command_line


def named(part: typer.Typer) -> Iterator[str]:
    """Name the commands of the command line, or of a group within it."""
    for info in part.registered_commands:
        yield info.name or (info.callback.__name__ if info.callback else "")


PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
COMMANDS = set(named(app)) | {
    f"{group.name} {command}"
    for group in app.registered_groups
    if group.typer_instance
    for command in named(group.typer_instance)
}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


@cache
def help_of(*command: str) -> str:
    printed = StringIO()
    with redirect_stdout(printed):
        show = command_line(command[0] if command else "")
        show(args=[*command, "--help"], prog_name="toldonce", terminal_width=200, standalone_mode=False)
    return printed.getvalue()


def options_of(command: str) -> set[str]:
    return set(OPTION.findall(help_of(*command.split()))) - {"--help"}


def section(command: str) -> str:
    sections = [part for part in re.split(r"(?m)^#+ ", PAGE) if f"`toldonce {command}`" in part.partition("\n")[0]]
    assert len(sections) == 1, f"{command} has {len(sections)} sections"
    return sections[0]


def test_each_command_has_a_section_with_an_example() -> None:
    assert len(COMMANDS) >= 13
    for command in COMMANDS:
        assert re.search(rf"(?m)^\$ .*toldonce {command}\b", section(command)), command


def test_each_option_is_explained_with_its_command_or_among_the_shared_ones() -> None:
    shared = {"--user", "--subject", "--database", "--json"}
    missing = {
        f"{command} {option}"
        for command in COMMANDS
        for option in options_of(command) - shared
        if option not in section(command)
    }
    assert missing == set()
    assert {option for option in shared | {"--version", "--debug"} if option not in PAGE} == set()


def test_the_page_names_no_option_that_is_not_there() -> None:
    live = {option for command in COMMANDS for option in options_of(command)} | set(OPTION.findall(help_of()))
    assert set(OPTION.findall(PAGE)) - live == set()


def test_each_command_that_prints_data_takes_json_and_is_in_the_table() -> None:
    table = PAGE.partition("## JSON")[2]
    printing = COMMANDS - {"serve", "worker", "mcp", "chat"}
    assert {command for command in printing if "--json" not in options_of(command)} == set()
    assert {command for command in printing if f"`{command}`" not in table} == set()
