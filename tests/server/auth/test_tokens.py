"""JWTs of an identity provider: each classic forgery is refused, and the provider is not asked at every request."""

import json
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from patience import PATIENCE_S
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadIdentityError, BadSettingError
from toldonce.server.app import build_app
from toldonce.server.auth.tokens import TokenVerifier
from toldonce.settings import Settings
from toldonce.testing import FakeClock
from toldonce.types import Access, Caller

ISSUER, AUDIENCE = "https://id.example.org", "toldonce"
KEY, OTHER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
PUBLIC_PEM = KEY.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


_POLL_S = 0.01
"""How often the provider looks whether it is to end."""


class Provider:
    """An identity provider that serves its public keys."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked = 0
        self.keys = [published(KEY, "1")]
        self.body: bytes | None = None
        """Served in place of the keys."""
        self.may_answer = Event()
        self.may_answer.set()


def published(key: rsa.RSAPrivateKey, key_id: str) -> dict[str, Any]:
    public = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {**public, "kid": key_id, "use": "sig", "alg": "RS256"}


@pytest.fixture
def provider() -> Iterator[Provider]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked += 1
            served.may_answer.wait(PATIENCE_S)
            body = json.dumps({"keys": served.keys}).encode() if served.body is None else served.body
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Provider(f"http://127.0.0.1:{server.server_port}/jwks.json")
    Thread(target=server.serve_forever, args=(_POLL_S,), daemon=True).start()
    yield served
    server.shutdown()
    server.server_close()


def settings_of(provider: Provider, **more: Any) -> Settings:
    return Settings(jwt_issuer=ISSUER, jwt_audience=AUDIENCE, jwt_jwks_url=provider.url, **more)


def token(clock: FakeClock, key: Any = KEY, algorithm: str = "RS256", key_id: str | None = "1", **changed: Any) -> str:
    now = int(clock.now().timestamp())
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ana", "org": "acme", "iat": now, "exp": now + 300} | changed
    claims = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": key_id} if key_id else {})


async def test_a_valid_token_names_its_user_and_tenant(provider: Provider, clock: FakeClock) -> None:
    plain = await TokenVerifier(settings_of(provider)).caller(token(clock), clock.now())
    assert plain == Caller(id=plain.id, access=Access.WRITE, user="ana", tenant="")
    assert plain.id.startswith("jwt:")
    assert "ana" not in plain.id
    chosen = settings_of(provider, jwt_user_claim="email", jwt_tenant_claim="org")
    named = await TokenVerifier(chosen).caller(token(clock, email="ana@example.org"), clock.now())
    assert (named.user, named.tenant) == ("ana@example.org", "acme")


def hs256_with_public_key(clock: FakeClock) -> str:
    """Sign by the public key as if it were a shared secret; PyJWT refuses to, so that it is done by hand."""
    import base64
    import hmac

    now = int(clock.now().timestamp())
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ana", "exp": now + 300}
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
        for part in ({"alg": "HS256", "kid": "1"}, claims)
    ]
    signature = hmac.digest(PUBLIC_PEM, b".".join(parts), "sha256")
    return b".".join([*parts, base64.urlsafe_b64encode(signature).rstrip(b"=")]).decode()


async def test_forged_and_stale_tokens_are_refused(provider: Provider, clock: FakeClock) -> None:
    verifier = TokenVerifier(settings_of(provider, jwt_tenant_claim="org"))
    now = int(clock.now().timestamp())
    good = token(clock)
    head, claims, signature = good.split(".")
    refused = {
        "alg none": token(clock, key=None, algorithm="none"),
        "unsigned": f"{head}.{claims}.",
        "public key as secret": hs256_with_public_key(clock),
        "another key": token(clock, key=OTHER),
        "unknown key id": token(clock, key_id="2"),
        "no key id": token(clock, key_id=None),
        "another issuer": token(clock, iss="https://evil.example.org"),
        "another audience": token(clock, aud="another"),
        "no audience": token(clock, aud=None),
        "expired": token(clock, exp=now - 61),
        "no expiry": token(clock, exp=None),
        "text as expiry": token(clock, exp="tomorrow"),
        "not yet": token(clock, nbf=now + 61),
        "issued in the future": token(clock, iat=now + 61),
        "no user": token(clock, sub=None),
        "empty user": token(clock, sub=""),
        "control character": token(clock, sub="ana\x00"),
        "no tenant": token(clock, org=None),
        "tenant of another kind": token(clock, org="Acme/.."),
        "changed claims": f"{head}.{claims[:-2]}AA.{signature}",
        "no token": "eyJ.eyJ.",
    }
    for why, forged in refused.items():
        with pytest.raises(BadIdentityError):
            assert await verifier.caller(forged, clock.now()) is None, why
    assert (await verifier.caller(good, clock.now())).user == "ana"


async def test_keys_are_fetched_now_and_then_and_a_rotated_one_is_found(provider: Provider, clock: FakeClock) -> None:
    seconds = [0.0]
    verifier = TokenVerifier(settings_of(provider), timer=lambda: seconds[0])
    for _ in range(5):
        await verifier.caller(token(clock), clock.now())
    for _ in range(5):
        with pytest.raises(BadIdentityError, match="none of the issuer's"):
            await verifier.caller(token(clock, key=OTHER, key_id="2"), clock.now())
    assert provider.asked == 1
    provider.keys.append(published(OTHER, "2"))
    seconds[0] += 31
    assert (await verifier.caller(token(clock, key=OTHER, key_id="2"), clock.now())).user == "ana"
    assert provider.asked == 2
    provider.keys = []
    seconds[0] += 301
    assert (await verifier.caller(token(clock), clock.now())).user == "ana"


async def test_a_signature_is_verified_once_and_the_times_at_each_request(
    provider: Provider, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    verifier = TokenVerifier(settings_of(provider))
    verified = []
    decode = jwt.decode

    def counted(sent: str, *args: Any, **options: Any) -> Any:
        verified.append(sent)
        return decode(sent, *args, **options)

    monkeypatch.setattr(jwt, "decode", counted)
    good, bad = token(clock), token(clock, key=OTHER)
    for _ in range(3):
        assert (await verifier.caller(good, clock.now())).user == "ana"
        assert verifier.is_issued_here(good)
        with pytest.raises(BadIdentityError):
            await verifier.caller(bad, clock.now())
    assert verified == [good, bad, bad, bad]
    clock.advance(seconds=361)
    with pytest.raises(BadIdentityError, match="expired"):
        await verifier.caller(good, clock.now())


async def test_a_verified_token_is_refused_once_the_issuer_has_another_key(
    provider: Provider, clock: FakeClock
) -> None:
    seconds = [0.0]
    verifier = TokenVerifier(settings_of(provider), timer=lambda: seconds[0])
    good = token(clock)
    await verifier.caller(good, clock.now())
    provider.keys = [published(OTHER, "1")]
    assert (await verifier.caller(good, clock.now())).user == "ana"
    seconds[0] += 301
    for _ in range(2):
        with pytest.raises(BadIdentityError, match="InvalidSignatureError"):
            await verifier.caller(good, clock.now())


async def test_no_more_tokens_are_remembered_than_there_is_room_for(
    provider: Provider, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toldonce.server.auth.tokens._MAX_VERIFIED", 2)
    verifier = TokenVerifier(settings_of(provider))
    tokens = [token(clock, sub=user) for user in ("ana", "bob", "cid")]
    for sent in tokens:
        await verifier.caller(sent, clock.now())
    assert len(verifier._verified) == 2
    assert [(await verifier.caller(sent, clock.now())).user for sent in tokens] == ["ana", "bob", "cid"]


async def test_an_issuer_that_does_not_answer_lets_no_one_in(provider: Provider, clock: FakeClock) -> None:
    gone = settings_of(provider).model_copy(update={"jwt_jwks_url": "http://127.0.0.1:1/jwks.json"})
    with pytest.raises(BadIdentityError, match="TOLDONCE_JWT_JWKS_URL"):
        await TokenVerifier(gone).caller(token(clock), clock.now())


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b'{"keys": 7}',
        b'{"keys": [7]}',
        b'{"keys": [{"kty": "RSA"}]}',
        b"\xff",
        b"[" * 9999,
    ],
    ids=lambda body: repr(body[:30]),
)
async def test_an_issuer_that_serves_something_else_lets_no_one_in(
    provider: Provider, clock: FakeClock, body: bytes
) -> None:
    seconds = [0.0]
    verifier = TokenVerifier(settings_of(provider), timer=lambda: seconds[0])
    provider.body = body
    with pytest.raises(BadIdentityError, match="TOLDONCE_JWT_JWKS_URL"):
        await verifier.caller(token(clock), clock.now())
    provider.body = None
    seconds[0] += 31
    assert (await verifier.caller(token(clock), clock.now())).user == "ana"
    provider.body = body
    seconds[0] += 301
    assert (await verifier.caller(token(clock), clock.now())).user == "ana", "by the keys that are known"


async def test_requests_wait_little_for_an_issuer_that_hangs(
    provider: Provider, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = [0.0]
    verifier = TokenVerifier(settings_of(provider), timer=lambda: seconds[0])
    await verifier.caller(token(clock), clock.now())
    monkeypatch.setattr("toldonce.server.auth.tokens._WAIT_S", 0.01)
    provider.may_answer.clear()
    seconds[0] += 301
    for number in range(50):
        assert (await verifier.caller(token(clock, sub=f"user {number}"), clock.now())).user == f"user {number}"
    assert provider.asked == 2
    provider.may_answer.set()


@pytest.mark.parametrize("missing", ["jwt_audience", "jwt_jwks_url"])
def test_an_issuer_needs_its_audience_and_keys(provider: Provider, missing: str) -> None:
    given = {"jwt_issuer": ISSUER, "jwt_audience": AUDIENCE, "jwt_jwks_url": provider.url}
    del given[missing]
    with pytest.raises(BadSettingError, match="TOLDONCE_JWT_ISSUER"):
        Settings.load(**given)


async def test_the_server_takes_tokens_in_authorization_and_beside_a_providers_key(
    parts: Components, provider: Provider, clock: FakeClock
) -> None:
    settings = settings_of(provider, database_url=parts.settings.database_url)
    app = build_app(AsyncToldOnce(replace(parts, settings=settings)))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:

        async def asked(**headers: str) -> httpx.Response:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return await client.get("/api/memory/stats", headers=named)

        assert (await asked(authorization=f"Bearer {token(clock)}")).json()["userId"] == "ana"
        beside = await asked(authorization="Bearer sk-provider", x_toldonce_key=token(clock, sub="bob"))
        assert beside.json()["userId"] == "bob"
        assert (await asked(authorization="Bearer sk-provider")).status_code == 401
        assert (await asked(authorization=f"Bearer {token(clock, iss='https://provider.example')}")).status_code == 401
        assert (await asked(authorization=f"Bearer {token(clock, aud='x')}")).status_code == 401
        assert (await asked(authorization=f"Bearer {token(clock)}", x_toldonce_user="bob")).status_code == 403
        assert (await client.get("/metrics", headers={"authorization": f"Bearer {token(clock)}"})).status_code == 403
