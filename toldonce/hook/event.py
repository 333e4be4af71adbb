"""Hook events of Claude Code and Codex, and the state that a status line is given, as requests to memory.

Pure, but for the project's folder.
"""

from toldonce.hook.project import project_app
from toldonce.hook.quick_json import read_json, write_json

# Longer texts are cut; the log keeps less by default.
MAX_CHARACTERS = 1_000_000
_MAX_ID = 200
# Longest JSON that is parsed: a paste of ten megabytes is read, and cut.
MAX_BYTES = 64 * 1024 * 1024

ADDING_EVENTS = {"prompt": "UserPromptSubmit", "resume": "SessionStart"}
"""Requests whose answer is added to the agent's context, and the name of the event in that."""
WARM = "warm"
"""Only make the engine ready."""
SHOWN = "shown"
"""Describe in one line what a session was shown; nothing is recalled or recorded."""


def read_request(raw: bytes) -> dict[str, str] | None:
    """Return the request that an event makes of memory; None if it makes none.

    Subagents' events make none: their prompts are the main agent's words. Raises ValueError if it is no event.
    """
    event = _object(raw)
    kind = _kind(event)
    if kind is None or event.get("agent_id"):
        return None
    request = {"event": kind}
    if kind == WARM:
        return request
    request["conversation"] = _session(event)
    turn = _text(event, "turn_id") or _text(event, "prompt_id")
    if turn:
        request["turn"] = turn[:_MAX_ID]
    text = _text(event, "last_assistant_message" if kind == "answer" else "prompt")[:MAX_CHARACTERS]
    if kind != "resume" and not text.strip():
        return None
    request["text"] = text
    app = project_app(_text(event, "cwd"))
    if app:
        request["app"] = app
    return request


def read_status(raw: bytes) -> dict[str, str]:
    """Return the request for a status line. Raises ValueError if the state on stdin names no session."""
    return {"event": SHOWN, "conversation": _session(_object(raw))}


def write_answer(request: dict[str, str], context: str) -> bytes:
    """Return what the hook prints; nothing if there is nothing to add."""
    if request["event"] == SHOWN and context:
        # Memories may hold control characters, and a terminal obeys them.
        return "".join(character if character.isprintable() else " " for character in context).encode() + b"\n"
    name = ADDING_EVENTS.get(request["event"])
    if name is None or not context:
        return b""
    added = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}
    return write_json(added) + b"\n"


def _kind(event: dict[str, object]) -> str | None:
    match event.get("hook_event_name"):
        case "UserPromptSubmit":
            return "prompt"
        case "Stop":
            return "answer"
        case "SessionStart":
            return "resume" if event.get("source") == "compact" else WARM
        case _:
            return None


def _object(raw: bytes) -> dict[str, object]:
    event = read_json(raw.decode("utf-8", "replace"))
    if not isinstance(event, dict):
        raise ValueError("not an object")
    return event


def _session(event: dict[str, object]) -> str:
    session = _text(event, "session_id")
    if not session:
        raise ValueError("no session_id")
    return session[:_MAX_ID]


def _text(event: dict[str, object], name: str) -> str:
    value = event.get(name)
    # Lone surrogates of broken JSON escapes cannot be written as UTF-8.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
