"""A form with a file (multipart/form-data, RFC 7578): its fields, and the file as it comes. Reads bodies through ASGI.

The fields come before the file in the form; the file is never in memory as a whole.
"""

from collections.abc import MutableMapping
from email.message import Message
from email.parser import BytesHeaderParser
from typing import Any

from toldonce.server.asgi import ClientDisconnectedError, Headers, Receive, header
from toldonce.server.dashboard.page import BadFormError, Form, PageError
from toldonce.server.status import BAD_REQUEST

KIND = "multipart/form-data"
NO_FILE = "Choose a file first."
_CONTENT_TYPE = "content-type"
# Bytes of all fields before the file, and of the head of one part.
_MAX_FIELD_BYTES, _MAX_HEAD_BYTES = 64 * 1024, 8 * 1024
_MAX_BOUNDARY = 70


def is_upload(headers: Headers) -> bool:
    """Return whether a request sends a form that may have a file."""
    return _kind(headers).get_content_type() == KIND


async def read_upload(headers: Headers, receive: Receive) -> tuple[Form, Receive]:
    """Read the fields of a form up to its file; return them, and what reads the file as if it were a body of its own.

    Raises:
        PageError: It is no such form, or its fields are too large.
        BadFormError: No file was chosen.
        ClientDisconnectedError: The client hung up.
    """
    boundary = _kind(headers).get_boundary("")
    if not (0 < len(boundary) <= _MAX_BOUNDARY and boundary.isascii()):
        raise PageError(BAD_REQUEST, "The form names no boundary of its parts.")
    parts = _Parts(receive, b"\r\n--" + boundary.encode())
    form: dict[str, list[str]] = {}
    left = _MAX_FIELD_BYTES
    await parts.until(parts.delimiter, left)
    while True:
        if await parts.until(b"\r\n", _MAX_HEAD_BYTES) == b"--":
            raise BadFormError(NO_FILE)
        head = BytesHeaderParser().parsebytes(await parts.until(b"\r\n\r\n", _MAX_HEAD_BYTES))
        if (filename := head.get_filename()) is not None:
            if not filename:
                raise BadFormError(NO_FILE)
            return form, parts.receive
        value = await parts.until(parts.delimiter, left)
        left -= len(value)
        name = head.get_param("name", "", header="content-disposition")
        form.setdefault(str(name), []).append(value.decode("utf-8", "replace"))


def _kind(headers: Headers) -> Message:
    message = Message()
    message[_CONTENT_TYPE] = (header(headers, _CONTENT_TYPE.encode()) or b"").decode("latin-1")
    return message


class _Parts:
    """The parts of a body, read piece by piece."""

    def __init__(self, receive: Receive, delimiter: bytes) -> None:
        self.delimiter = delimiter
        self._receive = receive
        self._buffer = bytearray(b"\r\n")  # the first delimiter has no line break before it
        self._has_more = True

    async def until(self, mark: bytes, max_bytes: int) -> bytes:
        """Return what comes before a mark; the mark itself is skipped.

        Raises:
            PageError: It does not come within `max_bytes`, or not at all.
        """
        while (at := self._buffer.find(mark)) < 0 and len(self._buffer) <= max_bytes + len(mark):
            await self._read()
        if not 0 <= at <= max_bytes:
            raise PageError(BAD_REQUEST, "The fields of the form are too large.")
        found = bytes(self._buffer[:at])
        del self._buffer[: at + len(mark)]
        return found

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the next piece of the part, as ASGI has it."""
        kept = len(self.delimiter) - 1  # they may begin the delimiter
        while (at := self._buffer.find(self.delimiter)) < 0 and len(self._buffer) <= kept:
            await self._read()
        piece = bytes(self._buffer[: at if at >= 0 else -kept])
        del self._buffer[: len(piece)]
        return {"type": "http.request", "body": piece, "more_body": at < 0}

    async def _read(self) -> None:
        if not self._has_more:
            raise PageError(BAD_REQUEST, "The form broke off: send it again.")
        event = await self._receive()
        if event["type"] == "http.disconnect":
            raise ClientDisconnectedError
        self._buffer += event.get("body", b"")
        self._has_more = event.get("more_body", False)
