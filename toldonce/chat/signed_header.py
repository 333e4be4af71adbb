"""Open WebUI's signed identity header (HS256). Pure.

The package that reads it takes as long to load as a search, so only the first header loads it.
"""

from datetime import datetime

from toldonce.errors import BadIdentityError

USER_JWT = "x-openwebui-user-jwt"
_ISSUER = "open-webui"
# Tolerated difference between Open WebUI's clock and ours; its tokens are valid for five minutes.
LEEWAY_S = 60
# The year 10,000 in seconds since 1970: times of a token are before it.
_MAX_TIME_S = 253_402_300_800


def verified_user(token: str, secret: str, now: datetime) -> str:
    """Return the `sub` of a token that is valid at `now`."""
    import jwt

    try:
        claims = jwt.decode(
            token,
            secret,
            algorithms=["HS256"],
            issuer=_ISSUER,
            # Times are checked below, against `now`.
            options={
                "require": ["sub", "iss", "iat", "exp"],
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
    except (jwt.PyJWTError, ValueError, RecursionError) as error:
        raise BadIdentityError(f"{USER_JWT} is invalid: {type(error).__name__}; is the secret the same?") from None
    at = now.timestamp()
    expires, issued = _instant(claims["exp"]), max(_instant(claims["iat"]), _instant(claims.get("nbf", 0)))
    if expires <= at - LEEWAY_S:
        raise BadIdentityError(f"{USER_JWT} has expired; compare both machines' clocks if it was made just now")
    if issued > at + LEEWAY_S:
        raise BadIdentityError(f"{USER_JWT} was issued in the future; compare both machines' clocks")
    return str(claims["sub"])


def _instant(claim: object) -> float:
    if isinstance(claim, int | float) and not isinstance(claim, bool) and 0 <= claim < _MAX_TIME_S:
        return claim
    raise BadIdentityError(f"{USER_JWT} is invalid: its times are not times")
