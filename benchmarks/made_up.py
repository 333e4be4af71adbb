"""Texts that read like memories and chats, the same on every machine. Reads the static embedder's vocabulary."""

from functools import lru_cache

import numpy as np

from toldonce.providers.static_embedder import static_model

SEED = 20250601
"""Of everything random here, so that two runs measure the same work."""

# The lengths of LoCoMo's turns spread about this far; a sentence of a chat has some 12 words.
MIN_WORDS, MAX_WORDS = 6, 18
# Words that fill the stories; as many as a talkative user has at hand.
VOCABULARY = 8000
# A word's frequency falls with its rank to about this power in natural text (Zipf); the first ranks are function words.
ZIPF = 1.0
_FIRST_RANK = 10

_PLACES = ("Oslo", "Rome", "Lisbon", "Kyoto", "Quito", "Dublin", "Tallinn", "Hanoi", "Accra", "Montreal")
_NAMES = ("Nora", "Ivan", "Mei", "Tomas", "Aisha", "Lars", "Priya", "Chloe", "Diego", "Yuki")
_THINGS = ("peanuts", "shellfish", "cilantro", "gluten", "wool", "pollen", "penicillin", "strawberries", "cats", "dust")
_JOBS = ("nurse", "teacher", "carpenter", "translator", "pilot", "baker", "architect", "plumber", "editor", "farmer")
_HOBBIES = ("pottery", "chess", "climbing", "knitting", "sailing", "archery", "origami", "cycling", "baking", "jazz")
# What the rules find something in, in the words of people who chat.
_STATEMENTS = (
    "I moved from {place} to {other} last May.",
    "I'm allergic to {thing}, by the way.",
    "My sister {name} works as a {job} in {place}.",
    "I really love {hobby}, I do it every weekend.",
    "I can't stand {hobby} any more, I stopped two years ago.",
    "My name is {name} and I'm a {job}.",
    "Tomorrow I have an appointment with {name} in {place}.",
    "Please always answer in short sentences.",
    "We adopted a dog called {name} in March.",
    "I started learning {hobby} with {name} on Tuesday.",
)


@lru_cache(maxsize=1)
def vocabulary() -> tuple[str, ...]:
    """Return the whole words of the embedder's vocabulary, the most frequent first."""
    ranked = sorted(static_model().tokenizer.get_vocab().items(), key=lambda pair: pair[1])
    words = [token[1:] for token, _ in ranked if token.startswith("▁") and len(token) > 3]
    return tuple(word for word in words if word.isascii() and word.isalpha() and word.islower())[:VOCABULARY]


class Writer:
    """Writes texts; two writers of one seed write the same."""

    def __init__(self, seed: int = SEED) -> None:
        """Begin the series of a seed."""
        self._random = np.random.default_rng(seed)
        self._words = np.array(vocabulary())
        weight = 1 / (np.arange(len(self._words)) + _FIRST_RANK) ** ZIPF
        self._cumulated = np.cumsum(weight / weight.sum())

    def words(self, count: int) -> list[str]:
        """Draw words by their frequency."""
        places = np.searchsorted(self._cumulated, self._random.random(count)).clip(max=len(self._words) - 1)
        return [str(word) for word in self._words[places]]

    def sentences(self, count: int) -> list[str]:
        """Write sentences of drawn words; hardly any two are equal."""
        lengths = self._random.integers(MIN_WORDS, MAX_WORDS, size=count, endpoint=True)
        drawn = self.words(int(lengths.sum()))
        ends = np.cumsum(lengths)
        return [
            " ".join(drawn[end - length : end]).capitalize() + "."
            for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)
        ]

    def statement(self) -> str:
        """Write a user's statement that the rules turn into a memory, followed by a made-up sentence."""
        template = self._pick(_STATEMENTS)
        said = template.format(
            place=self._pick(_PLACES),
            other=self._pick(_PLACES),
            name=self._pick(_NAMES),
            thing=self._pick(_THINGS),
            job=self._pick(_JOBS),
            hobby=self._pick(_HOBBIES),
        )
        return f"{said} {self.sentences(1)[0]}"

    def conversation(self, turns: int) -> list[dict[str, str]]:
        """Write a conversation: in every third turn the user states something lasting."""
        messages: list[dict[str, str]] = []
        for turn in range(turns):
            said = self.statement() if turn % 3 == 0 else " ".join(self.sentences(2))
            messages.append({"role": "user", "content": said})
            messages.append({"role": "assistant", "content": " ".join(self.sentences(3))})
        return messages

    def shuffled(self, count: int, among: int) -> list[int]:
        """Draw `count` numbers below `among`, each as likely as another."""
        return [int(number) for number in self._random.integers(among, size=count)]

    def _pick(self, among: tuple[str, ...]) -> str:
        return among[int(self._random.integers(len(among)))]
