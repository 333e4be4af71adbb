"""What pages say after a form has done its work, by the word in the page's URL. Pure."""

from collections.abc import Mapping
from types import MappingProxyType

MESSAGES: Mapping[str, str] = MappingProxyType(
    {
        "added": "Added. It is recalled from now on.",
        "approved": "Approved. It is recalled from now on.",
        "approved-many": "Approved. They are recalled from now on.",
        "corrected": "Corrected. This is what holds now; the old one is in its history.",
        "erasures-done": "No erasure is pending.",
        "erasures-pending": "Some erasures are still pending: the server tries again in the background.",
        "forgot": "Forgotten: no later answer has it. Its history stays.",
        "forgot-many": "Forgotten: no later answer has them. Their history stays.",
        "embedder-answers": "The embedder answered.",
        "erased-one": "Erased: nothing is left of it. The messages it was formed from stay.",
        "erased-many": "Erased: nothing is left of them.",
        "shared-many": "Shared: the other subject has them, too.",
        "shared": "Shared: the other subject has it, too.",
        "unlinked": "Removed from here. The other subjects keep it.",
        "formed": "All that was due is formed.",
        "kept-one": "Kept. The other one is not recalled any more; its history stays.",
        "kept-other-words": "Your words are kept in its place.",
        "purged": "Erased: nothing is left of the app's memories.",
        "rejected": "Rejected: it is never recalled. Its history stays.",
        "rejected-many": "Rejected: they are never recalled. Their history stays.",
        "retried": "It is due again: the server forms it in the background.",
        "retried-all": "All parked work is due again: the server forms it in the background.",
        "revoked": "Revoked: this server refuses it at once, others within five seconds.",
        "undone": "Undone.",
        "demonstration-added": "This is demonstration data: the person does not exist. Remove it on the overview.",
        "demonstration-erased": "The demonstration data is erased: nothing is left of it.",
        "trial-erased": "Erased: nothing is left of what you typed.",
        "ended": "Ended. What it has waiting is formed in the background.",
        "saving": "Its memories are being formed in the background.",
        "nothing-waits": "Nothing of it waits to be formed.",
    }
)
