"""What an agent writes of the owner of a memory, as the owner would say it: 'The user lives in Oslo'. Pure.

Agents write of one person as "User", "The user", "The owner" or by name. What they write is stored as it is; in the
owner's voice it is only compared: its slots are those of 'I live in Oslo', and what differs in the name alone says the
same. `owners.toml` has the words.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from toldonce.lazy_pattern import LazyPattern

_WORD = LazyPattern(r"[^\W_]++(?:['’-][^\W_]++)*+")
# Characters of a text in the owner's voice: a longer one is no single statement.
MAX_VOICED = 400
_VOWELS = frozenset("aeiouhéèêâîôûy")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owner:
    """How a language writes of the owner."""

    names: tuple[str, ...]
    """The longest first."""
    own: str
    elided: str
    """`own` before a vowel; empty where it stays."""
    of: str
    my: str
    is_unspaced: bool
    turned: Mapping[str, str]
    theirs: Mapping[str, str]

    def voiced(self, rest: str, *, is_theirs: bool) -> str:
        """Return a sentence about the owner in their voice.

        Args:
            rest: What follows their name.
            is_theirs: The sentence begins with what is theirs: "The user's dog …".
        """
        if self.is_unspaced:
            for each, own in self.theirs.items():
                rest = rest.replace(each, own)
            return f"{self.my if is_theirs else self.own}{rest}"
        said = self._turned(rest.lstrip(), turns_verbs=not is_theirs)
        if is_theirs:
            return f"{self.my} {said}".lstrip()
        return f"{self.elided}{said}" if self.elided and said[:1] in _VOWELS else f"{self.own} {said}"

    def _turned(self, rest: str, *, turns_verbs: bool) -> str:
        said, end = "", 0
        for found in _WORD.finditer(rest):
            if found.start() < end:
                continue
            word = _plain(found.group())
            own, stop = self.theirs.get(word, ""), found.end()
            if own:
                turns_verbs = False
            elif turns_verbs:
                own, stop = self._turn(rest, found.start(), word, found.end())
            if own:
                said += rest[end : found.start()] + own
                end = stop
        return said + rest[end:]

    def _turn(self, rest: str, start: int, word: str, end: int) -> tuple[str, int]:
        """Return the owner's own word for a word, or for it and the next, and where these end."""
        following = _WORD.search(rest, end)
        if following and (own := self.turned.get(_plain(rest[start : following.end()]))):
            return own, following.end()
        return self.turned.get(word, ""), end

    def count(self, text: str) -> int:
        """Count the words of this language's table in a text."""
        spelled = [_plain(found.group()) for found in _WORD.finditer(text)]
        return sum(word in self.turned or word in self.theirs for word in spelled)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnersStatement:
    """A sentence about the owner of a memory."""

    text: str
    """As the owner would say it."""
    alike: tuple[str, ...] = ()
    """The same sentence with each other name of the owner."""


def owners_statement(text: str, names: Sequence[str] = ()) -> OwnersStatement:
    """Return what a note says of the owner, as they would say it; one about something else, or too long, unchanged.

    Args:
        text: The note.
        names: Names of the owner, as they stated them.

    >>> owners_statement("The user's dog is called Rex").text, owners_statement("Ana lives in Oslo", ["Ana"]).text
    ('my dog is called Rex', 'I live in Oslo')
    >>> owners_statement("Ana lives in Oslo").text, owners_statement("用户住在奥斯陆").text
    ('Ana lives in Oslo', '我住在奥斯陆')
    """
    plain = _plain(text)
    if len(plain) != len(text) or len(text) > MAX_VOICED:
        return OwnersStatement(text=text)
    for owner in _owners().values():
        named = next((name for name in owner.names if _begins(plain, name, owner)), "")
        if named:
            return _stated(text, named, owner, names)
    called = next((name for name in map(_plain, names) if name and _begins_spaced(plain, name)), "")
    if not called:
        return OwnersStatement(text=text)
    owner = max(_owners().values(), key=lambda each: each.count(text[len(called) :]))
    return _stated(text, called, owner, names)


def _stated(text: str, named: str, owner: _Owner, names: Sequence[str]) -> OwnersStatement:
    rest = text[len(named) :]
    is_theirs = bool(owner.of) and _plain(rest).startswith(owner.of)
    others = [name for name in (*owner.names, *names) if _plain(name) != named]
    return OwnersStatement(
        text=owner.voiced(rest[len(owner.of) :] if is_theirs else rest, is_theirs=is_theirs),
        alike=tuple(f"{name}{rest}" for name in others),
    )


def _begins(plain: str, name: str, owner: _Owner) -> bool:
    return plain.startswith(name) if owner.is_unspaced else _begins_spaced(plain, name, owner.of)


def _begins_spaced(plain: str, name: str, of: str = "'s") -> bool:
    """Return whether a text begins with a name, or with what is that one's, and goes on."""
    rest = plain.removeprefix(name)
    return len(rest) < len(plain) and (rest.startswith(" ") or (bool(of) and rest.startswith(f"{of} ")))


def _plain(text: str) -> str:
    return text.lower().replace("’", "'")


@cache
def _owners() -> Mapping[str, _Owner]:
    rows = tomllib.loads(files(__package__).joinpath("owners.toml").read_text("utf-8"))
    return {
        code: _Owner(
            names=tuple(sorted(map(_blanks, row["owner"].split()), key=len, reverse=True)),
            own=row["i"],
            elided=row.get("elided", ""),
            of=row["of"],
            my=row["my"],
            is_unspaced=row.get("unspaced", False),
            turned=_pairs(row["turned"]),
            theirs=_pairs(row["theirs"]),
        )
        for code, row in rows.items()
    }


def _pairs(text: str) -> Mapping[str, str]:
    pairs = (pair.split("=") for pair in text.split())
    return {_blanks(word): _blanks(own) for word, own in pairs}


def _blanks(word: str) -> str:
    return word.replace("_", " ")
