"""Gemini's prompts and answers in Google Takeout: `My Activity/Gemini Apps/MyActivity.json`. Pure.

An entry is a prompt with its answer as HTML, if it has one; entries name no chat, so each is a conversation of its own.
The title is the prompt after a word in the user's language, "Prompted": it is the first word of most titles.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from html import unescape
from itertools import chain, islice
from typing import Any

from toldonce.datasets.recordings import BadRecord
from toldonce.importers.export_files import ExportFiles
from toldonce.importers.json_records import json_records
from toldonce.importers.records import (
    LeftOut,
    SourceConversation,
    SourceMessage,
    SourceRecords,
    date_or_none,
    mapping_of,
    sequence_of,
    source_id,
    text_of,
)

# Entries looked at to find the word before the prompts, and how many of them must begin with it.
_MAX_LOOKED_AT, _PREVAILING_SHARE = 500, 0.5
_PROMPTED = "Prompted"
_NO_PROMPT = "activities without a prompt"
_BLOCKS = frozenset({"p", "br", "li", "div", "tr", "h1", "h2", "h3", "h4", "pre", "ul", "ol", "table"})


def is_gemini(value: object) -> bool:
    """Return whether a record is an activity of Gemini."""
    if not isinstance(value, dict) or "title" not in value or "time" not in value:
        return False
    named = (value.get("header"), *sequence_of(value.get("products")))
    return any("Gemini" in text_of(name) or "Bard" in text_of(name) for name in named)


def read_gemini(files: ExportFiles) -> SourceRecords:
    """Read the prompts and answers; other products' activities are left out."""
    records = json_records(files, ("MyActivity.json",))
    first = list(islice(records, _MAX_LOOKED_AT))
    word = _prevailing([text_of(value.get("title")) for value, _ in first if is_gemini(value)])
    for value, where in chain(first, records):
        if isinstance(value, BadRecord):
            yield value
        elif not is_gemini(value):
            yield LeftOut(reason="activities of other products", where=where)
        else:
            yield _conversation(value, word, where)


def _prevailing(titles: Sequence[str]) -> str:
    """Return the word with which the titles of prompts begin."""
    words = Counter(title.split(maxsplit=1)[0] for title in titles if title.strip())
    if _PROMPTED in words or not words:
        return _PROMPTED
    word, count = words.most_common(1)[0]
    return word if count > _PREVAILING_SHARE * len(titles) else _PROMPTED


def _conversation(value: Mapping[str, Any], word: str, where: str) -> SourceConversation | LeftOut:
    title = text_of(value.get("title"))
    prompt = title.removeprefix(word).strip()
    if not title.startswith(word) or not prompt:
        return LeftOut(reason=_NO_PROMPT, where=where)
    said_at = date_or_none(value.get("time"))
    items = map(mapping_of, sequence_of(value.get("safeHtmlItem")))
    answer = "\n".join(html_text(text_of(item.get("html"))) for item in items)
    return SourceConversation(
        id=source_id(None, text_of(value.get("time")), title),
        messages=(
            SourceMessage(id="prompt", parent=None, role="user", text=prompt, said_at=said_at),
            SourceMessage(id="answer", parent="prompt", role="assistant", text=answer, said_at=said_at),
        ),
        created_at=said_at,
        where=where,
    )


def html_text(html: str) -> str:
    """Return the words of HTML, a line for each paragraph.

    >>> html_text("<p>Polarized <b>lenses</b> &amp; more</p><ul><li>One</li></ul>")
    'Polarized lenses & more\\nOne'
    """
    pieces, at = [], 0
    while (begin := html.find("<", at)) >= 0:
        pieces.append(html[at:begin])
        end = html.find(">", begin)
        if end < 0:
            break
        name = html[begin + 1 : min(end, begin + 20)].strip("/ ").split(maxsplit=1)
        if name and name[0].lower() in _BLOCKS:
            pieces.append("\n")
        at = end + 1
    else:
        pieces.append(html[at:])
    lines = (line.strip() for line in unescape("".join(pieces)).splitlines())
    return "\n".join(line for line in lines if line)
