"""The pages, each module with those about one thing. They read and change memory through the REST API alone."""

from toldonce.server.dashboard.page import PageRoute
from toldonce.server.dashboard.pages import (
    apps,
    conversations,
    first_visit,
    health,
    keys,
    memories,
    memory,
    overview,
    traces,
    transfer,
    usage_statistics,
    work,
)

PAGES: tuple[PageRoute, ...] = (
    *apps.PAGES,
    *conversations.PAGES,
    *first_visit.PAGES,
    *health.PAGES,
    *keys.PAGES,
    *memories.PAGES,
    *memory.PAGES,
    *overview.PAGES,
    *traces.PAGES,
    *transfer.PAGES,
    *usage_statistics.PAGES,
    *work.PAGES,
)
"""All pages; no two have the same method and path."""
