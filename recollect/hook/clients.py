"""The hook configurations of coding agents: which file, which events, which command. Reads the environment.

Claude Code and Codex read the same JSON: `{"hooks": {EVENT: [{"hooks": [{"type": "command", …}]}]}}`.
"""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop")
# Seconds after which the agent gives up a hook; the hook itself ends earlier.
TIMEOUT_S = 10
_MARK = "hook --client "


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

    def path(self, project: Path | None) -> Path:
        """Return the file, with links followed: of a project, or of the user."""
        if project is not None:
            return (project / self.folder / self.project_file).resolve()
        home = os.environ.get(self.home_variable)
        return ((Path(home) if home else Path.home() / self.folder) / self.file).resolve()

    def command(self, options: Sequence[str]) -> str:
        """Return the command line that runs the hook, by an absolute path."""
        script = Path(sys.executable).with_name("recollect")
        start = [str(script)] if script.exists() else [sys.executable, "-m", "recollect"]
        return " ".join(shlex.quote(part) for part in (*start, "hook", "--client", self.name, *options))

    def entries(self, options: Sequence[str]) -> Mapping[str, object]:
        """Return what is added to the list of each event."""
        entry = {"hooks": [{"type": "command", "command": self.command(options), "timeout": TIMEOUT_S}]}
        return dict.fromkeys(EVENTS, entry)


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


def is_own_command(command: object) -> bool:
    """Return whether a command of a configuration is the hook of some Recollect."""
    return isinstance(command, str) and "recollect" in command and _MARK in command
