"""Read the text of messages: speaker names, blocks that are not the speaker's own words. Pure."""

import re
import unicodedata
from collections.abc import Callable

from toldonce.lazy_pattern import LazyPattern

_ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function"})


def speaker_name(name: str | None) -> str | None:
    """Return the name of a message's speaker; None if it has none, or if the name reads as a role.

    Such a name would be a forged attribution: an assistant called "user" is still the assistant. Case, width, accents,
    a leading article and all other characters are ignored, because readers and renderers overlook them.

    >>> speaker_name("Ana"), speaker_name("The\\u200b USER"), speaker_name("")
    ('Ana', None, None)
    """
    if not name:
        return None
    letters = "".join(c for c in unicodedata.normalize("NFKD", name).casefold() if c.isalnum())
    return None if letters.removeprefix("the") in _ROLES else name


# Models write `<think>` and the like; Open WebUI keeps their reasoning in the text as `<details type="reasoning">`.
# The attributes have a maximum length, so that a text of nothing but opening tags is read in linear time.
_REASONING_TAG = LazyPattern(
    r"<(?P<close>/?)(?P<name>think|thinking|reasoning|details)(?P<more>(?:\s[^<>]{0,400})?)>", re.IGNORECASE
)
_REASONING_DETAILS = LazyPattern(r"""\stype\s*+=\s*+["']?reasoning\b""", re.IGNORECASE)
_MEMORY_TAG = LazyPattern(
    r"<(?P<close>/?)(?P<name>(?:toldonce|recollect)-memory)\b(?P<more>[^<>]{0,200})>", re.IGNORECASE
)

Opens = Callable[["re.Match[str]"], bool]


def without_reasoning(text: str) -> str:
    """Remove every closed block of reasoning; an unclosed one stays.

    >>> without_reasoning("<think>Hm. Peanuts?</think>No peanuts.")
    'No peanuts.'
    >>> without_reasoning('<details type="reasoning" done="true">Hm.</details>Yes <details>more</details>')
    'Yes <details>more</details>'
    """
    return _without(text, _REASONING_TAG, _opens_reasoning)


def without_memory(text: str) -> str:
    """Remove every closed block of recalled memory: a client that echoes our prompt sends it back.

    >>> without_memory("<toldonce-memory 1f>- likes tea</toldonce-memory 1f>What now?")
    'What now?'
    """
    return _without(text, _MEMORY_TAG, lambda tag: True)


def _opens_reasoning(tag: "re.Match[str]") -> bool:
    return tag["name"].lower() != "details" or bool(_REASONING_DETAILS.search(tag["more"]))


def _without(text: str, tags: LazyPattern[str], opens: Opens) -> str:
    if "</" not in text:
        return text
    kept: list[str] = []
    end = 0
    opened: tuple[str, int] | None = None
    for tag in tags.finditer(text):
        name = tag["name"].lower()
        if opened is None:
            if not tag["close"] and opens(tag):
                opened = name, tag.start()
        elif tag["close"] and name == opened[0]:
            kept.append(text[end : opened[1]])
            end, opened = tag.end(), None
    kept.append(text[end:])
    return "".join(kept)
