"""What pages say after a form has done its work, by the word in the page's URL. Pure."""

from collections.abc import Mapping
from types import MappingProxyType

MESSAGES: Mapping[str, str] = MappingProxyType(
    {
        "added": "Added. It is recalled from now on.",
        "corrected": "Corrected. This is what holds now; the old one is in its history.",
        "forgot": "Forgotten: no later answer has it. Its history stays.",
        "forgot-many": "Forgotten: no later answer has them. Their history stays.",
        "erased-many": "Erased: nothing is left of them.",
        "shared": "Shared.",
        "undone": "Undone.",
        "ended": "Ended. What it has waiting is formed in the background.",
        "saving": "Its memories are being formed in the background.",
        "nothing-waits": "Nothing of it waits to be formed.",
    }
)
