"""Find what a message carries in tags, fences and marked blocks, disguised tags included. Pure.

Wrapped text is written by others, and may contain forged tags. So a wrapper runs from its first opening tag to its last
closing one, and an unclosed one to the end of the message: some words are lost, but no words of others remain as the
user's. Pages may disguise tags with look-alike letters, invisible characters, entities or unusual brackets, which
models read as tags all the same: `&lt;document›` is rewritten to `<document>` first.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toldonce.extraction.spans import Excerpt, Span, holds, merge_spans
from toldonce.lazy_pattern import LazyPattern

# Tags that clients, models and people put around text of others. Case, hyphens and underscores are ignored.
_KNOWN = frozenset(
    """think thinking reasoning thought document documents doc docs context contexts file files filecontents filecontent
    attachment attachments attachedfiles attachedfile source sources quote blockquote pasted pastedtext paste
    searchresults searchresult webresults results tooloutput toolresult toolresults toolresponse functionresults
    systemreminder system chathistory history conversation code pre details article articles page webpage website url
    email mail letter text transcript passage passages excerpt excerpts chunk chunks snippet snippets reference
    references knowledge data content contents retrieved retrievedcontext environmentdetails userinfo rules
    manuallyattachedskills externallinks openandrecentlyviewedfiles additionaldata additionalmetadata
    editorcontext reminderinstructions filecontext supplementaryinfo example examples story poem lyrics essay""".split()
)
# Tags that clients put around the user's own words.
_OWN = frozenset(
    "userquery userrequest usermessage userinput userprompt userquestion usertask usertext humanmessage".split()
)
# The same, but pasted documents use them too: they count only next to a wrapper of a known name.
_OWN_IF_BESIDE = frozenset("query question task prompt request feedback message input instruction".split())
# Formatting tags: their text stays the speaker's.
_FORMATS = frozenset(
    """a abbr b big br cite del em font hr i img input ins kbd mark s small span strong sub sup u var wbr""".split()
)
# Formatting beside other words, and a wrapper on a line of its own.
_FORMATS_WITHIN = frozenset({"code"})
_TAG = LazyPattern(
    r"(?:<|&lt;)(?P<close>/?)(?P<name>[^\W\d][\w.:-]{0,60})(?P<more>(?:\s[^<>]{0,300})?)(?P<alone>/?)(?:>|&gt;)"
    r"|\[(?P<shut>/?)(?P<board>quote|code|document|context|file|source|article|email|spoiler|pasted)(?:=[^\]\n]{0,80})?\]",
    re.IGNORECASE,
)
_RUN = LazyPattern(r"`{3,}+|^[ \t]{0,3}(?:>[ \t]?)*+~{3,}+", re.MULTILINE)
_INLINE_CODE = LazyPattern(r"(?<!`)`[^`\n]{1,500}`(?!`)")
_LANGUAGE = LazyPattern(r"[\w+#-]{0,20}")
_TRIPLE = LazyPattern(r"\"\"\"|'''")
# 'BEGIN … END' rules around pasted text, as clients and people draw them.
_BEGIN_END = LazyPattern(
    r"^[ \t>]*+(?:-{3,}+|={3,}+|\[|<<<?)[ \t]*+"
    r"(?P<begin>begin|start|file content begin|context|document|file|attachment|source|retrieved|web search"
    r"|search result|end|file content end)s?\b[^\n]{0,120}$",
    re.IGNORECASE | re.MULTILINE,
)


# Marks that people do not type around their own words: comments of web pages, and turns of chat templates.
_FOREIGN = LazyPattern(r"<!--|-->|<\|[\w-]{1,40}\|>|\[/?INST\]|<</?SYS>>|\\(?:begin|end)\{document\}")
_ONE_PAIR = 2
_Stretch = tuple[int, int | None]
"""A span; the end is None if it is unclosed."""


_OUR_BLOCKS = ("toldoncememory", "recollectmemory")


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    start: int
    end: int
    closes: bool
    opens_block: bool
    """It is alone on its line or has attributes, so it is no comparison and no type of a program."""
    known: bool


@dataclass(frozen=True, slots=True)
class Wrapped:
    """The wrappers of a text."""

    spans: list[Span]
    """United."""
    own: Span | None
    """The text in the only pair of tags that marks the user's words; None without one. The spans include it."""
    doubtful: bool
    """A closing tag has no opening one: the text before and after it may be another's."""
    cut_off: bool
    """The last wrapper is unclosed: the rest of the message is lost in it."""


def is_known_wrapper(name: str) -> bool:
    """Return whether a tag marks text of others, the user's words within it, or a block of ToldOnce."""
    name = re.sub(r"[\W_]", "", name.lower())
    return name in _KNOWN or name in _OWN or name.startswith(_OUR_BLOCKS)


def find_wrapped(text: str, *, known_only: bool = False) -> Wrapped:
    """Find the wrapped parts of a text.

    Args:
        text: A message.
        known_only: Ignore tags with unknown names and triple quotation marks.
    """
    code = [found.span() for found in _INLINE_CODE.finditer(text)]
    tags = [tag for found in _TAG.finditer(text) if (tag := _read(found, text)) is not None]
    tags = [tag for tag in tags if (tag.known or not known_only) and not holds(code, tag.start)]
    rules = list(_BEGIN_END.finditer(text))
    blocks = [*_fences(text), *([] if known_only else _quoted_blocks(text)), *_ruled(rules), *_foreign(text)]
    by_name: dict[str, list[_Tag]] = {}
    for tag in tags:
        by_name.setdefault(tag.name, []).append(tag)
    pairs = {name: pair for name, of_name in by_name.items() if (pair := _pair(of_name))}
    others = (pair for name, pair in pairs.items() if name not in _OWN | _OWN_IF_BESIDE)
    plain = merge_spans([*_closed(blocks, len(text)), *others])
    unclosed = [(start, len(text)) for start in _unclosed(by_name.values(), pairs, plain)]
    spans = merge_spans([*plain, *unclosed])
    marked = (pair for name, pair in pairs.items() if name in _OWN | _OWN_IF_BESIDE)
    return Wrapped(
        spans=merge_spans([*spans, *marked]),
        own=_own(by_name, pairs, spans),
        doubtful=any(_is_stray(of_name, spans) for of_name in by_name.values()) or _ends_nothing(rules, spans),
        cut_off=bool(unclosed) or any(end is None for _, end in blocks),
    )


def _closed(stretches: Iterable[_Stretch], length: int) -> list[Span]:
    return [(start, length if end is None else end) for start, end in stretches]


def _read(match: "re.Match[str]", text: str) -> _Tag | None:
    board = match["board"]
    raw = board or match["name"]
    name = re.sub(r"[_-]", "", raw.lower())
    known = name in _KNOWN or name in _OWN or bool(board)
    if name in _FORMATS or match["alone"] or name.startswith(_OUR_BLOCKS):
        return None
    if not known and not match["close"] and text[max(0, match.start() - 1) : match.start()].isalnum():
        return None  # a type in code: List<Item>
    before, after = _line_before(text, match.start()), _line_after(text, match.end())
    if name in _FORMATS_WITHIN and not board and (before or after):
        return None
    alone = not before and not after
    attributes = bool(match["more"]) and "=" in match["more"]
    closes = bool(match["close"] or match["shut"])
    return _Tag(name, match.start(), match.end(), closes, alone or attributes, known)


def _line_before(text: str, place: int) -> str:
    return text[max(0, place - 80) : place].rpartition("\n")[2].strip(" \t>")


def _line_after(text: str, place: int) -> str:
    return text[place : place + 80].partition("\n")[0].strip()


def _pair(tags: Sequence[_Tag]) -> Span | None:
    """Return the span from the first opening to the last closing tag of a name."""
    first = next((tag for tag in tags if not tag.closes), None)
    last = next((tag for tag in reversed(tags) if tag.closes), None)
    return (first.start, last.end) if first and last and first.start < last.start else None


def _unclosed(tags_by_name: Iterable[Sequence[_Tag]], pairs: dict[str, Span], plain: Sequence[Span]) -> Iterable[int]:
    """Yield where unclosed wrappers begin."""
    for tags in tags_by_name:
        # A tag may be opened again after its pair.
        closed = pairs[tags[0].name][1] if tags[0].name in pairs else 0
        opened = (tag for tag in tags if tag.start >= closed and not tag.closes and (tag.known or tag.opens_block))
        first = next((tag for tag in opened if not holds(plain, tag.start)), None)
        if first:
            yield first.start


def _own(by_name: dict[str, list[_Tag]], pairs: dict[str, Span], spans: Sequence[Span]) -> Span | None:
    """Return the only span that a client marks as the user's; with two, one may be forged."""
    found: list[Span] = []
    beside = any(name in _KNOWN for name in pairs)
    for name in pairs:
        outside = [tag for tag in by_name[name] if not holds(spans, tag.start)]
        if outside and (name in _OWN or (name in _OWN_IF_BESIDE and beside)):
            found.append((outside[0].end, outside[1].start) if len(outside) == _ONE_PAIR else (0, 0))
    return found[0] if len(found) == 1 and found[0][1] else None


def _is_stray(tags: Sequence[_Tag], spans: Sequence[Span]) -> bool:
    opened = False
    for tag in tags:
        opened = opened or not tag.closes
        if tag.closes and not opened and tag.known and not holds(spans, tag.start):
            return True
    return False


def _fences(text: str) -> list[_Stretch]:
    """Find fenced code. Within a fence, one that names a language opens a nested fence."""
    spans: list[_Stretch] = []
    start, mark, depth, ended = 0, "", 0, 0
    titled: int | None = None
    for run in _RUN.finditer(text):
        fence = run.group().strip(" \t>")
        rest = text[run.end() : run.end() + 200].partition("\n")[0]
        if depth:
            depth += _nesting(text, run, mark, rest)
            if not depth:
                ended = run.end()
                spans.append((start, ended))
        elif run.start() >= ended and fence in rest:
            ended = run.end() + rest.index(fence) + len(fence)
            spans.append((run.start(), ended))
        elif run.start() >= ended:
            start, mark, depth = run.start(), fence, 1
            titled = start if titled is None and not _LANGUAGE.fullmatch(rest.strip()) else titled
    if titled is not None:
        # A file follows a file name: fences within it do not prove that it is over.
        return [*spans, (titled, None if depth else ended)]
    return [*spans, (start, None)] if depth else spans


def _nesting(text: str, run: "re.Match[str]", mark: str, rest: str) -> int:
    """Return by how much a fence within an open one changes the depth."""
    if not run.group().strip(" \t>").startswith(mark):
        return 0
    if not rest.strip():
        return -1
    return 0 if _line_before(text, run.start()) else 1


def _quoted_blocks(text: str) -> list[_Stretch]:
    """Find text between triple quotation marks: from the first to the last; within lines, each by itself."""
    marks = list(_TRIPLE.finditer(text))
    if not marks:
        return []
    pairs = [(first.start(), last.end()) for first, last in zip(marks[::2], marks[1::2], strict=False)]
    if len(marks) % 2 == 0 and not any("\n" in text[start:end] for start, end in pairs):
        return [*pairs]
    return [(marks[0].start(), marks[-1].end() if len(marks) % 2 == 0 else None)]


def _ruled(rules: Sequence["re.Match[str]"]) -> list[_Stretch]:
    """Find text between BEGIN and END rules: from the first to the last."""
    begins = [rule for rule in rules if not _ends(rule)]
    ends = [rule for rule in rules if _ends(rule)]
    if not begins:
        return []
    # A BEGIN rule after the last END rule is unclosed.
    closed = bool(ends) and ends[-1].start() > begins[-1].start()
    return [(begins[0].start(), ends[-1].end() if closed else None)]


def _foreign(text: str) -> list[_Stretch]:
    """Find text between marks of foreign formats: from the first to the last; after a single one, to the end."""
    marks = list(_FOREIGN.finditer(text))
    if not marks:
        return []
    return [(marks[0].start(), marks[-1].end() if len(marks) > 1 else None)]


def _ends(rule: "re.Match[str]") -> bool:
    return "end" in rule["begin"].lower().split()


def _ends_nothing(rules: Sequence["re.Match[str]"], spans: Sequence[Span]) -> bool:
    """Return whether an END rule has no BEGIN rule."""
    return any(_ends(rule) and not holds(spans, rule.start()) for rule in rules)


_INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufe00-\ufe0f"
# Brackets that are also quotation marks: they count as tags if one is followed by a slash.
_QUOTES = "〈‹«❮❬"
_CLOSES_QUOTED = LazyPattern(rf"[{_QUOTES}]\s{{0,9}}/")
_OPEN = r"(?P<open>[<＜﹤⟨〈‹«❮❬]|&(?:amp;){0,3}(?:lt|laquo|lsaquo|langle|#0{0,6}60|#x0{0,6}3c);?|\\u003c|\\x3c|%3c)"
_CLOSE = r"(?:[>＞﹥〉⟩›»❯❭]|&(?:amp;){0,3}(?:gt|raquo|rsaquo|rangle|#0{0,6}62|#x0{0,6}3e);?|\\u003e|\\x3e|%3e)"
_SPACE = rf"[\s{_INVISIBLE}]{{0,9}}"
_DISGUISED_TAG = LazyPattern(
    rf"{_OPEN}{_SPACE}(?P<close>[/／⁄]?){_SPACE}(?P<name>[^\W\d_][\w{_INVISIBLE}\-‐-―−﹣－.:]{{0,80}}+)"
    rf"(?P<more>[^<>\n＜＞‹›«»⟨⟩〈〉]{{0,200}}?)(?P<end>{_CLOSE})",
    re.IGNORECASE,
)
_BRACES = LazyPattern(r"\{\{\s{0,3}(?P<close>[/#]?)\s{0,3}(?P<name>[a-z][\w-]{1,40})\s{0,3}\}\}", re.IGNORECASE)
_DROPPED = LazyPattern(rf"[{_INVISIBLE}]")
_HYPHENS = LazyPattern("[‐-―−﹣－]")
# Letters that look like Latin ones, and those.
_LIKE_LATIN = str.maketrans(
    "асеорхуіјѕԁӏԛԝһмтвнкгьАСЕОРХУІЈЅМТВНКαεικνορτυχϲΑΒΕΗΙΚΜΝΟΡΤΥΧ",
    "aceopxyijsdlqwhmtbhkrbACEOPXYIJSMTBHKaeiknoptuxcABEHIKMNOPTYX",
)


def with_plain_tags(text: str) -> Excerpt:
    """Rewrite disguised tags as the plain tags they imitate.

    >>> with_plain_tags("&lt;document›I ski＜/document&#62;").text, with_plain_tags("a < b, «ja» and List<Item>").text
    ('<document>I ski</document>', 'a < b, «ja» and List<Item>')
    """
    quoted = bool(_CLOSES_QUOTED.search(text))
    plain = Excerpt.of(text).rewritten(
        (*found.span(), new)
        for found in _DISGUISED_TAG.finditer(text)
        if (new := _plain(found, quoted=quoted)) != found.group()
    )
    return plain.rewritten(
        (*found.span(), new) for found in _BRACES.finditer(plain.text) if (new := _braced(found)) != found.group()
    )


def _plain(match: "re.Match[str]", *, quoted: bool) -> str:
    if match["open"] in _QUOTES and not quoted:
        return match.group()
    name = _HYPHENS.sub("-", _DROPPED.sub("", unicodedata.normalize("NFKC", match["name"]))).translate(_LIKE_LATIN)
    if not is_known_wrapper(name):
        return match.group()
    slash = "/" if match["close"] else ""
    more = match["more"]
    return f"<{slash}{name}{more if not more or more[0].isspace() else f' {more}'}>"


def _braced(match: "re.Match[str]") -> str:
    if not is_known_wrapper(match["name"]):
        return match.group()
    return f"<{'/' if match['close'] == '/' else ''}{match['name']}>"
