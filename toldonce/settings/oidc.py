"""Settings of the login to the dashboard at an OpenID provider."""

from pydantic import Field, SecretStr, field_validator

from toldonce.environment import EnvironmentSettings
from toldonce.settings.checks import HttpUrl, Key, OptionalName

# 192 bits of a random secret in base64: who can guess it from a session's cookie can log in as anyone.
MIN_CLIENT_SECRET_BYTES = 24


class OidcSettings(EnvironmentSettings):
    """Settings of the login to the dashboard at an OpenID provider."""

    oidc_issuer: HttpUrl = Field(
        default=None,
        description="OpenID provider at which people log in to the dashboard, such as `https://id.example.org`; needs "
        "the extra `oidc`; unset: they log in with an API key.",
    )
    oidc_client_id: OptionalName = Field(default=None, description="This server's client id at that provider.")
    oidc_client_secret: Key = Field(default=None, description="Its secret there, which also signs sessions.")
    oidc_user_claim: str = Field(
        default="sub", min_length=1, description="Claim of the provider's ID tokens that names the user."
    )
    oidc_tenant_claim: OptionalName = Field(
        default=None, description="Claim that names the tenant; unset: users belong to no tenant."
    )
    oidc_admin_claim: str = Field(
        default="groups", min_length=1, description="Claim that says who administers: a text, or a list of texts."
    )
    oidc_admin_value: OptionalName = Field(
        default=None,
        description="Its value that makes an administrator of the tenant, or of everything if no claim names one; "
        "unset: none does.",
    )

    @field_validator("oidc_client_secret")
    @classmethod
    def _can_sign_sessions(cls, secret: SecretStr | None) -> SecretStr | None:
        size = len(secret.get_secret_value().encode()) if secret else 0
        if 0 < size < MIN_CLIENT_SECRET_BYTES:
            raise ValueError(
                f"has {size} bytes; it also signs sessions, for which it must have {MIN_CLIENT_SECRET_BYTES} or more: "
                "have the provider make a longer one"
            )
        return secret
