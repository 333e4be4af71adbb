"""The open connections of a server: how many there may be, in all and of one address, and what they may hold. Pure.

Where no further connection has room, the one that has waited longest without a request is closed for it. Where every
connection has a request, a few more are taken, on which only monitoring is answered.
"""

from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv6Address
from typing import Protocol

from toldonce.settings.bounds import BoundSettings

# Connections beyond the limit on which `/livez` and the like are answered.
SPARE_CONNECTIONS = 32
# Descriptors for the database, the log, models and files that are open for a moment.
RESERVED_DESCRIPTORS = 128
# A chat takes a connection of the client and one to upstream.
DESCRIPTORS_PER_CONNECTION = 2
MIN_CONNECTIONS = 8
# Bodies up to this size are always taken, however much is held: a few large ones must not shut out every chat.
SMALL_BODY_BYTES = 256 * 1024


class Connection(Protocol):
    """A connection as the table sees it."""

    address: str
    """The client's, see `address_group`."""

    def drop(self) -> None:
        """Close it at once; it has no request."""
        ...

    def check_deadlines(self, now: float, elapsed: float) -> None:
        """Refuse or end what is too slow; `elapsed` seconds after the last call."""
        ...


def address_group(host: str) -> str:
    """Return what counts as one address: of IPv6 the first 64 bits, which one customer has to himself.

    >>> address_group("192.0.2.7"), address_group("2001:db8:1:2:3:4:5:6"), address_group("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::', '192.0.2.7')
    """
    if ":" not in host:
        return host
    try:
        address = IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    mapped = address.ipv4_mapped
    return str(mapped) if mapped else str(IPv6Address(int(address) >> 64 << 64))


def connections_within(limit: int, descriptors: int) -> int:
    """Return how many connections a process takes that may open so many files.

    >>> connections_within(2000, 1_000_000), connections_within(2000, 1024), connections_within(2000, 64)
    (2000, 416, 8)
    """
    room = (descriptors - RESERVED_DESCRIPTORS) // DESCRIPTORS_PER_CONNECTION - SPARE_CONNECTIONS
    return max(MIN_CONNECTIONS, min(limit, room))


class ConnectionTable:
    """All connections of one server, and the bytes of their requests' bodies."""

    def __init__(self, limits: BoundSettings, refused: Counter[str] | None = None) -> None:
        """Create an empty table.

        Args:
            limits: What clients may take.
            refused: Takes the count of what was refused or closed, by reason.
        """
        self.limits = limits
        self.refused: Counter[str] = Counter() if refused is None else refused
        self.held_bytes = 0
        """Bytes of the bodies of all requests under way."""
        self._open: dict[Connection, None] = {}
        self._of_address: Counter[str] = Counter()
        self._requests: Counter[str] = Counter()
        self._waiting: dict[Connection, None] = {}
        """Connections without a request, longest wait first."""

    def __iter__(self) -> Iterator[Connection]:
        """Iterate over a copy: connections may end meanwhile."""
        return iter(tuple(self._open))

    def __len__(self) -> int:
        return len(self._open)

    def has_room_for(self, address: str) -> bool:
        """Return whether a further connection is within the limits."""
        limits = self.limits
        return (
            len(self._open) < limits.max_connections and self._of_address[address] < limits.max_connections_per_address
        )

    def admit(self, connection: Connection) -> bool:
        """Take a connection if there is room, or room can be made; return whether it was taken.

        Up to `SPARE_CONNECTIONS` are taken beyond the limits, for monitoring alone.
        """
        address = connection.address
        while not self.has_room_for(address):
            full_address = self._of_address[address] >= self.limits.max_connections_per_address
            oldest = self._longest_waiting(address if full_address else None)
            if oldest is None:
                break
            self.refused["idle connection closed"] += 1
            self.discard(oldest)
            oldest.drop()
        if len(self._open) >= self.limits.max_connections + SPARE_CONNECTIONS:
            self.refused["connection"] += 1
            return False
        self._open[connection] = self._waiting[connection] = None
        self._of_address[address] += 1
        return True

    def is_full_for(self, address: str) -> bool:
        """Return whether there are more connections than there may be, those that were taken included."""
        limits = self.limits
        return (
            len(self._open) > limits.max_connections or self._of_address[address] > limits.max_connections_per_address
        )

    def discard(self, connection: Connection) -> None:
        """Forget a connection; does nothing if it is unknown."""
        if connection in self._open:
            del self._open[connection]
            self._waiting.pop(connection, None)
            self._subtract(self._of_address, connection.address)

    def begin_request(self, connection: Connection) -> bool:
        """Note that a request begins; return whether its address may have one more."""
        if self._requests[connection.address] >= self.limits.max_requests_per_address:
            self.refused["request"] += 1
            return False
        self._requests[connection.address] += 1
        self._waiting.pop(connection, None)
        return True

    def end_request(self, connection: Connection) -> None:
        """Note that a request that began has ended."""
        self._subtract(self._requests, connection.address)
        if connection in self._open:
            self._waiting[connection] = None

    def hold(self, size: int, more: int) -> bool:
        """Hold `more` bytes of a body of which `size` are held; return whether there was room."""
        if size + more > SMALL_BODY_BYTES and self.held_bytes + more > self.limits.max_held_bytes:
            self.refused["body"] += 1
            return False
        self.held_bytes += more
        return True

    def release(self, size: int) -> None:
        """Release the bytes of a body."""
        self.held_bytes -= size

    def _longest_waiting(self, address: str | None) -> Connection | None:
        return next((other for other in self._waiting if address is None or other.address == address), None)

    @staticmethod
    def _subtract(counts: Counter[str], address: str) -> None:
        counts[address] -= 1
        if not counts[address]:
            del counts[address]
