"""Which requests carry the operator's upstream key (`RECOLLECT_UPSTREAM_KEY`): by credential and by route. Pure.

Whoever may spend the key has the rights of the account behind it. So it travels with authenticated requests alone, and
only on routes that ask a model something: never to files, fine-tuning, stored answers or the administration.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from recollect.chat.identity import USER_JWT, IdentityPolicy, is_authenticated
from recollect.clock import Clock
from recollect.errors import BadSettingError
from recollect.server.asgi import Headers
from recollect.server.origin_guard import is_loopback
from recollect.server.status import FORBIDDEN, UNAUTHORIZED
from recollect.settings import Settings

INFERENCE_ROUTES = (
    "POST /chat/completions",
    "POST /completions",
    "POST /responses",
    "POST /responses/input_tokens",
    "POST /messages",
    "POST /messages/count_tokens",
    "POST /embeddings",
    "POST /rerank",
    "POST /moderations",
    "POST /audio/speech",
    "POST /audio/transcriptions",
    "POST /audio/translations",
    "POST /images/generations",
    "POST /images/edits",
    "POST /images/variations",
    "GET /models",
    "GET /models/*",
    # Model names of some servers hold a slash.
    "GET /models/*/*",
)
"""Routes behind `/v1` that carry the key without being listed; `*` is one step of a path."""

# Headers in which clients send a key of their own.
_CREDENTIALS = frozenset({b"authorization", b"x-api-key", b"api-key", b"x-goog-api-key"})
# A step of a path may be spelled with percent signs once, or twice by a client that is behind another server.
_MAX_UNQUOTING = 3
_UNSAFE = re.compile(rb"[\x00-\x20\x7f-\xff%\\?#;]")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not passed on."""

    status: int
    message: str


def require_guarded_key(settings: Settings) -> None:
    """Make sure that strangers cannot spend the upstream key.

    Raises:
        BadSettingError: The address is open to other machines, and no request could be authenticated.
    """
    if is_unguarded(settings):
        raise BadSettingError(
            "RECOLLECT_UPSTREAM_KEY",
            "…",
            f"the address {settings.host or '*'} is open to other machines, and whoever reaches it would use this key: "
            "set RECOLLECT_JWT_SECRET, so that requests are authenticated, listen on 127.0.0.1 (RECOLLECT_HOST), or "
            "unset the key, so that each client sends its own",
        )


def is_unguarded(settings: Settings) -> bool:
    """Return whether anybody who reaches the server's address could use the upstream key."""
    has_key = bool(settings.upstream_url and settings.upstream_key)
    return has_key and not is_loopback(settings.host) and not settings.jwt_secret


class UpstreamKeyPolicy:
    """Decides for each request whose key it carries upstream."""

    def __init__(self, key: str | None, routes: Sequence[str], identity: IdentityPolicy, clock: Clock) -> None:
        """Create a policy.

        Args:
            key: Our key; None: each client sends its own, and there is nothing to decide.
            routes: Routes beside `INFERENCE_ROUTES`, as `METHOD /path`.
            identity: Who is believed.
            clock: Tells whether a signature still holds.
        """
        self._key = key
        self._routes = tuple(_steps(route) for route in (*INFERENCE_ROUTES, *routes))
        self._identity = identity
        self._clock = clock

    def is_ours(self, method: str, path: str, headers: Headers) -> bool:
        """Return whether a request carries our key; `path` begins behind `/v1` and may have a query."""
        return self._key is not None and self._is_listed(method, path) and self._is_authenticated(headers)

    def refusal(self, method: str, path: str, headers: Headers) -> Refusal | None:
        """Return why a request goes nowhere: it may not carry our key and brings none of its own."""
        if self._key is None or any(name.lower() in _CREDENTIALS for name, _ in headers):
            return None
        if not self._is_authenticated(headers):
            return Refusal(
                UNAUTHORIZED,
                f"this server's upstream key is for authenticated requests: send {USER_JWT}, signed with the secret "
                "in RECOLLECT_JWT_SECRET, or a key of your own in Authorization",
            )
        if not self._is_listed(method, path):
            return Refusal(
                FORBIDDEN,
                f"{method} /v1{path.partition('?')[0][:200]} does not carry this server's upstream key: send a key of "
                "your own in Authorization, or list the route in RECOLLECT_UPSTREAM_KEY_ROUTES",
            )
        return None

    def _is_authenticated(self, headers: Headers) -> bool:
        return is_authenticated(headers, policy=self._identity, now=self._clock.now())

    def _is_listed(self, method: str, path: str) -> bool:
        raw = path.partition("?")[0]
        asked = ("GET" if method == "HEAD" else method, *raw.removeprefix("/").removesuffix("/").split("/"))
        return raw.startswith("/") and any(_matches(route, asked) for route in self._routes)


def _steps(route: str) -> tuple[str, ...]:
    method, _, path = route.partition(" ")
    return (method, *path.removeprefix("/").split("/"))


def _matches(route: Sequence[str], asked: Sequence[str]) -> bool:
    return len(route) == len(asked) and all(
        _is_plain_step(step) if wanted == "*" else step == wanted for wanted, step in zip(route, asked, strict=True)
    )


def _is_plain_step(step: str) -> bool:
    """Return whether a step names one thing however often a server decodes it.

    >>> _is_plain_step("org%2Fmodel:7b"), _is_plain_step("%252e%252e"), _is_plain_step("a%3Fb")
    (True, False, False)
    """
    decoded = step.encode("latin-1", "replace")
    for _ in range(_MAX_UNQUOTING):
        decoded = unquote_to_bytes(decoded)
    parts = decoded.split(b"/")
    return not _UNSAFE.search(decoded) and not any(part in (b"", b".", b"..") for part in parts)
