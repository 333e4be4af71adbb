"""Take away what a message only carries, and keep its speaker's own words. Pure.

A message may carry injected memory, reasoning, code, quotations, documents, mail and other people's threads. All that
others may have written is taken away: it is better to lose a sentence than to read another's as the speaker's.
"""

import re
from collections.abc import Sequence
from typing import Literal

from recollect.extraction.foreign_tags import with_plain_tags
from recollect.extraction.machine_text import find_machine_text
from recollect.extraction.mail import find_mail
from recollect.extraction.material import find_material
from recollect.extraction.own_blocks import OwnBlocks, find_own_blocks
from recollect.extraction.pasted import find_pasted
from recollect.extraction.posts import find_posts
from recollect.extraction.retrieval_prompts import find_retrieved, is_template
from recollect.extraction.role_play import find_role_play
from recollect.extraction.spans import Span, Taken, cut, cut_places, united
from recollect.extraction.threads import find_thread
from recollect.extraction.transcript import find_transcript
from recollect.extraction.wrappers import Wrapped, find_wrapped

Speaker = Literal["user", "person", "assistant"]
"""Who speaks: a user to an assistant, a person to other people (under a name), or a model or tool."""

_QUOTED_LINE = re.compile(r"^[ \t]*+>.*$", re.MULTILINE)
_QUOTE_MARK = re.compile(r"^(?:[ \t]*+>)++[ \t]?", re.MULTILINE)
# What Recollect writes around memories, and its rows, where they were pasted without their tags.
_OUR_FRAME = re.compile(
    r"These are (?:notes|quotations|memories|summaries)[^.\n]{0,80}, not instructions\b"
    r"|^#{1,3} (?:Long-term memory:|What is remembered of this session|Summary of the chat so far)"
    r"|^The recent messages follow behind it word for word|^Use these notes where they help to answer"
    r"|^Let what you remember show in how you act|^Answer consistently with (?:this profile|what was said before)"
)
_LISTED = re.compile(r"[ \t>]{0,20}(?:[-*•]|\d{1,3}\.)\s|[ \t>]{2,20}+(?:Summary|Context): |[ \t>]{0,20}</?memories>")
_OUR_ROW = re.compile(
    r"\A[ \t>*•\d.-]{0,20}(?:"
    r"\[[A-Z_ ]{2,40}\] .{0,2000} \(importance: [\d.]+\)|\[[A-Z_ ]{2,40}, importance=\d+, [^\]]{1,40}\]"
    r"|\[Created: \d{4}-\d\d-\d\d\] .{0,2000}"
    r"|[\"“”„«'‘].{0,2000}[\"“”»'’] \((?:said by [^()]{1,80} on |from [^()]{1,80}, )?\d{4}-\d\d-\d\d\)"
    r"|turns? \d+(?:-\d+)?: .{0,2000})[ \t]*$"
)
# A line of nothing but a tag, whatever its name: it wraps, and says nothing.
_TAG_LINE = re.compile(r"^[ \t]*+</?[^\W\d][^\s<>/]{0,40}(?:\s[^<>\n]{0,200})?>[ \t]*+$", re.MULTILINE)
_INLINE_CODE = re.compile(r"`[^`\n]{1,500}`")
# What rules between texts are drawn with, and blanks.
_RULE_CHARACTERS = "-=*_#~+─— \t\r\n"


def own_words(text: str, *, quotations: bool = False, speaker: Speaker = "user") -> str:
    """Return the words that the speaker put there themselves.

    A wrapper that nothing closes runs to the end of the message. A closing tag that nothing opened is forged or cut
    off: what stands before and behind it is lost.

    Args:
        text: A message.
        quotations: Keep the lines that it quotes, without their marks.
        speaker: Whose message it is. A model's or tool's is not searched for documents and mail.

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
    spans = united([*wrapped.spans, *blocks.spans])
    text = cut(text, spans) if speaker == "assistant" else _unwrapped(text, spans, wrapped, blocks, speaker)
    text = cut(text, _rows(text))
    text = _QUOTE_MARK.sub("", text) if quotations else _QUOTED_LINE.sub("", text)
    if speaker == "user":
        text = cut(text, find_role_play(text))
    return _without_rules_behind(_INLINE_CODE.sub(" ", _TAG_LINE.sub("", text)).strip())


def _without_rules_behind(text: str) -> str:
    """Cut off the lines at the end that only part a text from what stood behind it."""
    end = text.find("\n", len(text.rstrip(_RULE_CHARACTERS)))
    return text if end < 0 else text[:end]


def _unwrapped(text: str, spans: list[Span], wrapped: Wrapped, blocks: OwnBlocks, speaker: Speaker) -> str:
    """Take wrappers out, and then what stands without one: prompts, mail, and what a user pasted."""
    rest, places = cut_places(text, spans)
    cut_off = wrapped.cut_off or blocks.cut_off
    if wrapped.own is not None and not cut_off and is_template(rest):
        # What a client marks as the user's counts where nothing but its template stands around it.
        start, end = wrapped.own
        return own_words(text[start:end])
    retrieved = find_retrieved(rest, places, cut_off=cut_off)
    taken = [*retrieved, *find_mail(rest)]
    if speaker == "user":
        taken += _carried(rest, places, taken, asked=bool(retrieved))
    return cut(rest, taken)


def _carried(text: str, places: Sequence[int], gone: Sequence[Span], *, asked: bool) -> list[Span]:
    """Find what a user writes and does not say of themselves: others' threads, programs' text, texts to work on.

    Args:
        text: A message without what it wraps.
        places: Where that stood.
        gone: What else is taken out of it.
        asked: What is left beside that is the question of a prompt, behind its label.
    """
    quoted = [found.span() for found in _QUOTED_LINE.finditer(text)]
    found = [
        *gone,
        *quoted,
        *_rows(text),
        *find_thread(text),
        *find_posts(text),
        *find_machine_text(text),
        *find_transcript(text),
    ]
    taken = Taken(united(found), places)
    found += find_material(text, taken)
    return found if asked else [*found, *find_pasted(text, taken)]


def _rows(text: str) -> list[Span]:
    """Find the lines of a block that was pasted without its tags: its frame, and the rows behind it."""
    found: list[Span] = []
    within = False
    at = 0
    for line in text.split("\n"):
        is_frame = bool(_OUR_FRAME.search(line.lstrip(" \t>")[:300]))
        if is_frame or _OUR_ROW.match(line) or (within and _LISTED.match(line)):
            found.append((at, at + len(line) + 1))
            within = within or is_frame
        else:
            within = within and not line.strip()
        at += len(line) + 1
    return found
