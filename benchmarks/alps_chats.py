"""Chats of AlpsBench: people with assistants, verified memories, and what models extracted. Reads a file.

A line is a chat: `{id, dialogue: [{role, text}], gold: [item], recorded: {model: [item]}}` with items
`{type, label, value, evidence, utterances}`: what is remembered, the words it rests on, and the places in `dialogue` of
the user's messages that hold them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from toldonce.datasets.json_node import Node, parse
from toldonce.datasets.load import read_bytes
from toldonce.errors import BadRequestError
from toldonce.text import words
from toldonce.text.languages import guess
from toldonce.text.scripts import runs, script_of

ENGLISH = "en"
_REMARK = "[ERROR"
# Characters of a chat by which its language is told, from its beginning.
_SEEN_CHARACTERS = 20_000
_KANA = frozenset(map(chr, range(0x3041, 0x3100)))
# Chinese quotes a Japanese name now and then; a Japanese sentence is a third kana at least.
_MIN_KANA = 0.1
_OF_RUNS = {"clusters": "th", "hangul": "ko"}
_OF_SCRIPTS = {"greek": "el", "armenian": "hy", "tamil": "ta"}


class AlpsMessage(NamedTuple):
    """A message of a chat."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AlpsItem:
    """One memory that people verified, or that a model extracted."""

    text: str
    """What is remembered."""
    label: str
    """Kind of memory, for instance 'Preferences/Food'."""
    evidence: str
    """The words it rests on, as the annotator or the model copied them."""
    utterances: frozenset[int]
    """Places of the user's messages that hold the evidence, from 0; empty where none was found to."""

    @property
    def is_doubted(self) -> bool:
        """Whether the data set itself remarks that the memory is wrong: '[ERROR: Unsupported by evidence]'."""
        return _REMARK in self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class AlpsChat:
    """One chat."""

    id: str
    messages: tuple[AlpsMessage, ...]
    gold: tuple[AlpsItem, ...]
    recorded: Mapping[str, tuple[AlpsItem, ...]]
    """By model."""
    language: str
    """Code of the language of the user's messages, such as `de`; `other` where it is none of the known ones."""

    @property
    def said(self) -> Mapping[int, str]:
        """The user's messages by their places."""
        return {place: message.text for place, message in enumerate(self.messages) if message.role == "user"}

    @property
    def gold_utterances(self) -> frozenset[int]:
        """Places of the user's messages that are evidence for a memory."""
        return frozenset(place for item in self.gold for place in item.utterances)

    @property
    def undoubted_utterances(self) -> frozenset[int]:
        """Places of the user's messages that are evidence for a memory that the data set does not doubt."""
        return frozenset(place for item in self.gold if not item.is_doubted for place in item.utterances)


def read_chats(path: Path) -> tuple[AlpsChat, ...]:
    """Read a file, plain or packed by gzip; empty lines are skipped.

    Raises:
        BadRequestError: the file or a line of it cannot be read; the message names it, the field and the value.
    """
    chats: dict[str, AlpsChat] = {}
    for number, line in enumerate(read_bytes(path).split(b"\n"), start=1):
        if not line.strip():
            continue
        chat = _chat(parse(f"{path.name}: line {number}", line))
        if chat.id in chats:
            raise BadRequestError(f"{path.name}: line {number}: another chat has the id {chat.id!r}", param="data")
        chats[chat.id] = chat
    if not chats:
        raise BadRequestError(f"{path.name}: no chats in it", param="data")
    return tuple(chats.values())


def sampled(chats: Sequence[AlpsChat], count: int) -> tuple[AlpsChat, ...]:
    """Choose chats by the hash of their ids: the same in every run, in the order of the file."""
    first = sorted(chats, key=lambda chat: sha256(chat.id.encode()).digest())[:count]
    chosen = {chat.id for chat in first}
    return tuple(chat for chat in chats if chat.id in chosen)


def fold_of(chat_id: str, folds: int) -> int:
    """Return the part of the data that a chat belongs to in a cross-validation: by the hash of its id, from 0."""
    return int.from_bytes(sha256(f"fold {chat_id}".encode()).digest()[:8]) % folds


def models_of(chats: Sequence[AlpsChat]) -> list[str]:
    """List the models whose extractions are recorded."""
    return sorted({model for chat in chats for model in chat.recorded})


def language_of(text: str) -> str:
    """Return the code of a text's language: by most of its letters, then by the words of that script's languages.

    >>> [language_of(text) for text in ("Ich wohne in Oslo.", "我住在北京。", "私はパリに住む")]
    ['de', 'zh', 'ja']
    """
    letters: Counter[str] = Counter()
    found = words(text[:_SEEN_CHARACTERS])
    for word in found:
        for kind, run in runs(word):
            letters[script_of(run) if kind == "spaced" else kind] += len(run)
    if not letters:
        return ENGLISH
    script = letters.most_common(1)[0][0]
    if script == "pairs":
        kana = sum(character in _KANA for word in found for character in word)
        return "ja" if kana >= _MIN_KANA * letters[script] else "zh"
    if script in _OF_RUNS or script in _OF_SCRIPTS:
        return {**_OF_RUNS, **_OF_SCRIPTS}[script]
    spoken, _ = guess(found, text[:_SEEN_CHARACTERS])
    return str(spoken._asdict().get(script, "other"))


def _chat(line: Node) -> AlpsChat:
    messages = tuple(_messages(line.at("dialogue")))
    if not any(message.role == "user" for message in messages):
        line.at("dialogue").refuse("no message is the user's")
    recorded = line.get("recorded")
    return AlpsChat(
        id=line.at("id").name(),
        messages=messages,
        gold=tuple(_item(item, messages) for item in line.at("gold").items()),
        recorded={
            model: tuple(_item(item, messages) for item in items.items())
            for model, items in (recorded.fields() if recorded else ())
        },
        language=language_of("\n".join(message.text for message in messages if message.role == "user")),
    )


def _messages(dialogue: Node) -> Iterator[AlpsMessage]:
    for node in dialogue.items():
        role, text = node.at("role"), node.at("text")
        if role.value not in ("user", "assistant"):
            role.refuse("must be user or assistant")
        if not isinstance(text.value, str) or not text.value.strip():
            text.refuse("must be text that is not blank")
        yield AlpsMessage(role=role.value, text=text.value)


def _item(node: Node, messages: Sequence[AlpsMessage]) -> AlpsItem:
    text = node.at("value").text()
    return AlpsItem(
        text=text,
        label=_optional_text(node.get("label")),
        evidence=_evidence(node.get("evidence")),
        utterances=frozenset(_place(place, messages) for place in node.at("utterances").items()),
    )


def _optional_text(node: Node | None) -> str:
    if node is None:
        return ""
    if not isinstance(node.value, str):
        node.refuse("must be text")
    return str(node.value).strip()


def _evidence(node: Node | None) -> str:
    """Read evidence; several passages may be a list."""
    if node is not None and isinstance(node.value, list):
        return " ... ".join(_optional_text(passage) for passage in node.items())
    return _optional_text(node)


def _place(node: Node, messages: Sequence[AlpsMessage]) -> int:
    place = node.value
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(messages):
        node.refuse(f"must be the place of a message, 0 to {len(messages) - 1}")
    if messages[place].role != "user":
        node.refuse("must be the place of a message of the user")
    return int(place)
