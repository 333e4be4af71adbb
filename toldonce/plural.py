"""Counts with their nouns. Pure."""


def plural(count: int, noun: str) -> str:
    """Format a count with its noun.

    >>> plural(1, "message"), plural(2000, "message"), plural(2, "memory"), plural(2, "key")
    ('1 message', '2,000 messages', '2 memories', '2 keys')
    """
    many = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"
