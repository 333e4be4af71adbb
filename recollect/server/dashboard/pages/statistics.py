"""What is stored, decided and spent over time, as plots and tables."""

from recollect.server.dashboard.page import PageRoute

PAGES: tuple[PageRoute, ...] = ()
