"""Secrets of each kind, made from the published formats, and the wordings they are said in. All are made up."""

import random
import string
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from extraction.made_secrets import BASE58, Luck
from toldonce.extraction.secret_kinds.checksums import CHECKS, compact
from toldonce.extraction.secret_kinds.formats import IdFormat, KeyFormat, Place, id_formats, key_formats, read_shape
from toldonce.extraction.secret_kinds.phrases import bip39_words

FOLDER = Path(__file__).parent
# A place of "20 or more" gets so many more than 20.
_MORE = 12
_MAX_TRIES = 20_000
_PLAIN = (
    "sunshine dragonfly marmalade starlight velvet rosebud pickle thunder maple lighthouse gandalf snowflake bumblebee "
    "chocolate elephant butterfly harley pepper cookie tigger"
).split()


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of secret."""

    name: str
    family: str
    """Family of its wordings."""
    title: str
    """What a wording calls it."""
    make: Callable[[Luck], str]


def _characters(chars: str) -> str:
    """Return the characters of a class such as `[A-Za-z0-9]`."""
    body, found = chars[1:-1], ""
    place = 0
    while place < len(body):
        if body[place + 1 : place + 2] == "-" and place + 2 < len(body):
            found += "".join(map(chr, range(ord(body[place]), ord(body[place + 2]) + 1)))
            place += 3
        else:
            found += body[place]
            place += 1
    return found


def _made(luck: Luck, shape: str) -> str:
    pieces: list[str] = []
    for part in read_shape(shape):
        if isinstance(part, str):
            pieces.append(part)
        elif part.words:
            pieces.append(luck.random.choice(part.words))
        else:
            pieces.append(_run(luck, part))
    return "".join(pieces)


def _run(luck: Luck, place: Place) -> str:
    """Draw a run; signs are rare in it and never at its ends."""
    alphabet = _characters(place.chars)
    letters = "".join(char for char in alphabet if char.isalnum())
    count = min(place.most, place.least + _MORE) if place.most > place.least else place.least
    drawn = luck.random.choices(letters, k=count)
    if len(letters) < len(alphabet) and count > 8:
        drawn[count // 2] = luck.random.choice(alphabet)
    return "".join(drawn)


def made_key(known: KeyFormat, luck: Luck) -> str:
    """Make a key that has a digit, as nearly all have."""
    for _ in range(_MAX_TRIES):
        made = _made(luck, known.shape)
        if any(char.isdigit() for char in made[4:]) and any(char.isalpha() for char in made):
            return made
    raise AssertionError(known)


def made_id(known: IdFormat, luck: Luck) -> str:
    """Make a number whose check digits are right."""
    check = CHECKS.get(known.alone)
    for _ in range(_MAX_TRIES):
        made = _made(luck, known.shape)
        if made.startswith("0"):
            continue
        if check is None or check(compact(made)):
            return made
    raise AssertionError(known)


def _grouped(digits: str, sizes: tuple[int, ...]) -> str:
    groups, at = [], 0
    for size in sizes:
        groups.append(digits[at : at + size])
        at += size
    return " ".join(groups)


def _typed(luck: Luck) -> str:
    return luck.random.choice(_PLAIN).capitalize() + luck.digits(2) + luck.random.choice("!?#$%*")


_OWN: Mapping[str, tuple[str, Callable[[Luck], str]]] = {
    "password, a plain word": ("password", lambda luck: luck.random.choice(_PLAIN)),
    "password, word and number": ("password", lambda luck: luck.random.choice(_PLAIN) + luck.digits(3)),
    "password, typed": ("password", _typed),
    "password, generated": ("password", lambda luck: luck.draw(16)),
    "password, four words": ("password", lambda luck: "-".join(luck.random.sample(_PLAIN, 4))),
    "pin of four digits": ("code", lambda luck: luck.digits(4)),
    "code of six digits": ("code", lambda luck: luck.digits(6)),
    "one-time code": ("one_time", lambda luck: luck.digits(6)),
    "one-time code in groups": ("one_time", lambda luck: f"{luck.digits(3)} {luck.digits(3)}"),
    "recovery phrase of 12": ("phrase", lambda luck: " ".join(luck.random.sample(sorted(bip39_words()), 12))),
    "recovery phrase of 24": ("phrase", lambda luck: " ".join(luck.random.sample(sorted(bip39_words()), 24))),
    "bank account": ("bank", lambda luck: luck.digits(10)),
    "bank account in groups": ("bank", lambda luck: _grouped(luck.digits(12), (4, 4, 4))),
    "visa": ("card", lambda luck: luck.card("4", 16)),
    "visa in groups": ("card", lambda luck: _grouped(luck.card("4", 16), (4, 4, 4, 4))),
    "mastercard in groups": ("card", lambda luck: _grouped(luck.card("53", 16), (4, 4, 4, 4))),
    "amex in groups": ("card", lambda luck: _grouped(luck.card("37", 15), (4, 6, 5))),
    "iban de": ("iban", lambda luck: luck.iban("DE", 18)),
    "iban es in groups": ("iban", lambda luck: _grouped(luck.iban("ES", 20), (4,) * 6)),
    "wallet key": ("key", lambda luck: "K" + luck.draw(51, BASE58)),
    "product key": (
        "key",
        lambda luck: "-".join(luck.draw(5, string.ascii_uppercase + string.digits) for _ in range(5)),
    ),
    "aws secret": ("key", lambda luck: luck.draw(40)),
}


def kinds() -> list[Kind]:
    """Return all kinds: those of the published formats, and the few that have none."""
    found = [Kind(f"{name}", family, name, make) for name, (family, make) in _OWN.items()]
    for key in key_formats():
        if key.family != "hash":
            found.append(Kind(f"key: {key.kind}", "key", key.kind, partial(made_key, key)))
    for known in id_formats():
        family = "national" if known.family in ("ssn", "bank") else known.family
        title = known.names[0].upper() if len(known.names[0]) <= 5 else known.names[0]
        found.append(Kind(f"id: {known.kind} {known.country}", family, title, partial(made_id, known)))
    return found


def wordings(file: str) -> Mapping[str, list[str]]:
    """Return the wordings of a file by family."""
    return tomllib.loads((FOLDER / file).read_text("utf-8"))


def said(kind: Kind, wording: str, seed: int) -> tuple[str, str]:
    """Return a wording with a secret of a kind in it, and the secret."""
    secret = kind.make(Luck(random.Random(f"{kind.name}{wording}{seed}").randrange(2**32)))
    return wording.replace("{name}", kind.title).replace("{v}", secret), secret


def cases(file: str, seed: int = 0) -> Iterator[tuple[Kind, str, str, str]]:
    """Yield each kind in each wording of its family: the kind, the wording, what is said, the secret."""
    by_family = wordings(file)
    for kind in kinds():
        for wording in by_family.get(kind.family, by_family["national"]):
            if kind.family == "iban" and file != "wordings.toml":
                wording = by_family["bank"][0]
            yield kind, wording, *said(kind, wording, seed)
