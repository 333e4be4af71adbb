"""`AsyncRecollect`: the engine as one object; the public library API. Opens the store and the models."""

from typing import Self

from recollect.clock import Clock, SystemClock
from recollect.engine.admin import Operating
from recollect.engine.apps import Apps
from recollect.engine.components import open_parts
from recollect.engine.composing import Composing
from recollect.engine.embedder import Embedding
from recollect.engine.history import Undoing
from recollect.engine.prompts import Assembling
from recollect.engine.reviews import Reviewing
from recollect.engine.transfer import Carrying
from recollect.settings import Settings


class AsyncRecollect(Assembling, Apps, Undoing, Reviewing, Composing, Carrying, Operating, Embedding):
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
        return cls(await open_parts(settings or Settings.load(), clock or SystemClock()))
