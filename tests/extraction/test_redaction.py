"""Secrets are found by shape and checksum; a mention of them stays."""

import random
import string

from tables import check_each
from toldonce.extraction.redaction import redact, redact_with_shapes


def letters(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    chosen = random.Random(count).choices(alphabet, k=count)
    return "".join(chosen)


# Put together here, so that no scanner takes this file for a leak.
SECRETS = [
    "sk-" + letters(40),
    "sk-" + "ant-" + letters(40),
    "sk-" + "proj-" + letters(40),
    "sk_" + "live_" + letters(24),
    "gh" + "p_" + letters(36),
    "github_" + "pat_" + letters(40),
    "glpat" + "-" + letters(20),
    "xox" + "b-" + letters(30),
    "AK" + "IA" + letters(16, string.ascii_uppercase + string.digits),
    "AI" + "za" + letters(35),
    "hf" + "_" + letters(30),
    "np" + "m_" + letters(36),
    "gs" + "k_" + letters(40),
    ".".join(["ey" + "J" + letters(20), letters(40), letters(30)]),
    letters(48),
    "-----BEGIN " + "RSA PRIVATE KEY-----\n" + letters(64) + "\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN " + "PRIVATE KEY-----\n" + letters(64),
]


@check_each("secret", SECRETS)
def test_a_secret_by_its_shape_is_replaced(secret: str) -> None:
    text, found = redact_with_shapes(f"take this: {secret} and keep it")
    assert secret not in text
    assert "[secret]" in text
    assert len(found) == 1


@check_each(
    ("text", "clean"),
    [
        ("my password is hunter2, ok", "my password is [secret], ok"),
        ("password: hunter2", "password: [secret]"),
        ("DB_PASSWORD=Tr0ub4dor", "DB_PASSWORD=[secret]"),
        ("my pin is 4821", "my pin is [secret]"),
        ("api_key = 'abcdefghijk1'", "api_key = '[secret]'"),
        ("Authorization: Bearer abcdefghij0123456789", "Authorization: Bearer [secret]"),
        ("postgres://ana:s3cret@db/x", "postgres://ana:[secret]@db/x"),
        ("card 4111 1111 1111 1111", "card [card]"),
        ("card 4111-1111-1111-1111.", "card [card]."),
        ("amex 378282246310005", "amex [card]"),
        ("IBAN DE89 3704 0044 0532 0130 00", "IBAN [iban]"),
        ("IBAN NO9386011117947", "IBAN [iban]"),
        ("SSN 123-45-6789", "SSN [ssn]"),
    ],
)
def test_payment_data_and_assigned_secrets_are_replaced(text: str, clean: str) -> None:
    assert redact(text) == clean


@check_each(
    "text",
    [
        "No Firebase API key in the build",
        "I forgot my password again",
        "my password is wrong",
        "the token is expired",
        "the secret is patience",
        "what is a bearer token?",
        "card 4111 1111 1111 1112",
        "order 1234567890123456",
        "0000 0000 0000 0000",
        "DE89 3704 0044 0532 0130 02",
        "SSN 000-12-3456",
        "call 555-12-3456789",
        "my phone is +47 123 45 678",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id 018f5b2e-7c3a-7000-8000-1234567890ab",
        "/usr/local/lib/python3.11/site-packages/foo_bar_baz",
        "https://example.com/a/very/long/path/with/many/parts/2024",
        "sk-learn is a library",
        "the internationalization-of-javascript-2024-edition",
        "I was born on 1990-03-03",
    ],
)
def test_look_alikes_stay(text: str) -> None:
    assert redact_with_shapes(text) == (text, ())


def test_two_hundred_made_up_cards_are_found_and_their_neighbours_are_not() -> None:
    rng = random.Random(7)
    for _ in range(200):
        digits = [rng.choice([4, 5]), *(rng.randrange(10) for _ in range(14))]
        doubled = [d * 2 - 9 if d > 4 else d * 2 for d in digits[::-2]]
        check = -(sum(doubled) + sum(digits[-2::-2])) % 10
        good = "".join(map(str, [*digits, check]))
        bad = "".join(map(str, [*digits, (check + 1) % 10]))
        assert redact(f"pay {good} now") == "pay [card] now"
        assert redact(f"pay {bad} now") == f"pay {bad} now"
