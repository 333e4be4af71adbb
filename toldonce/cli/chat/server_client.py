"""Client of a ToldOnce server that also reads the `memories` of an answer. Connects by HTTP."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import aiohttp

from toldonce.chat.sse import SseReader
from toldonce.errors import ModelError
from toldonce.http_stream import read_parts

# Timeouts for connecting and for silence within an answer: models may think for minutes.
_CONNECT_S, _SILENCE_S = 10, 600
_DONE = b"[DONE]"
_READ_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPiece:
    """Part of a streamed answer."""

    text: str = ""
    memories: Sequence[Mapping[str, Any]] = ()
    """Recalled memories, in one piece of the answer."""


class ChatClient:
    """Connection of one user to a server."""

    def __init__(self, base_url: str, user: str, key: str | None = None) -> None:
        """Create a client for a server's URL (without `/v1`), a user, and the API key that the server may need."""
        self._base = base_url.rstrip("/")
        self._headers = {"x-toldonce-user": user} | ({"x-toldonce-key": key} if key else {})
        self._http = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S, sock_read=_SILENCE_S), trust_env=False
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    async def first_model(self) -> str:
        """Return the first model that the server lists.

        Raises:
            ModelError: The server does not answer, or lists no models.
        """
        try:
            async with self._http.get(f"{self._base}/v1/models", headers=self._headers) as answer:
                if answer.status != 200:
                    raise ModelError(await _refusal(answer))
                body = await answer.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise ModelError(f"no answer from {self._base}: {error}") from None
        models = body.get("data") if isinstance(body, dict) else None
        first = models[0] if isinstance(models, list) and models else None
        if not isinstance(first, dict) or not isinstance(first.get("id"), str):
            raise ModelError(f"{self._base} lists no models: name one with --model")
        return str(first["id"])

    async def ask(
        self, messages: Sequence[Mapping[str, str]], *, model: str, conversation: str
    ) -> AsyncIterator[AnswerPiece]:
        """Send a conversation and stream the answer.

        Raises:
            ModelError: No answer, a refusal, or an incomplete answer.
        """
        body = {"model": model, "stream": True, "messages": list(messages)}
        headers = self._headers | {"x-toldonce-session": conversation}
        try:
            async with self._http.post(f"{self._base}/v1/chat/completions", json=body, headers=headers) as answer:
                if answer.status != 200:
                    raise ModelError(await _refusal(answer))
                whole = False
                async for data in _events(answer.content):
                    whole = whole or data.strip() == _DONE
                    yield read_piece(data)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ModelError(f"{self._base}: {error or 'no answer in time'}") from None
        if not whole:
            raise ModelError("the answer broke off")


async def _events(content: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    reader = SseReader()
    async for chunk in read_parts(content, _READ_BYTES):
        for event in reader.feed(chunk):
            yield event.data
    last = reader.close()
    if last is not None:
        yield last.data


def read_piece(data: bytes) -> AnswerPiece:
    """Parse one event of an answer; other events give an empty piece.

    Raises:
        ModelError: The event is an error.

    >>> read_piece(b'{"choices": [{"delta": {"content": "Hi"}}]}').text
    'Hi'
    """
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return AnswerPiece()
    if not isinstance(body, dict):
        return AnswerPiece()
    if body.get("error"):
        raise ModelError(_message_of(body))
    memories = body.get("memories")
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    delta = first.get("delta") if isinstance(first, dict) else None
    text = delta.get("content") if isinstance(delta, dict) else None
    return AnswerPiece(
        text=text if isinstance(text, str) else "",
        memories=tuple(item for item in memories if isinstance(item, dict)) if isinstance(memories, list) else (),
    )


async def _refusal(answer: aiohttp.ClientResponse) -> str:
    text = await answer.text(errors="replace")
    try:
        reason = _message_of(json.loads(text))
    except (ValueError, RecursionError):
        reason = text[:200]
    return f"the server answers {answer.status}: {reason}"


def _message_of(body: object) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return str(message if message else body)[:500]
