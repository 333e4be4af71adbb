"""Background work: what waits, what is parked with its error, and a retry."""

from recollect.server.dashboard.page import PageRoute

PAGES: tuple[PageRoute, ...] = ()
