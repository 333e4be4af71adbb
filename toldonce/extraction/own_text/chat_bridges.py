"""Messages as chat bridges send them: what several people write to one assistant, each after a label. Pure.

`_SHAPES` has the shapes of labels. '[Ana]: …', '<Ana> …' and '@Ana (12:03): …' name a speaker. 'Ana: …', '*Ana*: …' and
'Ana — …' do if the label is a given name and the words are spoken, or if all messages of the user at hand have such
labels, one of which comes again. In doubt the words are the user's own, and so is the label. A chat beside other words,
as under an order, names no speaker.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from toldonce.chat.content import speaker_name
from toldonce.extraction.own_text.carriers import pattern, words
from toldonce.extraction.own_text.wrappers import is_known_wrapper
from toldonce.lazy_pattern import LazyPattern
from toldonce.text import fold, is_common, is_function_word, is_given_name
from toldonce.text_caches import register_text_cache
from toldonce.types import LoggedMessage, Message

_TIME = r"\d{1,2}[:.]\d{2}(?::\d{2})?(?:\s?[ap]m)?"
_NAME = r"[^\W\d_][\w.'’-]{0,30}(?:[ \t][^\W\d_][\w.'’-]{0,30}){0,2}"
_EMPHASIS = r"(?:\*{1,2}|_{1,2}|`)"
# Between a colon and the words, which may begin on the next line.
_BEFORE_WORDS = r"(?:[ \t]{1,9}|[ \t]{0,9}\n[ \t]{0,9}|(?<=：))(?=\S)"
# The shapes of labels by their names, in the order in which they are tried; NAME is the speaker's.
_SHAPES = {
    "square": rf"\[@?NAME(?:[ ,]{{1,2}}{_TIME})?\][ \t]?(?:\({_TIME}\)[ \t]?)?[:：]",
    "mention": r"<@[A-Z0-9]{1,20}\|@?NAME>[:：]?",
    "angle": rf"(?:\[{_TIME}\][ \t]?)?<[@+%~]?NAME>[:：]?",
    "at": rf"@NAME[ \t]?[\[(]{_TIME}[\])][ \t]?[:：]",
    "timed": rf"\[{_TIME}\][ \t]?@?NAME[ \t]?[:：]",
    "when": rf"@?NAME[ \t]?[\[(]{_TIME}[\])][ \t]?[:：]",
    "marked": rf"{_EMPHASIS}@?NAME(?:[:：]{_EMPHASIS}|{_EMPHASIS}[ \t]?[:：]){_BEFORE_WORDS}",
    "bare": rf"@?NAME[ \t]?[:：]{_BEFORE_WORDS}",
    "dash": r"@?NAME[ \t]{1,3}(?:[—–]|--)[ \t]{1,3}(?=\S)",
}
_HEAD = LazyPattern(
    r"^[ \t]{0,3}(?:" + "|".join(p.replace("NAME", f"(?P<{form}>{_NAME})") for form, p in _SHAPES.items()) + ")",
    re.IGNORECASE | re.MULTILINE,
)
_CLEAR = frozenset({"square", "at"})
# Shapes that also address a person, or begin an aside: only words of one who speaks of themselves make them labels.
_UNCLEAR = frozenset({"mention", "dash"})
_LINK = ("http://", "https://", "//", "www.")
# Several people write a few lines at once; a longer chat was pasted.
_MAX_HEADS, _MAX_SPEAKERS = 20, 6
# Messages whose speaker is kept: those of some twenty long chats.
_MAX_KEPT, _MAX_KEPT_CHARACTERS = 8_192, 1_000
# Messages with labels of unknown words that show together that these are names.
_MIN_MESSAGES = 3
_JOINT = ", "
_PARAGRAPH = LazyPattern(r"\n[ \t]*\n\s*")
_DASH = LazyPattern(r"\s(?:[—–]|--)\s")
_WORD = LazyPattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_FIRST, _SECOND, _THIRD = words("speakers", "first"), words("speakers", "second"), words("speakers", "third")
_FIRST_UNSPACED = pattern("speakers", "first_unspaced")
_SECOND_UNSPACED = pattern("speakers", "second_unspaced")
_THIRD_UNSPACED = pattern("speakers", "third_unspaced")


@dataclass(frozen=True, slots=True)
class _Head:
    """A label at the start of a line."""

    name: str
    form: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SpokenPart:
    """What one speaker says in a message."""

    name: str
    labelled: str
    words: str
    """The same without the label."""


def named_by_bridge(log: Sequence[Message]) -> tuple[Message, ...]:
    """Name the speakers of the user's messages that a bridge labelled; a name that the client sent stays."""
    unnamed = [message.text for message in log if message.role == "user" and message.name is None]
    alike = _are_labelled_alike(unnamed)
    return tuple(
        replace(message, name=name)
        if message.role == "user" and message.name is None and (name := _speaker(message.text, alike))
        else message
        for message in log
    )


def _speaker(text: str, alike: bool) -> str | None:
    """Do as `speaker_in`; what was said in short is kept, as clients send the whole chat with each message."""
    return _kept_speaker(text, alike) if len(text) <= _MAX_KEPT_CHARACTERS else speaker_in(text, alike=alike)


@register_text_cache
@lru_cache(maxsize=_MAX_KEPT)
def _kept_speaker(text: str, alike: bool) -> str | None:
    return speaker_in(text, alike=alike)


def speaker_in(text: str, *, alike: bool = False) -> str | None:
    """Return the name of the speaker whom the label of a message names; several are joined by commas.

    Args:
        text: A message of the user.
        alike: Other messages show that labels of this kind are names.

    >>> speaker_in("[Ana]: I ski."), speaker_in("Ana: I ski.\\nBen: Me too."), speaker_in("Note: I ski.")
    ('Ana', 'Ana, Ben', None)
    """
    heads = _heads(text)
    if not heads or len(heads) > _MAX_HEADS or not all(_may_be_name(head, text) for head in heads):
        return None
    names = list(dict.fromkeys(head.name for head in heads))
    if len(names) > _MAX_SPEAKERS or (len(heads) > 1 and not _is_all_labelled(text, heads)):
        return None
    form = heads[0].form
    is_known = any(map(_is_given, names)) or 1 < len(names) < len(heads)
    is_clear = (form in _CLEAR and is_known) or alike
    if form == "angle" and not is_clear and any(_is_tag(head, text) for head in heads):
        return None
    is_timed = form in ("timed", "when") and is_known
    is_told = (is_known or form == "angle") and _is_spoken(heads[0], text)
    return _JOINT.join(names) if is_clear or is_timed or is_told else None


def labelled_parts(text: str, name: str | None) -> list[SpokenPart]:
    """Return the parts of a message whose speaker's name was read from its labels; empty for others."""
    if not name:
        return []
    wanted = set(name.split(_JOINT))
    heads = [head for head in _heads(text) if head.name in wanted]
    if not heads or text[: heads[0].start].strip() or {head.name for head in heads} != wanted:
        return []
    ends = [*(head.start for head in heads[1:]), len(text)]
    return [
        SpokenPart(head.name, text[head.start : end].strip(), text[head.end : end].strip())
        for head, end in zip(heads, ends, strict=True)
    ]


def by_speaker(messages: Iterable[LoggedMessage]) -> list[LoggedMessage]:
    """Return messages, those of several speakers as one for each part."""
    found: list[LoggedMessage] = []
    for message in messages:
        parts = labelled_parts(message.text, message.name) if message.role == "user" else []
        found += [replace(message, name=part.name, text=part.labelled) for part in parts] or [message]
    return found


def _heads(text: str) -> list[_Head]:
    """Find the labels of the form that a text begins with; empty if it begins with none."""
    first = _HEAD.match(text)
    if first is None or not first.lastgroup:
        return []
    found = islice((head for head in _HEAD.finditer(text) if head.lastgroup == first.lastgroup), _MAX_HEADS + 1)
    return [_Head(head[head.lastgroup], head.lastgroup, head.start(), head.end()) for head in found if head.lastgroup]


def _may_be_name(head: _Head, text: str) -> bool:
    """Return whether a label can be a name: no role, no level of a log, no heading, no relative and no text."""
    name, spelled = head.name, head.name.casefold()
    is_shout = name.isupper() and len(name) > 1
    if speaker_name(name) is None or spelled in _FIRST | _SECOND or is_shout or text.startswith(_LINK, head.end):
        return False
    said = _WORD.findall(name)
    return bool(said) and (_is_given(name) or not any(is_common(word) or is_function_word(word) for word in said))


def _is_all_labelled(text: str, heads: Sequence[_Head]) -> bool:
    """Return whether a text is nothing but labelled words: an order may follow a pasted chat."""
    paragraphs = {found.end() for found in _PARAGRAPH.finditer(text.rstrip())}
    return paragraphs <= {head.start for head in heads} and "\n" not in text[heads[-1].end :].strip()


def _is_tag(head: _Head, text: str) -> bool:
    return head.name.islower() or is_known_wrapper(head.name) or f"</{head.name}" in text


def _is_spoken(head: _Head, text: str) -> bool:
    """Return whether the words after a label speak of their writer, or to a reader if the label is no address."""
    said = text[head.end :]
    spoken = {word.casefold().replace("’", "'") for word in _WORD.findall(said)}
    of_oneself = not spoken.isdisjoint(_FIRST) or bool(_FIRST_UNSPACED.search(said))
    if head.form not in _UNCLEAR:
        return of_oneself or not spoken.isdisjoint(_SECOND) or bool(_SECOND_UNSPACED.search(said))
    line = said.partition("\n")[0]
    is_aside = head.form == "dash" and bool(_DASH.search(line))
    return of_oneself and not is_aside and spoken.isdisjoint(_THIRD) and not _THIRD_UNSPACED.search(line)


def _is_given(name: str) -> bool:
    return is_given_name(fold(_WORD.findall(name)[0].casefold()))


def _are_labelled_alike(texts: Sequence[str]) -> bool:
    """Return whether all messages have labels that may be names, of several speakers, one of whom comes again."""
    if len(texts) < _MIN_MESSAGES:
        return False
    names: list[str] = []
    for text in texts:
        heads = _heads(text)
        if not heads or not _may_be_name(heads[0], text):
            return False
        names.append(heads[0].name)
    return 1 < len(set(names)) < len(names)
