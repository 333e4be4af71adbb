"""Hook events of Claude Code and Codex, as requests to memory. Pure, but for the project's folder."""

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


def read_request(raw: bytes) -> dict[str, str] | None:
    """Return the request that an event makes of memory; None if it makes none.

    Subagents' events make none: their prompts are the main agent's words. Raises ValueError if it is no event.
    """
    event = read_json(raw.decode("utf-8", "replace"))
    if not isinstance(event, dict):
        raise ValueError("not an object")
    kind = _kind(event)
    if kind is None or event.get("agent_id"):
        return None
    request = {"event": kind}
    if kind == WARM:
        return request
    session = _text(event, "session_id")
    if not session:
        raise ValueError("no session_id")
    request["conversation"] = session[:_MAX_ID]
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


def write_answer(request: dict[str, str], context: str) -> bytes:
    """Return what the hook prints; nothing if there is nothing to add."""
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


def _text(event: dict[str, object], name: str) -> str:
    value = event.get(name)
    # Lone surrogates of broken JSON escapes cannot be written as UTF-8.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
