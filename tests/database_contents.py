"""What a database holds, as people ask for it; and a progress bar that shows nothing. Opens databases."""

from typing import Any

from populated import QUERIES, WHO, opened
from toldonce.store.encryption.vault_opener import KeyringPlace
from toldonce.types import MemoryKind, Subject


class QuietBar:
    """A progress bar that keeps what is reported to it."""

    def __init__(self) -> None:
        self.phases: list[tuple[str, int]] = []
        self.reached = 0

    def begin(self, phase: str, unit: str, total: int) -> None:
        self.phases.append((phase, total))
        self.reached = 0

    def reach(self, done: int) -> None:
        self.reached = max(self.reached, done)


async def everything(url: str, *, keyring: KeyringPlace | None = None) -> dict[object, Any]:
    """Ask a database all that people ask it."""
    found: dict[object, Any] = {}
    async with opened(url, keyring=keyring) as engine:
        for name in WHO:
            who = Subject.parse(name)
            found[name, "list"] = await engine.list(user=who, kinds=tuple(MemoryKind), closed=True, limit=1000)
            found[name, "decisions"] = await engine.history.decisions(user=who)
            found[name, "held"] = await engine.reviews.list(user=who)
            found[name, "subscriptions"] = await engine.shared.subscriptions(user=who)
            chats = await engine.conversations.list(user=who)
            found[name, "messages"] = [await engine.conversations.messages(chat.id, user=who) for chat in chats]
            for query in QUERIES:
                recalled = await engine.search(query, user=who)
                found[name, query] = [
                    (item.memory.id, item.score, item.similarity, item.word_share, item.reasons)
                    for item in recalled.items
                ]
        found["formations"] = await engine.admin.formations(limit=1000)
        found["subjects"] = await engine.admin.subjects()
        stats = await engine.admin.stats(check=True)
        assert stats.problems == ()
        found["stats"] = (stats.memories, stats.messages, stats.conversations, stats.subjects, stats.spaces)
    return found
