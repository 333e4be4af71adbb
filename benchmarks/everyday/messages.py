"""Everyday chat messages in eleven languages, each with the words that state something lasting. Reads its data files.

They were written before the rules were looked at. Every other message is held out: rules and data may be improved by
reading the misses of the open half, never of the held-out one.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
LANGUAGES = {
    "en": "English",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "pt": "Portuguese",
    "it": "Italian",
    "nl": "Dutch",
    "ru": "Russian",
    "zh": "Chinese",
    "ja": "Japanese",
    "ar": "Arabic",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EverydayMessage:
    """One message of a user."""

    text: str
    states: str
    """The words that state something lasting about the user; empty if it states nothing."""
    topic: str
    """What is stated (`home`, `diet`), or what else the message is (`question`, `fiction`)."""
    held_out: bool

    def covered(self, quote: str) -> float:
        """Return the share of the stated letters and digits that a quote of the message contains.

        >>> said = EverydayMessage(text="im vegan, dinner?", states="im vegan", topic="diet", held_out=False)
        >>> said.covered("im vegan"), said.covered("im"), said.covered("dinner")
        (1.0, 0.2857142857142857, 0.0)
        """
        start, at = self.text.find(self.states), self.text.find(quote)
        if not self.states or not quote or at < 0:
            return 0.0
        shared = self.text[max(start, at) : min(start + len(self.states), at + len(quote))]
        return _count(shared) / _count(self.states)


def read_messages(language: str, folder: Path = FOLDER) -> list[EverydayMessage]:
    """Read the messages of a language, in the order of the file."""
    data = tomllib.loads((folder / f"{language}.toml").read_text("utf-8"))
    return [EverydayMessage(**message) for message in data["messages"]]


def _count(text: str) -> int:
    return sum(character.isalnum() for character in text)
