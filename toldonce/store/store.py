"""The store: everything that is kept, as repositories over one database."""

from toldonce.store.executor import DatabaseAdmin, SnapshotReader, StoreContext
from toldonce.store.sql.access import AccessRepository
from toldonce.store.sql.apps import AppRepository
from toldonce.store.sql.budgets import BudgetRepository
from toldonce.store.sql.embeddings import EmbeddingRepository
from toldonce.store.sql.erase.repository import ErasureRepository
from toldonce.store.sql.formations import FormationRepository
from toldonce.store.sql.idempotency import IdempotencyRepository
from toldonce.store.sql.log.conversations import ConversationRepository
from toldonce.store.sql.log.insertions import InsertionRepository
from toldonce.store.sql.log.traces import TraceRepository
from toldonce.store.sql.maintenance import MaintenanceRepository
from toldonce.store.sql.memories.repository import DecisionRepository, MemoryRepository
from toldonce.store.sql.stats import AdminRepository, HealthRepository
from toldonce.store.sql.user_merge import AliasRepository


class Store:
    """Everything that is kept. Each operation is one transaction (or one snapshot) and never calls a model.

    An operation reads and writes only the subjects it is given. A subject, conversation or memory that does not exist
    reads as empty. Every operation may raise `StoreUnavailableError` (the outcome is unknown: read back before
    repeating a write) and, when it writes, `StoreFullError`.
    """

    def __init__(self, context: StoreContext, snapshots: SnapshotReader, database: DatabaseAdmin) -> None:
        self.conversations = ConversationRepository(context)
        self.insertions = InsertionRepository(context)
        self.traces = TraceRepository(context)
        self.health = HealthRepository(context)
        self.formations = FormationRepository(context)
        self.memories = MemoryRepository(context)
        self.decisions = DecisionRepository(context)
        self.snapshots = snapshots
        self.erasures = ErasureRepository(context)
        self.embeddings = EmbeddingRepository(context)
        self.maintenance = MaintenanceRepository(context)
        self.budgets = BudgetRepository(context)
        self.access = AccessRepository(context)
        self.apps = AppRepository(context)
        self.aliases = AliasRepository(context)
        self.idempotency = IdempotencyRepository(context)
        self.admin = AdminRepository(context, database)
        self.vault = context.vault
        """The subjects' data keys, where they are encrypted."""
        self.database = database
        """The database itself: its schema, its health, its files."""

    async def close(self) -> None:
        """Finish accepted work, then close the database. Idempotent."""
        await self.erasures.close()
        await self.database.close()
        if self.vault is not None:
            self.vault.close()
