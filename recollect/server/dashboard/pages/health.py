"""What of a subject may need a look: duplicates, contradictions, memories never recalled or stale."""

from recollect.server.dashboard.page import PageRoute

PAGES: tuple[PageRoute, ...] = ()
