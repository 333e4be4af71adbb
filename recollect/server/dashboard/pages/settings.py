"""The settings in effect, and the doctor's findings."""

from recollect.server.dashboard.page import PageRoute

PAGES: tuple[PageRoute, ...] = ()
