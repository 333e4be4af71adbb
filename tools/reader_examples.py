"""What heads learn from: labelled messages, evidence of AlpsBench, and replies to put before messages. Reads files."""

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from benchmarks.alps_chats import ENGLISH, AlpsChat, fold_of, read_chats
from toldonce.reading.head_features import HeadInput
from toldonce.reading.sentences import sentences
from tools.corpus import read_corpus
from tools.label_messages import LABELS, real_messages

_ALPSBENCH = "alpsbench"
_CORPORA = Path(__file__).parents[1] / "corpora"
# Share of the verified label in the target of a message; the rest is the share of the recorded models that took it.
_GOLD_SHARE = 0.5
# Labels that make a message of our own worth keeping, and those that take a sentence out.
_TOLD, _NOT_MEANT = frozenset("KPW"), frozenset("UO")
# A reply of a real chat that has so many characters is long.
_LONG = 80
# Share of long replies that are of real chats, where the language has some, and of our own replies that end with a
# question or an offer.
_REAL_SHARE, _ENDING_SHARE = 0.5, 0.4
# Every language has so many replies of each kind, one for each part of a cross-validation.
MAX_FOLDS = 5
# Turns of a chat before a message that is put later in it.
_MAX_TURNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A message with the labels of its sentences."""

    group: str
    """Its writer or chat: all of it is trained on, or none."""
    is_own: bool
    """Written for this project."""
    language: str
    source: HeadInput
    labels: NDArray[np.float32]
    """Shape (sentences that are read, heads)."""

    @property
    def tells(self) -> float:
        """1 if a sentence tells something lasting in earnest, otherwise 0."""
        named = [{label for label, has in zip(LABELS, row, strict=True) if has} for row in self.labels]
        return float(any(each & _TOLD and not each & _NOT_MEANT for each in named))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A user's message of AlpsBench."""

    chat: AlpsChat
    place: int
    source: HeadInput
    target: float

    @property
    def group(self) -> str:
        """Its chat, as a group of labelled messages."""
        return f"{_ALPSBENCH} {self.chat.id}"


def own_messages() -> Iterator[Labelled]:
    """Read the messages in `corpora/messages`."""
    for path in sorted((_CORPORA / "messages").glob("*.txt")):
        for message in read_corpus(path):
            source = HeadInput(
                text=message.text,
                sentences=[sentence.text for sentence in message.sentences],
                previous_reply=message.reply,
                turn=2 if message.reply else 0,
            )
            labels = [sentence.labels for sentence in message.sentences]
            group = f"{message.language} {message.writer}"
            yield _labelled(source, labels, group=group, is_own=True, language=message.language)


def labelled_messages(folder: Path) -> Iterator[Labelled]:
    """Read the real messages that `corpora/labels` names."""
    known = {(each.data, each.chat, each.place): each for each in real_messages(folder)}
    languages = {chat.id: chat.language for chat in read_chats(folder / "alpsbench_dev.jsonl.gz")}
    for path in sorted((_CORPORA / "labels").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            chat, place, *spans = line.split()
            message = known[path.stem, chat, int(place)]
            texts, labels = [], []
            for span in spans:
                offsets, _, named = span.partition(":")
                start, end = map(int, offsets.split("-"))
                texts.append(message.text[start:end])
                labels.append(frozenset(named))
            source = HeadInput(text=message.text, sentences=texts, previous_reply=message.reply, turn=int(place))
            language = languages.get(chat, ENGLISH)
            yield _labelled(source, labels, group=f"{path.stem} {chat}", is_own=False, language=language)


def _labelled(
    source: HeadInput, labels: Sequence[frozenset[str]], *, group: str, is_own: bool, language: str
) -> Labelled:
    read = len(source.read_sentences)
    rows = np.array([[label in named for label in LABELS] for named in labels[:read]], np.float32)
    return Labelled(group=group, is_own=is_own, language=language, source=source, labels=rows)


def evidence_of(chats: Iterable[AlpsChat]) -> Iterator[Evidence]:
    """Read the users' messages of AlpsBench."""
    for chat in chats:
        models = [frozenset(at for item in items for at in item.utterances) for items in chat.recorded.values()]
        before: list[str] = []
        reply = ""
        for place, message in enumerate(chat.messages):
            pieces = sentences(message.text) if message.role == "user" else []
            if pieces:
                source = HeadInput(
                    text=message.text,
                    sentences=[piece.text for piece in pieces],
                    previous_reply=reply,
                    previous_texts=before[::-1],
                    turn=place,
                )
                taken = sum(place in each for each in models) / max(len(models), 1)
                target = _GOLD_SHARE * (place in chat.gold_utterances) + (1 - _GOLD_SHARE) * taken
                yield Evidence(chat=chat, place=place, source=source, target=target)
                before.append(message.text)
            elif message.role != "user":
                reply = message.text


class ReplyKind(StrEnum):
    """Replies that do not change what the message after them says, by what they are."""

    ACKNOWLEDGEMENT = "acknowledgements"
    LONG = "answers"
    PLAY = "play"
    """Words of a figure in a game or a story."""


_ENDINGS = "endings"
# How often a message is trained after each.
_KINDS = {ReplyKind.ACKNOWLEDGEMENT: 0.4, ReplyKind.LONG: 0.5, ReplyKind.PLAY: 0.1}


class Replies:
    """Replies to put before messages that were written without one: our own, and long ones of real chats."""

    def __init__(self, evidence: Sequence[Evidence], folds: int = 1, used: Collection[int] = (0,)) -> None:
        """Read `corpora/replies.toml`.

        Args:
            evidence: Messages of real chats, with the replies before them.
            folds: Parts that the replies are divided into, at most `MAX_FOLDS`.
            used: Parts that are used.
        """
        with (_CORPORA / "replies.toml").open("rb") as file:
            own = tomllib.load(file)
        self.languages = own.keys()
        self._texts: dict[tuple[str, str], list[str]] = {
            (language, kind): [text for place, text in enumerate(texts) if place % folds in used]
            for language, kinds in own.items()
            for kind, texts in kinds.items()
        }
        self._real: dict[str, list[str]] = {}
        for each in evidence:
            if len(each.source.previous_reply) >= _LONG and fold(each.group, folds) in used:
                self._real.setdefault(each.chat.language, []).append(each.source.previous_reply)

    def draw(self, language: str, kind: ReplyKind, random: Random) -> str:
        """Return a reply; of our own acknowledgements and answers, some end with a question or an offer."""
        real = self._real.get(language)
        if real and kind is ReplyKind.LONG and random.random() < _REAL_SHARE:
            return random.choice(real)
        reply = random.choice(self._texts[language, kind])
        if kind is ReplyKind.PLAY or random.random() >= _ENDING_SHARE:
            return reply
        return f"{reply} {random.choice(self._texts[language, _ENDINGS])}"


def with_reply(example: Labelled, reply: str, earlier: Sequence[str], random: Random) -> Labelled:
    """Return a message as if said later in a chat.

    Args:
        example: The message; what it answers stays the end of the reply.
        reply: What the other side said before it.
        earlier: A message of the speaker.
        random: Chooses how much later.
    """
    source = replace(
        example.source,
        previous_reply=f"{reply} {example.source.previous_reply}".strip(),
        previous_texts=earlier,
        turn=2 * random.randint(1, _MAX_TURNS),
    )
    return replace(example, source=source)


def later(
    labelled: Sequence[Labelled], replies: Replies, seed: int, kinds: Mapping[ReplyKind, float] = _KINDS
) -> list[Labelled]:
    """Return messages as if said after a random reply, and after a message of the same writer.

    Args:
        labelled: The messages; real ones that have a reply before them stay as they are.
        replies: What may be said before.
        seed: Other seeds choose other replies.
        kinds: How often each kind of reply is chosen.
    """
    random = Random(seed)
    said: dict[str, list[str]] = {}
    for each in labelled:
        said.setdefault(each.group, []).append(each.source.text)
    found = []
    for each in labelled:
        if each.language in replies.languages and (each.is_own or not each.source.previous_reply):
            [kind] = random.choices(list(kinds), list(kinds.values()))
            earlier = random.choice(said[each.group])
            reply = replies.draw(each.language, kind, random)
            found.append(with_reply(each, reply, [earlier] if earlier != each.source.text else [], random))
        else:
            found.append(each)
    return found


def said_after(labelled: Sequence[Labelled], replies: Replies) -> dict[str, list[Labelled]]:
    """Return messages that answer nothing alone, and the same after replies of each kind, by the kind."""
    alone = [each for each in labelled if not each.source.previous_reply]
    return {"alone": alone, **{kind.name.lower(): later(alone, replies, 0, {kind: 1.0}) for kind in ReplyKind}}


def part_of(group: str, parts: int) -> int:
    """Return the part that a group falls into at random, the same in every run."""
    return int.from_bytes(sha256(group.encode()).digest()[:8]) % parts


def fold(group: str, folds: int) -> int:
    """Return the part of a writer or chat; a chat of AlpsBench has the one that `fold_of` gives it."""
    data, _, chat = group.partition(" ")
    return fold_of(chat, folds) if data == _ALPSBENCH else part_of(group, folds)
