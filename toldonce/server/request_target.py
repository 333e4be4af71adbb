"""Request targets that every server reads alike: what else is refused, before another server reads it otherwise. Pure.

A path that one server takes literally and the next one decodes, cleans or splits leads past the rules of the first:
`/v1/..;/admin`, `/v1//host/x`, `/v1/%252e%252e/admin`.
"""

from unicodedata import normalize
from urllib.parse import unquote_to_bytes

from toldonce.lazy_pattern import LazyPattern

# Visible ASCII without `#` and the backslash; a percent sign only before two hexadecimal digits.
_TARGET = LazyPattern(rb"/(?:[!\"$&-\[\]-~]|%[0-9A-Fa-f]{2})*+|\*")
_UNSAFE = LazyPattern(r"[\x00-\x1f\x7f\\?#]")
# Servers in a row may each decode once.
_MAX_UNQUOTING = 3


def is_plain_target(path: bytes) -> bool:
    r"""Return whether a request's target, without its query, is a path: not another server's URL, nothing odd in it.

    >>> is_plain_target(b"/v1/models"), is_plain_target(b"http://host/v1"), is_plain_target(b"/a\\b")
    (True, False, False)
    """
    return _TARGET.fullmatch(path) is not None


def is_unambiguous(path: bytes) -> bool:
    """Return whether a path names the same steps however often a server decodes it, and however it cleans them.

    An encoded slash within a step is left alone: some models' names have one.

    >>> is_unambiguous(b"/models/org%2Fmodel"), is_unambiguous(b"/models/")
    (True, True)
    >>> is_unambiguous(b"/..;/admin"), is_unambiguous(b"//host/x"), is_unambiguous(b"/%252e%252e/x")
    (False, False, False)
    """
    for _ in range(_MAX_UNQUOTING + 1):
        if not _is_clean(path):
            return False
        decoded = unquote_to_bytes(path)
        if decoded == path:
            return True
        path = decoded
    return False


def _is_clean(path: bytes) -> bool:
    try:
        text = normalize("NFKC", path.decode("utf-8"))
    except UnicodeDecodeError:
        return False
    *steps, last = (step.partition(";")[0] for step in text.removeprefix("/").split("/"))
    return not _UNSAFE.search(text) and "" not in steps and not {".", ".."}.intersection((*steps, last))
