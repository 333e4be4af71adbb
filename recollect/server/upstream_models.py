"""The models that the configured upstream lists, to name one of them to people. Network."""

import json
import re

import aiohttp

from recollect.settings import Settings

# The start of the server waits this long for the list, in seconds: it only words a hint.
MAX_WAIT_S = 1.0
MAX_BYTES = 1_000_000
# Names that can stand in a shell command and in a terminal as they are.
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@+-]{0,199}")
# Words in names of models that answer no chat.
_NO_CHAT = ("embed", "rerank", "whisper", "tts", "dall-e", "moderation", "image", "audio", "transcribe")


async def chat_model(settings: Settings) -> str | None:
    """Return a model that the upstream has: the one that forms memories, else the first that can chat.

    None where there is no upstream, or it does not tell within `MAX_WAIT_S`.
    """
    if settings.upstream_url is None:
        return None
    key = settings.upstream_key.get_secret_value() if settings.upstream_key else None
    headers = {"authorization": f"Bearer {key}"} if key else {}
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=MAX_WAIT_S), trust_env=False) as http,
            http.get(f"{settings.upstream_url}/models", headers=headers, allow_redirects=False) as answer,
        ):
            listed = await answer.content.read(MAX_BYTES) if answer.status == 200 else b""
            while answer.status == 200 and len(listed) < MAX_BYTES and (more := await answer.content.read(MAX_BYTES)):
                listed += more
    except (aiohttp.ClientError, TimeoutError, OSError):
        return None
    return choose(listed, preferred=settings.form_model)


def choose(listed: bytes, *, preferred: str | None) -> str | None:
    """Choose a model of an answer to `GET /v1/models`. Pure.

    >>> choose(b'{"data": [{"id": "text-embed-3"}, {"id": "qwen3:8b"}]}', preferred=None)
    'qwen3:8b'
    """
    try:
        body = json.loads(listed)
    except (ValueError, RecursionError):
        return None
    data = body.get("data") if isinstance(body, dict) else None
    ids = [model.get("id") for model in data if isinstance(model, dict)] if isinstance(data, list) else []
    names = [name for name in ids if isinstance(name, str) and _PLAIN.fullmatch(name)]
    if preferred in names:
        return preferred
    chats = [name for name in names if not any(word in name.lower() for word in _NO_CHAT)]
    return next(iter(chats or names), None)
