"""Memories held for review: approve, reject, edit."""

from recollect.server.dashboard.page import PageRoute

PAGES: tuple[PageRoute, ...] = ()
