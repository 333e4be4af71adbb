"""The memories and questions that every system gets, and what the exact answers are. Reads the static embedder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.made_up import Writer
from benchmarks.others.adapters.adapter_server import packed
from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.types import Vectors

# A question of a chat, in words; how many results a prompt takes.
QUERY_WORDS, LIMIT = 8, 10
# Memories that an application adds in one call, to a user who has memories already.
BATCH_SIZE = 100
# Two cosines nearer than this may change places between one way of adding up and another.
_EQUAL = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    users: int
    per_user: int
    batch: int
    """Memories handed over at a time while loading."""
    queries: int
    """Questions asked, each followed by another one to the same user."""
    adds: int
    """Memories added one by one, each followed by a search; as many are deleted in the end."""
    batches: int
    """Batches of `BATCH_SIZE` memories added to a loaded database, each to one user."""
    flood_s: float
    """How long several threads search at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to one user."""

    user: int
    text: str
    place: int
    """Of its vector."""


class Scene:
    """Texts of many users with their vectors; the same on every machine."""

    def __init__(self, sizes: Sizes) -> None:
        """Write and embed everything."""
        self.sizes = sizes
        writer = Writer()
        loaded = sizes.users * sizes.per_user
        alone = loaded + sizes.adds
        wanted = alone + sizes.batches * BATCH_SIZE
        # No two are equal, nor differ in case alone: some systems would keep such a pair as one memory.
        texts: dict[str, str] = {}
        while len(texts) < wanted:
            texts |= {text.casefold(): text for text in writer.sentences(wanted - len(texts))}
        # Users take turns, as when many chat.
        self._users = [place % sizes.users for place in range(alone)]
        self._users += [place // BATCH_SIZE % sizes.users for place in range(wanted - alone)]
        self._texts = list(texts.values())
        self.loaded, self.added = range(loaded), range(loaded, alone)
        self.batches = [range(start, start + BATCH_SIZE) for start in range(alone, wanted, BATCH_SIZE)]
        asked = [" ".join(writer.words(QUERY_WORDS)) for _ in range(2 * sizes.queries)]
        users = writer.shuffled(sizes.queries, sizes.users)
        self.questions = [Question(user=users[place // 2], text=text, place=place) for place, text in enumerate(asked)]
        embedder = StaticEmbedder()
        self.dim = embedder.dim
        self._vectors = embedder.embed_now(self._texts)
        self._asked = embedder.embed_now(asked)

    def memory(self, place: int) -> dict[str, str]:
        """Write a memory as it is handed over."""
        return _line(self._users[place], self._texts[place], self._vectors[place : place + 1])

    def question(self, question: Question) -> dict[str, object]:
        """Write a question as it is handed over."""
        vector = self._asked[question.place : question.place + 1]
        return {**_line(question.user, question.text, vector), "limit": LIMIT}

    def echo(self, place: int) -> dict[str, object]:
        """Ask for a memory by its own words."""
        return {**self.memory(place), "limit": LIMIT}

    def text(self, place: int) -> str:
        """Tell a memory's text."""
        return self._texts[place]

    def user(self, place: int) -> str:
        """Name the user of a memory."""
        return _user(self._users[place])

    def recall(self, question: Question, found: Sequence[str], places: Mapping[str, int]) -> float:
        """Tell which share of the nearest memories an answer has; a tie may be broken either way.

        Raises:
            ValueError: the answer has a memory of another user, or one twice.
        """
        answered = [places[id_] for id_ in found]
        foreign = [place for place in answered if self._users[place] != question.user]
        if foreign or len(set(answered)) != len(answered):
            raise ValueError(f"asked for {_user(question.user)}, the answer has {foreign or answered}")
        own = np.arange(question.user, len(self.loaded), self.sizes.users)
        cosines = np.vecdot(self._vectors[own], self._asked[question.place])
        wanted = min(LIMIT, len(own))
        least = np.sort(cosines)[-wanted] - _EQUAL
        near = set(own[cosines >= least].tolist())
        return min(1.0, len(near.intersection(answered)) / wanted)


def _line(user: int, text: str, vector: Vectors) -> dict[str, str]:
    return {"user": _user(user), "text": text, "vector": packed(vector.astype("<f4").tobytes())}


def _user(number: int) -> str:
    return f"bench-{number}"
