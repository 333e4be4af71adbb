"""Requests as they come: what each recalled, left out and why."""

from recollect.server.dashboard.page import PageRoute

PAGES: tuple[PageRoute, ...] = ()
