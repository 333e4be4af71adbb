"""Find the blocks of memory that Recollect itself put into a text. Pure."""

import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.extraction.spans import Span, blanked, holds

# Our block's tags, written plainly or escaped; the boundary's hash behind the name may stand in both.
_OUR_TAG = re.compile(
    r"(?:<|&lt;|\\u003c)\s{0,9}(?P<close>/?)\s{0,9}recollect[-_]{0,3}memory\b(?P<id>[^>&\n]{0,200})(?:>|&gt;|\\u003e)?",
    re.I,
)
# The beginning of such a tag, where a text was cut in the middle of it.
_CUT_TAG = re.compile(r"(?:<|&lt;)\s{0,9}/?\s{0,9}(?P<name>[a-z][a-z-]{1,15})\Z", re.IGNORECASE)
_TAG_NAME = "recollect-memory"
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{40,}+={0,2}")
_HEX = re.compile(r"[^0-9a-z]")


@dataclass(frozen=True, slots=True)
class OwnBlocks:
    """What was found of our blocks in a text."""

    spans: list[Span]
    forged: bool
    """A tag of ours stands where we put none: every word around it can be of others."""
    cut_off: bool
    """Nothing closes the last block as we do: the end of the message is lost in it."""


def find_own_blocks(text: str, hidden: Sequence[Span]) -> OwnBlocks:
    """Find our blocks in a text.

    We put blocks at the head of a message. So a block ends at the last closing tag with its id, and what follows it is
    the speaker's; behind a block in the middle, and around a closing tag without an opening one, it need not be.

    Args:
        text: A message.
        hidden: United spans that are taken away anyhow; tags in them count for nothing.
    """
    tags = [tag for tag in _OUR_TAG.finditer(text) if not holds(hidden, tag.start())]
    encoded = [run.span() for run in _ENCODED.finditer(text) if _is_encoded_block(run.group())]
    closing = {_id(tag): tag.end() for tag in tags if tag["close"]}
    plain = blanked(text, [*hidden, *encoded])
    spans: list[Span] = []
    at, headed = 0, True
    for tag in tags:
        if tag.start() < at:
            continue
        if tag["close"]:
            return OwnBlocks([], forged=True, cut_off=True)
        headed = headed and not any(character.isalnum() for character in plain[at : tag.start()])
        end = closing.get(_id(tag), 0)
        at = end if headed and end > tag.start() else len(text)
        spans.append((tag.start(), at))
    cut_off = at == len(text)
    spans += encoded
    cut = _CUT_TAG.search(text.rstrip()[-40:])
    if cut and _TAG_NAME.startswith(cut["name"].lower()):
        spans.append((len(text.rstrip()) - len(cut.group()), len(text)))
    return OwnBlocks(spans, forged=False, cut_off=cut_off)


def _id(tag: "re.Match[str]") -> str:
    return _HEX.sub("", tag["id"].lower())


def _is_encoded_block(run: str) -> bool:
    data = run.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        decoded = b64decode(data[: len(data) // 4 * 4])
    except ValueError:
        return False
    return b"recollect-memory" in decoded or b", not instructions" in decoded
