"""Take blocks out of a text that are nobody's words in it: a model's thinking, memory we put there. Pure."""

import re
from collections.abc import Callable

# `<think>` and its kin come from models; `<details type="reasoning">` is how Open WebUI keeps it in the text.
# What follows a name is bounded, so that a text of nothing but opened tags costs no more than its length.
_REASONING_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>think|thinking|reasoning|details)(?P<more>(?:\s[^<>]{0,400})?)>", re.IGNORECASE
)
_REASONING_DETAILS = re.compile(r"""\stype\s*+=\s*+["']?reasoning\b""", re.IGNORECASE)
_MEMORY_TAG = re.compile(r"<(?P<close>/?)(?P<name>recollect-memory)\b(?P<more>[^<>]{0,200})>", re.IGNORECASE)

Opens = Callable[["re.Match[str]"], bool]


def without_reasoning(text: str) -> str:
    """Cut out every closed block of reasoning; one that is never closed stays.

    >>> without_reasoning("<think>Hm. Peanuts?</think>No peanuts.")
    'No peanuts.'
    >>> without_reasoning('<details type="reasoning" done="true">Hm.</details>Yes <details>more</details>')
    'Yes <details>more</details>'
    """
    return _without(text, _REASONING_TAG, _opens_reasoning)


def without_memory(text: str) -> str:
    """Cut out every closed block of recalled memory, as a client that was sent its own prompt back may hold one.

    >>> without_memory("<recollect-memory 1f>- likes tea</recollect-memory 1f>What now?")
    'What now?'
    """
    return _without(text, _MEMORY_TAG, lambda tag: True)


def _opens_reasoning(tag: "re.Match[str]") -> bool:
    return tag["name"].lower() != "details" or bool(_REASONING_DETAILS.search(tag["more"]))


def _without(text: str, tags: "re.Pattern[str]", opens: Opens) -> str:
    if "</" not in text:
        return text
    kept: list[str] = []
    behind = 0
    opened: tuple[str, int] | None = None
    for tag in tags.finditer(text):
        name = tag["name"].lower()
        if opened is None:
            if not tag["close"] and opens(tag):
                opened = name, tag.start()
        elif tag["close"] and name == opened[0]:
            kept.append(text[behind : opened[1]])
            behind, opened = tag.end(), None
    kept.append(text[behind:])
    return "".join(kept)
