from datetime import UTC, datetime

import pytest

from tables import check_each
from toldonce.errors import ModelError, SetupError
from toldonce.providers.json_client import MAX_RETRY_AFTER_S, ApiRefusedError, JsonClient, retry_delay_s

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@check_each(
    ("header", "wait_s"),
    [
        (None, 0.5),
        ("0", 0),
        ("7", 7),
        ("3600", MAX_RETRY_AFTER_S),
        ("Thu, 01 Jan 2026 12:00:04 GMT", 4),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0),
        ("Fri, 02 Jan 2026 12:00:00 GMT", MAX_RETRY_AFTER_S),
        ("soon", 0.5),
        ("", 0.5),
        ("²", 0.5),
    ],
)
def test_retry_after_is_honoured_up_to_ten_seconds(header: str | None, wait_s: float) -> None:
    assert retry_delay_s(header, NOON) == wait_s


def test_a_refusal_says_what_to_check() -> None:
    assert str(ApiRefusedError("http://a.test", 401, name="invalid_api_key")) == (
        "http://a.test answered 401 (invalid_api_key): check the key"
    )
    assert "set the URL it redirects to" in str(ApiRefusedError("http://a.test", 307))
    assert str(ApiRefusedError("http://a.test", 418)) == "http://a.test answered 418"
    assert isinstance(ApiRefusedError("http://a.test", 418), ModelError)


def test_messages_name_the_server_without_path_or_credentials() -> None:
    api = JsonClient("https://user:pass@api.test:8443/secret/v1?x=1", key=None, timeout_s=1, max_bytes=1)
    assert api.where == "https://api.test:8443"


@pytest.mark.parametrize("key", ["sk-one\nHost: evil", "sk-é"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(SetupError, match="copy it again") as caught:
        JsonClient("http://a.test/v1", key=key, timeout_s=1, max_bytes=1)
    assert "sk-" not in str(caught.value)
