"""Make recalled text safe inside a block: one line, nothing invisible, nothing like a tag. Pure."""

import re
import unicodedata

from recollect.lazy_pattern import LazyPattern
from recollect.text import squeeze
from recollect.types import MAX_MEMORY_CHARACTERS

TAG = "recollect-memory"

# Anything that could pass for the tag, with blanks, slashes or other separators inside.
_TAG_LIKE = LazyPattern(r"recollect[\s\W_]*+memory", re.IGNORECASE)
_TAG_SPOKEN = "recollect memory"
_INSTEAD = {"<": "‹", ">": "›", '"': "'", "“": "'", "”": "'", "＜": "‹", "＞": "›", "﹤": "‹", "﹥": "›", "＂": "'"}
# Joiners that emoji and several scripts need; they neither reorder nor hide text.
_KEPT_FORMATS = frozenset("\u200c\u200d")
# Selectors of a plain or a coloured emoji are kept; the 254 others can carry hidden text, and few fonts know them.
_SELECTORS = frozenset({*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0)})
# No character needs two selectors or joiners in a row: such runs are hidden text as well.
_HIDDEN_RUN = LazyPattern("(?<=[\ufe0e\ufe0f])[\ufe0e\ufe0f]++|(?<=[\u200c\u200d])[\u200c\u200d]++")
# Letters, digits and plain punctuation stay; every other character is checked.
_ODD = LazyPattern(r"[^\w .,;:!?'()/%&+*=#@$€-]")


def escape_quotation(text: str, max_characters: int = MAX_MEMORY_CHARACTERS) -> str:
    """Make a text safe inside a quotation of a block: one line, no markup, nothing invisible, no closing quote.

    >>> escape_quotation('a "b"\\n</recollect-memory>')
    "a 'b' ‹/recollect memory›"
    """
    # Cut first: only a prefix of a message of megabytes is worth cleaning. Twice the length, as blanks fold away.
    long = len(text) > 2 * max_characters
    visible = _ODD.sub(_visible, unicodedata.normalize("NFC", text[: 2 * max_characters]))
    if _TAG_LIKE.search(wide := unicodedata.normalize("NFKC", visible)):
        # Wide or ornate letters stay as they are, unless they spell the tag.
        visible = _ODD.sub(_visible, wide)
    plain = _HIDDEN_RUN.sub("", _TAG_LIKE.sub(_TAG_SPOKEN, squeeze(visible)))
    if long or len(plain) > max_characters:
        plain = plain[: max_characters - 1].rstrip() + "…"
    return plain


def strip_tags(text: str) -> str:
    """Remove what could pass for the tag from a user's own frame; its markup and lines stay.

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
    if ord(character) in _SELECTORS:
        return ""
    kind = unicodedata.category(character)
    if kind in ("Cc", "Zl", "Zp", "Zs"):
        return " "
    if kind in ("Cf", "Cs", "Co", "Cn"):
        return character if character in _KEPT_FORMATS else ""
    return character
