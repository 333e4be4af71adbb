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
        "formed": "All that was due is formed.",
        "kept-one": "Kept. The other one is not recalled any more; its history stays.",
        "kept-other-words": "Your words are kept in its place.",
        "purged": "Erased: nothing is left of the app's memories.",
        "rejected": "Rejected: it is never recalled. Its history stays.",
        "rejected-many": "Rejected: they are never recalled. Their history stays.",
        "retried": "It is due again: the server forms it in the background.",
        "retried-all": "All parked work is due again: the server forms it in the background.",
        "revoked": "Revoked: this server refuses it at once, others within five seconds.",
        "shared": "Shared.",
        "undone": "Undone.",
    }
)
