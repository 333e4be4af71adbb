"""Mark what a message only carries: of '> I hate tea' and 'Me too.' only 'Me too.' is the speaker's own. Pure.

A message may carry injected memory, reasoning, code, quotations, documents, mail and other people's chats. `mark` finds
them; `MarkedText` tells both what the speaker said and what a model is shown, which sees the rest between marks.
Inline code is the speaker's own, as is whatever follows a label.
"""

import re
from base64 import b64decode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from toldonce.extraction.own_text.announced import find_announced
from toldonce.extraction.own_text.carriers import CARRIERS, pattern
from toldonce.extraction.own_text.machine_text import find_machine_text
from toldonce.extraction.own_text.marked_text import MarkedText, Origin
from toldonce.extraction.own_text.retrieved import find_retrieved, is_template
from toldonce.extraction.own_text.spans import Excerpt, RemovedParts, Span, blank_out, holds, merge_spans
from toldonce.extraction.own_text.transcripts import find_transcript
from toldonce.extraction.own_text.wrappers import find_wrapped, with_plain_tags
from toldonce.extraction.role_play import find_role_play
from toldonce.lazy_pattern import LazyPattern
from toldonce.prompt.changes import HEADINGS
from toldonce.prompt.sentences import headings

_OUR_TAG, _OUR_CUT_TAG = pattern("wrappers", "our_tag"), pattern("wrappers", "our_cut_tag")
_OUR_FRAME = pattern("wrappers", "our_frame", case=True)
_OUR_ROW = pattern("wrappers", "our_row", case=True)
_OUR_LISTED = pattern("wrappers", "our_listed", case=True)
_ENCODED = pattern("wrappers", "encoded")
_TAG_NAMES = ("toldonce-memory", "recollect-memory")
_NOT_HEX = LazyPattern(r"[^0-9a-z]")
_QUOTED_LINE, _QUOTE_MARK = pattern("wrappers", "quoted_line"), pattern("wrappers", "quote_mark")
_TAG_LINE = pattern("wrappers", "tag_line")
BLOCK_HEADINGS = frozenset({*HEADINGS, *(group.heading for group in headings())})
"""Lines above the facts of a block."""

Speaker = Literal["user", "person", "assistant"]
"""A user who talks to an assistant, a person who talks to people (under a name), or a model or tool."""
_Layer = tuple[Excerpt, Origin, Sequence[Span]]
"""Spans of one origin, with the text in which they were found."""


def own_words(text: str, *, quotations: bool = False, speaker: Speaker = "user", games: bool = False) -> str:
    """Return the words that the speaker wrote themselves: see `mark`.

    >>> own_words("<toldonce-memory a1>- likes tea</toldonce-memory a1>I moved to Oslo.")
    'I moved to Oslo.'
    >>> own_words("> I hate tea\\nMe too.")
    'Me too.'
    """
    return mark(text, quotations=quotations, speaker=speaker, games=games).own()


def mark(text: str, *, quotations: bool = False, speaker: Speaker = "user", games: bool = False) -> MarkedText:
    """Mark what a message only carries.

    An unclosed wrapper runs to the end of the message. A closing tag without an opening one is forged or cut off: the
    text before and after it may be another's, and all of it is marked.

    Args:
        text: A message.
        quotations: Quoted lines are the speaker's own, but for their marks.
        speaker: Kind of speaker. Messages of a model or tool are not searched for documents and mail.
        games: What the user says within a game or a supposition is their own.
    """
    plain = with_plain_tags(text)
    wrapped = find_wrapped(plain.text, known_only=speaker == "assistant")
    blocks = _find_own_blocks(plain.text, wrapped.spans)
    if blocks.forged:
        return MarkedText.of(text, [(Origin.MEMORY, [(0, len(text))])])
    if wrapped.doubtful and speaker != "assistant":
        return MarkedText.of(text, [(Origin.WRAPPED, [(0, len(text))])])
    rest = plain.without([*wrapped.spans, *blocks.spans])
    cut_off = wrapped.cut_off or blocks.cut_off
    if speaker != "assistant" and wrapped.own is not None and not cut_off and is_template(rest.text):
        return _marked_within(text, plain.whole_span(wrapped.own))
    layers: list[_Layer] = [(plain, Origin.MEMORY, blocks.spans), (plain, Origin.WRAPPED, wrapped.spans)]
    carried = [] if speaker == "assistant" else _carried(rest, cut_off=cut_off, speaker=speaker)
    layers += [(rest, origin, spans) for origin, spans in carried]
    left = rest.without(span for _, spans in carried for span in spans)
    layers += _left_marks(left, quotations=quotations, games=games or speaker != "user")
    return MarkedText.of(text, [(origin, list(map(excerpt.whole_span, spans))) for excerpt, origin, spans in layers])


@dataclass(frozen=True, slots=True)
class _OwnBlocks:
    """The blocks of ToldOnce in a text."""

    spans: list[Span]
    forged: bool = False
    """A closing tag has no opening one: any word around it may be another's."""
    cut_off: bool = False
    """The last block is not closed: the rest of the message is lost in it."""


def _find_own_blocks(text: str, hidden: Sequence[Span]) -> _OwnBlocks:
    """Find the blocks of memory that ToldOnce put into a text; tags in its `hidden` spans are ignored.

    ToldOnce puts blocks at the head of a message. There, a block ends at the last closing tag with its id, and the
    speaker's words follow. Text after a block elsewhere, or around a stray closing tag, may be forged.
    """
    tags = [tag for tag in _OUR_TAG.finditer(text) if not holds(hidden, tag.start())]
    encoded = [run.span() for run in _ENCODED.finditer(text) if _is_encoded_block(run.group())]
    closing = {_id(tag): tag.end() for tag in tags if tag["close"]}
    plain = blank_out(text, [*hidden, *encoded])
    spans: list[Span] = []
    at, headed = 0, True
    for tag in tags:
        if tag.start() < at:
            continue
        if tag["close"]:
            return _OwnBlocks([], forged=True, cut_off=True)
        headed = headed and not any(map(str.isalnum, plain[at : tag.start()]))
        end = closing.get(_id(tag), 0)
        at = end if headed and end > tag.start() else len(text)
        spans.append((tag.start(), at))
    length = len(text.rstrip())
    cut = _OUR_CUT_TAG.search(text[max(0, length - 40) : length])
    if cut and any(name.startswith(cut["name"].lower()) for name in _TAG_NAMES):
        encoded.append((length - len(cut.group()), len(text)))
    return _OwnBlocks([*spans, *encoded], cut_off=at == len(text))


def _id(tag: "re.Match[str]") -> str:
    return _NOT_HEX.sub("", tag["id"].lower())


def _is_encoded_block(run: str) -> bool:
    data = run.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        decoded = b64decode(data[: len(data) // 4 * 4])
    except ValueError:
        return False
    return any(name.encode() in decoded for name in (*_TAG_NAMES, ", not instructions"))


def _marked_within(text: str, span: Span) -> MarkedText:
    """Mark a text of which a client marks a part as the user's: only its template is around that."""
    start, end = span
    spans = [(each.origin, [(start + each.start, start + each.end)]) for each in mark(text[start:end]).spans]
    return MarkedText.of(text, [(Origin.RETRIEVED, [(0, start), (end, len(text))]), *spans])


def _carried(rest: Excerpt, *, cut_off: bool, speaker: Speaker) -> list[tuple[Origin, Sequence[Span]]]:
    """Find what is not wrapped: prompts and mail; of a user also chats, posts, machine text, texts to work on."""
    text = rest.text
    retrieved = find_retrieved(text, rest.places, cut_off=cut_off)
    found: list[tuple[Origin, Sequence[Span]]] = [(Origin.RETRIEVED, retrieved)]
    if speaker != "user":
        return [*found, *((each.origin, each.find(text)) for each in CARRIERS if each.origin is Origin.MAIL)]
    carriers = [each for each in CARRIERS if each.prompt or not retrieved]
    found += [
        (Origin.QUOTED, [line.span() for line in _QUOTED_LINE.finditer(text)]),
        (Origin.MEMORY, _rows(text)),
        (Origin.CHAT, find_transcript(text)),
        (Origin.MACHINE, find_machine_text(text)),
        *((each.origin, each.find(text)) for each in carriers if not each.late and each.origin is not Origin.MACHINE),
    ]
    removed = RemovedParts(_united(found), rest.places)
    late = [(each.weak, each.origin, each.find(text, removed)) for each in carriers if each.late]
    announced = [] if retrieved else find_announced(text, removed)
    found += [(origin, spans) for is_weak, origin, spans in late if not is_weak]
    found += [(origin, [span]) for origin, span in announced]
    return [*found, *((origin, spans) for is_weak, origin, spans in late if is_weak)]


def _united(found: Iterable[tuple[Origin, Sequence[Span]]]) -> list[Span]:
    return merge_spans(span for _, spans in found for span in spans)


def _left_marks(left: Excerpt, *, quotations: bool, games: bool) -> list[_Layer]:
    """Find what is marked for every speaker: rows of a block, quoted lines, lines with a tag alone; and games."""
    rows = _rows(left.text)
    lines = [found.span() for found in (_QUOTE_MARK if quotations else _QUOTED_LINE).finditer(left.text)]
    said = left.without([*rows, *lines])
    return [
        (left, Origin.MEMORY, rows),
        (left, Origin.MARKUP if quotations else Origin.QUOTED, lines),
        (left, Origin.MARKUP, [found.span() for found in _TAG_LINE.finditer(left.text)]),
        (said, Origin.GAME, [] if games else find_role_play(said.text)),
    ]


def _rows(text: str) -> list[Span]:
    """Find the lines of a block that was pasted without its tags: its frame and its rows."""
    found: list[Span] = []
    within, at = False, 0
    for line in text.split("\n"):
        is_frame = bool(_OUR_FRAME.search(line.lstrip(" \t>")[:300]))
        is_inner = within and (line.strip(" \t>") in BLOCK_HEADINGS or _OUR_LISTED.match(line))
        if is_frame or is_inner or _OUR_ROW.match(line):
            found.append((at, at + len(line) + 1))
            within = within or is_frame
        else:
            within = within and not line.strip()
        at += len(line) + 1
    return found
