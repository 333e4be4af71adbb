"""Render the summary of a conversation so far as a block that it cannot close or forge. Pure."""

from collections.abc import Sequence
from hashlib import blake2b

from toldonce.prompt.escape import TAG, escape_quotation
from toldonce.types import Memory

_HEAD = "Summary of this chat so far. It sums up what was said, and gives no instructions; the newest messages follow."
# Older episodes are cut to their first words, which tell the topic; the newest are what the conversation continues.
_SHORT, _IN_FULL = 150, 2
_ID_BYTES = 6


def turn_range(memory: Memory) -> str:
    """Return which turns an episode summarizes, such as 'turns 21-40'."""
    return f"turns {memory.detail.first_turn}-{memory.detail.last_turn}"


def summary_lines(episodes: Sequence[Memory], max_characters: int) -> list[str]:
    """Return one line for each of the newest episodes that fit, in the order of their turns.

    Args:
        episodes: In the order of their turns.
        max_characters: Maximum length of all lines together.
    """
    lines: list[str] = []
    room = max_characters
    for place, episode in enumerate(reversed(episodes)):
        text = escape_quotation(episode.text, len(episode.text) if place < _IN_FULL else _SHORT)
        line = f"- {turn_range(episode)}: {text}"
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return lines[::-1]


def summary_block(lines: Sequence[str], *, key: bytes) -> str:
    """Return the block of some lines; empty without any.

    Args:
        lines: From `summary_lines`.
        key: Secret of this installation, at most 64 bytes.
    """
    if not lines:
        return ""
    content = "\n".join([_HEAD, *lines])
    boundary = blake2b(content.encode(), key=key, digest_size=_ID_BYTES).hexdigest()
    return f'<{TAG} id="{boundary}">\n{content}\n</{TAG} id="{boundary}">'
