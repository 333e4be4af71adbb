"""What of the library a connection to a server does not have, each with the reason and what to do instead. Pure."""

from collections.abc import Mapping

from toldonce.errors import NotOverHttpError

_OWN = "it is the server process's own"
_KEYS = "the server checks keys itself, with every request"
NOT_OVER_HTTP: Mapping[str, str] = {
    "settings": f"{_OWN}; `toldonce doctor` on its machine shows them",
    "clock": f"{_OWN}; memories and decisions have their times",
    "counter": f"{_OWN}; `context(…).tokens` has the count of a block",
    "metrics": f"{_OWN}; read its route /metrics",
    "turns": "chats go through the server's route /v1/chat/completions",
    "agent_notes.remember": "agents call the server's route /mcp; `add` stores a note of your own",
    "admin.require_writable": "the server's route /readyz says it",
    "admin.breaker": f"{_OWN}; its route /metrics shows it",
    "admin.worker_counters": f"{_OWN}; its route /metrics shows them",
    "admin.run_worker": "the server has its own workers; `toldonce worker` starts more beside it",
    "admin.stop_worker": "the server's workers stop with it",
    "embedder.try_out": "the embedder's model is on the server: run `toldonce embedder use --dry-run` there",
    "embedder.use": "the embedder's model is on the server: run `toldonce embedder use` there",
    "keys.create_first": "a server makes its first key when it starts; `keys.create` makes more",
    "keys.find": _KEYS,
    "keys.note_use": _KEYS,
    "keys.sign": "the server signs its sessions itself",
    "keys.is_any_valid": f"{_KEYS}; `keys.list` shows them",
    "keys.was_any_made": f"{_KEYS}; `keys.audit` shows it",
    "keys.note_act": "the server writes its audit log itself; `keys.audit` reads it",
}
"""Names as on the object that `connect` returns."""


def unavailable(name: str) -> NotOverHttpError:
    """Return the error of a part that a connection does not have."""
    return NotOverHttpError(name, NOT_OVER_HTTP[name])
