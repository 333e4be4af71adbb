"""What the server says when it starts: its address, its settings, a command to try. Asks upstream for its models."""

import json
import os
import shutil
import sys
from pathlib import Path

from toldonce.http_stream import read_part
from toldonce.lazy_pattern import LazyPattern
from toldonce.providers.offline_model import MODEL as OFFLINE_MODEL
from toldonce.server.auth.authenticator import needs_credentials
from toldonce.server.status import OK
from toldonce.settings import Settings

# The server's start waits at most this long for the list, in seconds: it is only for a hint.
MAX_WAIT_S = 1.0
MAX_BYTES = 1_000_000
# Names that need no quoting in a shell command or terminal.
_PLAIN = LazyPattern(r"[A-Za-z0-9][A-Za-z0-9._/:@+-]{0,199}")
# Words in the names of models that do not chat.
_NO_CHAT = ("embed", "rerank", "whisper", "tts", "dall-e", "moderation", "image", "audio", "transcribe")


def welcome(settings: Settings, port: int, *, model: str | None = None) -> str:
    """Write where the server listens, what it uses, and what to do next.

    Args:
        settings: All settings.
        port: The port that was bound.
        model: A model that the upstream has; None if unknown.
    """
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::", "localhost") else settings.host
    base = f"http://{f'[{host}]' if ':' in host else host}:{port}/v1"
    answers = (
        f"{settings.upstream_url} answers ({_describe_key(settings)})"
        if settings.upstream_url
        else "the built-in model toldonce/offline, from memory alone (set TOLDONCE_UPSTREAM_URL for a real one)"
    )
    forms = (
        f"{settings.form_model} forms memories (costs tokens)"
        if settings.form_model
        else "built-in rules form memories: no token is spent"
    )
    if settings.worker == "off":
        forms += "; not in this process: run `toldonce worker` beside it"
    return "\n".join(
        [
            "",
            f"ToldOnce listens on {base}",
            f"  memory   {settings.shown_database}",
            f"  answers  {answers}",
            f"  forms    {forms}",
            f"  users    {_describe_users(settings)}",
            "",
            "Next: point any OpenAI client at it, changing nothing but the base URL, or try",
            *(f"  {line}" for line in request_to_try(settings, base, model=model)),
            *([f"  {base.removesuffix('/v1')}/    open it in a browser: the dashboard"] if settings.dashboard else []),
            f"  {own_command()} chat    talk here and see what is recalled",
            f"  {own_command()} list    what is remembered (Ctrl-C stops the server)",
            "",
        ]
    )


def request_to_try(settings: Settings, base: str, *, model: str | None = None) -> list[str]:
    """Return the lines of a shell command that sends a first chat request.

    Args:
        settings: All settings.
        base: Where the API is, such as `http://127.0.0.1:8765/v1`.
        model: A model that the upstream has; None if unknown.
    """
    return [
        f"curl {base}/chat/completions -H 'content-type: application/json' \\",
        *([] if is_trusting(settings) else ["  -H 'authorization: Bearer rk_…' -H 'x-toldonce-user: ana' \\"]),
        f'  -d \'{{"model":"{_model_to_try(settings, model)}","messages":[{{"role":"user","content":'
        '"I am allergic to peanuts."}]}\'',
    ]


def own_command() -> str:
    """Return the command for this program: its name if the shell finds it, or else its path."""
    program = Path(sys.argv[0])
    installed = shutil.which(program.name)
    if program.name == "toldonce" and (installed is None or not program.exists() or not program.samefile(installed)):
        return os.path.relpath(program)
    return "toldonce"


def _model_to_try(settings: Settings, listed: str | None) -> str:
    """Return a model that answers here; a placeholder if the upstream's models are unknown."""
    if settings.upstream_url is None:
        return OFFLINE_MODEL
    if listed is None and settings.form_model and settings.form_url in (None, settings.upstream_url):
        return settings.form_model
    return listed or "MODEL"


def _describe_key(settings: Settings) -> str:
    if not settings.upstream_key:
        return "each client sends its own key"
    return "this server's key" if is_trusting(settings) else "this server's key, for authenticated requests"


def _describe_users(settings: Settings) -> str:
    if settings.jwt_secret:
        return "named by Open WebUI's signed header, or by API key"
    if not is_trusting(settings):
        return "named by API key" + (" or JWT" if settings.jwt_issuer else "")
    if settings.default_user:
        return f"named by header, /u/NAME/v1 or body; otherwise {settings.default_user}"
    return "named by header, /u/NAME/v1 or body; otherwise anonymous"


def is_trusting(settings: Settings) -> bool:
    """Return whether a request without a credential is believed, as long as no key was made."""
    return settings.auth == "off" or not (needs_credentials(settings) or settings.jwt_secret)


async def chat_model(settings: Settings) -> str | None:
    """Return a model that the upstream has: the one that forms memories, or else the first that can chat.

    Returns None if there is no upstream, or it does not answer within `MAX_WAIT_S`.
    """
    if settings.upstream_url is None:
        return None
    import aiohttp

    key = settings.upstream_key.get_secret_value() if settings.upstream_key else None
    headers = {"authorization": f"Bearer {key}"} if key else {}
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=MAX_WAIT_S), trust_env=False) as http,
            http.get(f"{settings.upstream_url}/models", headers=headers, allow_redirects=False) as answer,
        ):
            listed = b""
            while (
                answer.status == OK and len(listed) < MAX_BYTES and (more := await read_part(answer.content, MAX_BYTES))
            ):
                listed += more
    except (aiohttp.ClientError, TimeoutError, OSError):
        return None
    return choose_model(listed, preferred=settings.form_model)


def choose_model(listed: bytes, *, preferred: str | None) -> str | None:
    """Choose a model from an answer to `GET /v1/models`. Pure.

    >>> choose_model(b'{"data": [{"id": "text-embed-3"}, {"id": "qwen3:8b"}]}', preferred=None)
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
