"""`AsyncRecollect`: the engine as one object; the public library API. Opens the store and the models."""

from typing import Self

from recollect.clock import Clock, SystemClock
from recollect.engine.admin import AdminService
from recollect.engine.apps import AppService
from recollect.engine.client_context import Composing
from recollect.engine.components import open_components
from recollect.engine.embedder import EmbedderService
from recollect.engine.history import HistoryService
from recollect.engine.prompts import PromptService
from recollect.engine.reviews import ReviewService
from recollect.engine.transfer import TransferService
from recollect.settings import Settings


class AsyncRecollect(
    PromptService, AppService, HistoryService, ReviewService, Composing, TransferService, AdminService, EmbedderService
):
    """Long-term memory for LLM chat.

    Open it with `async with await AsyncRecollect.open() as memory:`. A `user` is a name, or a `Subject` where the
    memory is not a user's; None means the settings' default user. All methods may raise `StoreUnavailableError`.
    """

    @classmethod
    async def open(cls, settings: Settings | None = None, *, clock: Clock | None = None) -> Self:
        """Open the store and the models that the settings (by default: the environment) name.

        Raises:
            SetupError: a setting, file or package is not as it should be; the message says what to do.
        """
        return cls(await open_components(settings or Settings.load(), clock or SystemClock()))
