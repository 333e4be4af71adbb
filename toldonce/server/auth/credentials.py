"""Find the credential for this server among a request's headers, and take it out. Pure."""

from collections.abc import Callable

from toldonce.chat.identity import KEY
from toldonce.errors import BadIdentityError
from toldonce.lazy_pattern import LazyPattern
from toldonce.server.asgi import Headers

_KEY_HEADER = KEY.encode()
# Where clients send the key of the API that they believe to call. Our keys are recognized there by their prefix.
_SHARED = frozenset({b"authorization", b"x-api-key", b"api-key"})
_OURS = b"rk_"
# Three parts in base64url; the first one is a JSON object, which begins with `{"`.
_JWT = LazyPattern(rb"eyJ[A-Za-z0-9_-]{1,4000}\.[A-Za-z0-9_-]{1,16000}\.[A-Za-z0-9_-]{0,4000}")


def take_credential(headers: Headers, *, is_issued_here: Callable[[str], bool] | None) -> tuple[str | None, Headers]:
    """Return the credential for this server, and the headers without it: it never goes upstream.

    Args:
        headers: The request's.
        is_issued_here: Whether a JWT in Authorization is a credential for this server, by what it says of its issuer;
            other JWTs are keys of the client's provider. None: no JWT is.

    Raises:
        BadIdentityError: There are two of them.
    """
    found: str | None = None
    left: list[tuple[bytes, bytes]] = []
    for name, value in headers:
        credential = _credential(name.lower(), value, is_issued_here)
        if credential is None:
            left.append((name, value))
        elif found is not None:
            raise BadIdentityError("the request has two credentials for this server; send one of them")
        else:
            found = credential
    return found, tuple(left)


def _credential(name: bytes, value: bytes, is_issued_here: Callable[[str], bool] | None) -> str | None:
    """Return the credential that a header holds; None if it holds none for this server.

    >>> _credential(b"authorization", b"Bearer rk_a", None), _credential(b"x-api-key", b"sk-1", None)
    ('rk_a', None)
    """
    if name != _KEY_HEADER and name not in _SHARED:
        return None
    scheme, space, rest = value.strip(b" \t").partition(b" ")
    # Our key is taken out whatever scheme it is sent with, so that it never goes upstream.
    is_token = space and (scheme.lower() == b"bearer" or rest.lstrip(b" \t").startswith(_OURS))
    token = rest.strip(b" \t") if is_token else value.strip(b" \t")
    text = token.decode("latin-1")
    if name == _KEY_HEADER or token.startswith(_OURS):
        return text
    may_be = is_issued_here is not None and name == b"authorization" and _JWT.fullmatch(token)
    return text if may_be and is_issued_here is not None and is_issued_here(text) else None
