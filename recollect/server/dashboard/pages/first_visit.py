"""A first visit to an empty database: try it, and demonstration data."""

from recollect.server.dashboard.page import PageRoute

PAGES: tuple[PageRoute, ...] = ()
