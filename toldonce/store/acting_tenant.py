"""The tenant for which the running task works: a database with row-level security shows it no other's rows.

Requests with a tenant's credential set it; everything else, such as the worker, acts for all tenants.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_TENANT: ContextVar[str | None] = ContextVar("toldonce_tenant", default=None)


def acting_tenant() -> str | None:
    """Return the tenant that the running task is bound to, empty for the nameless one; None: all tenants."""
    return _TENANT.get()


@contextmanager
def acting_for(tenant: str | None) -> Iterator[None]:
    """Bind the running task, and the tasks that it starts, to a tenant; None: to none.

    >>> with acting_for("acme"):
    ...     acting_tenant()
    'acme'
    >>> acting_tenant() is None
    True
    """
    token = _TENANT.set(tenant)
    try:
        yield
    finally:
        _TENANT.reset(token)
