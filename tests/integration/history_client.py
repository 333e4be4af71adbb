"""A chat client that keeps its history and sends any part of it."""

from dataclasses import dataclass, field

from integration.raw_client import RawAnswer, assistant, chat, user
from integration.server_process import ServerProcess

Log = list[tuple[int, int, str, str]]
"""`seq`, `parent_seq`, role and text of each message."""


@dataclass(slots=True)
class Client:
    """A chat client with a history that it sends as it likes."""

    server: ServerProcess
    who: str
    model: str = "echo"
    headers: dict[str, str] = field(default_factory=dict)
    history: list[dict[str, object]] = field(default_factory=list)

    def send(self, *messages: dict[str, object], **more: object) -> RawAnswer:
        """Send exactly these messages."""
        return chat(self.server.port, self.model, messages, {"x-toldonce-user": self.who} | self.headers, **more)

    def say(self, text: str) -> str:
        """Send the history with a new message, as most clients do, and keep the answer."""
        self.history.append(user(text))
        said = self.send(*self.history, stream=True).text
        self.history.append(assistant(said))
        return said

    def tab(self, **headers: str) -> "Client":
        """Open another tab of the same user."""
        return Client(self.server, self.who, self.model, {name.replace("_", "-"): h for name, h in headers.items()})


def lines(*said: str) -> Log:
    """A conversation without branches: what was said in turn, each answered by echo."""
    log: Log = []
    for text in said:
        log.append((len(log) + 1, len(log), "user", text))
        log.append((len(log) + 1, len(log), "assistant", f"You said: {text}"))
    return log
