"""Terms as they were made before `TERM_SCHEME` was 2, for memories whose terms were not yet made anew. Pure."""

import re
import unicodedata

from recollect.text.languages import STOP_WORDS
from recollect.text.stem import stem

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_POSSESSIVE = re.compile(r"'s$")
_MAX_WORD_CHARACTERS = 64


def former_terms(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return each word of a text with the terms it had.

    >>> former_terms("Montañas, 東京都")
    [('montañas', ('montaña',)), ('東京都', ('東京', '京都'))]
    """
    found: list[str] = _WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))
    return [
        (word, tuple(_terms(word))) for word in found if len(word) <= _MAX_WORD_CHARACTERS and word not in STOP_WORDS
    ]


def _terms(word: str) -> list[str]:
    if not _UNSPACED.search(word):
        return [stem(_POSSESSIVE.sub("", word))]
    terms: list[str] = []
    start = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > start:
            terms.append(word[start : run.start()])
        characters = run.group()
        terms += (characters[i : i + 2] for i in range(max(1, len(characters) - 1)))
        start = run.end()
    return terms + ([word[start:]] if start < len(word) else [])
