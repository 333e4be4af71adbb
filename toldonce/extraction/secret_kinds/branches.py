"""Regular expressions of many alternatives, put together so that a search is fast. Pure.

If each branch of an expression begins with a letter, `re` skips to the places with one of these letters. So
alternatives are opened up to their first letter and grouped by it.
"""

from collections.abc import Iterator

_OPTIONAL = "?"
_QUANTIFIERS = "?*+{"


def by_first_letter(pattern: str) -> str:
    """Return an expression that matches what `pattern` does, with one branch for each first letter.

    Args:
        pattern: Alternatives of letters, classes, and groups that capture nothing.

    >>> by_first_letter("(?:door|gate) code|digicode|pin")
    '(?:d(?:oor code|igicode)|g(?:ate code)|p(?:in))'
    """
    branches: dict[str, list[str]] = {}
    for alternative in _alternatives(pattern):
        for opened in _opened(alternative):
            branches.setdefault(opened[0], []).append(opened[1:])
    return "(?:" + "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in branches.items()) + ")"


def _alternatives(pattern: str) -> Iterator[str]:
    """Split an expression at the bars outside its groups and classes."""
    depth = start = place = 0
    while place < len(pattern):
        char = pattern[place]
        if char == "\\":
            place += 1
        elif char == "[":
            place = pattern.index("]", place)
        elif char == "|" and depth == 0:
            yield pattern[start:place]
            start = place + 1
        else:
            depth += (char == "(") - (char == ")")
        place += 1
    yield pattern[start:]


def _opened(alternative: str) -> Iterator[str]:
    """Yield an alternative once for each way in which it may begin, so that each begins with a letter."""
    if alternative.startswith("(?:"):
        end = _group_end(alternative)
        rest = alternative[end + 1 :]
        if rest.startswith(_OPTIONAL):
            rest = rest[1:]
            yield from _opened(rest)
        for inner in _alternatives(alternative[3:end]):
            yield from _opened(inner + rest)
    elif alternative.startswith("["):
        end = alternative.index("]")
        for char in alternative[1:end]:
            yield from _opened(char + alternative[end + 1 :])
    elif not alternative[:1].isalnum() or alternative[1:2] in tuple(_QUANTIFIERS):
        raise ValueError(f"begins with no letter: {alternative!r}")
    else:
        yield alternative


def _group_end(pattern: str) -> int:
    depth = place = 0
    while True:
        char = pattern[place]
        if char == "\\":
            place += 1
        elif char == "[":
            place = pattern.index("]", place)
        else:
            depth += (char == "(") - (char == ")")
            if depth == 0:
                return place
        place += 1
