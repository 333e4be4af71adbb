"""Client of a chat model, at temperature 0. Connects to the configured address only."""

from dataclasses import dataclass
from typing import Any

from toldonce.providers.json_client import ApiRefusedError, JsonClient
from toldonce.providers.openai_wire import read_completion, read_usage
from toldonce.providers.protocols import TokenCounter
from toldonce.text import clean

_MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """Answer of a model."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    counted_here: bool
    """Whether tokens were counted here, because the server sent none."""


class ChatModel:
    """A model at `POST {url}/chat/completions`."""

    def __init__(self, url: str, model: str, counter: TokenCounter, *, key: str | None, timeout_s: float) -> None:
        """Create a client; it connects on the first question.

        Args:
            url: Base URL, including `/v1`.
            model: Name of the model.
            counter: Counts tokens if the server sends none.
            key: Sent as bearer token; None sends none.
            timeout_s: Timeout for an answer.
        """
        self._api = JsonClient(url, key=key, timeout_s=timeout_s, max_bytes=_MAX_BYTES)
        self._counter = counter
        self._temperature = True
        self.name = model

    async def ask(self, text: str) -> ModelReply:
        """Ask once.

        Raises:
            ModelError: No answer, a refusal, or an empty answer.
        """
        body: dict[str, Any] = {
            "model": self.name,
            "stream": False,
            "messages": [{"role": "user", "content": clean(text)}],
        }
        temperature = {"temperature": 0} if self._temperature else {}
        try:
            answer = await self._api.post("/chat/completions", body | temperature)
        except ApiRefusedError as refused:
            if not temperature or refused.param != "temperature":
                raise
            self._temperature = False  # some models only accept their own
            answer = await self._api.post("/chat/completions", body)
        words, usage = read_completion(answer.body), read_usage(answer.body)
        return ModelReply(
            text=words.strip(),
            prompt_tokens=usage.prompt_tokens if usage else self._counter.count(text),
            completion_tokens=usage.completion_tokens if usage else self._counter.count(words),
            counted_here=usage is None,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()
