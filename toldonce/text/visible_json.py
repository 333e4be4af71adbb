"""JSON with characters that are unseen, which are written as escapes, or that Unicode does not have. Pure."""

import json
import re
from typing import Any

from toldonce.lazy_pattern import LazyPattern

# Control characters that JSON leaves as they are, separators of lines, marks of direction, and what is invisible.
# Joiners, and the selectors of emoji, are kept: texts need them.
_UNSEEN = LazyPattern(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def visible_json(data: Any, *, indent: int | None = None) -> str:
    """Return data as JSON, in which unseen characters are escapes; it is read back as the same data.

    >>> visible_json({"a": "ä \u202e b"})
    '{"a": "ä \\\\u202e b"}'
    """
    return _UNSEEN.sub(_escaped, json.dumps(data, ensure_ascii=False, indent=indent))


def _escaped(found: "re.Match[str]") -> str:
    return json.dumps(found.group())[1:-1]


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
