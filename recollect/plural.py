"""Counts with their nouns. Pure."""


def plural(count: int, noun: str) -> str:
    """Format a count with its noun.

    >>> plural(1, "message"), plural(2000, "message"), plural(2, "memory")
    ('1 message', '2,000 messages', '2 memories')
    """
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"
