"""Words that deny in the languages of markers.toml, and words that tell a language, English among them. Pure."""

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from toldonce.text.normalize import normalise, words
from toldonce.text.stem import stem

# Signs that make a form of markers.toml one of several, or the beginning of words.
_OR, _BEGINS = "/", "*"
# Languages whose words are not cut by blanks.
_UNSPACED = frozenset({"zh", "ja", "th"})


@dataclass(frozen=True, slots=True)
class Markers:
    """The telling words of one language."""

    denials: frozenset[str]
    """Words that deny."""
    begun: tuple[str, ...]
    """Beginnings of words that deny."""
    inside: tuple[str, ...]
    """What denies within words, or anywhere in a text without blanks."""
    known: frozenset[str]
    """All of its words here, by which it is told."""

    def count_denials(self, text: str) -> Counter[str]:
        """Count what denies in a text.

        >>> all_markers()["de"].count_denials("Ich trinke nie Kaffee.")
        Counter({'nie': 1})
        """
        plain = normalise(text)
        found = Counter(
            word for word in words(plain) if word in self.denials or (self.begun and word.startswith(self.begun))
        )
        found.update({form: plain.count(form) for form in self.inside if form in plain})
        return found


@lru_cache(maxsize=1)
def all_markers() -> Mapping[str, Markers]:
    """Read markers.toml: by the code of the language."""
    data = tomllib.loads(files(__package__).joinpath("markers.toml").read_text("utf-8"))["languages"]
    return {code: _read(code, entry) for code, entry in data.items()}


@lru_cache(maxsize=1)
def english_stems() -> frozenset[str]:
    """Read english.txt: stems of common English words."""
    lines = files(__package__).joinpath("english.txt").read_text("utf-8").splitlines()
    return frozenset(stem(word) for line in lines if not line.startswith("#") for word in line.split())


def _read(code: str, entry: Mapping[str, str]) -> Markers:
    forms = [form for each in entry.get("negations", "").split() for form in each.split(_OR)]
    denials = frozenset(" ".join(words(form)) for form in forms if not form.endswith(_BEGINS))
    inside = [normalise(form) for form in entry.get("inside", "").split()]
    return Markers(
        denials=denials,
        begun=tuple(" ".join(words(form)) for form in forms if form.endswith(_BEGINS)),
        inside=(*inside, *(denials if code in _UNSPACED else ())),
        known=denials | frozenset(entry["tells"].split()),
    )
