"""Which recalled memories an answer used. Pure."""

from collections.abc import Iterable, Sequence

from toldonce.text import terms
from toldonce.types import Memory, MemoryId

# Shorter stems match by accident.
_MIN_WORD_CHARACTERS = 3
# How formed memories name the person they are about: such words tell no memory from another.
_OF_EVERY_MEMORY = frozenset(("user", "said"))


def used_memories(answer: str, recalled: Sequence[Memory], said: Iterable[str]) -> list[MemoryId]:
    """Return the memories that an answer used.

    A memory counts as used if the answer has a term of it that the client's own messages lack. A term that several
    memories share counts for each, except the words with which memories begin: "The user said". This errs on both
    sides: a model may know the word by itself, and may use a memory in other words.

    Args:
        answer: The model's words.
        recalled: The memories in the prompt.
        said: The texts of the client's messages, system messages included.

    Returns:
        Ids in the order of `recalled`.
    """
    answered = {term for term in terms(answer) if len(term) >= _MIN_WORD_CHARACTERS} - _OF_EVERY_MEMORY
    for text in said:
        if not answered:
            break
        answered -= set(terms(text))
    return [memory.id for memory in recalled if answered & set(terms(f"{memory.text} {memory.value}"))]
