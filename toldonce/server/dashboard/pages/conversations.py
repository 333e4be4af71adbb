"""Conversations of a subject: the tree of messages with edits and regenerations, and what each message left."""

from collections.abc import Mapping, Sequence
from typing import Any

from toldonce.server.dashboard.filters import cut
from toldonce.server.dashboard.page import BadFormError, HtmlPage, PageError, PageRequest, PageRoute, SeeOther
from toldonce.server.dashboard.paths import page_path
from toldonce.server.dashboard.rest_client import RestError
from toldonce.server.status import BAD_REQUEST, NOT_FOUND

MESSAGES_OF_PAGE = 100
_CONVERSATIONS_OF_PAGE = 50
_BEGINNING_CHARACTERS = 120
_MAX_MEMORIES = 1000
# Memories whose words are looked up by a call of the API each: closed ones, and those of a session, app or character.
_MAX_LOOKED_UP = 50
_MAX_DIGITS = 9


async def _conversations(request: PageRequest) -> HtmlPage:
    """List conversations, last updated first."""
    listed = await request.rest.get(
        "subjects",
        request.subject,
        "conversations",
        limit=_CONVERSATIONS_OF_PAGE,
        cursor=request.chosen("cursor"),
    )
    beginnings = {known["id"]: await _beginning(request, known["id"]) for known in listed["conversations"]}
    data = {"subject": request.subject, "beginnings": beginnings, **listed}
    return HtmlPage(template="conversations", title="Conversations", data=data)


async def _beginning(request: PageRequest, conversation: str) -> str:
    """Return the first words of a conversation; empty if there are none, or they were erased."""
    steps = ("subjects", request.subject, "conversations", conversation, "messages")
    messages = (await request.rest.get(*steps, limit=1))["messages"]
    return cut(messages[0]["text"], _BEGINNING_CHARACTERS) if messages else ""


async def _conversation(request: PageRequest) -> HtmlPage:
    """Show some messages of a conversation: the newest ones, unless others are asked for."""
    conversation = await request.rest.get(*_steps(request))
    last = max(-(-conversation["messages"] // MESSAGES_OF_PAGE), 1)
    number = _page_number(request, last)
    after = (number - 1) * MESSAGES_OF_PAGE
    read = await request.rest.get(
        *_steps(request), "messages", cursor=after, limit=MESSAGES_OF_PAGE, with_memories=True
    )
    memories = (await _if_known(request, "memories", limit=_MAX_MEMORIES) or {"memories": []})["memories"]
    episodes = [memory for memory in memories if memory["kind"] == "episode"]
    summary = await _if_known(request, "summary") if episodes else None
    data = {
        "subject": request.subject,
        "conversation": conversation,
        "number": number,
        "last": last,
        "at": _number(request, "at"),
        "rows": fold_branches(read["messages"]),
        "left": await _left_by(request, read["messages"], memories),
        "episodes": episodes,
        "summary": summary["summary"] if summary else "",
    }
    return HtmlPage(template="conversation", title="Conversation", data=data)


async def _if_known(request: PageRequest, *steps: str, **query: int) -> dict[str, Any] | None:
    """Read what belongs to a conversation; None if only a request with its app or session could say."""
    try:
        found: dict[str, Any] = await request.rest.get(*_steps(request), *steps, **query)
    except RestError as error:
        if error.status != BAD_REQUEST:
            raise
        return None
    return found


async def _left_by(
    request: PageRequest, messages: Sequence[dict[str, Any]], known: Sequence[dict[str, Any]]
) -> dict[int, list[dict[str, Any]]]:
    """Return the notes and facts that rest on each message, by its `seq`: in full, or as the list of messages has them.

    Args:
        request: The page's request.
        messages: As the API lists them with what they left.
        known: Memories of the conversation that were read before.
    """
    whole = {memory["id"]: memory for memory in known}
    left = {
        message["seq"]: [memory for memory in message["memories"] if memory["kind"] != "episode"]
        for message in messages
    }
    unread = [memory for found in left.values() for memory in found if memory["id"] not in whole]
    for memory in unread[:_MAX_LOOKED_UP]:
        found = await request.rest.find_memory([memory["subject"]], memory["id"])
        if found is not None:
            whole[memory["id"]] = found
    return {seq: [whole.get(memory["id"], memory) for memory in found] for seq, found in left.items() if found}


def _page_number(request: PageRequest, last: int) -> int:
    """Return which page of messages is asked for, by its number or by a message on it."""
    at, page = _number(request, "at"), _number(request, "page")
    wanted = last if page is None else page
    if at is not None:
        wanted = (at - 1) // MESSAGES_OF_PAGE + 1
    if not 1 <= wanted <= last:
        raise PageError(NOT_FOUND, "The conversation has no such message.")
    return wanted


def _number(request: PageRequest, name: str) -> int | None:
    """Return a whole number of the URL; None if it is absent."""
    given = request.chosen(name)
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= _MAX_DIGITS):
        raise PageError(BAD_REQUEST, f"{name} is a whole number.")
    return int(given)


async def _end(request: PageRequest) -> SeeOther:
    """End the conversation."""
    await request.rest.post(*_steps(request), "end", body={"reason": "ended in the dashboard"})
    return SeeOther(page_path(*_steps(request), done="ended"))


async def _save(request: PageRequest) -> SeeOther:
    """Form now what the conversation has waiting."""
    saved = await request.rest.post(*_steps(request), "save")
    return SeeOther(page_path(*_steps(request), done="saving" if saved["formations"] else "nothing-waits"))


async def _erase(request: PageRequest) -> HtmlPage:
    """Erase the conversation for good, and show the receipt."""
    request.require_sure()
    query = {"everywhere": request.field("everywhere") == "yes"}
    receipt = (await request.rest.send("DELETE", *_steps(request), query=query)).data
    return HtmlPage(template="receipt", title="Erased", data={"subject": request.subject, "receipt": receipt})


async def _erase_messages(request: PageRequest) -> HtmlPage:
    """Erase the ticked messages for good, and show the receipt."""
    chosen = request.form.get("seq", [])
    if not chosen or len(chosen) > MESSAGES_OF_PAGE:
        raise BadFormError("Tick the messages to erase first.")
    request.require_sure()
    receipt = (await request.rest.send("DELETE", *_steps(request), "messages", query={"seq": chosen})).data
    return HtmlPage(template="receipt", title="Erased", data={"subject": request.subject, "receipt": receipt})


def _steps(request: PageRequest) -> tuple[str, ...]:
    return ("subjects", request.subject, "conversations", request.parameters["conversation"])


_CONVERSATION = "/subjects/{subject}/conversations/{conversation}"
PAGES = (
    PageRoute("GET", "/subjects/{subject}/conversations", _conversations),
    PageRoute("GET", _CONVERSATION, _conversation),
    PageRoute("POST", f"{_CONVERSATION}/end", _end),
    PageRoute("POST", f"{_CONVERSATION}/save", _save),
    PageRoute("POST", f"{_CONVERSATION}/erase", _erase),
    PageRoute("POST", f"{_CONVERSATION}/messages/erase", _erase_messages),
)


Message = Mapping[str, Any]
"""A message as the REST API describes it, with its place in the tree."""


def fold_branches(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Arrange some consecutive messages of a log, in order of arrival: the active path, and the branches that leave it.

    Returns:
        Rows `{"message": …, "branches": [{"after": seq, "messages": […]}, …]}`. The first row has no message: its
        branches leave the conversation's beginning, or messages before these ones.
    """
    rows: list[dict[str, Any]] = [{"message": None, "branches": []}]
    rows += [{"message": message, "branches": []} for message in messages if message["active"]]
    row_of = {row["message"]["seq"]: row for row in rows[1:]}
    open_branches: dict[int, dict[str, Any]] = {}  # by their last message
    for message in messages:
        seq, parent = message["seq"], message["parent_seq"]
        if message["active"]:
            continue
        row = row_of.get(parent, rows[0])
        branch = open_branches.pop(parent, None)
        if branch is None:
            branch = {"after": parent, "messages": []}
            row["branches"].append(branch)
        branch["messages"].append(message)
        open_branches[seq] = branch
        row_of[seq] = row
    return rows
