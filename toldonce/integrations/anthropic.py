"""Anthropic's memory tool (`memory_20250818`) on ToldOnce. Needs the extra `anthropic`; works through the engine."""

from collections.abc import Coroutine
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from toldonce.engine import AsyncToldOnce
from toldonce.errors import ToldOnceError
from toldonce.integrations.memory_files import MemoryFiles
from toldonce.sync import ToldOnce
from toldonce.types import Subject


class ToldOnceMemoryTool(BetaAsyncAbstractMemoryTool):
    """Give it to `client.beta.messages.tool_runner(tools=[…])` of an `AsyncAnthropic`."""

    def __init__(self, memory: AsyncToldOnce, *, user: str | Subject | None = None) -> None:
        """Work on a user's memory.

        Args:
            memory: An open engine.
            user: User of the chat; None: the default user.
        """
        super().__init__()
        self._files = MemoryFiles(memory, user=user)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a folder or a file."""
        return await _told(self._files.view(command.path, command.view_range))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return await _told(self._files.create(command.path, command.file_text))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace text in a file."""
        return await _told(self._files.str_replace(command.path, command.old_str, command.new_str))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text into a file."""
        return await _told(self._files.insert(command.path, command.insert_line, command.insert_text))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or folder."""
        return await _told(self._files.delete(command.path))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or folder."""
        return await _told(self._files.rename(command.old_path, command.new_path))


class BlockingToldOnceMemoryTool(BetaAbstractMemoryTool):
    """Give it to `client.beta.messages.tool_runner(tools=[…])` of an `Anthropic`."""

    def __init__(self, memory: ToldOnce, *, user: str | Subject | None = None) -> None:
        """Work on a user's memory.

        Args:
            memory: An open `ToldOnce`.
            user: User of the chat; None: the default user.
        """
        super().__init__()
        self._engine = memory._engine
        self._files = MemoryFiles(self._engine.core, user=user)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a folder or a file."""
        return self._run(self._files.view(command.path, command.view_range))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return self._run(self._files.create(command.path, command.file_text))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace text in a file."""
        return self._run(self._files.str_replace(command.path, command.old_str, command.new_str))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text into a file."""
        return self._run(self._files.insert(command.path, command.insert_line, command.insert_text))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or folder."""
        return self._run(self._files.delete(command.path))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or folder."""
        return self._run(self._files.rename(command.old_path, command.new_path))

    def _run(self, command: Coroutine[Any, Any, str]) -> str:
        return self._engine.run(_told(command))


async def _told(command: Coroutine[Any, Any, str]) -> str:
    """Carry out a command; what fails is an error of the tool, which the model reads.

    Raises:
        ToolError: It cannot be carried out.
    """
    try:
        return await command
    except ToldOnceError as error:
        raise ToolError(str(error)) from error
