"""The `Host` header: what it names, and which names a server answers to (against DNS rebinding). Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

# `host[:port]` of RFC 3986 without user information, percent signs and zones, in lower case.
_AUTHORITY = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]{2,45})\]|(?P<name>[a-z0-9_.-]{1,254}))(?::(?P<port>[0-9]{1,5}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]{1,10}|0x[0-9a-f]{0,8}")
_MAX_NAME, _MAX_PORT = 253, 65535
# Endings that no public name server answers for, so no stranger can point such a name at this machine: reserved ones
# (RFC 6761, 6762, 8375, ICANN's `internal`) and Kubernetes' `svc` and `cluster.local`.
_PRIVATE = (".local", ".internal", ".home.arpa", ".test", ".svc")


@dataclass(frozen=True, slots=True)
class Authority:
    """A host and the port behind it."""

    host: str
    """Name in lower case without the dot of the root, or an address in its shortest form, without brackets."""
    port: int | None
    is_address: bool

    @property
    def is_loopback(self) -> bool:
        """Whether it names this machine, whatever a name server says."""
        if self.is_address:
            return (IPv6Address(self.host) if ":" in self.host else IPv4Address(self.host)).is_loopback
        return self.host == "localhost" or self.host.endswith(".localhost")

    @property
    def is_private(self) -> bool:
        """Whether no public name server can have answered for it: an address, a single label or a reserved ending."""
        return self.is_address or "." not in self.host or self.host.endswith(_PRIVATE)


def parse_authority(value: str) -> Authority | None:
    """Read `host[:port]` strictly; None where it is anything else.

    >>> parse_authority("LOCALHOST.:8765")
    Authority(host='localhost', port=8765, is_address=False)
    >>> parse_authority("[::1]:80"), parse_authority("[::1].evil.example"), parse_authority("0x7f.1")
    (Authority(host='::1', port=80, is_address=True), None, None)
    """
    found = _AUTHORITY.fullmatch(value.lower()) if value.isascii() else None
    if found is None or (found["port"] and int(found["port"]) > _MAX_PORT):
        return None
    port = int(found["port"]) if found["port"] else None
    if found["v6"] is not None:
        try:
            return Authority(str(IPv6Address(found["v6"])), port, is_address=True)
        except ValueError:
            return None
    return _named(found["name"], port)


def _named(name: str, port: int | None) -> Authority | None:
    """Read a name or an IPv4 address. A last label that is a number makes it an address: in full, or not at all."""
    name = name.removesuffix(".")
    labels = name.split(".")
    if len(name) > _MAX_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    if not _NUMBER.fullmatch(labels[-1]):
        return Authority(name, port, is_address=False)
    try:
        return Authority(str(IPv4Address(name)), port, is_address=True)
    except ValueError:
        return None


class HostRule:
    """Which hosts a server answers to: its own names, and those that are listed."""

    def __init__(self, *, loopback: bool, listed: Iterable[str], guarded: bool = True) -> None:
        """Create a rule.

        Args:
            loopback: The server listens on a loopback address; only names of this machine are its own.
            listed: Further hosts, as `name` (any port) or `name:port`.
            guarded: On an open address, refuse names that a public name server can answer for.
        """
        self._loopback = loopback
        self._guarded = guarded
        known = [authority for host in listed if (authority := parse_authority(host)) is not None]
        self._listed = frozenset((authority.host, authority.port) for authority in known)

    def allows(self, value: str) -> bool:
        """Return whether a request with this `Host` is answered."""
        authority = parse_authority(value)
        if authority is None:
            return False
        if authority.is_loopback or not {(authority.host, authority.port), (authority.host, None)}.isdisjoint(
            self._listed
        ):
            return True
        return not self._loopback and (not self._guarded or authority.is_private)
