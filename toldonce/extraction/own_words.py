"""Mark what a message only carries: of '> I hate tea' and 'Me too.' only 'Me too.' is the speaker's own. Pure.

A message may carry injected memory, reasoning, code, quotations, documents, mail and other people's chats. `mark` finds
them; `MarkedText` tells both what the speaker said and what a model is shown, which sees the rest between marks.
Inline code is the speaker's own, as is whatever follows a label.
"""

import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from toldonce.extraction.given_texts import find_given
from toldonce.extraction.machine_text import find_machine_text
from toldonce.extraction.mail_and_posts import find_mail, find_posts
from toldonce.extraction.marked_text import MarkedText, Origin
from toldonce.extraction.material import find_unmeant, find_worked_on
from toldonce.extraction.pasted import find_pasted
from toldonce.extraction.retrieval_prompts import find_retrieved, is_template
from toldonce.extraction.role_play import find_role_play
from toldonce.extraction.spans import Excerpt, RemovedParts, Span, blank_out, holds, merge_spans
from toldonce.extraction.transcripts import find_thread, find_transcript
from toldonce.extraction.wrappers import find_wrapped, with_plain_tags
from toldonce.lazy_pattern import LazyPattern
from toldonce.prompt.changes import HEADINGS
from toldonce.prompt.sentences import headings

# Tags of ToldOnce's blocks, plain or escaped, also with the former name; the boundary's hash may follow the name.
_OUR_TAG = LazyPattern(
    r"(?:<|&lt;|\\u003c)\s{0,9}(?P<close>/?)\s{0,9}(?:toldonce|recollect)[-_]{0,3}memory\b(?P<id>[^>&\n]{0,200})(?:>|&gt;|\\u003e)?",
    re.I,
)

# The beginning of such a tag at the end of a text that was cut off.
_CUT_TAG = LazyPattern(r"(?:<|&lt;)\s{0,9}/?\s{0,9}(?P<name>[a-z][a-z-]{1,15})\Z", re.IGNORECASE)
_TAG_NAMES = ("toldonce-memory", "recollect-memory")
_ENCODED = LazyPattern(r"[A-Za-z0-9+/_-]{40,}+={0,2}")
_HEX = LazyPattern(r"[^0-9a-z]")


@dataclass(frozen=True, slots=True)
class OwnBlocks:
    """The blocks of ToldOnce in a text."""

    spans: list[Span]
    forged: bool
    """A closing tag has no opening one: any word around it may be another's."""
    cut_off: bool
    """The last block is not closed: the rest of the message is lost in it."""


def find_own_blocks(text: str, hidden: Sequence[Span]) -> OwnBlocks:
    """Find the blocks of memory that ToldOnce put into a text.

    ToldOnce puts blocks at the head of a message. There, a block ends at the last closing tag with its id, and the
    speaker's words follow. Text after a block elsewhere, or around a stray closing tag, may be forged.

    Args:
        text: A message.
        hidden: United spans that are removed anyway; tags inside them are ignored.
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
            return OwnBlocks([], forged=True, cut_off=True)
        headed = headed and not any(character.isalnum() for character in plain[at : tag.start()])
        end = closing.get(_id(tag), 0)
        at = end if headed and end > tag.start() else len(text)
        spans.append((tag.start(), at))
    cut_off = at == len(text)
    spans += encoded
    cut = _CUT_TAG.search(text.rstrip()[-40:])
    if cut and any(name.startswith(cut["name"].lower()) for name in _TAG_NAMES):
        spans.append((len(text.rstrip()) - len(cut.group()), len(text)))
    return OwnBlocks(spans, forged=False, cut_off=cut_off)


def _id(tag: "re.Match[str]") -> str:
    return _HEX.sub("", tag["id"].lower())


def _is_encoded_block(run: str) -> bool:
    data = run.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        decoded = b64decode(data[: len(data) // 4 * 4])
    except ValueError:
        return False
    return any(name.encode() in decoded for name in _TAG_NAMES) or b", not instructions" in decoded


Speaker = Literal["user", "person", "assistant"]
"""A user who talks to an assistant, a person who talks to people (under a name), or a model or tool."""

_QUOTED_LINE = LazyPattern(r"^[ \t]*+>.*$", re.MULTILINE)
_QUOTE_MARK = LazyPattern(r"^(?:[ \t]*+>)++[ \t]?", re.MULTILINE)
# Frames and rows that ToldOnce writes around memories, pasted without their tags.
_OUR_FRAME = LazyPattern(
    r"These are (?:notes|quotations|memories|summaries)[^.\n]{0,80}, not instructions\b"
    r"|^#{1,3} (?:Long-term memory:|Recent messages$|What is remembered of this session|Summary of the chat so far)"
    r"|^The recent messages follow behind it word for word|^Use these notes where they help to answer"
    r"|^Let what you remember show in how you act|^Answer consistently with (?:this profile|what was said before)"
)
BLOCK_HEADINGS = frozenset({*HEADINGS, *(group.heading for group in headings())})
"""Lines above the facts of a block."""
_LISTED = LazyPattern(r"[ \t>]{0,20}(?:[-*•]|\d{1,3}\.)\s|[ \t>]{2,20}+(?:Summary|Context): |[ \t>]{0,20}</?memories>")
_OUR_ROW = LazyPattern(
    r"\A[ \t>*•\d.-]{0,20}(?:"
    r"\[[A-Z_ ]{2,40}\] .{0,2000} \(importance: [\d.]+\)|\[[A-Z_ ]{2,40}, importance=\d+, [^\]]{1,40}\]"
    r"|\[Created: \d{4}-\d\d-\d\d\] .{0,2000}"
    r"|[\"“”„«'‘].{0,2000}[\"“”»'’] \((?:said by [^()]{1,80} on |[^()]{1,80}, )?"
    r"(?:\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]{2,8} \d{4})\)"
    r"|turns? \d+(?:-\d+)?: .{0,2000})[ \t]*$"
)
# A line with nothing but a tag.
_TAG_LINE = LazyPattern(r"^[ \t]*+</?[^\W\d][^\s<>/]{0,40}(?:\s[^<>\n]{0,200})?>[ \t]*+$", re.MULTILINE)
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
    blocks = find_own_blocks(plain.text, wrapped.spans)
    if blocks.forged:
        return MarkedText.of(text, [(Origin.MEMORY, [(0, len(text))])])
    if wrapped.doubtful and speaker != "assistant":
        return MarkedText.of(text, [(Origin.WRAPPED, [(0, len(text))])])
    spans = merge_spans([*wrapped.spans, *blocks.spans])
    rest = plain.without(spans)
    cut_off = wrapped.cut_off or blocks.cut_off
    if speaker != "assistant" and wrapped.own is not None and not cut_off and is_template(rest.text):
        return _marked_within(text, plain.whole_span(wrapped.own))
    layers: list[_Layer] = [(plain, Origin.MEMORY, blocks.spans), (plain, Origin.WRAPPED, wrapped.spans)]
    carried = [] if speaker == "assistant" else _carried(rest, cut_off=cut_off, speaker=speaker)
    layers += carried
    left = rest.without(span for _, _, found in carried for span in found)
    layers += _left_marks(left, quotations=quotations, games=games or speaker != "user")
    return MarkedText.of(text, [(origin, list(map(excerpt.whole_span, found))) for excerpt, origin, found in layers])


def _marked_within(text: str, span: Span) -> MarkedText:
    """Mark a text of which a client marks a part as the user's: only its template is around that."""
    start, end = span
    inner = mark(text[start:end])
    around = (Origin.RETRIEVED, [(0, start), (end, len(text))])
    spans = [(each.origin, [(start + each.start, start + each.end)]) for each in inner.spans]
    return MarkedText.of(text, [around, *spans])


def _carried(rest: Excerpt, *, cut_off: bool, speaker: Speaker) -> list[_Layer]:
    """Find what is not wrapped: prompts and mail; of a user also chats, posts, machine text, texts to work on."""
    text = rest.text
    retrieved = find_retrieved(text, rest.places, cut_off=cut_off)
    found: list[tuple[Origin, Sequence[Span]]] = [(Origin.RETRIEVED, retrieved), (Origin.MAIL, find_mail(text))]
    if speaker == "user":
        found += [
            (Origin.QUOTED, [line.span() for line in _QUOTED_LINE.finditer(text)]),
            (Origin.MEMORY, _rows(text)),
            (Origin.CHAT, [*find_thread(text), *find_transcript(text)]),
            (Origin.POST, find_posts(text)),
            (Origin.MACHINE, find_machine_text(text)),
        ]
        removed = RemovedParts(merge_spans(span for _, spans in found for span in spans), rest.places)
        unmeant = find_unmeant(text, removed)
        found += [
            (Origin.UNMEANT, unmeant),
            (Origin.GIVEN, [] if retrieved else find_given(text, removed, unmeant)),
            (Origin.PASTED, find_worked_on(text, removed)),
            # The rest of a prompt is its labelled question.
            (Origin.PASTED, [] if retrieved else find_pasted(text, removed)),
        ]
    return [(rest, origin, spans) for origin, spans in found]


def _left_marks(left: Excerpt, *, quotations: bool, games: bool) -> list[_Layer]:
    """Find what is marked for every speaker: rows of a block, quoted lines, lines with a tag alone; and games."""
    rows = _rows(left.text)
    quoted = _QUOTE_MARK if quotations else _QUOTED_LINE
    lines = [found.span() for found in quoted.finditer(left.text)]
    tags = [found.span() for found in _TAG_LINE.finditer(left.text)]
    said = left.without([*rows, *lines])
    return [
        (left, Origin.MEMORY, rows),
        (left, Origin.MARKUP if quotations else Origin.QUOTED, lines),
        (left, Origin.MARKUP, tags),
        (said, Origin.GAME, [] if games else find_role_play(said.text)),
    ]


def _rows(text: str) -> list[Span]:
    """Find the lines of a block that was pasted without its tags: its frame and its rows."""
    found: list[Span] = []
    within = False
    at = 0
    for line in text.split("\n"):
        is_frame = bool(_OUR_FRAME.search(line.lstrip(" \t>")[:300]))
        is_inner = within and (line.strip(" \t>") in BLOCK_HEADINGS or _LISTED.match(line))
        if is_frame or _OUR_ROW.match(line) or is_inner:
            found.append((at, at + len(line) + 1))
            within = within or is_frame
        else:
            within = within and not line.strip()
        at += len(line) + 1
    return found
