"""The quick look that spares most texts the patterns never spares one that holds a secret."""

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.extraction.redaction import may_hold_secret
from recollect.extraction.secret_patterns import SHAPES

PIECES = (
    *("4111 1111 1111 1111", "4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1", "DE89370400440532013000", "123-45-6789"),
    *("xoxb-1234567890", "ab://u:pwd@h", "bearer abcdefghijklmnop", "pin: 4821", "CVV=123", "password is hunter2"),
    *("eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl", "sk_live_0123456789", "-----BEGIN PRIVATE KEY-----abc", "a1" * 20),
    *("no secret here", "token: ab12cd", "to\u212aen: ab12cd", "pa\u017f\u017fword: x9y8z7", "ok", " ", "\n", ","),
)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=6))
def test_a_text_that_is_spared_matches_no_pattern(pieces: list[str]) -> None:
    text = "".join(pieces)
    if not may_hold_secret(text):
        for pattern, _, good in SHAPES:
            assert not any(good(match) for match in pattern.finditer(text)), pattern.pattern
