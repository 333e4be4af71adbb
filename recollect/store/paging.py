"""What a listing may ask for. Pure."""

from recollect.errors import BadRequestError

# More rows than this in one answer are a mistake or an attack: page instead.
MAX_PAGE_SIZE = 10_000


def check_limit(limit: int) -> int:
    """Return `limit` if it is 1 to 10,000.

    >>> check_limit(10)
    10

    Raises:
        BadRequestError: it is not.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE_SIZE:
        raise BadRequestError(f"limit is {limit!r}; it takes 1 to {MAX_PAGE_SIZE}", param="limit")
    return limit
