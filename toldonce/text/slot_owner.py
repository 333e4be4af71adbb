"""Whose slot a fact fills: each named speaker of a subject's conversations has slots of their own. Pure.

The subject's own facts, said without a name, have plain keys. Those of a named speaker carry the name after an `@`, so
that the store, which keeps one active value for a category and key, keeps one for each speaker.
"""

from toldonce.text.normalize import normalise, squeeze, words

# Speakers that are no names: what they say of a person is said of the subject.
_ROLES = frozenset({"", "user", "assistant", "system", "developer", "tool", "function"})
OWNER_MARK = "@"
# Names may have 200 characters, keys have 120.
_MAX_OWNER_CHARACTERS = 40


def slot_owner(speaker: str) -> str:
    """Return the folded name of a speaker that has slots of their own; empty for the subject.

    >>> slot_owner("Ana"), slot_owner("user"), slot_owner("")
    ('ana', '', '')
    """
    folded = squeeze(normalise(speaker)).casefold()
    return "" if folded in _ROLES else folded[:_MAX_OWNER_CHARACTERS].replace(":", " ").strip()


def names_owner(text: str, owner: str) -> bool:
    """Return whether a text names a speaker, by the whole name or a part of it.

    >>> names_owner("Forget Ana's allergy.", "ana ruiz"), names_owner("Forget my allergy.", "ana ruiz")
    (True, False)
    """
    named = {word.removesuffix("'s") for word in words(normalise(text))}
    return not named.isdisjoint(words(owner))


def reaches_speaker(speaker: str, other: str, request: str | None = None) -> bool:
    """Return whether what one speaker says may end what another said.

    Args:
        speaker: Who says it.
        other: Whose words may end.
        request: The words of a request to forget: the user, who speaks without a name, may have anybody's words
            forgotten, and a named speaker those of whom they name. None for any other statement.

    >>> reaches_speaker("Ben", "Ana"), reaches_speaker("Ben", "Ana", "Forget Ana's allergy.")
    (False, True)
    """
    mine, theirs = slot_owner(speaker), slot_owner(other)
    return mine == theirs or (request is not None and (not mine or names_owner(request, theirs)))


def owned_key(key: str, speaker: str, max_characters: int) -> str:
    """Return a slot's key as it is stored for a speaker.

    >>> owned_key("location", "Ana", 120), owned_key("allergy:nuts", "user", 120)
    ('location@ana', 'allergy:nuts')
    """
    owner = slot_owner(speaker)
    mark = f"{OWNER_MARK}{owner}" if owner else ""
    return f"{bare_key(key, speaker)[: max_characters - len(mark)]}{mark}"


def bare_key(key: str, speaker: str) -> str:
    """Return a stored key without its speaker.

    >>> bare_key("location@ana", "Ana"), bare_key("location", "Ana")
    ('location', 'location')
    """
    owner = slot_owner(speaker)
    return key.removesuffix(f"{OWNER_MARK}{owner}") if owner else key
