"""Precision, recall and F1 per utterance, memories and false memories per chat, of AlpsBench's chats. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.alps_chats import ENGLISH, AlpsChat
from benchmarks.rows import Row

# Languages with a row of their own: the most frequent ones.
LANGUAGES = 10
Sources = Sequence[frozenset[int]]
"""For each memory of a chat, the places of the user's messages it rests on."""


@dataclass(slots=True)
class Score:
    """Sums over chats."""

    chats: int = 0
    hits: int = 0
    """Utterances that are evidence and that a memory rests on."""
    strays: int = 0
    """Utterances that a memory rests on, and that are evidence for none."""
    missed: int = 0
    memories: int = 0
    false: int = 0
    """Memories that rest on no utterance that is evidence."""

    def add(self, chat: AlpsChat, sources: Sources) -> None:
        """Add a chat with what its memories rest on."""
        gold = chat.gold_utterances
        found = frozenset[int]().union(*sources)
        self.chats += 1
        self.hits += len(found & gold)
        self.strays += len(found - gold)
        self.missed += len(gold - found)
        self.memories += len(sources)
        self.false += sum(not places & gold for places in sources)

    @property
    def precision(self) -> float:
        """Share of the utterances that memories rest on that are evidence, in percent."""
        return 100 * self.hits / max(self.hits + self.strays, 1)

    @property
    def recall(self) -> float:
        """Share of the utterances that are evidence that a memory rests on, in percent."""
        return 100 * self.hits / max(self.hits + self.missed, 1)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in percent."""
        return 200 * self.hits / max(2 * self.hits + self.strays + self.missed, 1)

    @property
    def memories_per_chat(self) -> float:
        """Mean number of memories."""
        return self.memories / max(self.chats, 1)

    @property
    def false_per_chat(self) -> float:
        """Mean number of false memories."""
        return self.false / max(self.chats, 1)


_FIGURES: Mapping[str, tuple[str, Callable[[Score], float]]] = {
    "precision": ("%", lambda score: score.precision),
    "recall": ("%", lambda score: score.recall),
    "F1": ("%", lambda score: score.f1),
    "memories": ("a chat", lambda score: score.memories_per_chat),
    "false memories": ("a chat", lambda score: score.false_per_chat),
}
_OF_A_LANGUAGE = ("F1", "memories", "false memories")
_WITHOUT_GOLD = ("memories",)


def recorded_sources(chat: AlpsChat, model: str) -> Sources:
    """Return what the items that a model extracted rest on."""
    return [item.utterances for item in chat.recorded.get(model, ())]


def score_rows(chats: Sequence[AlpsChat], systems: Mapping[str, Sequence[Sources]]) -> list[Row]:
    """Score systems on all chats, on English ones, on the others, and on chats whose gold is empty if there are any.

    Args:
        chats: The chats.
        systems: For each system what its memories rest on, chat by chat.
    """
    english = [chat.language == ENGLISH for chat in chats]
    groups = {
        "all": [True] * len(chats),
        "English": english,
        "other languages": [not is_english for is_english in english],
    }
    rows = _rows(chats, systems, groups, tuple(_FIGURES))
    empty = [not chat.gold for chat in chats]
    return rows + _rows(chats, systems, {"without gold": empty}, _WITHOUT_GOLD)


def language_rows(chats: Sequence[AlpsChat], systems: Mapping[str, Sequence[Sources]]) -> list[Row]:
    """Score systems on the chats of each of the most frequent languages."""
    groups = {language: [chat.language == language for chat in chats] for language in frequent_languages(chats)}
    return _rows(chats, systems, groups, _OF_A_LANGUAGE)


def frequent_languages(chats: Iterable[AlpsChat]) -> list[str]:
    """List the most frequent languages, the most frequent first."""
    counted = Counter(chat.language for chat in chats)
    return [language for language, _ in counted.most_common(LANGUAGES)]


def _rows(
    chats: Sequence[AlpsChat],
    systems: Mapping[str, Sequence[Sources]],
    groups: Mapping[str, Sequence[bool]],
    figures: Sequence[str],
) -> list[Row]:
    rows: list[Row] = []
    for group, chosen in groups.items():
        if not any(chosen):
            continue
        for figure in figures:
            unit, value = _FIGURES[figure]
            rows += [
                Row(
                    name=f"{group}, {sum(chosen):,} chats: {figure}",
                    value=value(scored(chats, sources, chosen)),
                    unit=unit,
                    count=sum(chosen),
                    of=system,
                )
                for system, sources in systems.items()
            ]
    return rows


def scored(chats: Sequence[AlpsChat], sources: Sequence[Sources], chosen: Sequence[bool]) -> Score:
    """Add up the chats that are chosen."""
    score = Score()
    for chat, found, is_chosen in zip(chats, sources, chosen, strict=True):
        if is_chosen:
            score.add(chat, found)
    return score
