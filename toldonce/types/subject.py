"""Owners of memories. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Self
from urllib.parse import quote, unquote

from toldonce.errors import BadSubjectError
from toldonce.lazy_pattern import LazyPattern
from toldonce.text_caches import register_text_cache

SUBJECT_KINDS = frozenset({"user", "app", "session", "character", "shared", "global"})
# Kinds whose subjects may be within another's: `session:ana/1` is user `ana`'s. `app:calendar` is every user's.
INNER_KINDS = frozenset({"app", "session", "character"})
# Owner of users and apps; subjects of two tenants never meet. Lower case, so that two spellings are not two tenants.
_TENANT = LazyPattern(r"[a-z0-9][a-z0-9_.-]{0,62}")
# Longest subject name in UTF-8 bytes: room for any id a client sends, too short to carry a payload.
SUBJECT_NAME_BYTES = 512
_CONTROL = LazyPattern(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Subject:
    """Owner of memories, such as `user:alice`. Storage is partitioned by it.

    >>> Subject.parse("user:alice").key == Subject("user", "alice").key
    True
    """

    kind: str
    name: str
    tenant: str = ""
    """Name of the tenant that it belongs to; empty: the tenant of a server that serves only one."""

    def __post_init__(self) -> None:
        """Refuse names that could be mistaken for another subject later."""
        if self.tenant:
            check_tenant(self.tenant)
        if self.kind not in SUBJECT_KINDS:
            raise BadSubjectError(f"{self.kind}:{self.name}", f"the kind is none of {sorted(SUBJECT_KINDS)}")
        if not self.name and self.kind != "global":
            raise BadSubjectError(f"{self.kind}:", "the name is empty")
        if _CONTROL.search(self.name):
            raise BadSubjectError(f"{self.kind}:{self.name}", "the name holds a control character or lone surrogate")
        if len(self.name.encode()) > SUBJECT_NAME_BYTES:
            raise BadSubjectError(
                f"{self.kind}:{self.name[:40]}…", f"the name is longer than {SUBJECT_NAME_BYTES} bytes"
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `kind:name` or `@tenant/kind:name`; a text without a known kind is the name of a user."""
        tenant, rest = _split_tenant(text)
        kind, colon, name = rest.partition(":")
        if rest == "global":
            return cls("global", "", tenant)
        if colon and kind in SUBJECT_KINDS:
            return cls(kind, name, tenant)
        return cls("user", text)

    @property
    def text(self) -> str:
        """The name as it is shown and stored: `kind:name` or `global`, after `@tenant/` if it belongs to one.

        >>> Subject("user", "ana", "acme").text
        '@acme/user:ana'
        """
        text = f"{self.kind}:{self.name}" if self.name else self.kind
        return f"@{self.tenant}/{text}" if self.tenant else text

    @property
    def owner(self) -> "Subject | None":
        """The subject that this one is within; None if its name does not begin with an owner.

        The owner is quoted as by `engine.scope.owned_subject`. A name that was written by hand in another way is
        taken literally: `session:Zoë/1` is user `Zoë`'s.

        >>> Subject("session", "ana%2Fx/1").owner
        Subject(kind='user', name='ana/x', tenant='')
        """
        owner, slash, _ = self.name.partition("/")
        if self.kind not in INNER_KINDS or not (slash and owner):
            return None
        kind, colon, name = owner.partition(":")
        if colon and kind in SUBJECT_KINDS and (name or kind == "global"):
            return Subject(kind, _unquoted(name), self.tenant)
        return Subject("user", _unquoted(owner), self.tenant)

    @property
    def owners(self) -> "tuple[Subject, ...]":
        """All subjects that this one is within, innermost first."""
        owner = self.owner
        return () if owner is None else (owner, *owner.owners)

    @property
    def user(self) -> "Subject":
        """The outermost subject that this one is within; itself if it is within none.

        >>> Subject("session", "ana/1").user.text, Subject("shared", "team").user.text
        ('user:ana', 'shared:team')
        """
        return self.owners[-1] if self.owner is not None else self

    def of_other_users(self, others: "Mapping[Subject, Subject]") -> "Subject":
        """Return the same subject of other users: `others` names some users, each with the one that takes its place.

        >>> ana, ben = Subject("user", "ana"), Subject("user", "ben")
        >>> Subject("session", "ana/1").of_other_users({ana: ben}).text, ben.of_other_users({ana: ben}).text
        ('session:ben/1', 'user:ben')
        """
        if self in others:
            return others[self]
        owner = self.owner
        found = owner and owner.of_other_users(others)
        if found is None or found == owner:
            return self
        return Subject(self.kind, f"{found.as_owner}/{self.name.partition('/')[2]}", self.tenant)

    @property
    def as_owner(self) -> str:
        """How the names of subjects within this one begin: two owners never have the same, whatever their names."""
        name = quote(self.name, safe="")
        return name if self.kind == "user" else f"{self.kind}:{name}"

    @property
    def app_name(self) -> str | None:
        """The name by which an app calls itself, in one user's memory or in that of all users; None: it is no app.

        >>> [Subject("app", name).app_name for name in ("ana%2Fx/To do/2", "To%20do", "100%")]
        ['To do/2', 'To do', '100%']
        """
        if self.kind != "app":
            return None
        _, slash, name = self.name.partition("/")
        return name if slash else _unquoted(self.name)

    @property
    def everyone(self) -> "Subject":
        """The subject that all users of its tenant may read: `global`."""
        return Subject("global", "", self.tenant)

    @property
    def key(self) -> int:
        """The 64-bit signed partition key: blake2b of the text. The store compares the text as well."""
        return _key(self.text)


def check_tenant(name: str) -> str:
    """Return a tenant's name.

    Raises:
        BadSubjectError: It is not 1 to 63 of the characters `a-z 0-9 _ . -`, or does not begin with a letter or digit.
    """
    if not _TENANT.fullmatch(name):
        raise BadSubjectError(
            f"@{name[:80]}",
            "a tenant's name has 1 to 63 of the characters a-z 0-9 _ . - and begins with one of a-z 0-9",
        )
    return name


LAST_NAME = "\U0010ffff"
"""Comes after every subject's text."""


def tenant_range(tenant: str | None) -> tuple[str, str]:
    """Return the texts between which those of a tenant's subjects are, both excluded; None: of all tenants.

    >>> [start < text < end for start, end in [tenant_range("acme"), tenant_range("")]
    ...  for text in ("@acme/user:ana", "user:ana", "@acme.org/user:ana")]
    [True, False, False, False, True, False]
    """
    if tenant is None:
        return "", LAST_NAME
    return (f"@{tenant}/", f"@{tenant}0") if tenant else ("A", LAST_NAME)


def _split_tenant(text: str) -> tuple[str, str]:
    """Split `@tenant/rest`; the tenant is empty if the text does not begin with one."""
    tenant, slash, rest = text[1:].partition("/")
    if not text.startswith("@") or not slash or not _TENANT.fullmatch(tenant):
        return "", text
    return tenant, rest


@register_text_cache
@lru_cache(maxsize=10_000)
def _key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def _unquoted(name: str) -> str:
    """Read an owner's name that `engine.scope.owned_subject` quoted; any other name stays as it is."""
    plain = unquote(name)
    return plain if quote(plain, safe="") == name and not _CONTROL.search(plain) else name


GLOBAL = Subject("global", "")
"""Memories that a profile may read while a subject has few of its own, without a tenant."""
