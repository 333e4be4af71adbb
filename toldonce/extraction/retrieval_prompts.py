"""Find the user's question in a prompt that a retrieval pipeline wrote around it. Pure.

Pipelines put everything into one user message: an instruction to answer from the text that follows, documents, and the
question after a label ('Question:'). Documents may contain labels too, so a label counts only if it is the only one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toldonce.extraction.role_play_patterns import PERSONA
from toldonce.extraction.spans import Span
from toldonce.lazy_pattern import LazyPattern

# Characters of a line that are searched: leads and labels are short.
_MAX_LINE_CHARACTERS = 400
# Words between "following" and "context".
_NEAR = 5
_WORD = LazyPattern(r"[a-z']++")
_SENTENCE = LazyPattern(r"[^.!?:]++[.!?:]?")
_SOURCES = frozenset(
    """context contexts document documents passage passages excerpt excerpts snippet snippets chunk chunks source
    sources results articles retrieved""".split()
)
# People also use these words about themselves: they count only before a colon or the end of the line.
_WEAK_SOURCES = frozenset("information text data content article knowledge pieces paragraphs page transcript".split())
_POINTS = frozenset("following below provided given retrieved these supplied attached solely only above".split())
_ACTS = frozenset("answer answering respond reply use using based according given relying utilize leverage".split())
_ABOUT_ONESELF = LazyPattern(
    r"\b(?:about|of)\s+(?:me|myself|us)\b|\bmy\s+(?:own\s+)?(?:information|data|details|context)\b"
)
_ANSWERED = LazyPattern(r"\bwe have provided an existing answer\b|\boriginal answer\b|\bexisting answer\b")
_ABOVE = LazyPattern(
    r"\b(?:given|based on|using|according to|with)\s+(?:the\s+|this\s+|these\s+|all\s+)?"
    r"(?:(?:above|provided|new|preceding)\s+)?(?:context(?:\s+information)?|documents?|passages?|excerpts?|sources?)\b"
)
# A header line above documents.
_HEADER = LazyPattern(
    r"\A[ \t]*+(?:[#>*\[=-]{1,6}[ \t]*+)?\*{0,2}"
    r"(?:(?:retrieved|relevant|search|web|background|additional|supporting|reference)\s)?"
    r"(?:contexts?|documents?|sources?|passages?|excerpts?|results|references?|knowledge(?: base)?|chunks?|"
    r"attachments?|(?:attached|uploaded)\s(?:files?|documents?(?:\(s\))?))(?:\s(?:information|file|\d{1,3}))?(?:\[\d{1,3}\])?"
    r"\*{0,2}\]?\*{0,2}(?P<colon>:?)\*{0,2}(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
_LABEL = LazyPattern(
    r"\A[ \t]*+(?:[#>*-]{1,6}[ \t]*+)?\*{0,2}(?:(?:(?:the|here is the|here's the)\s)?"
    r"(?:(?:user|human|current|original|follow[- ]?up|new|standalone|final|user's)\s){0,2}"
    r"(?:question|query|request|message|prompt)|(?:current\s)?user(?:\s)input|user|human)"
    r"(?:\s(?:is as follows|is|about[^:\n]{0,60}|that[^:\n]{0,80}))?\*{0,2}\s?:\*{0,2}",
    re.IGNORECASE,
)
_INLINE_LABEL = LazyPattern(
    r"\b(?:answer|respond to|reply to|address)\s(?:the\s|this\s)?(?:user'?s?\s)?(?:following\s)?"
    r"(?:question|query|request)\s?:",
    re.IGNORECASE,
)
_ANSWER = LazyPattern(
    r"\A[ \t]*+(?:[#>*]{1,4}[ \t]*+)?\*{0,2}(?:(?:your|the|helpful|final|refined|direct|detailed|short|concise)\s){0,2}"
    r"(?:answer|response|reply|assistant|ai|output)\b[^:\n]{0,40}:",
    re.IGNORECASE,
)
_RULE = LazyPattern(r"\A[ \t]*+(?:-{4,}+|={4,}+|_{4,}+|\*{4,}+)[ \t]*+$")


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Label:
    """A line that labels a question."""

    line: _Line
    question_start: int


def find_retrieved(text: str, marks: Sequence[int] = (), *, cut_off: bool = False) -> list[Span]:
    """Find the text that a retrieval pipeline wrote around the user's question.

    Args:
        text: A message without its wrappers.
        marks: Places where wrappers were removed.
        cut_off: The last wrapper was never closed, and may have swallowed the user's question.

    >>> text = "Use the following context to answer.\\nI ski.\\nQuestion: Who am I?"
    >>> [text[start:end] for start, end in find_retrieved(text)]
    ['Use the following context to answer.\\nI ski.\\nQuestion:']
    """
    lines = _lines(text)
    labels = [_Label(line, start) for line in lines if (start := _question_start(line))]
    labelled = [label.line for label in labels]
    leads = [line for line in lines if _leads(line, lines[-1])]
    headers = [line for line in lines if _is_header(line, lines[-1], labelled=bool(labels or leads))]
    below = min([*leads, *headers], key=lambda line: line.start, default=None)
    if below is None:
        above = [line for line in lines if _looks_back(line)]
        return _after_context(text, above[-1], lines, labels) if above else []
    before = text[: below.start].strip()
    persona = bool(PERSONA.match(before)) if before else bool(PERSONA.match(below.text))
    asked_before = bool(before) and not persona and not _is_only_labelled(before)
    start = 0 if persona else below.start
    if cut_off:
        return [(start, len(text))]
    kept = None if asked_before else _question(text, lines, labels, below)
    if kept is None and marks and not any(line.start > marks[-1] for line in (*labelled, *leads, *headers)):
        kept = (marks[-1], len(text)) if _wraps(text, below, marks, persona=persona) else None
    if kept is None:
        return [(start, len(text))]
    return [span for span in ((start, kept[0]), (kept[1], len(text))) if span[0] < span[1]]


def is_template(text: str) -> bool:
    """Return whether a text is nothing but instructions of a template to a model.

    >>> is_template("### Task:\\nAnswer from the context."), is_template("I moved. What now?")
    (True, False)
    """
    lines = _lines(text)
    return not any(character.isalnum() for character in text) or (
        not any(_question_start(line) for line in lines)
        and (bool(PERSONA.match(text)) or bool(lines and _leads(lines[0], lines[-1])))
    )


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            found.append(_Line(line[:_MAX_LINE_CHARACTERS], at, at + len(line)))
        at += len(line) + 1
    return found


def _question_start(line: _Line) -> int | None:
    """Return where the question starts that a line labels; None if it labels none."""
    found = _LABEL.match(line.text) or _INLINE_LABEL.search(line.text)
    return line.start + found.end() if found else None


def _leads(line: _Line, last: _Line) -> bool:
    """Return whether a line tells the model to answer from the text that follows."""
    low = line.text.lower()
    if line is last and ":" not in low.rstrip()[:-1]:
        return False  # nothing follows
    if _ANSWERED.search(low) or "context information is below" in low or "context is below" in low:
        return True
    return any(_points(found.group(), low[found.end() :]) for found in _SENTENCE.finditer(low))


def _points(sentence: str, rest: str) -> bool:
    """Return whether a sentence points to sources to answer from; `rest` is the rest of its line."""
    words = _WORD.findall(sentence)
    if not _ACTS.intersection(words) or _ABOUT_ONESELF.search(sentence):
        return False
    sources = _SOURCES | _WEAK_SOURCES if sentence.endswith(":") or not rest.strip() else _SOURCES
    points = [place for place, word in enumerate(words) if word in _POINTS]
    named = [place for place, word in enumerate(words) if word in sources]
    return any(abs(place - other) <= _NEAR for place in points for other in named)


def _is_header(line: _Line, last: _Line, *, labelled: bool) -> bool:
    """Return whether a line is a header above documents: 'Context:', '### Documents'."""
    found = _HEADER.match(line.text)
    if not found:
        return False
    rest = found["rest"].strip(" *#]=-")
    if found["colon"]:
        return labelled or (not rest and line is not last)
    return not rest and (labelled or line.text.lstrip()[:1] in "#[=*")


def _looks_back(line: _Line) -> bool:
    low = line.text.lower()
    return bool(_ABOVE.search(low)) and bool(set(_WORD.findall(low)) & _ACTS)


def _after_context(text: str, above: _Line, lines: Sequence[_Line], labels: Sequence[_Label]) -> list[Span]:
    """Find the text before a line that refers to the context above it, and after the answer's label."""
    places = [label.question_start for label in labels if label.line.start >= above.start]
    start = places[0] if len(places) == 1 else (above.end if not places else len(text))
    return [(0, start), (_answer(lines, start, len(text)), len(text))]


def _question(text: str, lines: Sequence[_Line], labels: Sequence[_Label], below: _Line) -> Span | None:
    """Find the only question after a lead; None if there is none, or several candidates."""
    after = [label for label in labels if label.line.start >= below.start]
    if len(after) != 1:
        return None
    line, place = after[0].line, after[0].question_start
    headers = [other for other in lines if other.start > line.start and _is_header(other, lines[-1], labelled=True)]
    if not headers:
        return (place, _answer(lines, place, len(text)))
    # In some templates the question comes right after the lead, before the documents.
    between = [other for other in lines if below.start < other.start < line.start]
    return None if between or line is below else (place, headers[0].start)


def _answer(lines: Sequence[_Line], place: int, end: int) -> int:
    return next((line.start for line in lines if line.start > place and _ANSWER.match(line.text)), end)


def _is_only_labelled(before: str) -> bool:
    """Return whether the text before the lead is only horizontal rules of a template."""
    return all(_RULE.match(line) for line in before.split("\n") if line.strip())


def _wraps(text: str, below: _Line, marks: Sequence[int], *, persona: bool) -> bool:
    """Return whether the wrapper after a lead belongs to the template."""
    first = next((mark for mark in marks if mark >= below.start), None)
    return first is not None and (persona or not text[below.end : first].strip())
