"""JSON that shows what is in it: characters that steer a terminal or hide are written as escapes. Pure."""

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
