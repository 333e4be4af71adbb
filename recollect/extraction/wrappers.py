"""Find what a message carries in tags, fences and marked blocks. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recollect.extraction.spans import Span, holds, united

# Names under which clients, models and people put text of others. Case, hyphens and underscores do not count.
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
# What a client wraps the user's own words in, beside text of others.
_OWN = frozenset(
    "userquery userrequest usermessage userinput userprompt userquestion usertask usertext humanmessage".split()
)
# So too, but pasted documents have such tags as well: they count only beside a wrapper of a known name.
_OWN_BESIDE = frozenset("query question task prompt request feedback message input instruction".split())
# Tags of formatting: what they wrap stays the speaker's.
_FORMATS = frozenset(
    """a abbr b big br cite del em font hr i img input ins kbd mark s small span strong sub sup u var wbr""".split()
)
_TAG = re.compile(
    r"(?:<|&lt;)(?P<close>/?)(?P<name>[^\W\d][\w.:-]{0,60})(?P<more>(?:\s[^<>]{0,300})?)(?P<alone>/?)(?:>|&gt;)"
    r"|\[(?P<shut>/?)(?P<board>quote|code|document|context|file|source|article|email|spoiler|pasted)(?:=[^\]\n]{0,80})?\]",
    re.IGNORECASE,
)
_RUN = re.compile(r"`{3,}+|^[ \t]{0,3}(?:>[ \t]?)*+~{3,}+", re.MULTILINE)
_INLINE_CODE = re.compile(r"(?<!`)`[^`\n]{1,500}`(?!`)")
_LANGUAGE = re.compile(r"[\w+#-]{0,20}")
_TRIPLE = re.compile(r"\"\"\"|'''")
# 'BEGIN … END' rules around pasted text, as clients and people draw them.
_BEGIN_END = re.compile(
    r"^[ \t>]*+(?:-{3,}+|={3,}+|\[|<<<?)[ \t]*+"
    r"(?P<begin>begin|start|file content begin|context|document|file|attachment|source|retrieved|web search"
    r"|search result|end|file content end)s?\b[^\n]{0,120}$",
    re.IGNORECASE | re.MULTILINE,
)


# Marks that people do not type around their own words: comments of web pages, and the turns of chat templates.
_FOREIGN = re.compile(r"<!--|-->|<\|[\w-]{1,40}\|>|\[/?INST\]|<</?SYS>>|\\(?:begin|end)\{document\}")
_ONE_PAIR = 2
_Stretch = tuple[int, int | None]
"""A span; without an end where nothing closes it."""


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    start: int
    end: int
    closes: bool
    opens_block: bool
    """Nothing else stands on its line, or it has attributes: no comparison, and no type of a program."""
    known: bool


@dataclass(frozen=True, slots=True)
class Wrapped:
    """What was found of wrappers in a text."""

    spans: list[Span]
    """United."""
    own: Span | None
    """What the one pair of tags that marks the user's words wraps; None without one. The spans hold it too."""
    doubtful: bool
    """A tag closes what nothing opened: what stands before it, and behind it, can be of others."""
    cut_off: bool
    """Nothing closes the last wrapper: the end of the message is lost in it."""


def is_known_wrapper(name: str) -> bool:
    """Whether a tag's name is one under which text of others stands, the user's words within it, or our own block."""
    name = re.sub(r"[\W_]", "", name.lower())
    return name in _KNOWN or name in _OWN or name.startswith("recollectmemory")


def find_wrapped(text: str, *, known_only: bool = False) -> Wrapped:
    """Find what a text carries in wrappers.

    Args:
        text: A message.
        known_only: Take tags of an unknown name, and triple quotation marks, for the speaker's own way of writing.
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
    others = (pair for name, pair in pairs.items() if name not in _OWN | _OWN_BESIDE)
    plain = united([*_closed(blocks, len(text)), *others])
    unclosed = [(start, len(text)) for start in _unclosed(by_name.values(), pairs, plain)]
    spans = united([*plain, *unclosed])
    marked = (pair for name, pair in pairs.items() if name in _OWN | _OWN_BESIDE)
    return Wrapped(
        spans=united([*spans, *marked]),
        own=_own(by_name, pairs, spans),
        doubtful=any(_is_stray(of_name, spans) for of_name in by_name.values()) or _ends_nothing(rules, spans),
        cut_off=bool(unclosed) or any(end is None for _, end in blocks),
    )


def _closed(stretches: Iterable[_Stretch], length: int) -> list[Span]:
    return [(start, length if end is None else end) for start, end in stretches]


def _read(found: "re.Match[str]", text: str) -> _Tag | None:
    board = found["board"]
    raw = board or found["name"]
    name = re.sub(r"[_-]", "", raw.lower())
    known = name in _KNOWN or name in _OWN or bool(board)
    if name in _FORMATS or found["alone"] or name.startswith("recollectmemory"):
        return None
    if not known and not found["close"] and text[max(0, found.start() - 1) : found.start()].isalnum():
        return None  # a type of a program: List<Item>
    alone = not _line_before(text, found.start()) and not _line_behind(text, found.end())
    attributes = bool(found["more"]) and "=" in found["more"]
    closes = bool(found["close"] or found["shut"])
    return _Tag(name, found.start(), found.end(), closes, alone or attributes, known)


def _line_before(text: str, place: int) -> str:
    return text[max(0, place - 80) : place].rpartition("\n")[2].strip(" \t>")


def _line_behind(text: str, place: int) -> str:
    return text[place : place + 80].partition("\n")[0].strip()


def _pair(tags: Sequence[_Tag]) -> Span | None:
    """Find the stretch from the first opening tag of a name to the last closing one."""
    first = next((tag for tag in tags if not tag.closes), None)
    last = next((tag for tag in reversed(tags) if tag.closes), None)
    return (first.start, last.end) if first and last and first.start < last.start else None


def _unclosed(named: Iterable[Sequence[_Tag]], pairs: dict[str, Span], plain: Sequence[Span]) -> Iterable[int]:
    """Find where wrappers begin that nothing closes."""
    for tags in named:
        # A name may be opened once more behind its pair.
        closed = pairs[tags[0].name][1] if tags[0].name in pairs else 0
        opened = (tag for tag in tags if tag.start >= closed and not tag.closes and (tag.known or tag.opens_block))
        first = next((tag for tag in opened if not holds(plain, tag.start)), None)
        if first:
            yield first.start


def _own(by_name: dict[str, list[_Tag]], pairs: dict[str, Span], spans: Sequence[Span]) -> Span | None:
    """Find the one stretch that a client marks as the user's; where there are two, one may be forged."""
    found: list[Span] = []
    beside = any(name in _KNOWN for name in pairs)
    for name in pairs:
        outside = [tag for tag in by_name[name] if not holds(spans, tag.start)]
        if outside and (name in _OWN or (name in _OWN_BESIDE and beside)):
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
    """Find fenced code. A fence that names a language within another one opens a further one."""
    spans: list[_Stretch] = []
    start, mark, depth, ended = 0, "", 0, 0
    titled: int | None = None
    for run in _RUN.finditer(text):
        fence = run.group().strip(" \t>")
        behind = text[run.end() : run.end() + 200].partition("\n")[0]
        if depth:
            depth += _nesting(text, run, mark, behind)
            if not depth:
                ended = run.end()
                spans.append((start, ended))
        elif run.start() >= ended and fence in behind:
            ended = run.end() + behind.index(fence) + len(fence)
            spans.append((run.start(), ended))
        elif run.start() >= ended:
            start, mark, depth = run.start(), fence, 1
            titled = start if titled is None and not _LANGUAGE.fullmatch(behind.strip()) else titled
    if titled is not None:
        # Behind a file's name stands the file: its own fences are no reason to believe that it is over.
        return [*spans, (titled, None if depth else ended)]
    return [*spans, (start, None)] if depth else spans


def _nesting(text: str, run: "re.Match[str]", mark: str, behind: str) -> int:
    """Say by how much a fence within an open one changes the depth."""
    if not run.group().strip(" \t>").startswith(mark):
        return 0
    if not behind.strip():
        return -1
    return 0 if _line_before(text, run.start()) else 1


def _quoted_blocks(text: str) -> list[_Stretch]:
    """Find what stands between triple quotation marks: from the first to the last."""
    marks = list(_TRIPLE.finditer(text))
    if not marks:
        return []
    return [(marks[0].start(), marks[-1].end() if len(marks) % 2 == 0 else None)]


def _ruled(rules: Sequence["re.Match[str]"]) -> list[_Stretch]:
    """Find what stands between rules that say where it begins and ends: from the first to the last."""
    begins = [rule for rule in rules if not _ends(rule)]
    ends = [rule for rule in rules if _ends(rule)]
    if not begins:
        return []
    # A rule that begins something behind the last end is closed by none.
    closed = bool(ends) and ends[-1].start() > begins[-1].start()
    return [(begins[0].start(), ends[-1].end() if closed else None)]


def _foreign(text: str) -> list[_Stretch]:
    """Find what stands between marks of others' formats: from the first to the last, to the end behind a lone one."""
    marks = list(_FOREIGN.finditer(text))
    if not marks:
        return []
    return [(marks[0].start(), marks[-1].end() if len(marks) > 1 else None)]


def _ends(rule: "re.Match[str]") -> bool:
    return "end" in rule["begin"].lower().split()


def _ends_nothing(rules: Sequence["re.Match[str]"], spans: Sequence[Span]) -> bool:
    """Whether a rule ends what none began."""
    return any(_ends(rule) and not holds(spans, rule.start()) for rule in rules)


_INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufe00-\ufe0f"
# Brackets that are quotation marks as well: they count where one of them closes something, as only tags do.
_QUOTES = "〈‹«❮❬"
_CLOSES_QUOTED = re.compile(rf"[{_QUOTES}]\s{{0,9}}/")
_OPEN = r"(?P<open>[<＜﹤⟨〈‹«❮❬]|&(?:amp;){0,3}(?:lt|laquo|lsaquo|langle|#0{0,6}60|#x0{0,6}3c);?|\\u003c|\\x3c|%3c)"
_CLOSE = r"(?:[>＞﹥〉⟩›»❯❭]|&(?:amp;){0,3}(?:gt|raquo|rsaquo|rangle|#0{0,6}62|#x0{0,6}3e);?|\\u003e|\\x3e|%3e)"
_SPACE = rf"[\s{_INVISIBLE}]{{0,9}}"
_DISGUISED_TAG = re.compile(
    rf"{_OPEN}{_SPACE}(?P<close>[/／⁄]?){_SPACE}(?P<name>[^\W\d_][\w{_INVISIBLE}\-‐-―−﹣－.:]{{0,80}}+)"
    rf"(?P<more>[^<>\n＜＞‹›«»⟨⟩〈〉]{{0,200}}?)(?P<end>{_CLOSE})",
    re.IGNORECASE,
)
_BRACES = re.compile(r"\{\{\s{0,3}(?P<close>[/#]?)\s{0,3}(?P<name>[a-z][\w-]{1,40})\s{0,3}\}\}", re.IGNORECASE)
_DROPPED = re.compile(rf"[{_INVISIBLE}]")
_HYPHENS = re.compile("[‐-―−﹣－]")
# Letters that look like Latin ones.
_LIKE_LATIN = str.maketrans(
    "асеорхуіјѕԁӏԛԝһмтвнкгьАСЕОРХУІЈЅМТВНКαεικνορτυχϲΑΒΕΗΙΚΜΝΟΡΤΥΧ",
    "aceopxyijsdlqwhmtbhkrbACEOPXYIJSMTBHKaeiknoptuxcABEHIKMNOPTYX",
)


def with_plain_tags(text: str) -> str:
    """Rewrite disguised tags as the plain ones they pass for.

    >>> with_plain_tags("&lt;document›I ski＜/document&#62;"), with_plain_tags("a < b, «ja» and List<Item>")
    ('<document>I ski</document>', 'a < b, «ja» and List<Item>')
    """
    quoted = bool(_CLOSES_QUOTED.search(text))
    return _BRACES.sub(_braced, _DISGUISED_TAG.sub(lambda found: _plain(found, quoted=quoted), text))


def _plain(found: "re.Match[str]", *, quoted: bool) -> str:
    if found["open"] in _QUOTES and not quoted:
        return found.group()
    name = _HYPHENS.sub("-", _DROPPED.sub("", unicodedata.normalize("NFKC", found["name"]))).translate(_LIKE_LATIN)
    if not is_known_wrapper(name):
        return found.group()
    slash = "/" if found["close"] else ""
    more = found["more"]
    return f"<{slash}{name}{more if not more or more[0].isspace() else f' {more}'}>"


def _braced(found: "re.Match[str]") -> str:
    if not is_known_wrapper(found["name"]):
        return found.group()
    return f"<{'/' if found['close'] == '/' else ''}{found['name']}>"
