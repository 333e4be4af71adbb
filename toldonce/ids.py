"""Ids: UUIDv7 in canonical text at the edge, 16 bytes in the store. Holds the process's last id."""

import secrets
import struct
from threading import Lock

from toldonce.clock import Clock, to_micros

_RANDOM_BITS = 74  # of a UUIDv7 besides 48 bits of milliseconds, version and variant
# Maximum distance of ids within one millisecond: the next id cannot be guessed, and the field never overflows.
_STEP_BYTES = 4
_BYTES, _CHARACTERS = 16, 36
_VERSION = 7 << 76
_VARIANT = 0b10 << 62
_LOW_BITS = (1 << 62) - 1
# Later than any time that an id is made of.
_UNSTORED, _UNSTORED_TEXT = bytes([255] * 8), "ffffffff-ffff-ffff-"

_lock = Lock()
_last = (0, 0)


def new_id(clock: Clock) -> str:
    """Return an id of the clock's millisecond that sorts after all earlier ids of this process.

    This holds even if the clock goes back.

    >>> from toldonce.clock import SystemClock
    >>> new_id(SystemClock()) < new_id(SystemClock())
    True
    """
    return id_text(new_ids(clock, 1)[0])


def new_ids(clock: Clock, count: int) -> list[bytes]:
    """Return the 16 bytes of so many ids, in ascending order; otherwise as `new_id`."""
    global _last
    now = max(0, to_micros(clock.now()) // 1000)
    steps = struct.unpack(f"{count}I", secrets.token_bytes(_STEP_BYTES * count))
    made = []
    with _lock:
        millis, random = _last
        for step in steps:
            if now > millis:
                # The top bit stays free for steps within the millisecond.
                millis, random = now, secrets.randbits(_RANDOM_BITS - 1)
            else:
                random += 1 + step
            low = _VARIANT | random & _LOW_BITS
            made.append((millis << 80 | _VERSION | random >> 62 << 64 | low).to_bytes(_BYTES))
        _last = (millis, random)
    return made


def id_bytes(text: str) -> bytes | None:
    """Return the 16 bytes of an id; None if the text is not an id in canonical form.

    >>> id_bytes("0198c0de-0000-7000-8000-00000000000a").hex()
    '0198c0de00007000800000000000000a'
    >>> id_bytes("nonsense") is None
    True
    """
    digits = text.replace("-", "")
    if len(text) != _CHARACTERS or not text[8] == text[13] == text[18] == text[23] == "-":
        return None
    try:
        found = bytes.fromhex(digits)
    except ValueError:
        return None
    return found if len(found) == _BYTES and found.hex() == digits else None


def id_text(data: bytes) -> str:
    """Return the canonical text of an id's 16 bytes.

    >>> id_text(bytes(15) + b"\\x0a")
    '00000000-0000-0000-0000-00000000000a'
    """
    digits = data.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def unstored_id(number: int) -> str:
    """Return an id that sorts after those of all memories, for what is recalled without being stored.

    Args:
        number: 64 bits, signed or not, that tell it from others.

    >>> unstored_id(-1)
    'ffffffff-ffff-ffff-ffff-ffffffffffff'
    """
    return id_text(_UNSTORED + (number & (1 << 64) - 1).to_bytes(8))


def is_unstored(id_: str | bytes) -> bool:
    """Return whether `unstored_id` made an id.

    >>> is_unstored(unstored_id(5)), is_unstored(bytes(16))
    (True, False)
    """
    return id_.startswith(_UNSTORED_TEXT) if isinstance(id_, str) else id_.startswith(_UNSTORED)
