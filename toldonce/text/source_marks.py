"""The words by which a memory says that it rests on a text that anybody may have written. Pure.

A note without them is the user's own statement, so that the two are never taken for one another.
"""

_SAID = ' said: "'
_MAX_SPEAKER_CHARACTERS = 60
PASTED_MARK = "According to a pasted text, perhaps by another: "


def names_pasted_source(text: str) -> bool:
    """Return whether a memory says that it rests on a pasted text.

    >>> names_pasted_source(f"{PASTED_MARK}The user teaches in Ulm."), names_pasted_source("The user teaches in Ulm.")
    (True, False)
    """
    return text.startswith(PASTED_MARK.strip())


def said(speaker: str, words: str) -> str:
    """Return the text of a memory in its speaker's own words.

    A name is cut to 60 characters and has neither quotation marks nor colons, so that it says nothing itself.

    >>> said("Ana", "I ski.")
    'Ana said: "I ski."'
    >>> said('Ana said: "I row." Bo', "I ski.")
    'Ana said I row. Bo said: "I ski."'
    """
    name = " ".join(speaker.replace('"', " ").replace(":", " ").split())[:_MAX_SPEAKER_CHARACTERS].rstrip()
    return f'{name}{_SAID}{words}"'


def words_said(text: str) -> str | None:
    """Return the words that a memory quotes, by its text; None if it is none of that form.

    >>> words_said('Ana said: "I ski."'), words_said("Ana skis.")
    ('I ski.', None)
    """
    speaker, frame, words = text.partition(_SAID)
    return words[:-1] if frame and words.endswith('"') and len(speaker) <= _MAX_SPEAKER_CHARACTERS else None
