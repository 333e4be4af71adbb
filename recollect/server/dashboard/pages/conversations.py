"""Conversations of a subject: the tree of messages, and what each left."""

from recollect.server.dashboard.page import PageRoute

PAGES: tuple[PageRoute, ...] = ()
