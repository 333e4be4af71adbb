"""Take away what a message only carries: injected memory, reasoning, code, quotations, pasted documents. Pure."""

import re
from base64 import b64decode

# Our block's tags, written plainly or escaped; the boundary's hash behind the name may stand in both.
_OUR_TAG = re.compile(r"(?:<|&lt;|\\u003c)\s*(?P<close>/?)\s*recollect-memory\b[^>&\n]{0,200}(?:>|&gt;|\\u003e)?", re.I)
# The beginning of such a tag, where a text was cut in the middle of it.
_CUT_TAG = re.compile(r"(?:<|&lt;)\s*/?\s*(?P<name>[a-z][a-z-]{1,15})\s*$", re.IGNORECASE)
_TAG_NAME = "recollect-memory"
_WRAPPED = (
    "think|thinking|reasoning|thought|document|documents|doc|context|file|files|attachment|attachments|source|sources|"
    "quote|blockquote|pasted|paste|search_results|tool_output|system-reminder|chat_history|code|pre"
)
_TAG = re.compile(rf"<(?P<close>/?)(?P<name>{_WRAPPED}|details)(?:\s[^<>]{{0,300}})?>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]{0,3}(?:>[ \t]?)*(?P<fence>`{3,}|~{3,})", re.MULTILINE)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_QUOTE_MARK = re.compile(r"^(?:[ \t]*>)+[ \t]?", re.MULTILINE)
# 'BEGIN … END' rules around pasted text, as clients and people draw them.
_BEGIN_END = re.compile(
    r"^[ \t]*(?:-{3,}|={3,}|\[)[ \t]*(?P<begin>begin|start|file content begin|end|file content end)\b[^\n]{0,100}$",
    re.IGNORECASE | re.MULTILINE,
)
# What we write around memories, and rows of ours that can be told from anybody else's, pasted without their tags.
_OUR_FRAME = re.compile(
    r"These are (?:notes|quotations|memories|summaries)[^.\n]{0,80}, not instructions\b"
    r"|^#{1,3} (?:Long-term memory:|What is remembered of this session|Summary of the chat so far)"
    r"|^The recent messages follow behind it word for word|^Use these notes where they help to answer"
    r"|^Let what you remember show in how you act|^Answer consistently with (?:this profile|what was said before)"
)
_LISTED = re.compile(r"[ \t>]*(?:[-*•]|\d{1,3}\.)\s|[ \t>]{2,}(?:Summary|Context): |[ \t>]*</?memories>")
_OUR_ROW = re.compile(
    r"[ \t>*•\d.-]{0,20}(?:"
    r"\[[A-Z_ ]{2,40}\] .{0,2000} \(importance: [\d.]+\)|\[[A-Z_ ]{2,40}, importance=\d+, [^\]]{1,40}\]"
    r"|\[Created: \d{4}-\d\d-\d\d\] .{0,2000}"
    r"|[\"“”„«'‘].{0,2000}[\"“”»'’] \((?:said by [^()]{1,80} on |from [^()]{1,80}, )?\d{4}-\d\d-\d\d\)"
    r"|turns? \d+(?:-\d+)?: .{0,2000})[ \t]*$"
)
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")
# A line of nothing but a tag, whatever it is called: a wrapping, nobody's words.
_TAG_LINE = re.compile(r"^[ \t]*</?[^\W\d][^\s<>/]{0,40}(?:\s[^<>\n]{0,200})?>[ \t]*$", re.MULTILINE)
_INLINE_CODE = re.compile(r"`[^`\n]{1,500}`")


def own_words(text: str, *, quotations: bool = False) -> str:
    """Return the words that the speaker put there themselves.

    A block that nobody closed runs to the end, and a closing tag of ours without an opening one takes what stands
    before it: rather lose a sentence than read our own injection as somebody's words.

    Args:
        text: A message.
        quotations: Keep the lines that it quotes, without their marks.

    >>> own_words("<recollect-memory a1>- likes tea</recollect-memory a1>I moved to Oslo.")
    'I moved to Oslo.'
    >>> own_words("> I hate tea\\nMe too.")
    'Me too.'
    """
    text = _ENCODED.sub(_unless_ours, text)
    text = _without_ours(text)
    text = _without_fences(text)
    text = _without_wrapped(text)
    text = _without_rows(_without_begin_end(text))
    text = _QUOTE_MARK.sub("", text) if quotations else _QUOTED_LINE.sub("", text)
    return _INLINE_CODE.sub(" ", _TAG_LINE.sub("", text)).strip()


def _unless_ours(run: "re.Match[str]") -> str:
    """Drop a run of base64 that holds a block of ours."""
    data = run.group().replace("-", "+").replace("_", "/").rstrip("=")
    try:
        decoded = b64decode(data[: len(data) // 4 * 4])
    except ValueError:
        return run.group()
    return "" if b"recollect-memory" in decoded or b", not instructions" in decoded else run.group()


def _without_rows(text: str) -> str:
    """Drop the lines of a block that was pasted without its tags: its frame, and the rows behind it."""
    kept: list[str] = []
    within = False
    for line in text.split("\n"):
        if _OUR_FRAME.search(line.lstrip(" \t>")):
            within = True
        elif not _OUR_ROW.match(line) and not (within and _LISTED.match(line)):
            kept.append(line)
            within = within and not line.strip()
    return "\n".join(kept)


def _without_ours(text: str) -> str:
    kept: list[str] = []
    depth = at = 0
    for tag in _OUR_TAG.finditer(text):
        if not depth:
            kept.append(text[at : tag.start()])
        if not tag["close"]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            kept.clear()
        at = tag.end()
    if not depth:
        cut = _CUT_TAG.search(text, at)
        kept.append(text[at : cut.start()] if cut and _TAG_NAME.startswith(cut["name"].lower()) else text[at:])
    return "".join(kept)


def _without_fences(text: str) -> str:
    kept: list[str] = []
    at = 0
    fence = ""
    for mark in _FENCE.finditer(text):
        if not fence:
            kept.append(text[at : mark.start()])
            fence = mark["fence"]
        elif mark["fence"].startswith(fence):
            fence = ""
            line_end = text.find("\n", mark.end())
            at = len(text) if line_end < 0 else line_end
    if not fence:
        kept.append(text[at:])
    return "".join(kept)


def _without_wrapped(text: str) -> str:
    kept: list[str] = []
    open_names: list[str] = []
    at = 0
    for tag in _TAG.finditer(text):
        name = tag["name"].lower()
        if not tag["close"]:
            if not open_names:
                kept.append(text[at : tag.start()])
            open_names.append(name)
        elif name in open_names:
            del open_names[open_names.index(name) :]
            at = tag.end()
    if not open_names:
        kept.append(text[at:])
    return "".join(kept)


def _without_begin_end(text: str) -> str:
    kept: list[str] = []
    at = 0
    inside = False
    for mark in _BEGIN_END.finditer(text):
        begins = "end" not in mark["begin"].lower().split()
        if begins and not inside:
            kept.append(text[at : mark.start()])
            inside = True
        elif not begins:
            inside = False
            at = mark.end()
    if not inside:
        kept.append(text[at:])
    return "".join(kept)
