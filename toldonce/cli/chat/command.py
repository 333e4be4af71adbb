"""The command `chat`: a terminal chat that shows recalled memories. Reads stdin, connects by HTTP."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from toldonce.cli.options import CommandOptions, DatabaseUrl, UserName, load_options
from toldonce.cli.output import dim, note, one_line, printable, say, when

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from toldonce.cli.chat.server import BackgroundLoop, ChatServer
    from toldonce.cli.chat.server_client import ChatClient
    from toldonce.engine import AsyncToldOnce
    from toldonce.types import Memory

HELP = "/new starts a new conversation, /memories lists memories, /quit or Ctrl-D quits"
_MAX_LISTED = 20

_Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="Model (default: the first one listed).")]
_Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="URL",
        help="URL of a ToldOnce server, without /v1 (default: a running local server, or a temporary one).",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(chat)


def chat(user: UserName = None, model: _Model = None, url: _Url = None, database: DatabaseUrl = None) -> None:
    """Chat in the terminal and see recalled memories. In a pipe, each line of stdin is a message."""
    from toldonce.cli.chat.server import BackgroundLoop
    from toldonce.cli.chat.server_client import ChatClient

    here = load_options(user=user, database=database, creates=True)
    background = BackgroundLoop()
    try:
        with _server(here, background, url, own=database is not None) as found:
            client = background.run(_client(ChatClient, found.url, here.subject.name, found.key))
            try:
                name = model or background.run(client.first_model())
                if sys.stdin.isatty():
                    note(f"{found.what}, model {name}. {HELP}.")
                if not _Talk(background, client, here, name, found).loop():
                    raise typer.Exit(1)
            finally:
                background.run(client.close())
    finally:
        background.close()


async def _client(
    make: "Callable[[str, str, str | None], ChatClient]", base: str, user: str, key: str | None
) -> "ChatClient":
    """Create the client inside the event loop that it will use."""
    return make(base, user, key)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The server to chat with."""

    url: str
    what: str
    """Description for the user."""
    key: str | None = None
    """API key to send."""
    local: bool = True
    """Whether it uses the database of the settings."""
    own: "ChatServer | None" = None
    """The temporary server, if one was started."""


@contextmanager
def _server(here: CommandOptions, background: "BackgroundLoop", url: str | None, *, own: bool) -> Iterator[_Found]:
    """Find the server: the one given, a running local one, or else start a temporary one."""
    from toldonce.cli.chat.server import ChatServer
    from toldonce.server.machine_checks import answers

    key = here.settings.key.get_secret_value() if here.settings.key else None
    if url is not None:
        yield _Found(url=url.removesuffix("/").removesuffix("/v1"), what=f"Talking to {url}", key=key, local=False)
        return
    settings = here.settings
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::", "localhost") else settings.host
    running = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
    if not own and settings.port and background.run(answers(running)):
        yield _Found(url=running, what=f"Talking to the server at {running}", key=key)
        return
    server = ChatServer(settings, here.subject)
    try:
        background.run(server.start())
        yield _Found(url=server.url, key=server.key, what=f"Memory in {settings.shown_database}", own=server)
    finally:
        background.run(server.close())


class _Talk:
    """A conversation at the terminal."""

    def __init__(
        self, background: "BackgroundLoop", client: "ChatClient", here: CommandOptions, model: str, server: _Found
    ) -> None:
        self.background = background
        self.client = client
        self.here = here
        self.model = model
        self.server = server
        self._begin()

    def _begin(self) -> None:
        self.messages: list[dict[str, str]] = []
        self.conversation = f"chat-{uuid4()}"

    def loop(self) -> bool:
        """Read and answer until the end; return False if an answer failed without a terminal to show it."""
        good = True
        for line in _lines():
            text = line.strip()
            if text in ("/quit", "/exit"):
                break
            if text == "/new":
                self._begin()
                if self.server.own is not None:  # other servers have a worker of their own
                    self.background.run(self.server.own.settle())
                note("New conversation; the previous one is remembered.")
            elif text == "/memories":
                self._list()
            elif text.startswith("/") and " " not in text and sys.stdin.isatty():
                note(HELP)
            elif text:
                good = self._answer(line) and good
        return good or sys.stdin.isatty()

    def _answer(self, text: str) -> bool:
        from toldonce.errors import ModelError

        self.messages.append({"role": "user", "content": text})
        pieces: list[str] = []
        try:
            self.background.run(self._stream(pieces))
        except ModelError as error:
            note(f"toldonce: {one_line(str(error))}")
            self.messages.pop()
            return False
        except KeyboardInterrupt:
            if not sys.stdin.isatty():
                raise
            note(" (stopped)")
        if pieces:
            self.messages.append({"role": "assistant", "content": "".join(pieces)})
        else:
            self.messages.pop()
        return True

    async def _stream(self, pieces: list[str]) -> None:
        try:
            async for piece in self.client.ask(self.messages, model=self.model, conversation=self.conversation):
                for line in recalled_lines(piece.memories):
                    dim(line)
                if piece.text:
                    pieces.append(piece.text)
                    typer.echo(printable(piece.text), nl=False)
        finally:
            typer.echo()

    def _list(self) -> None:
        if not self.server.local:
            note("the memories are on that server: run `toldonce list` there")
            return

        async def work(engine: "AsyncToldOnce") -> "list[Memory]":
            return await engine.list(user=self.here.subject, limit=_MAX_LISTED)

        found = self.here.run(work)
        for memory in found:
            say(f"  {when(memory.valid_from, self.here.zone)}  {one_line(memory.text)}")
        note("no notes, facts or episodes yet" if not found else f"the newest {len(found)}; more: toldonce list")


def _lines() -> Iterator[str]:
    """Read messages, with a prompt on a terminal."""
    if not sys.stdin.isatty():
        yield from (line.rstrip("\n") for line in sys.stdin)
        return
    while True:
        try:
            yield input("> ")
        except EOFError:
            typer.echo()
            return


def recalled_lines(memories: "Sequence[Mapping[str, Any]]") -> Iterator[str]:
    """Format recalled memories, one per line, with score and reasons if given.

    >>> list(recalled_lines([{"score": 0.8214, "text": "Ana is allergic to peanuts.", "reasons": ["shares 'nuts'"]}]))
    ["  · 0.82 Ana is allergic to peanuts. (shares 'nuts')"]
    """
    for memory in memories:
        score = memory.get("score")
        number = f"{score:.2f} " if isinstance(score, int | float) else ""
        reasons = memory.get("reasons")
        why = (
            "; ".join(str(reason) for reason in reasons) if isinstance(reasons, list) else str(memory.get("kind") or "")
        )
        yield f"  · {number}{one_line(str(memory.get('text') or ''))}" + (f" ({one_line(why)})" if why else "")
