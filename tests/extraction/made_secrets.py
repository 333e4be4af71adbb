"""Secrets of many shapes, and what only looks like one; made up, and put together here so that no scanner minds."""

import base64
import json
import random
import string
import textwrap
import uuid
from collections.abc import Callable, Mapping

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
CAPITALS = string.ascii_uppercase + string.digits
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_WORDS = "able acid baby cage dawn echo fame gate hair idea jazz keen lamp maid navy oval pact quiz race sail".split()


class Luck:
    """Draws what secrets are made of."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def draw(self, count: int, alphabet: str = LETTERS) -> str:
        """Draw characters; a letter and a digit are always among them."""
        drawn = self.random.choices(alphabet, k=count)
        letter = next(c for c in alphabet if c.isalpha()) if any(c.isalpha() for c in alphabet) else drawn[0]
        digit = next(c for c in alphabet if c.isdigit())
        drawn[1], drawn[-2] = letter, digit
        return "".join(drawn)

    def digits(self, count: int) -> str:
        """Draw digits, none of them alike throughout."""
        return str(self.random.randrange(1, 10)) + "".join(self.random.choices(string.digits, k=count - 1))

    def card(self, begin: str, length: int, *, valid: bool = True) -> str:
        """Make a card's number that passes its checksum, or fails it by one."""
        body = [int(c) for c in begin + "".join(self.random.choices(string.digits, k=length - len(begin) - 1))]
        doubled = [d * 2 - 9 if d > 4 else d * 2 for d in body[::-1][::2]]
        check = -(sum(doubled) + sum(body[::-1][1::2])) % 10
        return "".join(map(str, [*body, check if valid else (check + 1) % 10]))

    def iban(self, country: str, length: int, *, valid: bool = True) -> str:
        """Make an account number that passes its checksum, or fails it."""
        body = "".join(self.random.choices(string.digits, k=length))
        number = int("".join(str(int(c, 36)) for c in f"{body}{country}00"))
        check = 98 - number % 97
        return f"{country}{check if valid else (check + 1) % 97:02}{body}"


# What is said around each secret: the first part of a pair is said, the second must be found nowhere.
Said = Callable[[Luck], tuple[str, str]]


def _plain(make: Callable[[Luck], str], around: str = "Use {} for it.") -> Said:
    def said(luck: Luck) -> tuple[str, str]:
        value = make(luck)
        return around.format(value), value

    return said


def _prefixed(prefix: str, count: int, alphabet: str = LETTERS) -> Said:
    return _plain(lambda luck: prefix + luck.draw(count, alphabet))


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _jwt(luck: Luck) -> str:
    head = _b64(json.dumps({"alg": "HS256", "typ": "JWT"})).rstrip("=")
    return f"{head}.{_b64(json.dumps({'sub': luck.digits(10)})).rstrip('=')}.{luck.draw(43)}"


def _pem(kind: str) -> Callable[[Luck], str]:
    def make(luck: Luck) -> str:
        body = "\n".join(luck.draw(64) for _ in range(4))
        return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"

    return make


def _basic(luck: Luck) -> tuple[str, str]:
    value = _b64(f"ana:{luck.draw(9)}")
    return f"The header is Authorization: Basic {value}", value


def _within(around: str, count: int = 12, alphabet: str = LETTERS) -> Said:
    return _plain(lambda luck: luck.draw(count, alphabet), around)


SECRETS: Mapping[str, Said] = {
    "aws id": _prefixed("AK" + "IA", 16, CAPITALS),
    "aws temporary id": _prefixed("AS" + "IA", 16, CAPITALS),
    "aws secret": _within("aws_secret_access_key = {}", 40),
    "google": _prefixed("AI" + "za", 35),
    "google oauth": _prefixed("ya" + "29.", 60),
    "azure storage": _within("AccountName=ana;AccountKey={};EndpointSuffix=core", 86),
    "azure client": _plain(lambda luck: luck.draw(3) + "8Q" + "~" + luck.draw(34)),
    "signed address": _within("https://x.example/a.png?se=2026&sig={}&sv=1", 43),
    "digitalocean": _prefixed("dop" + "_v1_", 64, HEX),
    "heroku": _plain(lambda luck: str(uuid.UUID(int=luck.random.getrandbits(128))), "HEROKU_API_KEY={}"),
    "terraform": _plain(lambda luck: luck.draw(14) + ".atlas" + "v1." + luck.draw(67)),
    "vault": _prefixed("hv" + "s.", 90),
    "databricks": _prefixed("da" + "pi", 32, HEX),
    "doppler": _prefixed("dp" + ".pt.", 43),
    "planetscale": _prefixed("pscale" + "_tkn_", 43),
    "supabase": _prefixed("sb" + "p_", 40, HEX),
    "newrelic": _prefixed("NR" + "AK-", 27, CAPITALS),
    "grafana": _prefixed("gl" + "sa_", 32),
    "datadog": _within("DD_API_KEY={}", 32, HEX),
    "postman": _plain(lambda luck: "PM" + "AK-" + luck.draw(24, HEX) + "-" + luck.draw(34, HEX)),
    "sentry": _prefixed("sntry" + "s_", 60),
    "github": _prefixed("gh" + "p_", 36),
    "github server": _prefixed("gh" + "s_", 36),
    "github fine": _prefixed("github" + "_pat_", 60),
    "gitlab": _prefixed("gl" + "pat-", 20),
    "gitlab runner": _prefixed("gl" + "rt-", 20),
    "bitbucket": _prefixed("AT" + "BB", 32),
    "atlassian": _prefixed("AT" + "ATT3", 60),
    "npm": _prefixed("np" + "m_", 36),
    "pypi": _prefixed("py" + "pi-", 80),
    "rubygems": _prefixed("ruby" + "gems_", 48, HEX),
    "docker": _prefixed("dckr" + "_pat_", 27),
    "slack bot": _prefixed("xo" + "xb-", 40),
    "slack app": _prefixed("xa" + "pp-1-A", 40, CAPITALS),
    "slack hook": _plain(
        lambda luck: f"T{luck.draw(9, CAPITALS)}/B{luck.draw(9, CAPITALS)}/{luck.draw(24)}",
        "Post to https://hooks.slack.com/services/{} then.",
    ),
    "discord hook": _plain(
        lambda luck: f"{luck.digits(18)}/{luck.draw(68)}", "Post to https://discord.com/api/webhooks/{} then."
    ),
    "discord bot": _plain(lambda luck: "M" + luck.draw(23) + "." + luck.draw(6) + "." + luck.draw(38)),
    "telegram": _plain(lambda luck: luck.digits(10) + ":" + "AA" + luck.draw(33)),
    "twilio": _prefixed("S" + "K", 32, HEX),
    "twilio token": _within("The auth token is {}.", 32, HEX),
    "sendgrid": _plain(lambda luck: "S" + "G." + luck.draw(22) + "." + luck.draw(43)),
    "mailgun": _prefixed("ke" + "y-", 32, HEX),
    "mailchimp": _plain(lambda luck: luck.draw(32, HEX) + "-us12"),
    "stripe": _prefixed("sk" + "_live_", 24),
    "stripe restricted": _prefixed("rk" + "_live_", 24),
    "stripe hook": _prefixed("wh" + "sec_", 32),
    "square": _prefixed("sq0" + "atp-", 22),
    "braintree": _plain(lambda luck: "access_token$" + "production$" + luck.draw(16, HEX) + "$" + luck.draw(32, HEX)),
    "shopify": _prefixed("sh" + "pat_", 32, HEX),
    "openai": _prefixed("sk" + "-proj-", 48),
    "anthropic": _prefixed("sk" + "-ant-api03-", 80),
    "huggingface": _prefixed("h" + "f_", 34),
    "groq": _prefixed("gs" + "k_", 52),
    "xai": _prefixed("xa" + "i-", 80),
    "perplexity": _prefixed("pp" + "lx-", 48),
    "replicate": _prefixed("r" + "8_", 37),
    "linear": _prefixed("lin" + "_api_", 40),
    "notion": _prefixed("nt" + "n_", 46),
    "airtable": _plain(lambda luck: "pa" + "t" + luck.draw(14) + "." + luck.draw(64, HEX)),
    "figma": _prefixed("fi" + "gd_", 40),
    "age": _plain(lambda luck: "AGE-SECRET" + "-KEY-1" + luck.draw(58, CAPITALS)),
    "jwt": _plain(_jwt),
    "rsa": _plain(_pem("RSA PRIVATE " + "KEY")),
    "openssh": _plain(_pem("OPENSSH PRIVATE " + "KEY")),
    "pgp": _plain(_pem("PGP PRIVATE " + "KEY BLOCK")),
    "postgres": _within("DSN: postgresql://ana:{}@db.internal:5432/app", 14),
    "mongo": _within("mongodb+srv://ana:{}@cluster0.example/app", 14),
    "redis": _within("redis://:{}@cache:6379/0", 14),
    "sql server": _within("Server=db;User Id=ana;Password={};Encrypt=true", 12),
    "jdbc": _within("jdbc:mysql://db/app?user=ana&password={}", 14),
    "basic url": _within("curl https://ana:{}@intranet.example/x", 12),
    "basic header": _basic,
    "bearer": _within("Authorization: Bearer {}", 40),
    "visa": _plain(lambda luck: luck.card("4", 16), "Charge {} please."),
    "visa in groups": _plain(lambda luck: " ".join(textwrap.wrap(luck.card("4", 16), 4)), "Charge {} please."),
    "mastercard": _plain(lambda luck: luck.card("53", 16), "My card is {}."),
    "amex": _plain(lambda luck: luck.card("37", 15), "My card is {}."),
    "discover": _plain(lambda luck: luck.card("6011", 16), "My card is {}."),
    "jcb": _plain(lambda luck: luck.card("3530", 16), "My card is {}."),
    "iban de": _plain(lambda luck: luck.iban("DE", 18), "Pay to {}."),
    "iban no": _plain(lambda luck: luck.iban("NO", 11), "Pay to {}."),
    "iban fr": _plain(lambda luck: luck.iban("FR", 23), "Pay to {}."),
    "account number": _plain(lambda luck: luck.digits(11), "My account number is {}."),
    "ssn": _plain(lambda luck: f"219-09-{luck.random.randrange(1000, 9999)}", "I am {}."),
    "ssn in words": _plain(
        lambda luck: f"21909{luck.random.randrange(1000, 9999)}", "My social security number is {}."
    ),
    "one-time code": _plain(lambda luck: luck.digits(6), "My one-time code is {}."),
    "verification code": _plain(lambda luck: luck.digits(6), "The verification code: {}"),
    "otp": _plain(lambda luck: luck.digits(6), "OTP {} expires soon."),
    "door code": _plain(lambda luck: luck.digits(5), "Our door code is {}."),
    "pin": _plain(lambda luck: luck.digits(4), "My PIN is {}."),
    "cvv": _plain(lambda luck: luck.digits(3), "and the CVV is {}"),
    "wallet hex": _within("My wallet's private key is 0x{}.", 64, HEX),
    "wallet wif": _plain(lambda luck: "K" + luck.draw(51, BASE58), "Import {} into it."),
    "xprv": _prefixed("xp" + "rv", 107, BASE58),
    "seed phrase": _plain(lambda luck: " ".join(luck.random.sample(_WORDS, 12)), "My seed phrase is {}."),
    "password": _within("My password is {}.", 10),
    "new password": _within("I changed my wifi password to {} today.", 10),
    "password without is": _within("login ana password {} ok", 10),
    "password in quotes": _plain(
        lambda luck: " ".join(luck.random.sample(_WORDS, 4)), 'The password is "{}", remember that.'
    ),
    "password assigned": _within("DB_PASSWORD={}", 12),
    "client secret": _within("client_secret: {}", 24),
    "api key in json": _within('"api_key": "{}"', 20),
    "environment": _within("export SECRET_KEY='{}'", 24),
}


def look_alikes(seed: int) -> list[str]:
    """Make what only looks like a secret: at least two hundred, all different from seed to seed."""
    luck, found = Luck(seed), list(_SENTENCES)
    for _ in range(10):
        number, version = luck.random.randrange(10**6), luck.random.randrange(30)
        found += [
            f"The commit is {luck.draw(40, HEX)}.",
            f"See {luck.draw(7, HEX)} for the fix.",
            f"image@sha256:{luck.draw(64, HEX)}",
            f"The id is {uuid.UUID(int=luck.random.getrandbits(128))}.",
            f"Order {luck.card('4', 16, valid=False)} has arrived.",
            f"My order number is {luck.digits(10)}.",
            f"Invoice INV-2026-{number:06} is open.",
            f"Call me on +47 {luck.digits(3)} {luck.digits(2)} {luck.digits(3)}.",
            f"My number is ({luck.digits(3)}) {luck.digits(3)}-{luck.digits(4)}.",
            f"ISBN 978-{luck.digits(1)}-{luck.digits(5)}-{luck.digits(3)}-{number % 10}",
            f"Upgrade to {version}.{number % 40}.{number % 7}-rc{number % 9}.",
            f"The colour is #{luck.draw(6, HEX)}.",
            f"IBAN {luck.iban('DE', 18, valid=False)} was refused.",
            f"It ran at 2026-11-{1 + number % 28:02}T12:{number % 60:02}:00.{number:06}Z.",
            f"We met at {luck.random.uniform(-90, 90):.6f}, {luck.random.uniform(-180, 180):.6f}.",
            f"The host is 10.{number % 250}.{version}.{number % 99} and its MAC 0a:1b:2c:3d:4e:{number % 90 + 10}.",
            f"Track 1Z{luck.draw(6, CAPITALS)}{luck.digits(10)} for me.",
            f"Pod api-server-{luck.draw(10, HEX)}-{luck.draw(5, HEX)} restarts.",
            f"/usr/local/lib/python3.11/site-packages/package_{number}/module_{version}.py",
            f"https://blog.example/2026/11/how-we-moved-{number}-users-to-a-new-database-in-{version}-days",
            f"DOI 10.1145/{luck.digits(7)}.{luck.digits(7)}",
            f"IMEI {luck.card('35', 15)} is my phone.",
            f"The model is llama-3.{version}-70b-instruct-q{number % 8}_k_m.",
        ]
    return found


_SENTENCES = (
    "No Firebase API key in the build",
    "I forgot my password again.",
    "The password is wrong.",
    "My password is too long to remember.",
    "Passwords must have twelve characters and two digits.",
    "What is a bearer token?",
    "Use a bearer token for authentication.",
    "The token is expired, and the secret is patience.",
    "The key to happiness is sleep.",
    "The private key stays on the device.",
    "I lost the key: it was under the mat.",
    "Basic training starts on Monday.",
    "I attended Basic English lessons.",
    "My pin collection has 300 pins.",
    "I pin 20 pictures a day.",
    "The PIN is required for each payment.",
    "token = None",
    "password: required",
    "api_key = os.environ['API_KEY']",
    "PASSWORD=<your password>",
    "password={{ secrets.password }}",
    "The verification code never arrived.",
    "The access code of practice dates from 2019.",
    "My security clearance is level 4.",
    "In the seed phrase each word is common.",
    "We planted seeds in 12 rows.",
    "The recovery took 6 weeks.",
    "My account number two is the manager.",
    "I have an account at a bank in Oslo.",
    "sk-learn is a library, and so is pytorch.",
    "SG.com is a site of Singapore.",
    "My bearer of good news is Eva.",
    "The secret ingredient is cardamom.",
    "We use OAuth 2.0 with refresh tokens.",
    "The session token limit is 4096 tokens.",
    "The prompt has 128000 tokens.",
    "Keys: C major, A minor, 4/4.",
    "I pay by card at 13 shops.",
    "My card has 16 digits.",
    "I was born on 1990-03-03 and finished school in 2008-2009.",
)
