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
        "shared-many": "Shared: the other subject has them, too.",
        "shared": "Shared: the other subject has it, too.",
        "unlinked": "Removed from here. The other subjects keep it.",
        "approved": "Approved. It is recalled from now on.",
        "rejected": "Rejected: it is not recalled. Its history stays.",
        "undone": "Undone.",
        "demonstration-added": "This is demonstration data: the person does not exist. Remove it on the overview.",
        "demonstration-erased": "The demonstration data is erased: nothing is left of it.",
        "trial-erased": "Erased: nothing is left of what you typed.",
        "ended": "Ended. What it has waiting is formed in the background.",
        "saving": "Its memories are being formed in the background.",
        "nothing-waits": "Nothing of it waits to be formed.",
    }
)
