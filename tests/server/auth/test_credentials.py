"""Which header holds the credential for this server, and what is left for the upstream."""

import pytest

from toldonce.errors import BadIdentityError
from toldonce.server.auth.authenticator import take_credential

KEY, PROVIDER = "rk_" + "a" * 43, (b"authorization", b"Bearer sk-provider")
JWT = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJtZSJ9.c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (b"authorization", f"Bearer {KEY}"),
        (b"Authorization", f"bearer  {KEY} "),
        (b"Authorization", f"Token {KEY}"),
        (b"x-api-key", KEY),
        (b"API-Key", KEY),
        (b"x-toldonce-key", KEY),
        (b"x-toldonce-key", f"Bearer {KEY}"),
    ],
)
def test_our_key_is_taken_out(name: bytes, value: str) -> None:
    other = (b"content-type", b"application/json")
    assert take_credential(((name, value.encode()), other), is_issued_here=None) == (KEY, (other,))


def test_the_providers_key_travels_beside_ours() -> None:
    both = (PROVIDER, (b"x-toldonce-key", KEY.encode()))
    assert take_credential(both, is_issued_here=None) == (KEY, (PROVIDER,))
    assert take_credential((PROVIDER,), is_issued_here=None) == (None, (PROVIDER,))


def test_a_jwt_is_ours_only_if_our_issuer_made_it() -> None:
    sent = ((b"authorization", f"Bearer {JWT}".encode()),)
    assert take_credential(sent, is_issued_here=None) == (None, sent)
    assert take_credential(sent, is_issued_here=lambda _: False) == (None, sent)
    assert take_credential(sent, is_issued_here=lambda token: token == JWT) == (JWT, ())
    in_x_api_key = ((b"x-api-key", JWT.encode()),)
    assert take_credential(in_x_api_key, is_issued_here=lambda _: True) == (None, in_x_api_key)


@pytest.mark.parametrize(
    "second", [(b"authorization", b"Bearer rk_b"), (b"x-api-key", b"rk_a"), (b"x-toldonce-key", b"")]
)
def test_two_credentials_are_refused(second: tuple[bytes, bytes]) -> None:
    with pytest.raises(BadIdentityError, match="two credentials"):
        take_credential(((b"x-toldonce-key", KEY.encode()), second), is_issued_here=None)
