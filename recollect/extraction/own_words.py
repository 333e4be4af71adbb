"""Remove what a message only carries, and keep its speaker's own words. Pure.

A message may carry injected memory, reasoning, code, quotations, documents, mail and other people's chats. Everything
that others may have written is removed: losing a sentence is better than reading another's as the speaker's. Of
'> I hate tea' and 'Me too.' only 'Me too.' is kept.
"""

import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recollect.extraction.given_texts import GIVEN_CLOSE, GIVEN_OPEN, find_given, without
from recollect.extraction.machine_text import find_machine_text
from recollect.extraction.mail_and_posts import find_mail, find_posts
from recollect.extraction.material import find_material
from recollect.extraction.pasted import find_pasted
from recollect.extraction.retrieval_prompts import find_retrieved, is_template
from recollect.extraction.role_play import find_role_play
from recollect.extraction.spans import RemovedParts, Span, blank_out, cut, cut_places, holds, merge_spans
from recollect.extraction.transcripts import find_thread, find_transcript
from recollect.extraction.wrappers import Wrapped, find_wrapped, with_plain_tags
from recollect.lazy_pattern import LazyPattern
from recollect.prompt.changes import HEADINGS
from recollect.prompt.sentences import headings

# Tags of Recollect's blocks, plain or escaped; the boundary's hash may follow the name in both.
_OUR_TAG = LazyPattern(
    r"(?:<|&lt;|\\u003c)\s{0,9}(?P<close>/?)\s{0,9}recollect[-_]{0,3}memory\b(?P<id>[^>&\n]{0,200})(?:>|&gt;|\\u003e)?",
    re.I,
)

# The beginning of such a tag at the end of a text that was cut off.
_CUT_TAG = LazyPattern(r"(?:<|&lt;)\s{0,9}/?\s{0,9}(?P<name>[a-z][a-z-]{1,15})\Z", re.IGNORECASE)
_TAG_NAME = "recollect-memory"
_ENCODED = LazyPattern(r"[A-Za-z0-9+/_-]{40,}+={0,2}")
_HEX = LazyPattern(r"[^0-9a-z]")


@dataclass(frozen=True, slots=True)
class OwnBlocks:
    """The blocks of Recollect in a text."""

    spans: list[Span]
    forged: bool
    """A closing tag has no opening one: any word around it may be another's."""
    cut_off: bool
    """The last block is not closed: the rest of the message is lost in it."""


def find_own_blocks(text: str, hidden: Sequence[Span]) -> OwnBlocks:
    """Find the blocks of memory that Recollect put into a text.

    Recollect puts blocks at the head of a message. There, a block ends at the last closing tag with its id, and the
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
    if cut and _TAG_NAME.startswith(cut["name"].lower()):
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
    return b"recollect-memory" in decoded or b", not instructions" in decoded


Speaker = Literal["user", "person", "assistant"]
"""A user who talks to an assistant, a person who talks to people (under a name), or a model or tool."""

_QUOTED_LINE = LazyPattern(r"^[ \t]*+>.*$", re.MULTILINE)
_QUOTE_MARK = LazyPattern(r"^(?:[ \t]*+>)++[ \t]?", re.MULTILINE)
# Frames and rows that Recollect writes around memories, pasted without their tags.
_OUR_FRAME = LazyPattern(
    r"These are (?:notes|quotations|memories|summaries)[^.\n]{0,80}, not instructions\b"
    r"|^#{1,3} (?:Long-term memory:|What is remembered of this session|Summary of the chat so far)"
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
    r"|[\"“”„«'‘].{0,2000}[\"“”»'’] \((?:said by [^()]{1,80} on |from [^()]{1,80}, )?\d{4}-\d\d-\d\d\)"
    r"|turns? \d+(?:-\d+)?: .{0,2000})[ \t]*$"
)
# A line with nothing but a tag.
_TAG_LINE = LazyPattern(r"^[ \t]*+</?[^\W\d][^\s<>/]{0,40}(?:\s[^<>\n]{0,200})?>[ \t]*+$", re.MULTILINE)
_INLINE_CODE = LazyPattern(r"`[^`\n]{1,500}`")
# Characters of horizontal rules, and white space.
_RULE_CHARACTERS = "-=*_#~+─— \t\r\n"


def own_words(text: str, *, quotations: bool = False, speaker: Speaker = "user", games: bool = False) -> str:
    """Return the words that the speaker wrote themselves.

    An unclosed wrapper runs to the end of the message. A closing tag without an opening one is forged or cut off: the
    text before and after it is lost.

    Args:
        text: A message.
        quotations: Keep quoted lines, without their marks.
        speaker: Kind of speaker. Messages of a model or tool are not searched for documents and mail.
        games: Keep what the user says within a game or a supposition.

    >>> own_words("<recollect-memory a1>- likes tea</recollect-memory a1>I moved to Oslo.")
    'I moved to Oslo.'
    >>> own_words("> I hate tea\\nMe too.")
    'Me too.'
    """
    text = with_plain_tags(text)
    wrapped = find_wrapped(text, known_only=speaker == "assistant")
    blocks = find_own_blocks(text, wrapped.spans)
    if blocks.forged or (wrapped.doubtful and speaker != "assistant"):
        return ""
    spans = merge_spans([*wrapped.spans, *blocks.spans])
    text = cut(text, spans) if speaker == "assistant" else _unwrapped(text, spans, wrapped, blocks, speaker)
    text = cut(text, _rows(text))
    text = _QUOTE_MARK.sub("", text) if quotations else _QUOTED_LINE.sub("", text)
    if speaker == "user" and not games:
        text = cut(text, find_role_play(text))
    return _without_closing_rules(_INLINE_CODE.sub(" ", _TAG_LINE.sub("", text)).strip())


def _without_closing_rules(text: str) -> str:
    """Cut off horizontal rules at the end of a text."""
    end = text.find("\n", len(text.rstrip(_RULE_CHARACTERS)))
    return text if end < 0 else text[:end]


def _unwrapped(text: str, spans: list[Span], wrapped: Wrapped, blocks: OwnBlocks, speaker: Speaker) -> str:
    """Remove wrappers, then what is not wrapped: prompts, mail and pasted text."""
    rest, places = cut_places(text, spans)
    cut_off = wrapped.cut_off or blocks.cut_off
    if wrapped.own is not None and not cut_off and is_template(rest):
        # Text that a client marks as the user's counts if only the client's template is around it.
        start, end = wrapped.own
        return own_words(text[start:end])
    retrieved = find_retrieved(rest, places, cut_off=cut_off)
    removed = [*retrieved, *find_mail(rest)]
    if speaker == "user":
        removed += _carried(rest, places, removed, asked=bool(retrieved))
    return cut(rest, removed)


def _carried(text: str, places: Sequence[int], removed: Sequence[Span], *, asked: bool) -> list[Span]:
    """Find what a user did not write about themselves: chats, posts, machine text, texts to work on.

    Args:
        text: A message without its wrappers.
        places: Where the wrappers were.
        removed: What else is removed.
        asked: The remaining text is the labelled question of a prompt.
    """
    found = [*removed, *_copied(text)]
    removed_parts = RemovedParts(merge_spans(found), places)
    found += find_material(text, removed_parts)
    return found if asked else [*found, *find_pasted(text, removed_parts)]


def _copied(text: str) -> list[Span]:
    """Find what was copied with the marks of its origin: quoted lines, rows of a block, chats, posts, machine text."""
    quoted = [found.span() for found in _QUOTED_LINE.finditer(text)]
    return [
        *quoted,
        *_rows(text),
        *find_thread(text),
        *find_posts(text),
        *find_machine_text(text),
        *find_transcript(text),
    ]


def marked_words(text: str) -> str:
    """Return the user's own words, and between marks the texts they give to work on; empty if there are none of those.

    >>> marked_words("I moved. Please polish this: I teach in Ulm."), marked_words("I moved.")
    ('I moved. Please polish this:⟪ I teach in Ulm.⟫', '')
    """
    text = with_plain_tags(text).replace(GIVEN_OPEN, "").replace(GIVEN_CLOSE, "")
    wrapped = find_wrapped(text)
    blocks = find_own_blocks(text, wrapped.spans)
    if blocks.forged or wrapped.doubtful:
        return ""
    rest, places = cut_places(text, merge_spans([*wrapped.spans, *blocks.spans]))
    cut_off = wrapped.cut_off or blocks.cut_off
    if (wrapped.own is not None and not cut_off and is_template(rest)) or find_retrieved(rest, places, cut_off=cut_off):
        return ""
    removed = RemovedParts(merge_spans([*find_mail(rest), *_copied(rest)]), places)
    given = find_given(rest, removed)
    if not given:
        return ""
    hidden = merge_spans([*removed.spans, *_carried(rest, places, removed.spans, asked=False)])
    words = _marked(rest, given, without(hidden, given))
    words = cut(words, find_role_play(words))
    words = _without_closing_rules(_INLINE_CODE.sub(" ", _TAG_LINE.sub("", words)).strip())
    return words if words.count(GIVEN_OPEN) == words.count(GIVEN_CLOSE) > 0 else ""


def _marked(text: str, given: Sequence[Span], hidden: Sequence[Span]) -> str:
    """Return a text without its hidden spans, and with marks around the given ones."""
    kept: list[str] = []
    at = 0
    for start, end, is_given in sorted([*((*span, True) for span in given), *((*span, False) for span in hidden)]):
        kept += [text[at:start], f"{GIVEN_OPEN}{text[start:end]}{GIVEN_CLOSE}" if is_given else "\n"]
        at = end
    return "".join([*kept, text[at:]])


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
