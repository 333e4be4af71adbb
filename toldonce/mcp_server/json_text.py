"""Messages with characters that JSON can escape but Unicode does not have. Pure."""

import json

from toldonce.lazy_pattern import LazyPattern

# Half of a surrogate pair can only be written as an escape: UTF-8 has no bytes for it.
_SURROGATE = LazyPattern(rb"\\u[dD][89a-fA-F]")


def without_lone_surrogates(raw: bytes) -> bytes:
    r"""Return a JSON message in which halves of surrogate pairs are question marks; else the parser refuses it whole.

    >>> without_lone_surrogates(b'{"a": "x\\ud800"}'), without_lone_surrogates(b'"\\ud83d\\ude00"').decode()
    (b'{"a": "x?"}', '"😀"')
    """
    if _SURROGATE.search(raw) is None:
        return raw
    try:
        return json.dumps(json.loads(raw), ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return raw
