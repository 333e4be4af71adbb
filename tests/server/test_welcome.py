"""What the server says of itself at the start."""

import pytest

from recollect.server.run import welcome
from recollect.settings import Settings


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("::1", "http://[::1]:8765/v1"),
        ("127.0.0.1", "http://127.0.0.1:8765/v1"),
        ("0.0.0.0", "http://127.0.0.1:8765/v1"),
    ],
)
def test_the_address_that_is_shown_can_be_used_as_it_stands(host: str, base: str) -> None:
    assert f"listens on {base}\n" in welcome(Settings(host=host), 8765)
