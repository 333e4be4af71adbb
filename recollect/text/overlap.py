"""Where two texts run into one another: one ends with the words that the other begins with. Pure."""

# Longest stretch that is looked for, in words.
MAX_SHARED_WORDS = 40


def shared_ends(text: str, other: str) -> list[str]:
    """Return the words with which one text ends and the other begins, longest first.

    Args:
        text: Words parted by single blanks.
        other: Likewise.

    >>> shared_ends("i am off gluten for now", "he says i am off gluten")
    ['i am off gluten']
    >>> shared_ends("two cats", "i have a dog")
    []
    """
    here, there = text.split(), other.split()
    sizes = range(min(len(here), len(there), MAX_SHARED_WORDS), 0, -1)
    before = next((here[:size] for size in sizes if here[:size] == there[-size:]), [])
    behind = next((here[-size:] for size in sizes if here[-size:] == there[:size]), [])
    return sorted((" ".join(found) for found in (before, behind) if found), key=len, reverse=True)
