"""Namespaces of `ToldOnce`: history, health, reviews, shared, bulk, vectors."""

from toldonce.engine.background import BackgroundEngine
from toldonce.engine.bulk import BulkService
from toldonce.engine.embedder import VectorService
from toldonce.engine.health import HealthService
from toldonce.engine.history import HistoryService, ReviewService
from toldonce.engine.shared import SharedMemoryService
from toldonce.sync.blocking_service import BlockingService, blocking


class BlockingHistoryService(BlockingService, namespace="history"):
    """Decisions about memories. They are never deleted: the log keeps what was undone, when and why."""

    get = blocking(HistoryService.get)
    explain = blocking(HistoryService.explain)
    decisions = blocking(HistoryService.decisions)
    undo = blocking(HistoryService.undo)
    undo_source = blocking(HistoryService.undo_source)


class BlockingHealthService(BlockingService, namespace="health"):
    """Memories that may need a look. Lists change nothing."""

    never_recalled = blocking(HealthService.never_recalled)
    idle = blocking(HealthService.idle)
    replaced = blocking(HealthService.replaced)
    held_conflicts = blocking(HealthService.held_conflicts)
    near_duplicates = blocking(HealthService.near_duplicates)


class BlockingReviewService(BlockingService, namespace="reviews"):
    """Memories that were held back, and decisions on them."""

    list = blocking(ReviewService.list)
    approve = blocking(ReviewService.approve)
    reject = blocking(ReviewService.reject)


class BlockingSharedMemoryService(BlockingService, namespace="shared"):
    """Memories that several subjects read."""

    link = blocking(SharedMemoryService.link)
    unlink = blocking(SharedMemoryService.unlink)
    subscribe = blocking(SharedMemoryService.subscribe)
    unsubscribe = blocking(SharedMemoryService.unsubscribe)
    subscriptions = blocking(SharedMemoryService.subscriptions)


class BlockingBulkService(BlockingService, namespace="bulk"):
    """Work on many texts or conversations at once."""

    add = blocking(BulkService.add, BackgroundEngine.bulk_add)
    form = blocking(BulkService.form)


class BlockingVectorService(BlockingService, namespace="vectors"):
    """Nearest neighbours among memories' vectors."""

    nearest = blocking(VectorService.nearest)
