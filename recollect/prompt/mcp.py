"""Recalled memory as a content block of the Model Context Protocol. Pure."""

from collections.abc import Mapping

# A name of ours, not a place: nothing can be fetched from it.
_URI = "recollect://context"


def context_block(text: str) -> Mapping[str, object]:
    """Wrap what would stand in a prompt as an embedded resource, meant for the model.

    >>> context_block("Ana plays the cello.")["annotations"]
    {'audience': ['assistant']}
    """
    return {
        "type": "resource",
        "resource": {"uri": _URI, "mimeType": "text/plain", "text": text},
        "annotations": {"audience": ["assistant"]},
    }
