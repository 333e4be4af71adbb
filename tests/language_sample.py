"""One language of the multilingual tests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SampleLanguage:
    """Six memories of one language, and questions with the place of the memory that answers each."""

    memories: tuple[str, str, str, str, str, str]
    asked: dict[str, int]
