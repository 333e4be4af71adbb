"""An OpenID provider for tests, on a free port of this machine: it says what a test wants, right or wrong."""

import asyncio
import json
import socket
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import uvicorn
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

CLIENT, SECRET = "toldonce", "a-secret-that-is-shared-with-the-provider"


@cache
def own_key() -> rsa.RSAPrivateKey:
    """Make the key of all providers: it takes a tenth of a second."""
    return rsa.generate_private_key(65537, 2048)


@dataclass
class OpenIdProvider:
    """What it answers, and what it was asked."""

    issuer: str = ""
    key: rsa.RSAPrivateKey = field(default_factory=own_key)
    claims: dict[str, Any] = field(default_factory=dict)
    """Claims of the next ID token, over the right ones; None leaves one out."""
    signer: rsa.RSAPrivateKey | None = None
    """Who signs instead of the provider."""
    algorithm: str = "RS256"
    named: str = ""
    """Issuer that it claims to be."""
    codes: dict[str, Mapping[str, str]] = field(default_factory=dict)
    now: float = 0.0

    def log_in(self, url: str, code: str = "code-1") -> str:
        """Log a person in as the browser would at `url`; return the query that the browser brings back."""
        asked = {name: values[-1] for name, values in parse_qs(urlsplit(url).query).items()}
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        self.codes[code] = asked
        return f"code={code}&state={asked['state']}"

    async def configuration(self, request: Request) -> JSONResponse:
        del request
        return JSONResponse(
            {
                "issuer": self.named or self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/jwks",
            }
        )

    async def jwks(self, request: Request) -> JSONResponse:
        del request
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return JSONResponse({"keys": [{**public, "kid": "1", "use": "sig", "alg": "RS256"}]})

    async def token(self, request: Request) -> JSONResponse:
        form = {name: values[-1] for name, values in parse_qs((await request.body()).decode()).items()}
        asked = self.codes.pop(form.get("code", ""), None)  # a code is good once
        challenge = urlsafe_b64encode(sha256(form.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
        if asked is None or asked["code_challenge"] != challenge or asked["redirect_uri"] != form["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        right = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "ana",
            "nonce": asked["nonce"],
            "iat": int(self.now),
            "exp": int(self.now) + 300,
        }
        claims = {name: value for name, value in {**right, **self.claims}.items() if value is not None}
        key: Any = (
            (self.signer or self.key) if self.algorithm == "RS256" else ("" if self.algorithm == "none" else SECRET)
        )
        token = jwt.encode(claims, key, self.algorithm, headers={"kid": "1"})
        return JSONResponse({"access_token": "a", "token_type": "Bearer", "id_token": token})


@asynccontextmanager
async def openid_provider(now: float) -> AsyncIterator[OpenIdProvider]:
    """Serve a provider whose clock stands at `now`, in seconds since 1970."""
    provider = OpenIdProvider(now=now)
    routes = [
        Route("/.well-known/openid-configuration", provider.configuration),
        Route("/jwks", provider.jwks),
        Route("/token", provider.token, methods=["POST"]),
    ]
    listener = socket.create_server(("127.0.0.1", 0))
    provider.issuer = f"http://127.0.0.1:{listener.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_config=None, lifespan="off"))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield provider
    finally:
        server.should_exit = True
        await running
        listener.close()
