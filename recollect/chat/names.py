"""Whose name counts: a `name` that reads as a role is a forged attribution. Pure."""

import unicodedata

_ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function"})


def speaker_name(name: str | None) -> str | None:
    """Return the name somebody speaks under; None where there is none, or it reads as a role.

    The role itself says it then: an assistant called "user" is the assistant. Case, width, accents, an article and
    whatever is no letter are folded, as readers and renderers overlook them.

    >>> speaker_name("Ana"), speaker_name("The\\u200b USER"), speaker_name("")
    ('Ana', None, None)
    """
    if not name:
        return None
    letters = "".join(c for c in unicodedata.normalize("NFKD", name).casefold() if c.isalnum())
    return None if letters.removeprefix("the") in _ROLES else name
