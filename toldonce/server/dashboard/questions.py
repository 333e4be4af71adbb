"""What was asked in requests, so that a list of them can be told apart. Reads the REST API."""

from collections.abc import Mapping, Sequence
from typing import Any

from toldonce.server.dashboard.filters import cut
from toldonce.server.dashboard.page import PageRequest
from toldonce.server.dashboard.rest_client import RestError

MAX_QUESTIONS = 50
"""Requests whose words are looked up, each by a call of the API."""
_SHOWN = 100
Raw = Mapping[str, Any]


async def read_questions(request: PageRequest, traces: Sequence[Raw]) -> dict[str, str]:
    """Return the beginning of what was asked, by the id of the request; empty where it was erased or is elsewhere."""
    return {trace["id"]: await _question(request, trace) for trace in traces[:MAX_QUESTIONS]}


async def _question(request: PageRequest, trace: Raw) -> str:
    """Read a turn's last message with the one before, which it mostly answers."""
    if not trace["seq"]:
        return ""
    steps = ("subjects", trace["subject"], "conversations", trace["conversation"], "messages")
    try:
        read = await request.rest.get(*steps, cursor=max(trace["seq"] - 2, 0), limit=2)
    except RestError:  # the conversation was erased meanwhile
        return ""
    by_seq = {message["seq"]: message for message in read["messages"]}
    last = by_seq.get(trace["seq"])
    if last is not None and last["role"] != "user":
        last = by_seq.get(last["parent_seq"])
    return cut(last["text"], _SHOWN) if last is not None and last["role"] == "user" else ""
