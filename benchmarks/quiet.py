"""Keep ToldOnce's warnings out of a benchmark's tables. Changes the process's logging while it runs."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def errors_only() -> Iterator[None]:
    """Log nothing below `ERROR` within the block or the decorated function; then log as before."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
