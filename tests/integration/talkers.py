"""Concurrent clients that keep a ledger of acknowledged turns and retry the others. Opens sockets."""

import random
import threading
from contextlib import suppress
from dataclasses import dataclass, field

from integration.database_reader import Acknowledged
from integration.raw_client import assistant, chat, user
from integration.server_process import ServerProcess
from patience import PATIENCE_S

# Shares of a client's turns; the rest go on with the conversation.
_NEW, _EDIT = 0.15, 0.2
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _word(number: int) -> str:
    """Spell a number in letters, so that it is a word nobody else says."""
    letters = ""
    while number:
        number, at = divmod(number, len(_LETTERS))
        letters += _LETTERS[at]
    return f"z{letters}q"


@dataclass(slots=True)
class _Talker:
    """One client with its conversation."""

    number: int
    user: str
    luck: random.Random
    names_chat: bool
    """Whether it sends an id of its chat."""
    names_messages: bool
    """Whether it sends an id of its message as well, which an edit keeps."""
    chats: int = 0
    turns: int = 0
    history: list[tuple[str, str]] = field(default_factory=list)
    """(said, answered) of the active path."""
    ids: list[str] = field(default_factory=list)
    """Of the questions on the active path, with the one that is asked now."""

    def choose(self) -> str:
        """Begin another conversation, go back to an earlier turn, or go on; return what is said."""
        chance = self.luck.random()
        self.turns += 1
        if chance < _NEW:
            self.chats += 1
            self.history.clear()
            self.ids.clear()
        elif chance < _NEW + _EDIT and self._may_edit():
            at = self.luck.randrange(len(self.history))
            del self.history[at:]
            del self.ids[at + 1 :]
        if len(self.ids) == len(self.history):
            self.ids.append(f"message-{self.turns}")
        return f"My cat is called {_word(self.turns * 100 + self.number + 1).title()}."

    def _may_edit(self) -> bool:
        """Tell whether an edit is certain to be one.

        Until a second turn has shown that the client sends its history, a named chat's only question, said in other
        words, may also be the next message of a client without a history. Then only the message's id tells.
        """
        if self.names_chat and not self.names_messages:
            return len(self.history) > 1
        return bool(self.history)

    def say(self, server: ServerProcess, text: str) -> Acknowledged | None:
        """Say it, with the history; None where it was not acknowledged."""
        messages = [message for said, answered in self.history for message in (user(said), assistant(answered))]
        headers = {"x-toldonce-user": self.user}
        if self.names_chat:
            headers["x-openwebui-chat-id"] = f"chat-{self.number}-{self.chats}"
        if self.names_messages:
            headers["x-openwebui-message-id"] = self.ids[-1]
        with suppress(ConnectionError, TimeoutError):
            answer = chat(server.port, f"echo:{self.number}", [*messages, user(text)], headers, stream=True)
            if answer.done:
                follows = self.history[-1][1] if self.history else None
                self.history.append((text, answer.text))
                return Acknowledged(user=self.user, said=text, answered=answer.text, follows=follows)
        return None


class Talkers:
    """Any number of clients, two to a user, that talk while the gate is open."""

    def __init__(self, server: ServerProcess, count: int, seed: int, *, first: int = 0) -> None:
        """Make the clients, numbered from `first` on (an even number); none talks yet."""
        self._server = server
        self._gate = threading.Event()
        self._stopping = False
        self._waiting = 0
        self._changed = threading.Condition()
        self._ledger: list[Acknowledged] = []
        self._threads = [
            threading.Thread(target=self._talk, args=(talker,), daemon=True)
            for talker in (
                _Talker(
                    number=number,
                    user=f"talker-{number // 2}",
                    luck=random.Random(seed * 1_000 + number),
                    names_chat=number % 3 == 0,
                    names_messages=number % 6 == 0,
                )
                for number in range(first, first + count)
            )
        ]
        for thread in self._threads:
            thread.start()

    def _talk(self, talker: _Talker) -> None:
        text = talker.choose()
        while self._pass_gate():
            turn = talker.say(self._server, text)
            if turn is not None:
                with self._changed:
                    self._ledger.append(turn)
                    self._changed.notify_all()
                text = talker.choose()

    def _pass_gate(self) -> bool:
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
        self._gate.wait()
        with self._changed:
            self._waiting -= 1
        return not self._stopping

    def go(self) -> None:
        """Open the gate."""
        self._gate.set()

    def hold(self) -> list[Acknowledged]:
        """Close the gate, wait until nobody talks, and return all that was acknowledged so far."""
        self._gate.clear()
        with self._changed:
            if not self._changed.wait_for(lambda: self._waiting == len(self._threads), PATIENCE_S):
                raise AssertionError(f"{len(self._threads) - self._waiting} clients still wait for an answer")
            return list(self._ledger)

    def wait_for(self, more: int) -> bool:
        """Wait until so many more turns were acknowledged."""
        with self._changed:
            goal = len(self._ledger) + more
            return self._changed.wait_for(lambda: len(self._ledger) >= goal, PATIENCE_S)

    def end(self) -> list[Acknowledged]:
        """End them; return the ledger."""
        self._stopping = True
        self._gate.set()
        for thread in self._threads:
            thread.join(PATIENCE_S)
        return list(self._ledger)
