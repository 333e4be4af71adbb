"""Whether an answer made use of what was recalled for it. Pure."""

from collections.abc import Iterable, Sequence

from recollect.text import terms
from recollect.types import Memory, MemoryId

# Shortest term that can tell anything, in characters: shorter stems meet by chance.
_MIN_WORD_CHARACTERS = 3


def used_memories(answer: str, recalled: Sequence[Memory], said: Iterable[str]) -> list[MemoryId]:
    """Find the memories that an answer made use of.

    One was used if the answer holds a term of it that the client's own messages do not: the answer can have it from
    nowhere else that we know of. A term that several of the memories share speaks for each of them. It errs on both
    sides: a model may know the word by itself, and may use a memory in other words.

    Args:
        answer: The model's words.
        recalled: What was put into the prompt.
        said: The texts of the client's messages, system messages included.

    Returns:
        Ids in the order of `recalled`.
    """
    answered = {term for term in terms(answer) if len(term) >= _MIN_WORD_CHARACTERS}
    for text in said:
        if not answered:
            break
        answered -= set(terms(text))
    return [memory.id for memory in recalled if answered & set(terms(f"{memory.text} {memory.value}"))]
