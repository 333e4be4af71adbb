"""The hook configurations of coding agents: which file, which events, which command. Reads the environment.

Claude Code and Codex read the same JSON: `{"hooks": {EVENT: [{"hooks": [{"type": "command", …}]}]}}`.
"""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toldonce.errors import SetupError
from toldonce.former_name import NAME

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop")
# Seconds after which the agent gives up a hook; the hook itself ends earlier.
TIMEOUT_S = 10
_MARK = "hook --client "


class LinkedConfigError(SetupError):
    """A project's configuration is a link to a file that is not the project's."""

    def __init__(self, path: Path, found: Path) -> None:
        super().__init__(
            f"{path} leads out of the project, to {found}, which is left as it is: remove the link, or leave out "
            "--project"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentClient:
    """A coding agent with hooks."""

    name: str
    """As on the command line."""
    title: str
    home_variable: str
    """Environment variable that names its folder."""
    folder: str
    """Its folder, within the home folder and within a project."""
    file: str
    """The file in the user's folder."""
    project_file: str
    """The file in a project's folder; it is not meant to be committed, as the command is this machine's."""
    afterwards: str = ""
    """What the user must do once it is installed."""
    has_status_line: bool = False
    """Whether its configuration takes a command that prints a status line."""

    def path(self, project: Path | None) -> Path:
        """Return the file, with links followed: of a project, or of the user.

        Raises:
            LinkedConfigError: A link in the project leads out of it.
        """
        if project is not None:
            path = project / self.folder / self.project_file
            found = Path(os.path.realpath(path))
            if not found.is_relative_to(os.path.realpath(project)):
                raise LinkedConfigError(path, found)
            return found
        home = os.environ.get(self.home_variable)
        return ((Path(home) if home else Path.home() / self.folder) / self.file).resolve()

    def command(self, options: Sequence[str]) -> str:
        """Return the command line that runs the hook, by absolute paths.

        The agent runs it in its project, of which nothing may be executed: with `-P` the folder is not on Python's
        path, and with `-E` no empty entry of PYTHONPATH means it.
        """
        flags = ["-P"] if _is_found_by_variable() else ["-E", "-P"]
        script = Path(sys.executable).with_name("toldonce")
        start = [str(script)] if script.exists() else ["-m", "toldonce"]  # the script takes 10 ms less
        command = (sys.executable, *flags, *start, "hook", "--client", self.name, *options)
        return " ".join(shlex.quote(part) for part in command)

    def entries(self, options: Sequence[str]) -> Mapping[str, object]:
        """Return what is added to the list of each event."""
        entry = {"hooks": [{"type": "command", "command": self.command(options), "timeout": TIMEOUT_S}]}
        return dict.fromkeys(EVENTS, entry)

    def status_line(self, options: Sequence[str]) -> Mapping[str, object]:
        """Return the status line that shows what memory added to a session."""
        return {"type": "command", "command": self.command(["--status-line", *options])}


CLIENTS = {
    client.name: client
    for client in (
        AgentClient(
            name="claude-code",
            title="Claude Code",
            home_variable="CLAUDE_CONFIG_DIR",
            folder=".claude",
            file="settings.json",
            project_file="settings.local.json",
            has_status_line=True,
        ),
        AgentClient(
            name="codex",
            title="Codex",
            home_variable="CODEX_HOME",
            folder=".codex",
            file="hooks.json",
            project_file="hooks.json",
            afterwards="Codex runs a new hook only once you trust it: start codex and enter /hooks",
        ),
    )
}


def _is_found_by_variable() -> bool:
    """Return whether it is PYTHONPATH that leads to this package."""
    root = Path(__file__).parents[2]
    return any(Path(entry).resolve() == root for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry)


def is_own_command(command: object) -> bool:
    """Return whether a command of a configuration is the hook of some ToldOnce, or of one with the former name."""
    return isinstance(command, str) and _MARK in command and any(name in command for name in ("toldonce", NAME))
