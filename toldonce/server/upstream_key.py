"""Which requests carry the operator's upstream key (`TOLDONCE_UPSTREAM_KEY`): by credential and by route. Pure.

A request with the key has the rights of its account. So only authenticated requests carry it, and only on routes that
ask a model: never for files, fine-tuning, stored answers or administration.
"""

from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

from toldonce.chat.identity import IdentityPolicy, is_authenticated
from toldonce.chat.signed_header import USER_JWT
from toldonce.clock import Clock
from toldonce.errors import BadSettingError
from toldonce.lazy_pattern import LazyPattern
from toldonce.server.asgi import CREDENTIALS, Headers
from toldonce.server.origin_guard import is_loopback
from toldonce.server.status import FORBIDDEN, OLLAMA_ROUTES, UNAUTHORIZED, Refusal
from toldonce.settings import Settings
from toldonce.types import Caller

INFERENCE_ROUTES = (
    "POST /v1/chat/completions",
    "POST /v1/completions",
    "POST /v1/responses",
    "POST /v1/responses/input_tokens",
    "POST /v1/messages",
    "POST /v1/messages/count_tokens",
    "POST /v1/embeddings",
    "POST /v1/rerank",
    "POST /v1/moderations",
    "POST /v1/audio/speech",
    "POST /v1/audio/transcriptions",
    "POST /v1/audio/translations",
    "POST /v1/images/generations",
    "POST /v1/images/edits",
    "POST /v1/images/variations",
    "GET /v1/models",
    "GET /v1/models/*",
    # Model names of some servers hold a slash.
    "GET /v1/models/*/*",
    *OLLAMA_ROUTES,
)
"""Routes that carry the key by default; `*` is one step of a path."""

# A step of a path may be percent-encoded once, or twice if another server relays the request.
_MAX_UNQUOTING = 3
_UNSAFE = LazyPattern(rb"[\x00-\x20\x7f-\xff%\\?#;]")


def require_guarded_key(settings: Settings) -> None:
    """Refuse settings that let strangers spend the upstream key.

    Raises:
        BadSettingError: The address is open to other machines, and requests cannot be authenticated.
    """
    if is_unguarded(settings):
        raise BadSettingError(
            "TOLDONCE_UPSTREAM_KEY",
            "…",
            f"the address {settings.host or '*'} is open to other machines, whose clients would all use this key: "
            "unset TOLDONCE_AUTH, so that requests are authenticated, listen on 127.0.0.1 (TOLDONCE_HOST), or "
            "unset the key, so that each client sends its own",
        )


def is_unguarded(settings: Settings) -> bool:
    """Return whether everyone who reaches the server's address could use the upstream key."""
    has_key = bool(settings.upstream_url and settings.upstream_key)
    return has_key and not is_loopback(settings.host) and settings.auth == "off"


class UpstreamKeyPolicy:
    """Decides which requests carry our key upstream."""

    def __init__(self, key: str | None, routes: Sequence[str], identity: IdentityPolicy, clock: Clock) -> None:
        """Create a policy.

        Args:
            key: Our key; None: each client sends its own.
            routes: Routes besides `INFERENCE_ROUTES`, as `METHOD /path`, below `/v1`.
            identity: Which claims of identity are believed.
            clock: The time for checking signatures.
        """
        self._key = key
        listed = (route.replace(" ", " /v1", 1) for route in routes)
        self._routes = tuple(_steps(route) for route in (*INFERENCE_ROUTES, *listed))
        self._identity = identity
        self._clock = clock

    def is_ours(self, method: str, path: str, headers: Headers, caller: Caller | None) -> bool:
        """Return whether a request carries our key; `path` is without `/u/NAME`, with or without query."""
        return self._key is not None and self._is_listed(method, path) and self._is_authenticated(headers, caller)

    def refusal(self, method: str, path: str, headers: Headers, caller: Caller | None) -> Refusal | None:
        """Return why a request is not relayed: it may not carry our key and has none of its own."""
        if self._key is None or any(name.lower() in CREDENTIALS for name, _ in headers):
            return None
        if not self._is_authenticated(headers, caller):
            return Refusal(
                UNAUTHORIZED,
                "this server's upstream key is for authenticated requests: send an API key of ToldOnce, or "
                f"{USER_JWT} signed with the secret in TOLDONCE_JWT_SECRET, or a key of your own in Authorization",
            )
        if not self._is_listed(method, path):
            return Refusal(
                FORBIDDEN,
                f"{method} {path.partition('?')[0][:200]} does not carry this server's upstream key: send a key of "
                "your own in Authorization, or list the route in TOLDONCE_UPSTREAM_KEY_ROUTES",
            )
        return None

    def _is_authenticated(self, headers: Headers, caller: Caller | None) -> bool:
        if caller is not None and not caller.by_header:
            return True
        return is_authenticated(headers, policy=self._identity, now=self._clock.now())

    def _is_listed(self, method: str, path: str) -> bool:
        raw = path.partition("?")[0]
        steps = ("GET" if method == "HEAD" else method, *raw.removeprefix("/").removesuffix("/").split("/"))
        return raw.startswith("/") and any(_matches(route, steps) for route in self._routes)


def _steps(route: str) -> tuple[str, ...]:
    method, _, path = route.partition(" ")
    return (method, *path.removeprefix("/").split("/"))


def _matches(route: Sequence[str], steps: Sequence[str]) -> bool:
    return len(route) == len(steps) and all(
        _is_plain_step(step) if wanted == "*" else step == wanted for wanted, step in zip(route, steps, strict=True)
    )


def _is_plain_step(step: str) -> bool:
    """Return whether a step stays a single plain step, however often a server decodes it.

    >>> _is_plain_step("org%2Fmodel:7b"), _is_plain_step("%252e%252e"), _is_plain_step("a%3Fb")
    (True, False, False)
    """
    decoded = step.encode("latin-1", "replace")
    for _ in range(_MAX_UNQUOTING):
        decoded = unquote_to_bytes(decoded)
    parts = decoded.split(b"/")
    return not _UNSAFE.search(decoded) and not any(part in (b"", b".", b"..") for part in parts)
