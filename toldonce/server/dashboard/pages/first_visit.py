"""A first visit to an empty database: try it, and demonstration data."""

import asyncio
from typing import Any

from toldonce.server.dashboard.demonstration import (
    APP,
    APP_NAME,
    APP_NOTE,
    FIRST_CONVERSATION,
    PEOPLE,
    PERSON,
    SHARED,
    SHARED_NOTE,
    SUBJECTS,
    TRIAL,
    demonstration_chats,
    is_demonstration,
)
from toldonce.server.dashboard.page import BadFormError, HtmlPage, PageError, PageRequest, PageRoute, SeeOther
from toldonce.server.dashboard.paths import page_path
from toldonce.server.dashboard.rest_client import RestError
from toldonce.server.status import CONFLICT, FORBIDDEN, NOT_FOUND

MAX_SUBJECTS = 5
"""Demonstration data is offered while the server knows no more subjects than these."""
# Who may not run formations waits for the worker, for up to five seconds in all.
_WAITS, _WAIT_S = 20, 0.25


async def offer(request: PageRequest, subjects: list[str]) -> dict[str, Any]:
    """Return what the first page offers to a new visitor.

    Args:
        request: The request for the first page.
        subjects: The first subjects that the server knows.

    Returns:
        `is_new`: the server has no subjects yet, except the one of the trial; `has_tried`: it has that one; `can_try`;
        `can_fill` and `can_remove`, for demonstration data.
    """
    may_fill = _may_fill(request)
    others = [subject for subject in subjects if not is_demonstration(subject) and subject != TRIAL]
    is_known = any(is_demonstration(subject) for subject in subjects)
    return {
        "is_new": not others and not is_known,
        "has_tried": TRIAL in subjects,
        "can_try": may_fill,
        "can_fill": may_fill and not is_known and len(subjects) <= MAX_SUBJECTS,
        "can_remove": may_fill and await _is_filled(request),
    }


async def _try(request: PageRequest) -> HtmlPage:
    """Show what is remembered of a sentence, and what a question recalls."""
    _require_administrator(request)
    conversation, question = request.chosen("conversation"), request.chosen("q")
    data: dict[str, Any] = {
        "subject_tried": TRIAL,
        "conversation": conversation,
        "remembered": None,
        "question": question or "",
        "recalled": None,
        "said": [],
        "is_late": request.query.get("late") == "yes",
    }
    if conversation is not None:
        steps = ("subjects", TRIAL, "conversations", conversation)
        data["remembered"] = (await request.rest.get(*steps, "memories"))["memories"]
        data["said"] = (await request.rest.get(*steps, "messages", limit=1))["messages"]
    if question is not None:
        data["recalled"] = await request.rest.post("subjects", TRIAL, "context", body={"query": question})
    return HtmlPage(template="try", title="Try it", data=data)


async def _say(request: PageRequest) -> SeeOther:
    """Record a sentence as a message of a chat, and form memories of it."""
    _require_administrator(request)
    text = request.field("text")
    if not text:
        raise BadFormError("Type a sentence first, such as: I live in Lisbon.")
    body = {"messages": [{"role": "user", "content": text}]}
    recorded = await request.rest.post("subjects", TRIAL, "messages", body=body)
    is_formed = await _form(request, TRIAL, [recorded["conversation"]])
    late = {} if is_formed else {"late": "yes"}
    return SeeOther(page_path("try", conversation=recorded["conversation"], **late) + "#remembered")


async def _end_trial(request: PageRequest) -> SeeOther:
    """Erase what was typed to try it."""
    _require_administrator(request)
    await _erase(request, TRIAL)
    return SeeOther(page_path("try", done="trial-erased"))


async def _fill(request: PageRequest) -> SeeOther:
    """Store the demonstration data."""
    _require_administrator(request)
    known = (await request.rest.get("subjects", limit=MAX_SUBJECTS + 1))["subjects"]
    if len(known) > MAX_SUBJECTS:
        raise PageError(
            CONFLICT, f"Demonstration data is for new servers: this one knows more than {MAX_SUBJECTS} names."
        )
    if any(subject in known for subject in SUBJECTS):
        raise PageError(CONFLICT, "There is a memory with the name of the demonstration data already.")
    chats = await _tell(request)
    await request.rest.post("subjects", SHARED, "memories", body={"memories": [{"text": SHARED_NOTE}]})
    await request.rest.post("subjects", PERSON, "subscriptions", body={"shared": SHARED})
    await request.rest.send("PUT", "subjects", PERSON, "apps", APP_NAME)
    await request.rest.post("subjects", APP, "memories", body={"memories": [{"text": APP_NOTE}]})
    await _form(request, PERSON, list(chats))
    return SeeOther(page_path("subjects", PERSON, done="demonstration-added"))


async def _tell(request: PageRequest) -> list[str]:
    """Record the chats of the first person of whom nothing was erased; return the names of the conversations.

    Raises:
        PageError: All were there before, and were removed: erased words do not come back.
    """
    for person in range(PEOPLE):
        chats = demonstration_chats(request.engine.clock.now(), person)
        for name, body in chats.items():
            await request.rest.post("subjects", PERSON, "conversations", name, "messages", body=body)
        steps = ("subjects", PERSON, "conversations", FIRST_CONVERSATION, "messages")
        if not any(message["erased"] for message in (await request.rest.get(*steps))["messages"]):
            return list(chats)
        await _erase(request, PERSON)
    raise PageError(CONFLICT, f"Demonstration data was removed {PEOPLE} times: erased words are not stored again.")


async def _remove(request: PageRequest) -> SeeOther:
    """Erase the demonstration data."""
    _require_administrator(request)
    if not await _is_filled(request):
        raise PageError(NOT_FOUND, "There is no demonstration data.")
    for subject in SUBJECTS:
        await _erase(request, subject)
    return SeeOther(page_path(done="demonstration-erased"))


async def _form(request: PageRequest, subject: str, conversations: list[str]) -> bool:
    """Have memories formed of conversations now; return whether they are."""
    for conversation in conversations:
        await request.rest.post("subjects", subject, "conversations", conversation, "save")
    if request.is_operator:
        await request.rest.post("formations", "run", body={})
        return True
    last = ("subjects", subject, "conversations", conversations[-1], "memories")
    for _ in range(_WAITS):  # a worker forms them
        if (await request.rest.get(*last))["memories"]:
            return True
        await asyncio.sleep(_WAIT_S)
    return False


async def _erase(request: PageRequest, subject: str) -> None:
    try:
        await request.rest.send("DELETE", "subjects", subject)
    except RestError as error:
        if error.status != NOT_FOUND:
            raise


async def _is_filled(request: PageRequest) -> bool:
    """Return whether the demonstration's conversations are there: a real user may have its name."""
    try:
        await request.rest.get("subjects", PERSON, "conversations", FIRST_CONVERSATION)
    except RestError as error:
        if error.status == NOT_FOUND:
            return False
        raise
    return True


def _may_fill(request: PageRequest) -> bool:
    return request.is_administrator and request.may_write


def _require_administrator(request: PageRequest) -> None:
    """Check that the sender may store memories under names of the server's own.

    Raises:
        PageError: They may not.
    """
    if not _may_fill(request):
        raise PageError(FORBIDDEN, "This page is for administrators.")


PAGES = (
    PageRoute("GET", "/try", _try),
    PageRoute("POST", "/try/say", _say),
    PageRoute("POST", "/try/end", _end_trial),
    PageRoute("POST", "/demonstration", _fill),
    PageRoute("POST", "/demonstration/remove", _remove),
)
