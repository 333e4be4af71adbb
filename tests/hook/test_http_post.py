"""Addresses of servers, as a hook reads them; requests are in tests/integration."""

import pytest

from toldonce.hook.http_post import ServerAddress


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("http://127.0.0.1:8765", "127.0.0.1", 8765, ""),
        ("http://127.0.0.1:8765/", "127.0.0.1", 8765, ""),
        ("http://localhost:8765/v1", "localhost", 8765, ""),
        ("http://memory.example/team/v1/", "memory.example", 80, "/team"),
        ("https://memory.example", "memory.example", 443, ""),
        ("http://[::1]:8765", "::1", 8765, ""),
        ("http://[::1]", "::1", 80, ""),
        ("HTTP://localhost", "localhost", 80, ""),
    ],
)
def test_an_address_is_read(url: str, host: str, port: int, path: str) -> None:
    address = ServerAddress(url)

    assert (address.host, address.port, address.path) == (host, port, path)
    assert address.is_tls == url.startswith("https")


@pytest.mark.parametrize(
    "url",
    [
        *("", "localhost", "ftp://localhost", "http://", "http://:80", "http://ana:pw@localhost"),
        *("http://localhost:port", "http://localhost/a b", "http://localhost/\r\nx: y", "http://localhost/?q=1"),
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"URL|int"):
        ServerAddress(url)
