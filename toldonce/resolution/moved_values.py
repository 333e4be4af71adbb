"""Numbers and dates of two texts that belong to different things: '2 cats, 3 dogs', '3 cats, 2 dogs'. Pure."""

from collections import Counter
from collections.abc import Iterator

from toldonce.resolution.lexicon import DATES, DEGREE, NUMBER_WORDS
from toldonce.resolution.tokens import FUNCTION_WORDS, NUMBER, TokenizedSentence, token
from toldonce.text import words

# Each word with the values next to it.
_Bindings = dict[str, set[str]]


def has_moved_values(one: TokenizedSentence, other: TokenizedSentence) -> bool:
    """Return whether a number or a date of two texts that have the same ones is given to another thing.

    >>> from toldonce.resolution.tokens import align
    >>> has_moved_values(*align("I have 2 cats and 3 dogs now.", "I have 3 cats and 2 dogs."))
    True
    >>> has_moved_values(*align("I have 2 cats and 3 dogs now.", "I have 3 dogs and 2 cats."))
    False
    """
    numbers, dates = len(set(one.numbers)) > 1, len(set(one.dates)) > 1
    if one.text == other.text or not (numbers or dates):
        return False
    return (numbers and _moved(_numbers(one.text), _numbers(other.text))) or (
        dates and _moved(_dates(one.text), _dates(other.text))
    )


def _moved(ours: list[tuple[str, bool]], theirs: list[tuple[str, bool]]) -> bool:
    """Return whether values changed places among the words of two texts.

    What a value belongs to is before it ('room 2') or after it ('2 cats'): one side without a difference is enough,
    unless the values come in the same order, as then another word took the place of one.
    """
    sides = [(_pairs(ours), _pairs(theirs)), (_pairs(ours[::-1]), _pairs(theirs[::-1]))]
    if any(Counter(mine) == Counter(yours) for mine, yours in sides):
        return False
    reordered = [word for word, is_value in ours if is_value] != [word for word, is_value in theirs if is_value]
    bound = [(_bind(mine), _bind(yours)) for mine, yours in sides]
    if reordered and all(_is_ambiguous(mine) and _is_ambiguous(yours) for mine, yours in bound):
        return True
    conflicts = [_conflict(mine, yours) for mine, yours in bound]
    return all(conflicts) if reordered else any(conflicts)


def _numbers(text: str) -> list[tuple[str, bool]]:
    """List the words of meaning and the numbers of a text in order, each with whether it is a number."""
    listed: list[tuple[str, bool]] = []
    end = 0
    for match in NUMBER.finditer(text):
        listed += _words(text[end : match.start()])
        listed.append((match.group().replace(",", ""), True))
        end = match.end()
    return [*listed, *_words(text[end:])]


def _words(text: str) -> Iterator[tuple[str, bool]]:
    for word in words(text):
        if word in NUMBER_WORDS:
            if word not in {"one", "both"}:
                yield NUMBER_WORDS[word], True
        elif _has_meaning(word):
            yield token(word), False


def _dates(text: str) -> list[tuple[str, bool]]:
    """List the words of meaning and the dates of a text in order, each with whether it is a date."""
    return [(token(word), word in DATES) for word in words(text) if word in DATES or _has_meaning(word)]


def _has_meaning(word: str) -> bool:
    return len(word) > 1 and word not in FUNCTION_WORDS and token(word) not in DEGREE


def _pairs(listed: list[tuple[str, bool]]) -> list[tuple[str, str]]:
    """Pair each value with the next word or value; the last one with ''."""
    following = [word for word, _ in listed[1:]] + [""]
    return [(value, after) for (value, is_value), after in zip(listed, following, strict=True) if is_value]


def _bind(pairs: list[tuple[str, str]]) -> _Bindings:
    bound: _Bindings = {}
    values = {value for value, _ in pairs}
    for value, word in pairs:
        if word and word not in values:
            bound.setdefault(word, set()).add(value)
    return bound


def _is_ambiguous(bound: _Bindings) -> bool:
    """Return whether several values are next to the same word: '5 mg at 10 and 10 mg at 5'."""
    return any(len(values) > 1 for values in bound.values())


def _conflict(ours: _Bindings, theirs: _Bindings) -> bool:
    return any(not values & theirs[word] for word, values in ours.items() if word in theirs)
