"""What coding agents put into a prompt around the words that the user typed. Pure.

Claude Code and Codex hand their hooks what was submitted. Some of that no user typed: notices of background
tasks, output of shell commands, reminders; and a slash command is an order to the client, not to the model.
"""

import json
import re
from collections.abc import Sequence

from toldonce.lazy_pattern import LazyPattern

# Blocks of clients: names in tags. Text that a user pastes keeps its tags; reading it is the extractors' matter.
_BLOCKS = (
    "system-reminder|task-notification|command-name|command-message|command-args|local-command-stdout"
    "|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|user-prompt-submit-hook"
    "|ide_opened_file|ide_selection|ide_diagnostics|new-diagnostics|environment_context|user_instructions"
    "|skills_instructions|permissions instructions|subagent_notification|turn_aborted|user_shell_command|hook_prompt"
)
_TAG = LazyPattern(rf"<(?P<close>/?)(?P<name>{_BLOCKS})(?:\s[^<>]{{0,200}})?>", re.IGNORECASE)
_COMMAND = LazyPattern(r"/[a-z][\w:-]{0,63}(?=\s|$)", re.IGNORECASE)
_INTERRUPTED = "[Request interrupted by user"
# A history that the client has compacted holds what its model wrote about the rest: of Claude Code, and of Codex.
_COMPACTED = (
    "This session is being continued from a previous conversation",
    "Another language model started to solve this problem and produced a summary of its thinking process.",
)
# Codex sends a project's instructions, and those of a skill that the user names, in the user's name.
_INSTRUCTIONS = ("AGENTS.md instructions for ", "<INSTRUCTIONS>")
_SKILL = "<skill>\n<name>"
# How far into such a message its second mark is looked for: a path is before it.
_MAX_HEAD = 5_000


# What Claude Code says a request is for, where it is told to (CLAUDE_CODE_GATEWAY_HINT_HEADERS), and which requests
# are those in which a user talks with the agent; all others are the agent's own.
_CLAUDE_CODE, _MAIN = b"x-claude-code-request-class", b"main"
# Codex names its own requests in one header, such as `compact`, and in JSON in another what each request is.
_CODEX_OWN, _CODEX_TURN, _TURN = b"x-openai-subagent", b"x-codex-turn-metadata", "turn"


def typed_words(prompt: str) -> str:
    """Return what the user typed of a submitted prompt; empty if all of it is the client's.

    A block runs from its opening tag to the last closing one of its name, and an unclosed one to the end: text of
    others may hold forged closing tags.

    >>> typed_words("<system-reminder>Be terse.</system-reminder> We use pnpm.")
    'We use pnpm.'
    >>> typed_words("/compact keep the plan"), typed_words("/etc/hosts is broken")
    ('', '/etc/hosts is broken')
    """
    tags = list(_TAG.finditer(prompt))
    last = {tag["name"].lower(): tag for tag in tags if tag["close"]}
    kept: list[str] = []
    place = 0
    for tag in tags:
        if tag.start() < place or tag["close"]:
            continue
        kept.append(prompt[place : tag.start()])
        end = last.get(tag["name"].lower())
        place = end.end() if end is not None and end.start() > tag.start() else len(prompt)
    kept.append(prompt[place:])
    words = "".join(kept).strip()
    return "" if _COMMAND.match(words) or words.startswith(_INTERRUPTED) else words


def own_words(block: str) -> str:
    """Return the user's words in one block of text of an agent's request; empty if all of it is the client's.

    Only a block that begins as one of the client's is read as one.

    >>> own_words("<system-reminder>Be terse.</system-reminder> We use pnpm."), own_words("/tmp is full")
    ('We use pnpm.', '/tmp is full')
    """
    begin = block.lstrip()
    heading, mark = _INSTRUCTIONS
    has_instructions = begin.removeprefix("# ").startswith(heading) and mark in begin[:_MAX_HEAD]
    if has_instructions or begin.startswith((_INTERRUPTED, _SKILL, *_COMPACTED)):
        return ""
    return typed_words(block) if begin.startswith("<") and _TAG.match(begin) else block


def is_of_agent(headers: Sequence[tuple[bytes, bytes]]) -> bool:
    """Return whether an agent says that a request is its own, such as a title, a summary or a sub-agent's.

    >>> is_of_agent([(b"X-Claude-Code-Request-Class", b"compaction")]), is_of_agent([(b"x-openai-subagent", b"review")])
    (True, True)
    >>> is_of_agent([(b"x-codex-turn-metadata", b'{"request_kind":"turn"}')]), is_of_agent([])
    (False, False)
    """
    given = [(name.lower(), value.strip()) for name, value in headers]
    return any(
        (name == _CLAUDE_CODE and value.lower() not in (b"", _MAIN))
        or (name == _CODEX_OWN and value != b"")
        or (name == _CODEX_TURN and _request_kind(value) not in (None, _TURN))
        for name, value in given
    )


def _request_kind(metadata: bytes) -> object:
    """Return what Codex says a request is; None if it says nothing."""
    try:
        said = json.loads(metadata)
    except (ValueError, RecursionError):
        return None
    return said.get("request_kind") if isinstance(said, dict) else None
