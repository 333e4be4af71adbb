"""The words by which a memory says that it rests on a text that anybody may have written. Pure.

A note without them is the user's own statement, so that the two are never taken for one another.
"""

PASTED_MARK = "According to a pasted text, perhaps by another: "


def names_pasted_source(text: str) -> bool:
    """Return whether a memory says that it rests on a pasted text.

    >>> names_pasted_source(f"{PASTED_MARK}The user teaches in Ulm."), names_pasted_source("The user teaches in Ulm.")
    (True, False)
    """
    return text.startswith(PASTED_MARK.strip())
