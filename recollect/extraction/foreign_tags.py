"""Write tags plainly that were made to look like others, or to look like none. Pure.

A page may hide a tag from whoever looks for it: with letters of another alphabet, with signs that nobody sees, in
entities, in brackets that only resemble the usual ones. Readers, models among them, take it for the tag all the same.
"""

import re
import unicodedata

from recollect.extraction.wrappers import is_known_wrapper

_INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufe00-\ufe0f"
# Brackets that are quotation marks as well: they count where one of them closes something, as only tags do.
_QUOTES = "〈‹«❮❬"
_CLOSES_QUOTED = re.compile(rf"[{_QUOTES}]\s{{0,9}}/")
_OPEN = r"(?P<open>[<＜﹤⟨〈‹«❮❬]|&(?:amp;){0,3}(?:lt|laquo|lsaquo|langle|#0{0,6}60|#x0{0,6}3c);?|\\u003c|\\x3c|%3c)"
_CLOSE = r"(?:[>＞﹥〉⟩›»❯❭]|&(?:amp;){0,3}(?:gt|raquo|rsaquo|rangle|#0{0,6}62|#x0{0,6}3e);?|\\u003e|\\x3e|%3e)"
_SPACE = rf"[\s{_INVISIBLE}]{{0,9}}"
_TAG = re.compile(
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
    return _BRACES.sub(_braced, _TAG.sub(lambda found: _plain(found, quoted=quoted), text))


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
