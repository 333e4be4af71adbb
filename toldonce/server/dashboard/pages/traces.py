"""What memory did for requests: as they come, those of a conversation, and one in full as the model saw it."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from toldonce.server.dashboard.filters import cut
from toldonce.server.dashboard.page import HtmlPage, PageRequest, PageRoute
from toldonce.server.dashboard.paths import page_path
from toldonce.server.dashboard.rest_client import RestError
from toldonce.server.welcome import request_to_try

_REQUESTS_OF_PAGE = 50
_MAX_REQUESTS = 1000
# Memories that were left out whose words are looked up, each by a call of the API.
_MAX_LOOKED_UP = 50


async def _requests(request: PageRequest) -> HtmlPage:
    """Show what memory did for each request of a conversation, newest first."""
    conversation = await request.rest.get(*_steps(request))
    limit = _MAX_REQUESTS if request.chosen("all") else _REQUESTS_OF_PAGE
    prompts = (await request.rest.get(*_steps(request), "trace", limit=limit))["prompts"]
    known = {"subject": request.subject, "conversation": conversation["id"]}
    traces = [{**known, **prompt, "injected": prompt["memories"]} for prompt in prompts]
    data = {
        "subject": request.subject,
        "conversation": conversation,
        "traces": traces,
        "questions": await read_questions(request, traces),
        "has_more": len(prompts) == limit,
        "is_all": limit == _MAX_REQUESTS,
    }
    return HtmlPage(template="conversation_trace", title="What memory did", data=data)


async def _request(request: PageRequest) -> HtmlPage:
    """Show one request in full."""
    detail = await _read_detail(request, request.parameters["trace"])
    trace = detail["trace"]
    now = _lines([*detail["replayed"], *_block(detail["added"])])
    before = _lines(detail["replayed"])
    if not detail["replayed"]:
        older = await _read_older(request, trace["id"])
        before = _lines([*older["replayed"], *_block(older["added"])]) if older else []
    data = {
        "subject": request.subject,
        "detail": detail,
        "question": await _read_question(request, trace["seq"]),
        "left_out": await _read_omitted(request, detail),
        "diff": line_diff(before, now),
    }
    return HtmlPage(template="request", title="One request", data=data)


async def _read_detail(request: PageRequest, trace: str) -> dict[str, Any]:
    """Read a request. A prompt that did not send the messages of earlier ones repeats nothing of them."""
    found: dict[str, Any] = await request.rest.get(*_steps(request), "traces", trace)
    return found if found["trace"]["replayed"] else {**found, "replayed": []}


async def _read_older(request: PageRequest, trace: str) -> dict[str, Any] | None:
    """Read the request before one in its conversation; None if there is none, or it is far back."""
    prompts = (await request.rest.get(*_steps(request), "trace", limit=_REQUESTS_OF_PAGE))["prompts"]
    ids = [prompt["id"] for prompt in prompts]
    following = ids.index(trace) + 1 if trace in ids else len(ids)
    return await _read_detail(request, ids[following]) if following < len(ids) else None


async def _read_question(request: PageRequest, seq: int | None) -> list[dict[str, Any]]:
    """Read a turn's last message, and the one that it answers: oldest first."""
    found: list[dict[str, Any]] = []
    while seq and len(found) < 2:  # a question and its answer
        read = await request.rest.get(*_steps(request), "messages", cursor=seq - 1, limit=1)
        found = [*read["messages"][:1], *found]
        seq = found[0]["parent_seq"] if found and found[0]["role"] != "user" else None
    return found


async def _read_omitted(request: PageRequest, detail: dict[str, Any]) -> list[dict[str, Any]]:
    """Read the memories that were left out: each with its reason, and its words if it still has them."""
    trace = detail["trace"]
    memories = {item["id"]: item["memory"] for item in detail["memories"]}
    owners = list(dict.fromkeys([request.subject, *trace["reads"]]))
    for item in trace["omitted"][:_MAX_LOOKED_UP]:
        memory = await request.rest.find_memory(owners, item["id"])
        if memory is not None:
            memories[item["id"]] = memory
    return [
        {**item, "reason": _in_words(item["reason"], memories), "memory": memories.get(item["id"])}
        for item in trace["omitted"]
    ]


def _in_words(reason: str, memories: dict[str, dict[str, Any]]) -> str:
    """Write a reason that names another memory by its id with that memory's words."""
    words = reason.split(" ")
    return " ".join(f"“{cut(memories[word]['text'])}”" if word in memories else word for word in words)


def _block(block: dict[str, Any] | None) -> list[dict[str, Any]]:
    return [block] if block else []


def _lines(blocks: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines of blocks in the order in which a prompt has them."""
    return [line for block in blocks for text in (block["standing"], block["recalled"]) for line in text.splitlines()]


def _steps(request: PageRequest) -> tuple[str, ...]:
    return ("subjects", request.subject, "conversations", request.parameters["conversation"])


# Maximum number of pages that one poll reads. After a pause with more requests than that, the oldest need a reload.
_MAX_PAGES = 10


async def _of_all(request: PageRequest) -> HtmlPage:
    """Show the requests of all subjects."""
    return await _live(request, ("traces",), page_path("live"))


async def _of_subject(request: PageRequest) -> HtmlPage:
    """Show the requests of one subject."""
    subject = request.subject
    return await _live(request, ("subjects", subject, "traces"), page_path("subjects", subject, "live"))


async def _live(request: PageRequest, steps: tuple[str, ...], here: str) -> HtmlPage:
    after, cursor = request.chosen("after"), request.chosen("cursor")
    page = await request.rest.get(*steps, limit=_REQUESTS_OF_PAGE, cursor=cursor, after=after)
    traces, newest = list(page["traces"]), page["newest"]
    read = 1
    while after and page["next_cursor"] and read < _MAX_PAGES:
        page = await request.rest.get(*steps, limit=_REQUESTS_OF_PAGE, cursor=page["next_cursor"], after=after)
        traces += page["traces"]
        read += 1
    data: dict[str, Any] = {
        "subject": request.parameters.get("subject"),
        "here": here,
        "traces": traces,
        "questions": await read_questions(request, traces),
        "newest": newest,
        "next_cursor": page["next_cursor"],
        "is_newest": cursor is None,
        "to_try": request_to_try(request.engine.settings, f"{request.base_url}/v1"),
    }
    return HtmlPage(template="live", title="Live", data=data)


# Compared line by line up to so many pairs of lines, for the time grows faster than they do.
_MAX_PAIRS = 40_000


def line_diff(old: Sequence[str], new: Sequence[str]) -> list[dict[str, Any]]:
    """Return what became of the lines of a text.

    Returns:
        Runs of lines in order: `{"change": "same" | "removed" | "added", "lines": […]}`.

    >>> [(run["change"], run["lines"]) for run in line_diff(["a", "b"], ["a", "c"])]
    [('same', ['a']), ('removed', ['b']), ('added', ['c'])]
    """
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    runs = [("same", old[:head])]
    runs += _middle(old[head : len(old) - tail], new[head : len(new) - tail])
    runs.append(("same", old[len(old) - tail :]))
    return [{"change": change, "lines": list(lines)} for change, lines in runs if lines]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many equal lines two texts begin."""
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count


def _middle(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    if len(old) * len(new) > _MAX_PAIRS:
        return [("removed", old), ("added", new)]
    runs: list[tuple[str, Sequence[str]]] = []
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            runs.append(("same", old[old_start:old_end]))
        else:
            runs += [("removed", old[old_start:old_end]), ("added", new[new_start:new_end])]
    return runs


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


_CONVERSATION = "/subjects/{subject}/conversations/{conversation}"
PAGES = (
    PageRoute("GET", f"{_CONVERSATION}/trace", _requests),
    PageRoute("GET", f"{_CONVERSATION}/traces/{{trace}}", _request),
    PageRoute("GET", "/live", _of_all),
    PageRoute("GET", "/subjects/{subject}/live", _of_subject),
)
