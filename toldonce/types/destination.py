"""Where a prompt goes. Pure."""

from dataclasses import dataclass

BUILT_IN = "built-in"
"""The upstream of the model that comes with ToldOnce."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """The receiver of recalled memories. What is not known is None, and no pattern matches it."""

    upstream: str | None = None
    """Host of the model's API, such as `api.openai.com`; or `BUILT_IN`."""
    model: str | None = None
    """Name of the model, as the request gives it."""
    client: str | None = None
    """How the memories are asked for: `chat` through the proxy, `mcp`, `hook`, or a name that the caller gives."""

    @property
    def name(self) -> str:
        """The destination in one line, for traces and errors.

        >>> Destination(upstream="api.openai.com", model="gpt-5", client="chat").name
        'chat, upstream api.openai.com, model gpt-5'
        """
        upstream, model = self.upstream and f"upstream {self.upstream}", self.model and f"model {self.model}"
        return ", ".join(filter(None, (self.client, upstream, model))) or "an unknown destination"


UNKNOWN_DESTINATION = Destination()
