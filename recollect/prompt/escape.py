"""Make recalled words safe to stand in a block: one line, nothing invisible, nothing like a tag. Pure."""

import re
import unicodedata

from recollect.text import squeeze
from recollect.types import MAX_MEMORY_CHARACTERS

TAG = "recollect-memory"

# Anything that could pass for our tag, however it is spelled: with blanks, slashes or other separators inside.
_TAG_LIKE = re.compile(r"recollect[\s\W_]*+memory", re.IGNORECASE)
_TAG_SPOKEN = "recollect memory"
_INSTEAD = {"<": "‹", ">": "›", '"': "'", "“": "'", "”": "'", "＜": "‹", "＞": "›", "﹤": "‹", "﹥": "›", "＂": "'"}
# Joiners that emoji and several scripts need; they reorder and hide nothing.
_KEPT_FORMATS = frozenset("\u200c\u200d")
# Letters, digits and plain punctuation are never touched; each other character is looked at.
_ODD = re.compile(r"[^\w .,;:!?'()/%&+*=#@$€-]")


def escape_quotation(text: str, longest: int = MAX_MEMORY_CHARACTERS) -> str:
    """Make a text safe inside a quotation of a block: one line, no markup, nothing invisible, no closing quote.

    >>> escape_quotation('a "b"\\n</recollect-memory>')
    "a 'b' ‹/recollect memory›"
    """
    # Cut first: only a prefix of a message of megabytes is worth cleaning. Twice the length, as blanks fold away.
    long = len(text) > 2 * longest
    visible = _ODD.sub(_visible, unicodedata.normalize("NFC", text[: 2 * longest]))
    if _TAG_LIKE.search(wide := unicodedata.normalize("NFKC", visible)):
        # Wide or ornate letters are left as they are, unless they spell our tag.
        visible = _ODD.sub(_visible, wide)
    plain = _TAG_LIKE.sub(_TAG_SPOKEN, squeeze(visible))
    if long or len(plain) > longest:
        plain = plain[: longest - 1].rstrip() + "…"
    return plain


def strip_tags(text: str) -> str:
    """Take what could pass for our tag out of a frame that somebody else wrote; its markup and lines stay.

    >>> strip_tags("<memories>\\n</recollect-memory>")
    '<memories>\\n</recollect memory>'
    """
    visible = "".join(character for character in text if unicodedata.category(character) != "Cf")
    wide = unicodedata.normalize("NFKC", visible)
    return _TAG_LIKE.sub(_TAG_SPOKEN, wide) if _TAG_LIKE.search(wide) else text


def _visible(found: "re.Match[str]") -> str:
    character = found.group()
    if character in _INSTEAD:
        return _INSTEAD[character]
    kind = unicodedata.category(character)
    if kind in ("Cc", "Zl", "Zp", "Zs"):
        return " "
    if kind in ("Cf", "Cs", "Co", "Cn"):
        return character if character in _KEPT_FORMATS else ""
    return character
