"""The quotations that a memory rests on, each marked in its message, between its neighbours. Reads the REST API."""

from collections.abc import Mapping, Sequence
from typing import Any

from toldonce.server.dashboard.page import PageRequest
from toldonce.server.dashboard.rest_client import RestError
from toldonce.types import Subject

MAX_QUOTES = 6
"""Sources shown with their messages."""
_NEIGHBOURS = 2
# Messages of other branches may come between: the page reads more than it shows.
_AROUND = 10
_SHOWN_AROUND, _SHOWN_MARK = 350, 4000
_CUT = "…"
_TURN = "turn"
Message = Mapping[str, Any]
Span = tuple[str, str]
"""`plain`, `mark`, `withheld` or `cut`, and the words."""


async def read_quotes(request: PageRequest, memory: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the newest sources of a memory, oldest first.

    Each has `source`, the `home` whose conversation it is, its message's `spans` (empty if it cannot be read), and the
    messages `before` and `after` it in the conversation.
    """
    return [await _quote(request, memory, source) for source in memory["evidence"][-MAX_QUOTES:]]


async def _quote(request: PageRequest, memory: Mapping[str, Any], source: Mapping[str, Any]) -> dict[str, Any]:
    for home in homes_of(request.subject):
        window = await _window(request, home, source)
        message = next((each for each in window if each["seq"] == source["seq"]), None)
        if message is None:
            continue
        spans = _turn_spans(message["text"], memory["withheld"]) if memory["kind"] == _TURN else None
        return {
            "source": source,
            "home": home,
            "message": _shown(message),
            "spans": spans or marked(message["text"], source["quote"]),
            "before": [_shown(each) for each in before(message, window)],
            "after": [_shown(each) for each in after(message, window)],
        }
    return {"source": source, "home": None, "message": None, "spans": [], "before": [], "after": []}


def homes_of(subject: str) -> list[str]:
    """Return whose conversations a memory may come from: its subject's, then those of its owners, outermost last.

    >>> homes_of("app:ana/calendar")
    ['app:ana/calendar', 'user:ana']
    """
    return [subject, *(owner.text for owner in Subject.parse(subject).owners)]


async def _window(request: PageRequest, home: str, source: Mapping[str, Any]) -> list[Message]:
    cursor = max(source["seq"] - 1 - _AROUND, 0)
    try:
        answer = await request.rest.get(
            *("subjects", home, "conversations", source["conversation"], "messages"),
            cursor=cursor,
            limit=2 * _AROUND + 1,
        )
    except RestError:  # the conversation is another's, or was erased: the quotation itself is still shown
        return []
    return list(answer["messages"])


def before(message: Message, window: Sequence[Message]) -> list[Message]:
    """Return the messages that a message follows, oldest first."""
    by_seq = {each["seq"]: each for each in window}
    found: list[Message] = []
    while len(found) < _NEIGHBOURS and (message := by_seq.get(message["parent_seq"], {})):
        found.insert(0, message)
    return found


def after(message: Message, window: Sequence[Message]) -> list[Message]:
    """Return the messages that follow one, in the branch that was continued last."""
    found: list[Message] = []
    while len(found) < _NEIGHBOURS:
        following = [each for each in window if each["parent_seq"] == message["seq"]]
        if not following:
            break
        message = following[-1]
        found.append(message)
    return found


def marked(text: str, quote: str) -> list[Span]:
    """Return a message in parts, with the quotation marked; without a quotation the whole message is marked.

    >>> marked("I moved. I live in Oslo now.", "I live in Oslo")
    [('plain', 'I moved. '), ('mark', 'I live in Oslo'), ('plain', ' now.')]
    """
    if not quote:
        return _shortened([("mark", text)])
    start = text.find(quote)
    if start < 0:
        folded = text.casefold()
        start = folded.find(quote.casefold()) if len(folded) == len(text) else -1
    if start < 0:  # it was cleaned before it was quoted
        return _shortened([("mark", quote), ("plain", f" {_CUT} "), ("plain", text)])
    end = start + len(quote)
    return _shortened([("plain", text[:start]), ("mark", text[start:end]), ("plain", text[end:])])


def _turn_spans(text: str, withheld: Sequence[Mapping[str, Any]]) -> list[Span]:
    """Return a quoted message in parts, with what the quotation leaves out."""
    spans: list[Span] = []
    at = 0
    for part in withheld:
        spans += [("mark", text[at : part["start"]]), ("withheld", text[part["start"] : part["end"]])]
        at = part["end"]
    return _shortened([*spans, ("mark", text[at:])])


def _shortened(spans: Sequence[Span]) -> list[Span]:
    """Cut what is long: the words before and after the mark, and the mark itself."""
    shown: list[Span] = []
    for place, (kind, words) in enumerate(spans):
        if not words:
            continue
        if kind == "plain" and place == 0 and len(words) > _SHOWN_AROUND:
            shown += [("cut", _CUT), (kind, words[-_SHOWN_AROUND:])]
        elif len(words) > (limit := _SHOWN_AROUND if kind == "plain" else _SHOWN_MARK):
            shown += [(kind, words[:limit]), ("cut", _CUT)]
        else:
            shown.append((kind, words))
    return shown


def _shown(message: Message) -> dict[str, Any]:
    """Return what the page shows of a message; its words are cut."""
    words = message["text"]
    short = words if len(words) <= _SHOWN_AROUND else words[:_SHOWN_AROUND].rstrip() + _CUT
    kept = {name: message[name] for name in ("conversation", "seq", "role", "name", "said_at", "erased")}
    return {**kept, "text": short}
