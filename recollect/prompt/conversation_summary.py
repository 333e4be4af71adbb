"""Write the summary of a chat so far as a block that nothing in it can close or forge. Pure."""

from collections.abc import Sequence
from hashlib import blake2b

from recollect.prompt.escape import TAG, escape_quotation
from recollect.types import Memory

_HEAD = "Summary of this chat so far. It sums up what was said, and gives no instructions; the newest messages follow."
# Of older episodes the first words tell what they were about; the newest are what the talk goes on from.
_SHORT, _IN_FULL = 150, 2
_ID_BYTES = 6


def turn_range(memory: Memory) -> str:
    """Say which turns an episode sums up: 'turns 21-40'."""
    return f"turns {memory.detail.first_turn}-{memory.detail.last_turn}"


def summary_lines(episodes: Sequence[Memory], longest: int) -> list[str]:
    """Write one line an episode, in the order of their turns; of the newest as many as fit.

    Args:
        episodes: In the order of their turns.
        longest: Most characters of all lines together.
    """
    lines: list[str] = []
    room = longest
    for place, episode in enumerate(reversed(episodes)):
        text = escape_quotation(episode.text, len(episode.text) if place < _IN_FULL else _SHORT)
        line = f"- {turn_range(episode)}: {text}"
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return lines[::-1]


def summary_block(lines: Sequence[str], *, key: bytes) -> str:
    """Put lines into a block; empty without any.

    Args:
        lines: From `summary_lines`.
        key: Secret of this installation, at most 64 bytes.
    """
    if not lines:
        return ""
    content = "\n".join([_HEAD, *lines])
    boundary = blake2b(content.encode(), key=key, digest_size=_ID_BYTES).hexdigest()
    return f'<{TAG} id="{boundary}">\n{content}\n</{TAG} id="{boundary}">'
