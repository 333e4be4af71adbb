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

from toldonce.extraction.own_text.carriers import pattern, words
from toldonce.extraction.own_text.spans import Excerpt, Span, holds, merge_spans
from toldonce.lazy_pattern import LazyPattern

_KNOWN, _FORMATS = words("wrappers", "known"), words("wrappers", "formats")
_OWN, _OWN_IF_BESIDE = words("wrappers", "own"), words("wrappers", "own_if_beside")
_OUR_BLOCKS = ("toldoncememory", "recollectmemory")
_TAG = pattern("wrappers", "tag")
_FENCE = pattern("wrappers", "fence")
_INLINE_CODE = pattern("wrappers", "inline_code")
_TRIPLE = pattern("wrappers", "triple")
_RULED = pattern("wrappers", "ruled")
_FOREIGN = pattern("wrappers", "foreign")
_DISGUISED, _BRACES = pattern("wrappers", "disguised"), pattern("wrappers", "braces")
_INVISIBLE, _HYPHENS = pattern("wrappers", "invisible"), pattern("wrappers", "hyphens")
_LANGUAGE = LazyPattern(r"[\w+#-]{0,20}")
_SIGNS = LazyPattern(r"[\W_]")
# Characters of a line that are looked at beside a tag.
_BESIDE = 80
# Brackets that are also quotation marks: they count as tags if one is followed by a slash.
_QUOTES = "〈‹«❮❬"
_CLOSES_QUOTED = LazyPattern(r"[〈‹«❮❬]\s{0,9}/")
# Letters that look like Latin ones, and those.
_LIKE_LATIN = str.maketrans(
    "асеорхуіјѕԁӏԛԝһмтвнкгьАСЕОРХУІЈЅМТВНКαεικνορτυχϲΑΒΕΗΙΚΜΝΟΡΤΥΧ",
    "aceopxyijsdlqwhmtbhkrbACEOPXYIJSMTBHKaeiknoptuxcABEHIKMNOPTYX",
)
_Stretch = tuple[int, int | None]
"""A span; the end is None if it is unclosed."""


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
    name = _SIGNS.sub("", name.lower())
    return name in _KNOWN or name in _OWN or name.startswith(_OUR_BLOCKS)


def find_wrapped(text: str, *, known_only: bool = False) -> Wrapped:
    """Find the wrapped parts of a text.

    Args:
        text: A message.
        known_only: Ignore tags with unknown names and triple quotation marks.
    """
    code = [found.span() for found in _INLINE_CODE.finditer(text)]
    by_name: dict[str, list[_Tag]] = {}
    for found in _TAG.finditer(text):
        tag = _read(found, text)
        if tag and (tag.known or not known_only) and not holds(code, tag.start):
            by_name.setdefault(tag.name, []).append(tag)
    rules = list(_RULED.finditer(text))
    blocks = [*_fences(text), *([] if known_only else _quoted_blocks(text)), *_ruled(rules), *_foreign(text)]
    pairs = {name: pair for name, tags in by_name.items() if (pair := _pair(tags))}
    marks_own = _OWN | _OWN_IF_BESIDE
    plain = merge_spans(
        [
            *((start, len(text) if end is None else end) for start, end in blocks),
            *(pair for name, pair in pairs.items() if name not in marks_own),
        ]
    )
    unclosed = [(start, len(text)) for start in _unclosed(by_name.values(), pairs, plain)]
    spans = merge_spans([*plain, *unclosed])
    ends_nothing = any(_ends(rule) and not holds(spans, rule.start()) for rule in rules)
    return Wrapped(
        spans=merge_spans([*spans, *(pair for name, pair in pairs.items() if name in marks_own)]),
        own=_own(by_name, pairs, spans),
        doubtful=ends_nothing or any(_is_stray(tags, spans) for tags in by_name.values()),
        cut_off=bool(unclosed) or any(end is None for _, end in blocks),
    )


def _read(match: "re.Match[str]", text: str) -> _Tag | None:
    board = match["board"]
    name = (board or match["name"]).lower().replace("_", "").replace("-", "")
    known = name in _KNOWN or name in _OWN or bool(board)
    if name in _FORMATS or match["alone"] or name.startswith(_OUR_BLOCKS):
        return None
    if not known and not match["close"] and text[max(0, match.start() - 1) : match.start()].isalnum():
        return None  # a type in code: List<Item>
    after = text[match.end() : match.end() + _BESIDE].partition("\n")[0]
    alone = not _line_before(text, match.start()) and not after.strip()
    if name == "code" and not board and not alone:
        return None  # formatting beside other words, a wrapper on a line of its own
    attributes = bool(match["more"]) and "=" in match["more"]
    return _Tag(name, *match.span(), bool(match["close"] or match["shut"]), alone or attributes, known)


def _line_before(text: str, place: int) -> str:
    return text[max(0, place - _BESIDE) : place].rpartition("\n")[2].strip(" \t>")


def _pair(tags: Sequence[_Tag]) -> Span | None:
    """Return the span from the first opening to the last closing tag of a name."""
    first = next((tag.start for tag in tags if not tag.closes), None)
    last = next((tag.end for tag in reversed(tags) if tag.closes), 0)
    return (first, last) if first is not None and first < last else None


def _unclosed(tags_by_name: Iterable[Sequence[_Tag]], pairs: dict[str, Span], plain: Sequence[Span]) -> Iterable[int]:
    """Yield where unclosed wrappers begin; a tag may be opened again after its pair."""
    for tags in tags_by_name:
        closed = pairs[tags[0].name][1] if tags[0].name in pairs else 0
        opened = (
            tag.start for tag in tags if tag.start >= closed and not tag.closes and (tag.known or tag.opens_block)
        )
        yield from [start for start in opened if not holds(plain, start)][:1]


def _own(by_name: dict[str, list[_Tag]], pairs: dict[str, Span], spans: Sequence[Span]) -> Span | None:
    """Return the only span that a client marks as the user's; with two, one may be forged."""
    marking = _OWN | _OWN_IF_BESIDE if any(name in _KNOWN for name in pairs) else _OWN
    outside = [[tag for tag in by_name[name] if not holds(spans, tag.start)] for name in pairs if name in marking]
    found = [tags for tags in outside if tags]
    if len(found) != 1 or len(found[0]) != 2:
        return None
    [[opening, closing]] = found
    return opening.end, closing.start


def _is_stray(tags: Sequence[_Tag], spans: Sequence[Span]) -> bool:
    """Return whether a known closing tag comes before any opening one."""
    opened = next((tag.start for tag in tags if not tag.closes), None)
    return any(
        tag.closes and tag.known and (opened is None or tag.start < opened) and not holds(spans, tag.start)
        for tag in tags
    )


def _fences(text: str) -> list[_Stretch]:
    """Find fenced code. Within a fence, one that names a language opens a nested fence."""
    spans: list[_Stretch] = []
    start, mark, depth, ended = 0, "", 0, 0
    titled: int | None = None
    for run in _FENCE.finditer(text):
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
    is_even = len(marks) % 2 == 0
    pairs: list[_Stretch] = [(first.start(), last.end()) for first, last in zip(marks[::2], marks[1::2], strict=False)]
    if is_even and not any("\n" in text[start:end] for start, end in pairs):
        return pairs
    return [(marks[0].start(), marks[-1].end() if is_even else None)]


def _ruled(rules: Sequence["re.Match[str]"]) -> list[_Stretch]:
    """Find text between BEGIN and END rules: from the first to the last. A BEGIN rule after that is unclosed."""
    begins = [rule.start() for rule in rules if not _ends(rule)]
    ends = [rule for rule in rules if _ends(rule)]
    if not begins:
        return []
    return [(begins[0], ends[-1].end() if ends and ends[-1].start() > begins[-1] else None)]


def _ends(rule: "re.Match[str]") -> bool:
    return "end" in rule["begin"].lower().split()


def _foreign(text: str) -> list[_Stretch]:
    """Find text between marks of foreign formats: from the first to the last; after a single one, to the end."""
    marks = list(_FOREIGN.finditer(text))
    return [(marks[0].start(), marks[-1].end() if len(marks) > 1 else None)] if marks else []


def with_plain_tags(text: str) -> Excerpt:
    """Rewrite disguised tags as the plain tags they imitate.

    >>> with_plain_tags("&lt;document›I ski＜/document&#62;").text, with_plain_tags("a < b, «ja» and List<Item>").text
    ('<document>I ski</document>', 'a < b, «ja» and List<Item>')
    """
    quoted = bool(_CLOSES_QUOTED.search(text))
    plain = Excerpt.of(text).rewritten(
        (*found.span(), new)
        for found in _DISGUISED.finditer(text)
        if (quoted or found["open"] not in _QUOTES) and (new := _plain(found)) != found.group()
    )
    return plain.rewritten(
        (*found.span(), f"<{found['close'].strip('#')}{found['name']}>")
        for found in _BRACES.finditer(plain.text)
        if is_known_wrapper(found["name"])
    )


def _plain(match: "re.Match[str]") -> str:
    name = _HYPHENS.sub("-", _INVISIBLE.sub("", unicodedata.normalize("NFKC", match["name"]))).translate(_LIKE_LATIN)
    if not is_known_wrapper(name):
        return match.group()
    more = match["more"]
    return f"<{'/' if match['close'] else ''}{name}{more if not more or more[0].isspace() else f' {more}'}>"
