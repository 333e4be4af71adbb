"""Hashes and names of words, messages and conversations. Pure."""

from functools import lru_cache
from hashlib import blake2b

from toldonce.text_caches import register_text_cache

_KEY_BYTES = 4
# Terms of one salt that are kept; a subject has some thousand.
_MAX_KEYS = 10_000


@register_text_cache
@lru_cache(maxsize=100_000)
def term_key(salt: bytes, term: str) -> int:
    """Hash a term with the subject's salt into 32 bits, so that no dictionary of words is kept.

    With 100,000 distinct terms in a subject a word meets a wrong one with a chance of 2 in 100,000.
    """
    return int.from_bytes(blake2b(term.encode(), digest_size=_KEY_BYTES, key=salt).digest(), "little")


class TermKeys(dict[str, int]):
    """The hashes of terms with one salt, as `term_key` makes them, each made at its first use.

    >>> TermKeys(b"salt")["tea"] == term_key(b"salt", "tea")
    True
    """

    def __init__(self, salt: bytes) -> None:
        self._start = blake2b(digest_size=_KEY_BYTES, key=salt)

    def __missing__(self, term: str) -> int:
        if len(self) >= _MAX_KEYS:
            self.clear()
        state = self._start.copy()
        state.update(term.encode())
        key = self[term] = int.from_bytes(state.digest(), "little")
        return key


@register_text_cache
@lru_cache(maxsize=32)
def term_keys(salt: bytes) -> TermKeys:
    """Return the hashes of one salt: for many terms it takes half as long as `term_key`."""
    return TermKeys(salt)


def hash64(*parts: str | bytes) -> int:
    """Hash parts, kept apart, into a signed 64-bit integer.

    >>> hash64("ab", "c") == hash64("a", "bc")
    False
    """
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return int.from_bytes(digest.digest(), "little", signed=True)


def conversation_tag(conversation: str) -> str:
    """Name a conversation as the tag of the memories that are of it as a whole.

    >>> conversation_tag("0198c0de-0000-7000-8000-00000000000a")
    'conversation:0198c0de-0000-7000-8000-00000000000a'
    """
    return f"conversation:{conversation}"


def source_key(conversation: str, seq: int) -> int:
    """Name a message as the source of memories: 64 bits, equal for a turn and the notes formed from it."""
    return hash64("source", conversation, seq.to_bytes(8, "little"))
