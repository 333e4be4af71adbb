"""Proper names in an English text, by their capital letters. Pure."""

# Capitalized in English, but no names of anything that a memory could be about.
_NO_NAMES = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday english""".split()
)
# After these, a name says where something is: "a restaurant in Lisbon".
_BEFORE_PLACES = frozenset("in at to from near around on".split())
_OPENING = "\"'“‘(["
# A word after one of these begins a sentence or a title.
_CLOSING = (*".!?:", *_OPENING)
_POSSESSIVES = ("'s", "’s")


def find_names(text: str, *, places: bool = True) -> frozenset[str]:
    """Return the capitalized words within sentences, in lower case; the first word of a sentence does not count.

    Args:
        text: An English text.
        places: Whether to include names after "in", "near" and the like.

    >>> sorted(find_names("What is Marie Curie's best café in New York?"))
    ['curie', 'marie', 'new', 'york']
    >>> sorted(find_names("What is Marie Curie's best café in New York?", places=False))
    ['curie', 'marie']
    """
    found: set[str] = set()
    before, is_place = "", False
    for token in text.split():
        word = token.strip("\"'“”‘’()[].,;:!?")
        for ending in _POSSESSIVES:
            word = word.removesuffix(ending)
        if len(word) > 1 and word[0].isupper() and word[1].islower():
            is_place = is_place or before.lower() in _BEFORE_PLACES
            if before and not before.endswith(_CLOSING) and (places or not is_place):
                found.add(word.lower())
        else:
            is_place = False
        before = token
    return frozenset(found - _NO_NAMES)
