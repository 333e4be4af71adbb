"""What authentication costs a request, with few and with many API keys, and with JWTs. Writes a database in a temporary
folder, and serves the public key of an identity provider."""

import asyncio
import gc
import json
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from benchmarks.filler import parts_in, settings_for
from benchmarks.progress import steps
from benchmarks.rows import Row, spread
from toldonce.engine import AsyncToldOnce
from toldonce.server.app import identity_policy
from toldonce.server.asgi import Headers, Receive, Scope, Send
from toldonce.server.auth.authenticator import Authenticator
from toldonce.server.auth.guard import AccessGuard
from toldonce.server.origin_guard import OriginGuard
from toldonce.types import Access, NewApiKey

# The promise (issue 16) for each request.
BAR_US = 50.0
# Keys or tokens of so many clients take turns.
CLIENTS = 100
# Keys that are made at once: the database writes them in few transactions.
_BATCH = 500
_HEADERS = ((b"host", b"localhost"), (b"content-type", b"application/json"), (b"accept", b"*/*"))
_ISSUER, _AUDIENCE, _KEY_ID = "https://id.example.org", "toldonce", "1"


def run(quick: bool) -> list[Row]:
    """Measure with 10 keys, with 100,000, and with tokens."""
    requests, counts = (1_000, (10, 200)) if quick else (20_000, (10, 100_000))
    rows: list[Row] = []
    for count in counts:
        for _ in steps(f"authentication: {count:,} keys", range(1)):
            rows += asyncio.run(_with_keys(count, requests))
    for _ in steps("authentication: JWTs", range(1)):
        rows += asyncio.run(_with_tokens(requests))
    return rows


async def _with_keys(count: int, requests: int) -> list[Row]:
    with TemporaryDirectory(prefix="toldonce-bench-") as folder:
        async with parts_in(settings_for(Path(folder))) as parts:
            engine = AsyncToldOnce(parts)
            secrets = await _made(engine, count)
            rows = await _requests(f"{count:,} keys, request with a key", engine, secrets, requests)
            looked_up = iter(secrets[: requests // 10] * -(-requests // 10 // count))
            samples = await _timed(lambda: _look_up(engine, looked_up), requests // 10)
            rows += spread(f"{count:,} keys, look-up in the database", samples, "µs")
            await _revoke_all(engine)
            samples = await _timed(lambda: _find_none_valid(engine), requests // 10)
            return rows + spread(f"{count:,} revoked keys, whether any is valid", samples, "µs")


async def _with_tokens(requests: int) -> list[Row]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with TemporaryDirectory(prefix="toldonce-bench-") as folder, _provider(key) as url:
        settings = settings_for(Path(folder), jwt_issuer=_ISSUER, jwt_audience=_AUDIENCE, jwt_jwks_url=url)
        async with parts_in(settings) as parts:
            engine = AsyncToldOnce(parts)
            rows = await _requests("request with a JWT", engine, _tokens(key, CLIENTS, "user"), requests)
            fresh = cycle(_tokens(key, requests // 10, "new"))
            samples = await _timed(_authenticating(engine, fresh), requests // 10)
            return rows + spread("first request with a JWT (RS256)", samples, "µs")


async def _requests(name: str, engine: AsyncToldOnce, credentials: Sequence[bytes], requests: int) -> list[Row]:
    """Measure requests of clients that are known, in the authenticator and in all that comes before the routes."""
    chosen = cycle(credentials[:: max(1, len(credentials) // CLIENTS)])
    authenticate = _authenticating(engine, chosen)
    for _ in range(2 * CLIENTS):  # each credential is looked up, and its use is noted
        await authenticate()
    rows = spread(name, await _timed(authenticate, requests), "µs", bar=BAR_US)
    guarded = _guarded(engine, chosen)
    for _ in range(2 * CLIENTS):
        await guarded()
    return rows + spread(f"{name}, whole guard", await _timed(guarded, requests), "µs", bar=BAR_US)


def _authenticating(engine: AsyncToldOnce, credentials: Iterator[bytes]) -> Callable[[], Awaitable[None]]:
    authenticator = Authenticator.of(engine, identity_policy(engine.settings))

    async def authenticate() -> None:
        await authenticator.authenticate(_headers(credentials))

    return authenticate


def _guarded(engine: AsyncToldOnce, credentials: Iterator[bytes]) -> Callable[[], Awaitable[None]]:
    """Return a request through all guards, to an application that does nothing."""
    served = 0

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal served
        del scope, receive, send
        served += 1

    async def refuse(_scope: Scope, _send: Send, status: int, why: str, _headers: object) -> None:
        raise AssertionError(f"a request is refused with {status}: {why}")

    guard = AccessGuard(application, Authenticator.of(engine, identity_policy(engine.settings)), refuse)
    guards = OriginGuard(guard, loopback=True, origins=(), hosts=())

    async def request() -> None:
        before = served
        headers = list(_headers(credentials))
        await guards(
            {"type": "http", "method": "POST", "path": "/v1/chat/completions", "headers": headers}, _receive, _send
        )
        if served == before:
            raise AssertionError("a request did not reach the application")

    return request


async def _receive() -> MutableMapping[str, object]:
    raise AssertionError("an application that does nothing receives nothing")


async def _send(message: MutableMapping[str, object]) -> None:
    raise AssertionError(f"an application that does nothing sends {message}")


def _headers(credentials: Iterator[bytes]) -> Headers:
    return (*_HEADERS, (b"authorization", b"Bearer " + next(credentials)))


@contextmanager
def _provider(key: rsa.RSAPrivateKey) -> Iterator[str]:
    """Serve the public key as an identity provider does; yield the address."""
    public = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    body = json.dumps({"keys": [{**public, "kid": _KEY_ID, "use": "sig", "alg": "RS256"}]}).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/jwks.json"
        server.shutdown()


def _tokens(key: rsa.RSAPrivateKey, count: int, users: str) -> list[bytes]:
    now = int(time.time())
    claims = {"iss": _ISSUER, "aud": _AUDIENCE, "iat": now, "exp": now + 86_400, "email": "someone@example.org"}
    return [
        jwt.encode({**claims, "sub": f"{users} {number}"}, key, algorithm="RS256", headers={"kid": _KEY_ID}).encode()
        for number in range(count)
    ]


async def _look_up(engine: AsyncToldOnce, secrets: Iterator[bytes]) -> None:
    if await engine.keys.find(next(secrets).decode()) is None:
        raise AssertionError("a key that was made is not found")


async def _find_none_valid(engine: AsyncToldOnce) -> None:
    if await engine.keys.is_any_valid():
        raise AssertionError("all keys were revoked, and one is valid")


async def _made(engine: AsyncToldOnce, count: int) -> list[bytes]:
    secrets: list[bytes] = []
    for start in range(0, count, _BATCH):
        new = [
            NewApiKey(name=f"client {number}", access=Access.WRITE, tenant="acme", user=f"user {number}")
            for number in range(start, min(start + _BATCH, count))
        ]
        made = await asyncio.gather(*(engine.keys.create(key) for key in new))
        secrets += [secret.encode() for _, secret in made]
    return secrets


async def _revoke_all(engine: AsyncToldOnce) -> None:
    after = ""
    while page := await engine.keys.list(after=after, limit=_BATCH):
        await asyncio.gather(*(engine.keys.revoke(key.id) for key in page))
        after = page[-1].id


async def _timed(call: Callable[[], Awaitable[None]], times: int) -> list[float]:
    """Return how long each call takes, in µs."""
    samples = []
    gc.collect()
    for _ in range(times):
        start = time.perf_counter_ns()
        await call()
        samples.append((time.perf_counter_ns() - start) / 1000)
    return samples
